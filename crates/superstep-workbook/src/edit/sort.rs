//! Rows of an area in another order.

use std::{cmp::Ordering, collections::BTreeMap};

use super::{Refusal, SortKey, column, shift};
use crate::{
    address::{Area, CellRef},
    book::Workbook,
    formula,
    sheet::{Cell, FormulaKind, Value},
    xml::{self, Piece},
};

impl Workbook {
    pub(super) fn sort(
        &mut self,
        sheet: &str,
        area: Area,
        keys: &[SortKey],
        has_header: bool,
    ) -> Result<(), Refusal> {
        let mut columns = Vec::new();
        for key in keys {
            let at = column(&key.column)?;
            if !(area.first.column..=area.last.column).contains(&at) {
                return Err(format!("column {} is not in {area}", key.column));
            }
            columns.push((at, key.descending));
        }
        if columns.is_empty() {
            return Err("it needs a column to sort by".to_owned());
        }
        let grid = self.grid(sheet)?;
        let first = area.first.row + u32::from(has_header);
        if first > area.last.row {
            return Ok(());
        }
        if let Some(merged) = grid.merged.iter().find(|merged| merged.overlaps(&area)) {
            return Err(format!(
                "{area} has the merged cells {merged}; split them first"
            ));
        }
        let is_inside = |column: u32| (area.first.column..=area.last.column).contains(&column);
        // The cells of each row that are to be moved. Rows behind the last one with cells are empty.
        let mut rows: Vec<(u32, Vec<Cell>)> = Vec::new();
        for (number, row) in grid.rows.range_mut(first..=area.last.row) {
            let (moved, stay) = row.cells.drain(..).partition(|cell| is_inside(cell.column));
            row.cells = stay;
            rows.push((*number, moved));
        }
        for (number, cells) in &rows {
            for cell in cells {
                let kind = cell.formula().map(|formula| &formula.kind);
                let is_key = columns.iter().any(|(column, _)| *column == cell.column);
                match kind {
                    Some(FormulaKind::Plain) if is_key && cell.value == Value::Empty => {
                        return Err(format!(
                            "row {number} is sorted by a formula that was not calculated yet"
                        ));
                    }
                    Some(FormulaKind::Plain) | None => {}
                    Some(_) => {
                        return Err(format!(
                            "row {number} has an array formula, which cannot be moved"
                        ));
                    }
                }
            }
        }
        rows.sort_by(|(_, one), (_, other)| {
            let value = |cells: &[Cell], column: u32| {
                cells
                    .iter()
                    .find(|cell| cell.column == column)
                    .map_or(Value::Empty, |cell| cell.value.clone())
            };
            columns
                .iter()
                .map(|(column, descending)| {
                    compare(&value(one, *column), &value(other, *column), *descending)
                })
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        });
        let moved: BTreeMap<u32, u32> = (first..)
            .zip(&rows)
            .map(|(place, (number, _))| (*number, place))
            .collect();
        // Rows without any cell sort behind all others, as empty ones do.
        for (place, (number, cells)) in (first..).zip(rows) {
            let by = i64::from(place) - i64::from(number);
            let row = grid.rows.entry(place).or_default();
            for mut cell in cells {
                if let Some(formula) = cell.formula_mut() {
                    formula.text = formula::translate(&formula.text, by, 0);
                }
                row.cells.push(cell);
            }
            row.cells.sort_by_key(|cell| cell.column);
        }
        grid.changed.cells = true;
        self.changed.values = true;
        let last = moved.len();
        let lines = Lines {
            area,
            first,
            moved,
            last: first.saturating_add(u32::try_from(last).unwrap_or(u32::MAX)),
        };
        self.carry(sheet, &lines)
    }

    /// Comments and links go with the cells that they are of.
    fn carry(&mut self, sheet: &str, lines: &Lines) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        let grid = self.grid(sheet)?;
        if grid.comments.keys().any(|at| lines.to(*at) != *at) {
            let comments = std::mem::take(&mut grid.comments);
            let comments = comments.into_iter();
            grid.comments = comments.map(|(at, it)| (lines.to(at), it)).collect();
            grid.changed.comments = true;
            shift::move_threads(self, place, &|at| lines.to(at))?;
        }
        self.load_blocks(place)?;
        let grid = self.grid(sheet)?;
        for link in &mut grid.new_links {
            link.area = lines.area(link.area);
        }
        for raw in grid.blocks.entry("hyperlinks").or_default() {
            *raw = xml::map("sheet", raw, &[], |_, piece| match piece {
                Piece::Attribute("ref", area) => {
                    let area: Area = area.parse().ok()?;
                    Some(lines.area(area).to_string())
                }
                _ => None,
            })
            .map_err(|error| error.to_string())?;
        }
        self.follow_headers(place, lines.area)
    }
}

/// Where rows get to.
struct Lines {
    /// The cells that are sorted.
    area: Area,
    /// The first row, without a header.
    first: u32,
    moved: BTreeMap<u32, u32>,
    /// Where the first row gets that has no cells.
    last: u32,
}

impl Lines {
    fn to(&self, at: CellRef) -> CellRef {
        if !self.area.contains(at) || at.row < self.first {
            return at;
        }
        let row = match self.moved.get(&at.row) {
            Some(row) => *row,
            // Rows without cells come behind all others, in their order.
            None => {
                let before = self.moved.range(..at.row).count();
                let before = u32::try_from(before).unwrap_or(u32::MAX);
                let empty = (at.row - self.first).saturating_sub(before);
                self.last.saturating_add(empty)
            }
        };
        CellRef { row, ..at }
    }

    /// Of several rows nobody knows which one is meant: they stay.
    fn area(&self, area: Area) -> Area {
        match area.first.row == area.last.row && self.area.contains(area.last) {
            true => Area {
                first: self.to(area.first),
                last: self.to(area.last),
            },
            false => area,
        }
    }
}

/// Numbers, then texts, then truth values, then errors; empty cells come last in any direction.
fn compare(one: &Value, other: &Value, descending: bool) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Number(_) => 0,
        Value::Text(_) => 1,
        Value::Bool(_) => 2,
        Value::Error(_) => 3,
        Value::Empty => 4,
    };
    let empty = (*one == Value::Empty).cmp(&(*other == Value::Empty));
    if empty.is_ne() {
        return empty;
    }
    let order = match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.total_cmp(other),
        (Value::Text(one), Value::Text(other)) => {
            let (one, other) = (&one.plain, &other.plain);
            one.to_lowercase().cmp(&other.to_lowercase())
        }
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        _ => rank(one).cmp(&rank(other)),
    };
    match descending {
        true => order.reverse(),
        false => order,
    }
}
