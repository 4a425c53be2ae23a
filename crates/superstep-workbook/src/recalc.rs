//! What the formulas of a workbook give, and the file with it.
//!
//! Formulas are calculated in a copy (`engine`), of which only the values of cells that have formulas are
//! taken: nothing else of the workbook changes. A formula that cannot be calculated keeps its old value, and so do
//! those that read it (`reads`); they are named, and left to the program that opens the file. `copy` says
//! how the copy differs (`lift`, `own_cell`, `operators`), `functions` which functions are ours (`texts`, `units`, `arrays`).
//!
//! Formulas are hostile data: what they cost is not known before. [`Workbook::calculate`] works in the process of
//! the caller; superstep-sandbox has a process with limits for it.

#[cfg(feature = "recalc")]
mod arrays;
#[cfg(feature = "recalc")]
mod call;
#[cfg(feature = "recalc")]
mod copy;
#[cfg(feature = "recalc")]
mod engine;
#[cfg(feature = "recalc")]
mod functions;
#[cfg(feature = "recalc")]
mod lift;
#[cfg(feature = "recalc")]
mod operators;
#[cfg(feature = "recalc")]
mod own_cell;
#[cfg(feature = "recalc")]
mod reads;
#[cfg(feature = "recalc")]
mod texts;
#[cfg(feature = "recalc")]
mod units;

use std::{collections::HashSet, fmt::Write as _, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    address::CellRef,
    book::Workbook,
    error::Error,
    lineage::Lineage,
    patch::{OnLoad, Written},
    sheet::{FormulaKind, Value},
};

/// How many of them a text names.
const TOLD: usize = 5;

/// How long a calculation looks for what cannot be calculated.
const USUAL_TIME: Duration = Duration::from_secs(30);

/// Whether the values of formulas in a file are right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "calculation")]
#[non_exhaustive]
pub enum Calculation {
    /// No value that a formula could read was changed.
    NotNeeded,
    /// The formulas were calculated; all of them if none is named.
    Done {
        /// How many formulas there are.
        formulas: usize,
        /// How many cells have another value.
        changed: usize,
        /// Cells that could not be calculated and keep their old value: the first hundred. The file tells the
        /// program that opens it to calculate them.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        not_calculated: Vec<NotCalculated>,
        /// How many cells keep their old value in all, with those that read the named ones.
        kept: usize,
    },
    /// They were not; the file tells the program that opens it to do so.
    Refused {
        /// What could not be done.
        why: String,
    },
}

impl Calculation {
    /// What is not calculated, in words; nothing if all values are right.
    pub fn told(&self) -> Option<String> {
        match self {
            Self::NotNeeded => None,
            Self::Refused { why } => Some(why.clone()),
            Self::Done { kept: 0, .. } => None,
            Self::Done {
                not_calculated,
                kept,
                ..
            } => {
                let mut text = match kept {
                    1 => "1 cell keeps its old value: ".to_owned(),
                    kept => format!("{kept} cells keep their old values: "),
                };
                for (number, cell) in not_calculated.iter().take(TOLD).enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    let _ = write!(text, "{comma}{:?}!{} ({})", cell.sheet, cell.cell, cell.why);
                }
                let more = kept.saturating_sub(not_calculated.len().min(TOLD));
                if more > 0 {
                    let _ = write!(text, " and {more} more, among them those that read these");
                }
                Some(text)
            }
        }
    }
}

/// A cell whose formula could not be calculated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NotCalculated {
    /// Its sheet.
    pub sheet: String,
    /// The cell.
    pub cell: CellRef,
    /// Why.
    pub why: String,
}

/// What the formulas of a workbook give: data, so that another process can calculate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Calculated {
    /// How many formulas there are.
    pub formulas: usize,
    /// Cells that have another value now.
    values: Vec<NewValue>,
    /// Cells that could not be calculated, the first of them.
    pub not_calculated: Vec<NotCalculated>,
    /// How many cells keep their old value in all.
    pub kept: usize,
}

/// The new value of a cell: the place of its sheet, its row, its column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct NewValue(usize, u32, u32, FormulaValue);

/// What a formula gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FormulaValue {
    Empty,
    Number(f64),
    Text(String),
    Bool(bool),
    Error(String),
}

impl From<&Value> for FormulaValue {
    fn from(value: &Value) -> Self {
        match value {
            Value::Empty => Self::Empty,
            Value::Number(number) => Self::Number(*number),
            Value::Text(text) => Self::Text(text.plain.clone()),
            Value::Bool(value) => Self::Bool(*value),
            Value::Error(error) => Self::Error(error.to_string()),
        }
    }
}

impl From<&FormulaValue> for Value {
    fn from(given: &FormulaValue) -> Self {
        match given {
            FormulaValue::Empty => Self::Empty,
            FormulaValue::Number(number) => Self::Number(*number),
            FormulaValue::Text(text) => Self::text(text.as_str()),
            FormulaValue::Bool(value) => Self::Bool(*value),
            FormulaValue::Error(error) => Self::Error(error.as_str().into()),
        }
    }
}

/// Looks up how far the clock of this place is from UTC, once: a process that loses its files afterwards still knows.
pub fn local_time() {
    #[cfg(feature = "recalc")]
    engine::offset();
}

impl Workbook {
    /// Whether a formula, or something that one could read, was changed.
    pub fn needs_calculation(&self) -> bool {
        self.changed.values
    }

    /// How many cells have formulas.
    pub fn formulas(&self) -> usize {
        let cells = self.sheets.iter().flat_map(|sheet| sheet.cells());
        cells.filter(|(_, cell)| cell.formula().is_some()).count()
    }

    /// Calculates all formulas, in this process and without a limit of memory.
    pub fn calculate(&self) -> Result<Calculated, Error> {
        self.calculate_within(USUAL_TIME)
    }

    /// The same; cells that cannot be calculated are looked for no longer than this.
    #[cfg(feature = "recalc")]
    pub fn calculate_within(&self, time: Duration) -> Result<Calculated, Error> {
        engine::calculate(self, time)
    }

    /// Calculates all formulas: not in this build.
    #[cfg(not(feature = "recalc"))]
    pub fn calculate_within(&self, _: Duration) -> Result<Calculated, Error> {
        Err(Error::NotRecalculated {
            why: "this build does not calculate (feature `recalc`)".to_owned(),
        })
    }

    /// The workbook as a file with its formulas calculated in this process, or with the reason why they are not.
    pub fn write_calculated(&self) -> Result<(Written, Calculation), Error> {
        match self.changed.values {
            true => self.write_with(self.calculate()),
            false => Ok((self.write(OnLoad::Trust)?, Calculation::NotNeeded)),
        }
    }

    /// The workbook as a file with what its formulas give, or with the reason why that is not known.
    pub fn write_with(
        &self,
        calculated: Result<Calculated, Error>,
    ) -> Result<(Written, Calculation), Error> {
        let mut next = self.clone();
        // Also for one that was only read: what it says about its values counts from here on.
        next.changed.values = true;
        let calculated = match calculated {
            Ok(calculated) => calculated,
            Err(error) => {
                let why = match error {
                    Error::NotRecalculated { why } => why,
                    error => error.to_string(),
                };
                return Ok((next.write(OnLoad::Calculate)?, Calculation::Refused { why }));
            }
        };
        let changed = next.fill(&calculated);
        let on_load = match calculated.kept {
            0 => OnLoad::Trust,
            _ => OnLoad::Calculate,
        };
        next.changed.values = self.changed.values || changed > 0 || calculated.kept > 0;
        let written = next.write(on_load)?;
        let done = Calculation::Done {
            formulas: calculated.formulas,
            changed,
            not_calculated: calculated.not_calculated,
            kept: calculated.kept,
        };
        Ok((written, done))
    }

    /// Puts values into cells that have formulas, or are filled by one. Gives how many are new.
    fn fill(&mut self, calculated: &Calculated) -> usize {
        let mut changed = 0;
        for NewValue(sheet, row, column, given) in &calculated.values {
            let at = CellRef {
                row: *row,
                column: *column,
            };
            let Some(sheet) = self.sheets.get_mut(*sheet) else {
                continue;
            };
            let is_filled = || {
                let areas = sheet.arrays.iter().filter_map(|at| sheet.cell(*at));
                let areas = areas.filter_map(|cell| match &cell.formula()?.kind {
                    FormulaKind::Array(area) => Some(*area),
                    _ => None,
                });
                areas.into_iter().any(|area| area.contains(at))
            };
            let has_formula = sheet.cell(at).is_some_and(|cell| cell.formula().is_some());
            if !has_formula && !is_filled() {
                continue;
            }
            if let Some(cell) = Arc::make_mut(sheet).cell_mut(at) {
                cell.value = Value::from(given);
                changed += 1;
            }
        }
        changed
    }

    /// This workbook as one that another program wrote in place of `before`: what that program does not know is carried
    /// over, formulas follow sheets that it renamed and are to be calculated, and until then those that both have keep
    /// the values that they had.
    #[must_use]
    pub fn in_place_of(mut self, before: &Self, lineage: &Lineage) -> Self {
        self.carry_over(before, lineage);
        let mut has_formulas = false;
        for sheet in &mut self.sheets {
            let old = lineage.before(&sheet.name);
            let old = old.and_then(|name| before.sheet(name).ok());
            if sheet.unmarked {
                Arc::make_mut(sheet).changed.cells = true;
            }
            let formulas = sheet.cells().filter_map(|(at, cell)| {
                let formula = cell.formula()?;
                Some((at, formula, cell.value == Value::Empty))
            });
            let mut known = Vec::new();
            let mut seen = HashSet::new();
            for (at, formula, is_open) in formulas {
                has_formulas = true;
                let was = old.and_then(|old| old.cell(at));
                let was = was.filter(|cell| cell.formula() == Some(formula) && is_open);
                if let Some(cell) = was
                    && cell.value != Value::Empty
                    && seen.insert(at)
                {
                    known.push((at, FormulaValue::from(&cell.value)));
                }
            }
            if !known.is_empty() {
                let sheet = Arc::make_mut(sheet);
                for (at, value) in known {
                    if let Some(cell) = sheet.cell_mut(at) {
                        cell.value = Value::from(&value);
                    }
                }
            }
        }
        self.changed.values |= has_formulas;
        self
    }
}
