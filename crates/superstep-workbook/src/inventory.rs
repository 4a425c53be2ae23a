//! What surrounds the cells of a sheet, as lines that can be compared: comments, tables, links,
//! validations, conditional formats, charts, groups, and how it is printed and shown. The same thing gives
//! the same line, whichever program wrote the file. `diff` compares them.

mod anchored;
mod charts;
mod extras;
mod rules;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use serde::Serialize;

use crate::{
    address::{Area, column_name},
    book::Workbook,
    edit::{Blocks, blocks_of},
    error::Error,
    extensions,
    frame::Frame,
    package::Package,
    relations::{Relation, relations},
    sheet::Sheet,
    xml::{self, Token, Xml},
};

pub use anchored::Anchored;
pub(crate) use charts::text;
pub use extras::ExtraFeature;

/// Something that surrounds cells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Feature {
    /// What it is: `comment`, `table`, `link`, `validation`, …
    pub kind: &'static str,
    /// Where it is; empty if it is the whole sheet.
    pub at: String,
    /// What it says.
    pub what: String,
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.is_empty() {
            true => write!(f, "{}: {}", self.kind, self.what),
            false => write!(f, "{} {}: {}", self.kind, self.at, self.what),
        }
    }
}

type Features = BTreeSet<Feature>;

impl Workbook {
    /// What surrounds the cells of a sheet.
    pub fn features(&self, sheet: &Sheet) -> Result<Features, Error> {
        let mut found = Features::new();
        let mut add = |kind, at: String, what: String| {
            found.insert(Feature { kind, at, what });
        };
        for (at, comment) in &sheet.comments {
            let by = match comment.author.is_empty() {
                true => String::new(),
                false => format!(" by {:?}", comment.author),
            };
            add("comment", at.to_string(), format!("{:?}{by}", comment.text));
        }
        for table in &sheet.tables {
            let style = table.style.as_ref().map_or("plain", |style| &style.name);
            let columns = table.columns.join(", ");
            let what = format!("{} ({columns}), {style}", table.name);
            add("table", table.area.to_string(), what);
        }
        for link in &sheet.new_links {
            let what = rules::link(&link.address, link.tooltip.as_deref());
            add("link", link.area.to_string(), what);
        }
        for (first, last, level) in groups(sheet) {
            add("group", format!("{first}:{last}"), format!("level {level}"));
        }
        for column in &sheet.columns {
            let level = column.outline();
            if level > 0 {
                let at = format!("{}:{}", column_name(column.first), column_name(column.last));
                add("group", at, format!("level {level}"));
            }
        }
        if sheet.is_grid {
            self.blocks(sheet, &mut found)?;
        }
        charts::add(self, sheet, &mut found)?;
        Ok(found)
    }

    fn blocks(&self, sheet: &Sheet, found: &mut Features) -> Result<(), Error> {
        let part = source(sheet);
        let related = match sheet.part.is_empty() {
            true => Vec::new(),
            false => relations(&self.package, part)?,
        };
        let frame = frame(&self.package, part)?;
        let blocks = blocks_with(self, sheet, frame.as_ref())?;
        for (name, raws) in &blocks {
            for raw in raws {
                match *name {
                    "conditionalFormatting" => rules::conditions(self, raw, found)?,
                    "dataValidations" => rules::validation(raw, found)?,
                    "hyperlinks" => rules::stored_link(raw, &related, found)?,
                    "extLst" => {
                        found.extend(extensions::items(raw)?.into_iter().map(|it| Feature {
                            kind: it.kind,
                            at: it.at,
                            what: it.what,
                        }))
                    }
                    _ => settings(name, raw, found)?,
                }
            }
        }
        if let Some(frame) = &frame {
            breaks(frame, found)?;
            if let Some(area) = sheet.filter {
                filters(frame, area, found)?;
            }
        }
        let views = frame
            .as_ref()
            .and_then(|frame| frame.get("sheetViews").next());
        view(sheet, views, found)
    }
}

/// The elements of a sheet that are kept as they are written.
pub(crate) fn blocks(book: &Workbook, sheet: &Sheet) -> Result<Blocks, Error> {
    let frame = match sheet.changed.blocks {
        true => None,
        false => frame(&book.package, source(sheet))?,
    };
    blocks_with(book, sheet, frame.as_ref())
}

fn blocks_with(book: &Workbook, sheet: &Sheet, frame: Option<&Frame>) -> Result<Blocks, Error> {
    let part = source(sheet);
    match sheet.changed.blocks {
        true => blocks_of(sheet, &book.package).map_err(|why| Error::malformed(part, why)),
        false => rules::blocks(frame, part),
    }
}

/// The part that a sheet is read from: its own, or that of the sheet it is a copy of.
fn source(sheet: &Sheet) -> &str {
    match sheet.part.is_empty() {
        true => sheet.copied_from.as_deref().unwrap_or_default(),
        false => &sheet.part,
    }
}

/// The part of a sheet without its cells, which may be many.
fn frame(package: &Package, part: &str) -> Result<Option<Frame>, Error> {
    let Some(bytes) = package.part(part)? else {
        return Ok(None);
    };
    let text = xml::decode(part, &bytes)?;
    let ends = (text.find("<sheetData"), text.rfind("</sheetData>"));
    let (Some(start), Some(end)) = ends else {
        return Frame::read(part, &text).map(Some);
    };
    let (head, tail) = (text.get(..start), text.get(end + "</sheetData>".len()..));
    let short = format!("{}{}", head.unwrap_or_default(), tail.unwrap_or_default());
    Frame::read(part, &short).map(Some)
}

/// Runs of rows that are grouped.
fn groups(sheet: &Sheet) -> Vec<(u32, u32, u8)> {
    let mut runs: Vec<(u32, u32, u8)> = Vec::new();
    for (number, row) in &sheet.rows {
        let level = row.outline();
        match runs.last_mut() {
            _ if level == 0 => {}
            Some((_, last, known)) if *known == level && *last + 1 == *number => *last = *number,
            _ => runs.push((*number, *number, level)),
        }
    }
    runs
}

/// How a sheet is printed, protected and colored. What every program writes says nothing.
fn settings(name: &str, raw: &str, found: &mut Features) -> Result<(), Error> {
    let mut add = |kind, what: String| {
        found.insert(Feature {
            kind,
            at: String::new(),
            what,
        });
    };
    let mut xml = Xml::new("sheet", raw);
    let mut is_first = true;
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Text(_) | Token::Close => continue,
        };
        let first = std::mem::take(&mut is_first);
        match (name, tag.local()) {
            ("sheetPr", "tabColor") => {
                let color = tag.get("rgb").map(|rgb| rules::digits(&rgb));
                let color = color.or_else(|| tag.get("theme").map(|it| format!("theme {it}")));
                add("tab color", color.unwrap_or_else(|| "another".to_owned()));
            }
            ("sheetPr", "pageSetUpPr") if tag.is("fitToPage") => {
                add("page", "fits pages".to_owned());
            }
            ("sheetProtection", _) if tag.is("sheet") => add("protection", "on".to_owned()),
            ("pageMargins", _) => {
                let all: Vec<(String, f64)> = tag
                    .attributes()
                    .filter_map(|(key, value)| Some((key.to_owned(), value.parse().ok()?)))
                    .collect();
                if !is_usual(&all) {
                    for (side, margin) in all {
                        add("page", format!("margin {side} {margin}"));
                    }
                }
            }
            ("printOptions" | "pageSetup", _) => {
                for (key, value) in tag.attributes() {
                    if key.contains(':') || matches!(&*value, "0" | "false" | "default") {
                        // A size of 0 pages is as many as it takes, which has to be said.
                        if !key.starts_with("fitTo") {
                            continue;
                        }
                    }
                    let value = if xml::is_true(&value) { "1" } else { &value };
                    add("page", format!("{key} {value}"));
                }
            }
            ("headerFooter", child) if !first && is_open => {
                let text = xml.text()?;
                add("page", format!("{child} {text:?}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Where printed pages end because somebody said so.
fn breaks(frame: &Frame, found: &mut Features) -> Result<(), Error> {
    for (name, what) in [("rowBreaks", "below row"), ("colBreaks", "right of column")] {
        for raw in frame.get(name) {
            let mut xml = Xml::new("sheet", raw);
            while let Some(token) = xml.next()? {
                if let Token::Open(tag) | Token::Empty(tag) = token
                    && tag.local() == "brk"
                {
                    let at = tag.number::<u32>("id").unwrap_or_default();
                    let at = match name {
                        "colBreaks" => column_name(at.max(1)),
                        _ => at.to_string(),
                    };
                    found.insert(Feature {
                        kind: "page break",
                        at: String::new(),
                        what: format!("{what} {at}"),
                    });
                }
            }
        }
    }
    Ok(())
}

/// What the columns of a filter are filtered by, and how it sorts.
fn filters(frame: &Frame, area: Area, found: &mut Features) -> Result<(), Error> {
    let mut lines: Vec<(&str, String, String)> = Vec::new();
    for raw in frame.get("autoFilter") {
        let mut xml = Xml::new("sheet", raw);
        while let Some(token) = xml.next()? {
            let (Token::Open(tag) | Token::Empty(tag)) = token else {
                continue;
            };
            let all: Vec<String> = tag
                .attributes()
                .filter(|(key, _)| !key.contains(':') && *key != "colId")
                .map(|(key, value)| format!("{key} {value:?}"))
                .collect();
            let all = all.join(" ");
            match tag.local() {
                "autoFilter" => {}
                "filterColumn" => {
                    let column = area
                        .first
                        .column
                        .saturating_add(tag.number("colId").unwrap_or_default());
                    lines.push(("filtered column", column_name(column), all));
                }
                "sortState" => lines.push(("sorted", String::new(), all)),
                name => {
                    if let Some((_, _, what)) = lines.last_mut() {
                        if !what.is_empty() {
                            what.push_str(", ");
                        }
                        what.push_str(name);
                        if !all.is_empty() {
                            what.push(' ');
                            what.push_str(&all);
                        }
                    }
                }
            }
        }
    }
    let lines = lines.into_iter();
    found.extend(lines.map(|(kind, at, what)| Feature { kind, at, what }));
    Ok(())
}

/// What a file says about itself: its title, who made it.
pub(crate) fn properties(book: &Workbook) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let part = "docProps/core.xml";
    let Ok(Some(bytes)) = book.package.part(part) else {
        return found;
    };
    let Ok(text) = xml::decode(part, &bytes) else {
        return found;
    };
    let mut xml = Xml::new(part, &text);
    while let Ok(Some(token)) = xml.next() {
        if let Token::Open(tag) = token
            && !matches!(
                tag.local(),
                "coreProperties" | "created" | "modified" | "revision"
            )
        {
            let name = tag.local().to_owned();
            match xml.text() {
                Ok(text) if !text.is_empty() => {
                    found.insert(name, text);
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether margins are those that programs write without being asked.
fn is_usual(margins: &[(String, f64)]) -> bool {
    let usual: [[(&str, f64); 6]; 2] = [
        [
            ("left", 0.7),
            ("right", 0.7),
            ("top", 0.75),
            ("bottom", 0.75),
            ("header", 0.3),
            ("footer", 0.3),
        ],
        [
            ("left", 0.75),
            ("right", 0.75),
            ("top", 1.0),
            ("bottom", 1.0),
            ("header", 0.5),
            ("footer", 0.5),
        ],
    ];
    usual.iter().any(|usual| {
        margins.iter().all(|(side, margin)| {
            usual
                .iter()
                .any(|(name, it)| name == side && (it - margin).abs() < 1e-9)
        })
    })
}

fn view(sheet: &Sheet, views: Option<&str>, found: &mut Features) -> Result<(), Error> {
    let mut lines = sheet.view.get("showGridLines").cloned();
    let mut zoom = sheet.view.get("zoomScale").cloned();
    if let Some(views) = views {
        let mut xml = Xml::new("sheet", views);
        while let Some(token) = xml.next()? {
            if let Token::Open(tag) | Token::Empty(tag) = token
                && tag.local() == "sheetView"
            {
                lines = lines.or_else(|| tag.get("showGridLines").map(String::from));
                zoom = zoom.or_else(|| tag.get("zoomScale").map(String::from));
                break;
            }
        }
    }
    let mut add = |what: String| {
        found.insert(Feature {
            kind: "view",
            at: String::new(),
            what,
        });
    };
    if lines.is_some_and(|lines| !xml::is_true(&lines)) {
        add("no lines of the grid".to_owned());
    }
    if let Some(zoom) = zoom.filter(|zoom| zoom != "100") {
        add(format!("zoom {zoom} %"));
    }
    Ok(())
}

/// What of the surroundings of two sheets differs: a line for each thing that is gone or new.
pub(crate) fn differences(
    before: &Workbook,
    old: Option<&Arc<Sheet>>,
    after: &Workbook,
    new: &Sheet,
) -> Result<Vec<String>, Error> {
    let old = match old {
        Some(old) => before.features(old)?,
        None => Features::new(),
    };
    let new = after.features(new)?;
    let gone = old.difference(&new).map(|feature| format!("- {feature}"));
    let added = new.difference(&old).map(|feature| format!("+ {feature}"));
    Ok(gone.chain(added).collect())
}

/// The address that a relationship leads to.
fn address<'a>(related: &'a [Relation], id: &str) -> Option<&'a str> {
    let found = related.iter().find(|relation| relation.id == id)?;
    Some(&found.target)
}
