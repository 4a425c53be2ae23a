//! Values, formulas and looks of cells.

use std::{collections::HashMap, sync::Arc};

use super::{Input, Refusal};
use crate::{
    address::{Area, CellRef},
    book::Workbook,
    formula::is_closed,
    future,
    sheet::{Formula, FormulaKind, Sheet, Value},
    styles::Style,
};

/// How many cells one operation may touch.
const MOST: u64 = 2_000_000;

/// The longest text of a cell, in the units that Excel counts.
const LONGEST: usize = 32_767;

/// Errors that a cell can hold without a formula.
const ERRORS: [&str; 7] = [
    "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A",
];

impl Workbook {
    pub(super) fn set_rows(
        &mut self,
        sheet: &str,
        from: CellRef,
        rows: &[Vec<Input>],
    ) -> Result<(), Refusal> {
        let dates = self.dates;
        let mut dated = Vec::new();
        let styles = Arc::clone(&self.styles);
        let grid = self.grid(sheet)?;
        for (down, row) in rows.iter().enumerate() {
            for (right, input) in row.iter().enumerate() {
                let at = offset(from, down, right).ok_or_else(|| {
                    format!("{from} and {down} rows, {right} columns on is outside of a sheet")
                })?;
                if let Some(area) = grid
                    .merged
                    .iter()
                    .find(|area| area.contains(at) && area.first != at)
                {
                    return Err(format!(
                        "{at} is part of the merged cells {area}; write to {}",
                        area.first
                    ));
                }
                check_array(grid, at.into())?;
                let (value, formula) = content(input, dates)?;
                let Some(cell) = grid.cell_mut(at) else {
                    continue;
                };
                if matches!(input, Input::Date(_)) && !styles.is_date(cell.style) {
                    dated.push((at, matches!(input, Input::Date(text) if text.len() > 10)));
                }
                cell.value = value;
                cell.set_formula(formula);
            }
        }
        self.changed.values = true;
        let width = rows.iter().map(Vec::len).max().unwrap_or_default();
        let last = offset(from, rows.len().saturating_sub(1), width.saturating_sub(1));
        let place = self.place(sheet)?;
        let touched = Area {
            first: from,
            last: last.unwrap_or(from),
        };
        self.follow_headers(place, touched)?;
        for (at, has_time) in dated {
            let code = if has_time {
                "yyyy-mm-dd h:mm:ss"
            } else {
                "yyyy-mm-dd"
            };
            let style = Style {
                number_format: Some(code.to_owned()),
                ..Style::default()
            };
            self.format(sheet, at.into(), &style)?;
        }
        Ok(())
    }

    pub(super) fn clear(&mut self, sheet: &str, area: Area) -> Result<(), Refusal> {
        let grid = self.grid(sheet)?;
        check_array(grid, area)?;
        grid.changed.cells = true;
        for (_, row) in grid.rows.range_mut(area.first.row..=area.last.row) {
            for cell in &mut row.cells {
                if (area.first.column..=area.last.column).contains(&cell.column) {
                    cell.value = Value::Empty;
                    cell.set_formula(None);
                }
            }
        }
        self.changed.values = true;
        let place = self.place(sheet)?;
        self.follow_headers(place, area)
    }

    pub(super) fn format_like(
        &mut self,
        sheet: &str,
        area: Area,
        from: Option<CellRef>,
        from_sheet: Option<&str>,
    ) -> Result<(), Refusal> {
        check_size(area)?;
        let source = self.grid(from_sheet.unwrap_or(sheet))?;
        let cell = from.and_then(|from| source.cell(from));
        let style = cell.map_or(0, |cell| cell.style);
        let grid = self.grid(sheet)?;
        for at in area.cells() {
            // A cell that is not there looks like the bare sheet already.
            if (style != 0 || grid.cell(at).is_some())
                && let Some(cell) = grid.cell_mut(at)
            {
                cell.style = style;
            }
        }
        Ok(())
    }

    pub(super) fn format(&mut self, sheet: &str, area: Area, style: &Style) -> Result<(), Refusal> {
        check_size(area)?;
        style.check()?;
        let mut shared = std::mem::take(&mut self.styles);
        let styles = Arc::make_mut(&mut shared);
        let done = self
            .grid(sheet)
            .and_then(|grid| restyle(grid, area, style, styles));
        self.styles = shared;
        done
    }
}

fn check_size(area: Area) -> Result<(), Refusal> {
    match area.len() > MOST {
        false => Ok(()),
        true => Err(format!(
            "{area} has {} cells, {MOST} can be formatted at once; name the area that has values",
            area.len()
        )),
    }
}

fn restyle(
    grid: &mut Sheet,
    area: Area,
    style: &Style,
    styles: &mut crate::styles::Styles,
) -> Result<(), Refusal> {
    let mut known: HashMap<u32, u32> = HashMap::new();
    for at in area.cells() {
        let Some(cell) = grid.cell_mut(at) else {
            continue;
        };
        cell.style = match known.get(&cell.style) {
            Some(new) => *new,
            None => {
                let new = styles.changed(cell.style, style)?;
                known.insert(cell.style, new);
                new
            }
        };
    }
    Ok(())
}

fn offset(from: CellRef, down: usize, right: usize) -> Option<CellRef> {
    let row = from.row.checked_add(u32::try_from(down).ok()?)?;
    let column = from.column.checked_add(u32::try_from(right).ok()?)?;
    CellRef::new(row, column)
}

/// Refuses to change a part of an array formula.
pub(super) fn check_array(sheet: &Sheet, area: Area) -> Result<(), Refusal> {
    for at in &sheet.arrays {
        let formula = sheet.cell(*at).and_then(|cell| cell.formula());
        let Some(FormulaKind::Array(array)) = formula.map(|formula| &formula.kind) else {
            continue;
        };
        let is_whole = area.contains(array.first) && area.contains(array.last);
        if area.overlaps(array) && !is_whole {
            return Err(format!(
                "{area} is part of the array formula of {at}, which fills {array}"
            ));
        }
    }
    Ok(())
}

/// The value and the formula that a cell gets.
fn content(
    input: &Input,
    dates: crate::dates::DateSystem,
) -> Result<(Value, Option<Formula>), Refusal> {
    Ok(match input {
        Input::Empty => (Value::Empty, None),
        Input::Number(number) if number.is_finite() => (Value::Number(*number), None),
        Input::Number(number) => return Err(format!("{number} is no number of a cell")),
        Input::Bool(value) => (Value::Bool(*value), None),
        Input::Error(error) if ERRORS.contains(&error.as_str()) => {
            (Value::Error(error.as_str().into()), None)
        }
        Input::Error(error) => {
            return Err(format!(
                "`{error}` is no error of a cell; there are {}",
                ERRORS.join(", ")
            ));
        }
        Input::Text(text) => {
            if text.encode_utf16().count() > LONGEST {
                return Err(format!(
                    "a cell holds {LONGEST} characters, this text has more"
                ));
            }
            (Value::text(text.as_str()), None)
        }
        Input::Formula(text) => {
            let text = text.trim();
            let text = text.strip_prefix('=').unwrap_or(text);
            if text.is_empty() || text.len() > 8192 {
                return Err("a formula has 1 to 8192 characters".to_owned());
            }
            if !is_closed(text) {
                let shown: String = text.chars().take(60).collect();
                return Err(format!(
                    "`={shown}` is no whole formula: a bracket or a quote in it is not closed, or closed twice"
                ));
            }
            let formula = Formula {
                text: future::shown(text.to_owned()),
                kind: FormulaKind::Plain,
            };
            (Value::Empty, Some(formula))
        }
        Input::Date(text) => match dates.read(text) {
            Some(serial) => (Value::Number(serial), None),
            None => {
                return Err(format!(
                    "`{text}` is no date that a sheet can hold; write 2025-06-10 or 2025-06-10T08:30:00"
                ));
            }
        },
    })
}
