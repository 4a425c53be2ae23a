//! A table of a sheet, from its part.

use crate::{
    error::Error,
    package::Package,
    sheet::{Table, TableStyle},
    xml::{self, Token, Xml},
};

pub(super) fn read(package: &Package, part: &str) -> Result<Option<Table>, Error> {
    let Some(bytes) = package.part(part)? else {
        return Ok(None);
    };
    let text = xml::decode(part, &bytes)?;
    let mut xml = Xml::new(part, &text);
    let mut table: Option<Table> = None;
    while let Some(token) = xml.next()? {
        let (Token::Open(tag) | Token::Empty(tag)) = token else {
            continue;
        };
        match (tag.local(), &mut table) {
            ("table", None) => {
                let name = tag.get("displayName").or_else(|| tag.get("name"));
                let area = tag.get("ref").and_then(|area| area.parse().ok());
                let (Some(name), Some(area)) = (name, area) else {
                    return Err(Error::malformed(part, "a table without a name or an area"));
                };
                table = Some(Table {
                    name: name.into_owned(),
                    area,
                    has_header: tag.number("headerRowCount") != Some(0_u32),
                    has_totals: tag.number("totalsRowCount").unwrap_or(0_u32) > 0,
                    columns: Vec::new(),
                    style: None,
                    part: part.to_owned(),
                });
            }
            ("tableColumn", Some(table)) => {
                let name = tag.get("name").unwrap_or_default().into_owned();
                table.columns.push(xml::unescape_cell(name));
            }
            ("tableStyleInfo", Some(table)) => {
                table.style = tag.get("name").map(|name| TableStyle {
                    name: name.into_owned(),
                    row_stripes: tag.is("showRowStripes"),
                    column_stripes: tag.is("showColumnStripes"),
                    first_column: tag.is("showFirstColumn"),
                    last_column: tag.is("showLastColumn"),
                });
            }
            _ => {}
        }
    }
    Ok(table)
}
