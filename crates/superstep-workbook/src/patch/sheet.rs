//! The part of a sheet: what changed in place of what it was.

use std::fmt::Write as _;

use super::rows;
use crate::{
    error::Error,
    frame::Frame,
    package::Package,
    relations::{OFFICE, Target, relate},
    sheet::{Changed, Sheet},
    xml::{self, Piece},
};

/// Children that a copy of a sheet leaves behind: they lead to parts of the old one.
const TIED: [&str; 8] = [
    "drawing", "legacyDrawing", "legacyDrawingHF", "picture", "oleObjects", "controls",
    "tableParts", "extLst",
];

/// Children that are kept whole, as they were changed.
const WHOLE: [&str; 8] = [
    "sheetPr", "sheetProtection", "conditionalFormatting", "printOptions", "pageMargins",
    "pageSetup", "headerFooter", "extLst",
];

pub(super) fn write(sheet: &Sheet, part: &str, package: &mut Package) -> Result<(), Error> {
    let is_new = sheet.part.is_empty();
    let is_same = sheet.changed == Changed::default() && sheet.new_links.is_empty();
    if is_same && !is_new {
        return Ok(());
    }
    let source = if is_new {
        sheet.copied_from.as_deref()
    } else {
        Some(part)
    };
    let mut frame = match source {
        Some(source) => {
            let bytes = package.part(source)?.unwrap_or_default();
            Frame::read(source, &xml::decode(source, &bytes)?)?
        }
        None => Frame::empty_sheet(),
    };
    if is_new {
        for name in TIED {
            frame.set(name, Vec::new());
        }
        // Its printer settings are a relationship of the old part.
        let setup: Vec<String> = frame.get("pageSetup").map(str::to_owned).collect();
        if setup.iter().any(|it| it.contains(":id=")) {
            frame.set("pageSetup", Vec::new());
        }
    }
    let changed = sheet.changed;
    if changed.cells {
        frame.set("sheetData", vec![rows::write(sheet)]);
        if frame.get("dimension").next().is_some() {
            let used = sheet
                .extent()
                .map_or("A1".to_owned(), |area| area.to_string());
            frame.set("dimension", vec![format!("<dimension ref=\"{used}\"/>")]);
        }
    }
    if changed.columns {
        frame.set("cols", columns(sheet));
    }
    if changed.merged {
        let mut merged = String::new();
        for area in &sheet.merged {
            let _ = write!(merged, "<mergeCell ref=\"{area}\"/>");
        }
        frame.set(
            "mergeCells",
            counted("mergeCells", sheet.merged.len(), &merged),
        );
    }
    if changed.filter {
        filter(&mut frame, sheet, part)?;
    }
    if changed.view {
        view(&mut frame, sheet, part)?;
    }
    let mut links = sheet.blocks.get("hyperlinks").cloned();
    if !sheet.new_links.is_empty() {
        frame.declare("xmlns:r", OFFICE);
        for link in &sheet.new_links {
            let target = Target::Address(&link.address);
            let id = relate(package, part, "hyperlink", &target)?;
            let mut item = format!("<hyperlink ref=\"{}\" r:id=\"{id}\"", link.area);
            if let Some(tooltip) = &link.tooltip {
                xml::attribute(&mut item, "tooltip", tooltip);
            }
            item.push_str("/>");
            links.get_or_insert_default().push(item);
        }
    }
    if changed.blocks {
        let blocks = |name: &str| sheet.blocks.get(name).cloned().unwrap_or_default();
        for name in WHOLE {
            frame.set(name, blocks(name));
        }
        let validations = blocks("dataValidations");
        let items = validations.concat();
        frame.set(
            "dataValidations",
            counted("dataValidations", validations.len(), &items),
        );
    }
    if let Some(links) = links {
        let links = match links.is_empty() {
            true => Vec::new(),
            false => vec![format!("<hyperlinks>{}</hyperlinks>", links.concat())],
        };
        frame.set("hyperlinks", links);
    }
    package.set(part, frame.write().into_bytes());
    Ok(())
}

/// A list element with its count; none if it is empty.
fn counted(name: &str, count: usize, inner: &str) -> Vec<String> {
    match count {
        0 => Vec::new(),
        count => vec![format!("<{name} count=\"{count}\">{inner}</{name}>")],
    }
}

fn columns(sheet: &Sheet) -> Vec<String> {
    if sheet.columns.is_empty() {
        return Vec::new();
    }
    let mut out = String::from("<cols>");
    for column in &sheet.columns {
        let _ = write!(out, "<col min=\"{}\" max=\"{}\"", column.first, column.last);
        // Some programs refuse a column without a width.
        let width = column.width.unwrap_or(9.140_625);
        let _ = write!(out, " width=\"{width}\"");
        if column.hidden {
            out.push_str(" hidden=\"1\"");
        }
        out.push_str(&column.attributes);
        if !column.attributes.contains("customWidth") && column.width.is_some() {
            out.push_str(" customWidth=\"1\"");
        }
        out.push_str("/>");
    }
    out.push_str("</cols>");
    vec![out]
}

/// The filter, with its conditions if its area stayed.
fn filter(frame: &mut Frame, sheet: &Sheet, part: &str) -> Result<(), Error> {
    let Some(area) = sheet.filter else {
        frame.set("autoFilter", Vec::new());
        return Ok(());
    };
    let old = frame.get("autoFilter").next().map(str::to_owned);
    let element = match old {
        Some(old) => xml::map(part, &old, &[], |element, piece| match piece {
            Piece::Attribute("ref", _) if element == "autoFilter" => Some(area.to_string()),
            _ => None,
        })?,
        None => format!("<autoFilter ref=\"{area}\"/>"),
    };
    frame.set("autoFilter", vec![element]);
    Ok(())
}

/// The frozen pane, inside the first view of the sheet.
fn view(frame: &mut Frame, sheet: &Sheet, part: &str) -> Result<(), Error> {
    let pane = match sheet.freeze {
        None => String::new(),
        Some(at) => {
            let (rows, columns) = (at.row - 1, at.column - 1);
            let mut pane = String::from("<pane");
            if columns > 0 {
                let _ = write!(pane, " xSplit=\"{columns}\"");
            }
            if rows > 0 {
                let _ = write!(pane, " ySplit=\"{rows}\"");
            }
            let active = match (rows, columns) {
                (0, _) => "topRight",
                (_, 0) => "bottomLeft",
                _ => "bottomRight",
            };
            let _ = write!(
                pane,
                " topLeftCell=\"{at}\" activePane=\"{active}\" state=\"frozen\"/>\
                 <selection pane=\"{active}\" activeCell=\"{at}\" sqref=\"{at}\"/>"
            );
            pane
        }
    };
    let old = frame.get("sheetViews").next().map(str::to_owned);
    // Panes and selections are replaced; other attributes of the view stay.
    let mut attributes = " workbookViewId=\"0\"".to_owned();
    if let Some(old) = &old {
        let mut xml = xml::Xml::new(part, old);
        while let Some(token) = xml.next()? {
            if let xml::Token::Open(tag) | xml::Token::Empty(tag) = token
                && tag.local() == "sheetView"
            {
                attributes = tag.others(&["topLeftCell"]);
                break;
            }
        }
    }
    for (name, value) in &sheet.view {
        attributes = xml::put_attribute(&attributes, name, Some(value));
    }
    let views = format!("<sheetViews><sheetView{attributes}>{pane}</sheetView></sheetViews>");
    frame.set("sheetViews", vec![views]);
    Ok(())
}
