//! The part of the workbook: the list of sheets, names, and whether to calculate on load.

use std::collections::BTreeMap;

use super::OnLoad;
use crate::{
    book::Workbook,
    error::Error,
    frame::Frame,
    package::Package,
    relations::OFFICE,
    sheet::Visibility,
    xml::{self, Piece, Token, Xml},
};

pub(super) fn write(
    book: &Workbook,
    related: &BTreeMap<String, String>,
    on_load: OnLoad,
    package: &mut Package,
) -> Result<(), Error> {
    let changed = &book.changed;
    let calculates = changed.values && on_load == OnLoad::Calculate;
    if !changed.sheets && !changed.names && !calculates {
        return Ok(());
    }
    let part = &book.parts.workbook;
    let bytes = package.part(part)?.unwrap_or_default().into_owned();
    let text = xml::decode(part, &bytes)?;
    let mut frame = Frame::read(part, &text)?;
    if changed.sheets {
        let old = frame.get("sheets").next().unwrap_or_default().to_owned();
        frame.set("sheets", vec![sheets(book, part, &old, related)?]);
        frame.declare("xmlns:r", OFFICE);
        let views: Vec<String> = frame.get("bookViews").map(str::to_owned).collect();
        let views = match (book.changed.active, views.is_empty()) {
            (Some(_), true) => {
                vec!["<bookViews><workbookView activeTab=\"0\"/></bookViews>".to_owned()]
            }
            _ => views,
        };
        frame.set("bookViews", clamp_views(book, part, views)?);
    }
    if changed.names {
        frame.set("definedNames", names(book));
    }
    if calculates {
        let old = frame.get("calcPr").next().map(str::to_owned);
        let mut attributes = String::new();
        if let Some(old) = &old
            && let Some(Token::Open(tag) | Token::Empty(tag)) = Xml::new(part, old).next()?
        {
            attributes = tag.others(&["fullCalcOnLoad"]);
        }
        frame.set(
            "calcPr",
            vec![format!("<calcPr{attributes} fullCalcOnLoad=\"1\"/>")],
        );
    }
    package.set(part, frame.write().into_bytes());
    Ok(())
}

fn sheets(
    book: &Workbook,
    part: &str,
    old: &str,
    related: &BTreeMap<String, String>,
) -> Result<String, Error> {
    // Numbers and other attributes of the sheets that were there, by relationship.
    let mut known = BTreeMap::new();
    let mut last = 0_u32;
    let mut xml = Xml::new(part, old);
    while let Some(token) = xml.next()? {
        let (Token::Open(tag) | Token::Empty(tag)) = token else {
            continue;
        };
        if tag.local() != "sheet" {
            continue;
        }
        let number: u32 = tag.number("sheetId").unwrap_or(0);
        last = last.max(number);
        let mut attributes = tag.attributes();
        let id = attributes.find_map(|(key, value)| key.ends_with(":id").then_some(value));
        known.insert(id.unwrap_or_default().into_owned(), number);
    }
    let mut out = String::from("<sheets>");
    for sheet in &book.sheets {
        let new = related.get(&sheet.name).filter(|_| sheet.part.is_empty());
        let id = new.unwrap_or(&sheet.relation);
        let number = known.get(id).copied().unwrap_or_else(|| {
            last += 1;
            last
        });
        out.push_str("<sheet");
        xml::attribute(&mut out, "name", &sheet.name);
        xml::attribute(&mut out, "sheetId", &number.to_string());
        match sheet.visibility {
            Visibility::Visible => {}
            Visibility::Hidden => xml::attribute(&mut out, "state", "hidden"),
            Visibility::VeryHidden => xml::attribute(&mut out, "state", "veryHidden"),
        }
        xml::attribute(&mut out, "xmlns:r", OFFICE);
        xml::attribute(&mut out, "r:id", id);
        out.push_str("/>");
    }
    out.push_str("</sheets>");
    Ok(out)
}

/// Views open a sheet by its place, which may be gone or hidden now.
fn clamp_views(book: &Workbook, part: &str, views: Vec<String>) -> Result<Vec<String>, Error> {
    let is_shown = |at: usize| {
        let sheet = book.sheets.get(at);
        sheet.is_some_and(|sheet| sheet.visibility == Visibility::Visible)
    };
    let first = (0..book.sheets.len()).find(|at| is_shown(*at)).unwrap_or(0);
    let active = book.changed.active.filter(|at| is_shown(*at));
    let clamp = |view: &String| {
        // A view without the attribute shows the first sheet.
        let view = match active.is_some() && !view.contains("activeTab=") {
            true => view.replacen("workbookView", "workbookView activeTab=\"0\"", 1),
            false => view.clone(),
        };
        xml::map(part, &view, &[], |_, piece| match piece {
            Piece::Attribute("activeTab", _) if active.is_some() => active.map(|at| at.to_string()),
            Piece::Attribute("activeTab" | "firstSheet", at) => {
                let at: usize = at.parse().unwrap_or(usize::MAX);
                (!is_shown(at)).then(|| first.to_string())
            }
            _ => None,
        })
    };
    views.iter().map(clamp).collect()
}

/// Selects the sheet that is shown first, and no other: what is typed goes to all selected ones.
pub(super) fn select(
    book: &Workbook,
    active: usize,
    parts: &[String],
    package: &mut Package,
) -> Result<(), Error> {
    for (at, (sheet, part)) in book.sheets.iter().zip(parts).enumerate() {
        let bytes = package.part(part)?.unwrap_or_default().into_owned();
        let text = xml::decode(part, &bytes)?;
        let mut frame = Frame::read(part, &text)?;
        let old = frame.get("sheetViews").next().map(str::to_owned);
        let is_selected = old.as_ref().is_some_and(|old| old.contains("tabSelected="));
        if !sheet.is_grid || (at != active && !is_selected) {
            continue;
        }
        let old = old.unwrap_or_else(|| {
            "<sheetViews><sheetView workbookViewId=\"0\"/></sheetViews>".to_owned()
        });
        let old = match is_selected {
            true => old,
            false => old.replacen("sheetView ", "sheetView tabSelected=\"0\" ", 1),
        };
        let new = xml::map(part, &old, &[], |_, piece| match piece {
            Piece::Attribute("tabSelected", _) => Some(u8::from(at == active).to_string()),
            _ => None,
        })?;
        frame.set("sheetViews", vec![new]);
        package.set(part, frame.write().into_bytes());
    }
    Ok(())
}

fn names(book: &Workbook) -> Vec<String> {
    if book.names.is_empty() {
        return Vec::new();
    }
    let mut out = String::from("<definedNames>");
    for name in &book.names {
        out.push_str("<definedName");
        xml::attribute(&mut out, "name", &name.name);
        if let Some(sheet) = name.sheet {
            xml::attribute(&mut out, "localSheetId", &sheet.to_string());
        }
        if name.hidden {
            xml::attribute(&mut out, "hidden", "1");
        }
        out.push_str(&name.attributes);
        out.push('>');
        xml::escape(&mut out, &crate::future::stored(&name.refers_to));
        out.push_str("</definedName>");
    }
    out.push_str("</definedNames>");
    vec![out]
}
