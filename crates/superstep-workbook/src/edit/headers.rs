//! Headers of tables: the part of a table has the names of its columns a second time, and formulas name them. Who changes
//! a header cell changes all three, or Excel repairs the file.

use std::sync::Arc;

use super::{Refusal, shift};
use crate::{
    address::{Area, CellRef},
    book::{Workbook, is_same_name},
    sheet::{Table, Value},
    structured::rename_column,
    xml::{self, Piece},
};

/// A column that gets another name.
struct Renamed {
    /// Its place in the table.
    number: usize,
    old: String,
    new: String,
}

impl Workbook {
    /// Gives columns of tables the names that are in the header cells of an area.
    pub(crate) fn follow_headers(&mut self, place: usize, touched: Area) -> Result<(), Refusal> {
        let Some(sheet) = self.sheets.get(place) else {
            return Ok(());
        };
        let concerned = sheet
            .tables
            .iter()
            .enumerate()
            .filter(|(_, table)| table.has_header && header(table).overlaps(&touched));
        let concerned: Vec<(usize, Table)> =
            concerned.map(|(at, table)| (at, table.clone())).collect();
        for (at, table) in concerned {
            self.follow_header(place, at, &table)?;
        }
        Ok(())
    }

    fn follow_header(&mut self, place: usize, at: usize, table: &Table) -> Result<(), Refusal> {
        let Some(sheet) = self.sheets.get(place) else {
            return Ok(());
        };
        let home = sheet.name.clone();
        let mut names: Vec<String> = Vec::new();
        let mut renamed = Vec::new();
        let mut texts = Vec::new();
        for (number, (cell, old)) in header(table).cells().zip(&table.columns).enumerate() {
            let shown = sheet.value(cell).to_string();
            let new = free_name(&shown, number, &names);
            let is_text = matches!(sheet.value(cell), Value::Text(_))
                && sheet.cell(cell).is_none_or(|it| it.formula().is_none());
            if new != *old {
                renamed.push(Renamed {
                    number,
                    old: old.clone(),
                    new: new.clone(),
                });
            }
            if !is_text || shown != new {
                texts.push((cell, new.clone()));
            }
            names.push(new);
        }
        if renamed.is_empty() && texts.is_empty() {
            return Ok(());
        }
        if let Some(sheet) = self.sheets.get_mut(place) {
            let sheet = Arc::make_mut(sheet);
            for (cell, text) in texts {
                if let Some(cell) = sheet.cell_mut(cell) {
                    cell.value = Value::text(text);
                    cell.set_formula(None);
                }
            }
            if let Some(table) = sheet.tables.get_mut(at) {
                table.columns = names;
            }
        }
        for Renamed { number, old, new } in &renamed {
            let is_taken = renamed.iter().any(|it| is_same_name(&it.new, old));
            if !table.part.is_empty() {
                self.rename_in_part(&table.part, *number, new)?;
            }
            // Names that change places would be followed twice.
            if !is_taken {
                shift::rewrite_all(self, &|sheet, text| {
                    rename_column(text, &table.name, is_same_name(sheet, &home), old, new)
                })?;
            }
        }
        Ok(())
    }

    fn rename_in_part(&mut self, part: &str, number: usize, new: &str) -> Result<(), Refusal> {
        let mut at = 0;
        let name = xml::escape_cell(new).replace('\n', "_x000a_");
        shift::edit_part(self, part, &[], |element, piece| match piece {
            Piece::Attribute("name", _) if element == "tableColumn" => {
                at += 1;
                (at == number + 1).then(|| name.clone())
            }
            _ => None,
        })
        .map_err(|error| error.to_string())
    }
}

/// The row of a table that has the names of its columns.
fn header(table: &Table) -> Area {
    let last = CellRef {
        row: table.area.first.row,
        column: table.area.last.column,
    };
    Area {
        first: table.area.first,
        last,
    }
}

/// The name that a column gets: as the cell shows it, unless that is nothing or the name of another.
fn free_name(shown: &str, number: usize, taken: &[String]) -> String {
    let is_taken = |name: &str| taken.iter().any(|it| is_same_name(it, name));
    let wanted = match shown.trim().is_empty() {
        true => format!("Column{}", number + 1),
        false => shown.to_owned(),
    };
    if !is_taken(&wanted) {
        return wanted;
    }
    let mut numbered = (2..).map(|number| format!("{wanted}{number}"));
    numbered.find(|name| !is_taken(name)).unwrap_or(wanted)
}
