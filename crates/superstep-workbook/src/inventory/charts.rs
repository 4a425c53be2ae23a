//! Charts as lines: what they show, and how. The numbers are read from the parts, so that charts of all
//! programs are told alike.

use super::{Feature, Features, rules};
use crate::{
    address::CellRef,
    book::Workbook,
    error::Error,
    patch::chart_part,
    relations::relations,
    sheet::Sheet,
    xml::{self, Tag, Token, Xml},
};

/// Adds the charts of a sheet, stored and new.
pub(super) fn add(book: &Workbook, sheet: &Sheet, found: &mut Features) -> Result<(), Error> {
    let mut put = |at: String, what: String| {
        found.insert(Feature {
            kind: "chart",
            at,
            what,
        });
    };
    if !sheet.part.is_empty() {
        for drawing in relations(&book.package, &sheet.part)? {
            if drawing.kind != "drawing" || drawing.is_external {
                continue;
            }
            for (at, part) in charts_of(book, &drawing.target)? {
                if let Some(text) = text(book, &part)? {
                    put(at, described(&part, &text)?);
                }
            }
        }
    }
    for chart in &sheet.new_charts {
        let text = chart_part(book, chart);
        put(chart.at.to_string(), described("chart", &text)?);
    }
    Ok(())
}

/// A part as it is, or as operations have changed it.
pub(crate) fn text(book: &Workbook, part: &str) -> Result<Option<String>, Error> {
    if let Some(text) = book.changed.parts.get(part) {
        return Ok(Some(text.clone()));
    }
    match book.package.part(part)? {
        Some(bytes) => Ok(Some(xml::decode(part, &bytes)?.into_owned())),
        None => Ok(None),
    }
}

/// The charts of a drawing: their first cell, and their part.
fn charts_of(book: &Workbook, drawing: &str) -> Result<Vec<(String, String)>, Error> {
    let Some(text) = text(book, drawing)? else {
        return Ok(Vec::new());
    };
    let related = relations(&book.package, drawing)?;
    let mut charts = Vec::new();
    let (mut row, mut column) = (None, None);
    let mut xml = Xml::new(drawing, &text);
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close | Token::Text(_) => continue,
        };
        let number = |text: String| text.trim().parse::<u32>().ok();
        match tag.local() {
            "oneCellAnchor" | "twoCellAnchor" | "absoluteAnchor" => (row, column) = (None, None),
            // The first of both is the upper left corner.
            "row" if is_open && row.is_none() => row = number(xml.text()?),
            "col" if is_open && column.is_none() => column = number(xml.text()?),
            "chart" => {
                let mut attributes = tag.attributes();
                let id = attributes.find_map(|(key, value)| key.ends_with(":id").then_some(value));
                let part = id.and_then(|id| super::address(&related, &id).map(str::to_owned));
                let at = row.zip(column).and_then(|(row, column)| {
                    CellRef::new(row.checked_add(1)?, column.checked_add(1)?)
                });
                let at = at.map_or(String::new(), |at| at.to_string());
                charts.extend(part.map(|part| (at, part)));
            }
            _ => {}
        }
    }
    Ok(charts)
}

fn described(part: &str, text: &str) -> Result<String, Error> {
    let mut words: Vec<String> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut xml = Xml::new(part, text);
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close => {
                path.pop();
                continue;
            }
            Token::Text(_) => continue,
        };
        let name = tag.local();
        let is_in = |name: &str| path.iter().any(|it| it == name);
        match name {
            // What is stored of the cells says nothing more than they do.
            "strCache" | "numCache" | "extLst" | "pivotFmts" if is_open => {
                xml.skip()?;
                continue;
            }
            "f" if is_open => {
                let role = ["tx", "cat", "val", "xVal", "yVal"];
                let role = role.into_iter().find(|role| is_in(role)).unwrap_or("of");
                let reference = rules::plain(&xml.text()?).replace('$', "");
                words.push(format!("{role} {reference}"));
                continue;
            }
            "t" if is_open && is_in("title") => {
                let text = xml.text()?;
                words.push(format!("title {text:?}"));
                continue;
            }
            "v" if is_open && is_in("tx") => {
                let text = xml.text()?;
                words.push(format!("name {text:?}"));
                continue;
            }
            _ => words.extend(word(&tag, &path)),
        }
        if is_open {
            path.push(name.to_owned());
        }
    }
    Ok(words.join(" "))
}

/// What an element says about how a chart looks; what is usual says nothing.
fn word(tag: &Tag<'_>, path: &[String]) -> Option<String> {
    let value = || tag.get("val").unwrap_or_default().into_owned();
    let is_on = || tag.get("val").is_none_or(|value| xml::is_true(&value));
    let is_in = |name: &str| path.iter().any(|it| it == name);
    let name = tag.local();
    match name {
        "ser" => Some("series".to_owned()),
        "catAx" | "valAx" | "dateAx" | "majorGridlines" => Some(name.to_owned()),
        "barDir" | "symbol" | "legendPos" | "dLblPos" => Some(format!("{name} {}", value())),
        "grouping" if value() != "standard" => Some(value()),
        "min" | "max" | "majorUnit" => Some(format!("{name} {}", value())),
        "orientation" if value() == "maxMin" => Some("reversed".to_owned()),
        "overlap" if value() != "0" => Some(format!("overlap {}", value())),
        "gapWidth" if value() != "150" => Some(format!("gap {}", value())),
        "style" if path.last().is_some_and(|it| it == "chartSpace") => {
            Some(format!("style {}", value()))
        }
        "showVal" | "showPercent" | "showCatName" | "showSerName" if is_on() => {
            Some(name.to_owned())
        }
        "smooth" if is_on() => Some(name.to_owned()),
        "delete" if is_on() && (is_in("catAx") || is_in("valAx")) => Some("hidden".to_owned()),
        "srgbClr" if is_in("ln") => Some(format!("line {}", rules::digits(&value()))),
        "srgbClr" => Some(rules::digits(&value())),
        "ln" => tag.get("w").map(|width| format!("line {width} wide")),
        "noFill" if is_in("ln") => Some("no line".to_owned()),
        "numFmt" if !tag.is("sourceLinked") => {
            let code = tag.get("formatCode").unwrap_or_default();
            (code != "General").then(|| format!("numbers {code}"))
        }
        chart if chart.ends_with("Chart") => Some(chart.to_owned()),
        _ => None,
    }
}
