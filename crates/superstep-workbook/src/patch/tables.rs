//! New tables: a part each, named by the part of their sheet.

use std::fmt::Write as _;

use crate::{
    address::CellRef,
    error::Error,
    frame::{Frame, MAIN},
    package::Package,
    relations::{OFFICE, Target, declare, free_name, relate},
    sheet::{Sheet, Table},
    xml::{self, Token, Xml},
};

const TABLE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml";

/// Adds the new tables of a sheet.
pub(super) fn write(sheet: &Sheet, part: &str, package: &mut Package) -> Result<(), Error> {
    for table in sheet.tables.iter().filter(|table| table.part.is_empty()) {
        let number = last_number(package)? + 1;
        let name = free_name(package, "xl/tables/table", ".xml");
        package.set(&name, element(sheet, table, number).into_bytes());
        declare(package, &name, TABLE)?;
        let id = relate(package, part, "table", &Target::Part(&name))?;
        let bytes = package.part(part)?.unwrap_or_default().into_owned();
        let text = xml::decode(part, &bytes)?;
        let frame = Frame::read(part, &text)?;
        let mut parts = String::new();
        let mut count = 1;
        if let Some(old) = frame.get("tableParts").next() {
            let mut xml = Xml::new(part, old);
            while let Some(token) = xml.next()? {
                if let Token::Open(tag) | Token::Empty(tag) = token
                    && tag.local() == "tablePart"
                {
                    let known = tag.get("id").unwrap_or_default();
                    parts.push_str("<tablePart");
                    xml::attribute(&mut parts, "r:id", &known);
                    parts.push_str("/>");
                    count += 1;
                }
            }
        }
        let _ = write!(parts, "<tablePart r:id=\"{id}\"/>");
        let all =
            format!("<tableParts xmlns:r=\"{OFFICE}\" count=\"{count}\">{parts}</tableParts>");
        super::put(package, part, "tableParts", all)?;
    }
    Ok(())
}

/// The largest number that a table of the workbook has.
fn last_number(package: &Package) -> Result<u32, Error> {
    let names: Vec<String> = package
        .names()
        .filter(|name| name.starts_with("xl/tables/") && name.ends_with(".xml"))
        .map(str::to_owned)
        .collect();
    let mut last = 0;
    for name in names {
        let bytes = package.part(&name)?.unwrap_or_default();
        let text = xml::decode(&name, &bytes)?;
        let mut xml = Xml::new(&name, &text);
        while let Some(token) = xml.next()? {
            if let Token::Open(tag) | Token::Empty(tag) = token {
                last = last.max(tag.number("id").unwrap_or(0));
                break;
            }
        }
    }
    Ok(last)
}

fn element(sheet: &Sheet, table: &Table, number: u32) -> String {
    let area = table.area;
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<table xmlns=\"{MAIN}\" id=\"{number}\""
    );
    xml::attribute(&mut out, "name", &table.name);
    xml::attribute(&mut out, "displayName", &table.name);
    let _ = write!(
        out,
        " ref=\"{area}\" totalsRowShown=\"0\"><autoFilter ref=\"{area}\"/><tableColumns count=\"{}\">",
        area.width()
    );
    for (at, known) in (0..).zip(&table.columns) {
        let header = CellRef {
            row: area.first.row,
            column: area.first.column + at,
        };
        // The header may have got another text since the table was added.
        let name = match sheet.value(header).as_text() {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => known.clone(),
        };
        let _ = write!(out, "<tableColumn id=\"{}\"", at + 1);
        let name = xml::escape_cell(&name).replace('\n', "_x000a_");
        xml::attribute(&mut out, "name", &name);
        out.push_str("/>");
    }
    out.push_str("</tableColumns>");
    if let Some(style) = &table.style {
        out.push_str("<tableStyleInfo");
        xml::attribute(&mut out, "name", &style.name);
        let switches = [
            ("showFirstColumn", style.first_column),
            ("showLastColumn", style.last_column),
            ("showRowStripes", style.row_stripes),
            ("showColumnStripes", style.column_stripes),
        ];
        for (name, is_on) in switches {
            xml::attribute(&mut out, name, if is_on { "1" } else { "0" });
        }
        out.push_str("/>");
    }
    out.push_str("</table>");
    out
}
