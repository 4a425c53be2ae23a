//! Where the tables of a sheet are, and which row has their headers: it is not always the first.

use std::collections::BTreeMap;

use crate::{
    address::{Area, CellRef},
    sheet::{Sheet, Value},
};

/// How many rows are looked at for a header.
const LOOKED_AT: u32 = 15;

/// A table that somebody made, or a block of cells that looks like one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Region {
    /// Its area, with header and titles.
    pub area: Area,
    /// The row of its header.
    pub header: Option<u32>,
    /// Texts above the header.
    pub titles: Vec<String>,
    /// Its name, if it is a table of the workbook.
    pub name: Option<String>,
}

impl Region {
    /// How many rows stand below the header.
    pub fn data_rows(&self) -> u32 {
        match self.header {
            Some(header) => self.area.last.row - header,
            None => self.area.height(),
        }
    }

    /// The first row of data.
    pub fn first_data_row(&self) -> u32 {
        self.header.map_or(self.area.first.row, |header| header + 1)
    }
}

/// The tables of a sheet from top to bottom: those that are marked as such, then blocks of cells with
/// empty rows or columns around them.
pub fn regions(sheet: &Sheet) -> Vec<Region> {
    let marked = sheet.tables.iter().map(|table| Region {
        area: table.area,
        header: table.has_header.then_some(table.area.first.row),
        titles: Vec::new(),
        name: Some(table.name.clone()),
    });
    let mut found: Vec<Region> = marked.collect();
    let tables: Vec<Area> = sheet.tables.iter().map(|table| table.area).collect();
    let is_free = |at: CellRef| !tables.iter().any(|area| area.contains(at));
    // First and last used column of each row.
    let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (at, cell) in sheet.cells() {
        if !cell.is_blank() && is_free(at) {
            rows.entry(at.row).or_default().push(at.column);
        }
    }
    let mut block: Vec<(u32, Vec<u32>)> = Vec::new();
    for (row, columns) in rows {
        let is_next = block.last().is_none_or(|(last, _)| *last + 1 == row);
        if !is_next {
            found.extend(side_by_side(sheet, &block));
            block.clear();
        }
        block.push((row, columns));
    }
    found.extend(side_by_side(sheet, &block));
    found.sort_by_key(|region| region.area);
    found
}

/// The tables of a block of rows: columns that are empty all the way down part them.
fn side_by_side(sheet: &Sheet, block: &[(u32, Vec<u32>)]) -> Vec<Region> {
    let mut used: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (row, columns) in block {
        for column in columns {
            let rows = used.entry(*column).or_insert((*row, *row));
            rows.1 = *row;
        }
    }
    let mut areas: Vec<Area> = Vec::new();
    for (column, (top, bottom)) in used {
        let extends = areas
            .last_mut()
            .filter(|area| area.last.column + 1 == column);
        match extends {
            Some(area) => {
                area.last.column = column;
                area.first.row = area.first.row.min(top);
                area.last.row = area.last.row.max(bottom);
            }
            None => areas.push(Area {
                first: CellRef { row: top, column },
                last: CellRef {
                    row: bottom,
                    column,
                },
            }),
        }
    }
    areas.iter().map(|area| region(sheet, *area)).collect()
}

fn region(sheet: &Sheet, area: Area) -> Region {
    let last = area.last.row.min(area.first.row + LOOKED_AT - 1);
    let header = (area.first.row..=last).find(|row| is_header(sheet, area, *row));
    let above = area.first.row..header.unwrap_or(area.first.row);
    let titles = above.filter_map(|row| {
        let row = sheet.rows.get(&row)?;
        let columns = area.first.column..=area.last.column;
        let mut cells = row
            .cells
            .iter()
            .filter(|cell| columns.contains(&cell.column));
        Some(cells.find_map(|cell| cell.value.as_text())?.to_owned())
    });
    Region {
        area,
        header,
        titles: titles.collect(),
        name: None,
    }
}

/// Whether a row has names of columns: texts in most columns, and something below them.
fn is_header(sheet: &Sheet, area: Area, row: u32) -> bool {
    if row == area.last.row {
        return false;
    }
    let values = |row: u32| {
        (area.first.column..=area.last.column)
            .map(move |column| sheet.value(CellRef { row, column }))
            .filter(|value| **value != Value::Empty)
    };
    let texts = values(row)
        .filter(|value| value.as_text().is_some())
        .count();
    let all = values(row).count();
    let width = area.width() as usize;
    let is_named = texts == all && texts * 2 >= width.max(1) && (texts >= 2 || width == 1);
    if !is_named {
        return false;
    }
    // Text over text is a header if it looks different from what follows: bold, filled or unique.
    let has_data = (row + 1..=area.last.row.min(row + 50)).any(|below| {
        let mut below = values(below);
        below.any(|value| value.as_text().is_none())
    });
    let style = |row: u32| {
        let cell = sheet
            .rows
            .get(&row)
            .and_then(|row| row.cell(area.first.column));
        cell.map(|cell| cell.style)
    };
    has_data || style(row) != style(row + 1) || row == area.first.row
}
