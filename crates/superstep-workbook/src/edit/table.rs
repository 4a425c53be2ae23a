//! Tables with a name: added, and given more rows or fewer. `patch` writes them.

use serde::{Deserialize, Serialize};

use super::{Refusal, shift};
use crate::{
    address::{Area, CellRef},
    book::{Workbook, is_same_name},
    sheet::{Table, TableStyle, Value},
};

/// A table that is to be added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    /// Its name in formulas.
    pub name: String,
    /// Its cells, the row with the names of its columns included.
    pub area: Area,
    /// How it looks; none is plain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<TableStyle>,
}

impl Workbook {
    pub(super) fn add_table(&mut self, sheet: &str, new: &NewTable) -> Result<(), Refusal> {
        super::check_defined_name(&new.name)?;
        let all = self.sheets.iter().flat_map(|sheet| &sheet.tables);
        let names = all.map(|table| table.name.as_str());
        let names = names.chain(self.names.iter().map(|name| name.name.as_str()));
        if names.into_iter().any(|name| is_same_name(name, &new.name)) {
            return Err(format!("there is a table or name `{}` already", new.name));
        }
        let grid = self.grid(sheet)?;
        let area = new.area;
        if area.height() < 2 {
            return Err(format!(
                "{area} has no row below the names of the columns; a table has at least two rows"
            ));
        }
        if let Some(other) = grid.tables.iter().find(|table| table.area.overlaps(&area)) {
            return Err(format!("{area} overlaps the table `{}`", other.name));
        }
        if let Some(merged) = grid.merged.iter().find(|merged| merged.overlaps(&area)) {
            return Err(format!("{area} has the merged cells {merged}"));
        }
        if grid.filter.is_some_and(|filter| filter.overlaps(&area)) {
            return Err(format!(
                "{area} has the filter of the sheet; a table has its own, so remove that first"
            ));
        }
        let mut columns: Vec<String> = Vec::new();
        for column in area.first.column..=area.last.column {
            let at = CellRef {
                row: area.first.row,
                column,
            };
            let name = match grid.cell(at) {
                Some(cell) if cell.formula().is_some() => None,
                Some(cell) => match &cell.value {
                    Value::Text(text) => Some(text.plain.clone()),
                    _ => None,
                },
                None => None,
            };
            let name = name.filter(|name| !name.trim().is_empty()).ok_or_else(|| {
                format!("{at} is the header of a column of the table and must be a text")
            })?;
            if columns.iter().any(|known| is_same_name(known, &name)) {
                return Err(format!(
                    "{at}: two columns of the table would be called `{name}`"
                ));
            }
            columns.push(name);
        }
        grid.tables.push(Table {
            name: new.name.clone(),
            area,
            has_header: true,
            has_totals: false,
            columns,
            style: new.style.clone(),
            part: String::new(),
        });
        grid.tables.sort_by_key(|table| table.area);
        Ok(())
    }

    pub(super) fn resize_table(
        &mut self,
        sheet: &str,
        name: &str,
        area: Area,
    ) -> Result<(), Refusal> {
        let grid = self.grid(sheet)?;
        let Some(at) = grid
            .tables
            .iter()
            .position(|table| is_same_name(&table.name, name))
        else {
            return Err(format!("there is no table `{name}` on `{sheet}`"));
        };
        let others = grid.tables.iter().enumerate().filter(|(it, _)| *it != at);
        let overlapped = others.map(|(_, it)| it).find(|it| it.area.overlaps(&area));
        if let Some(other) = overlapped {
            return Err(format!("{area} overlaps the table `{}`", other.name));
        }
        let Some(table) = grid.tables.get_mut(at) else {
            return Ok(());
        };
        let is_same_place = area.first == table.area.first && area.width() == table.area.width();
        let least = 1 + u32::from(table.has_header) + u32::from(table.has_totals);
        if !is_same_place || area.height() < least {
            return Err(format!(
                "the table `{name}` at {} keeps its first cell and its columns; only its last row can change",
                table.area
            ));
        }
        if table.has_totals {
            return Err(format!(
                "the table `{name}` has a row of totals, which would be left behind"
            ));
        }
        let (part, old) = (table.part.clone(), table.area);
        table.area = area;
        shift::replace_area(self, &part, old, area)
    }
}
