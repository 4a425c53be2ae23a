//! Rows and columns that a program inserted or deleted with openpyxl, which moves cells and nothing that names them: what
//! is wrong afterwards is looked for and told.

use std::collections::HashSet;

use serde::Deserialize;
use superstep_workbook::{Area, CellRef, LAST_COLUMN, LAST_ROW, Workbook};

/// How many formulas a warning names.
const NAMED: usize = 5;

/// How many warnings there are at most.
const MOST: usize = 20;

/// One insertion or deletion, as the process of the program tells it: hostile data.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Moved {
    /// The sheet, as it was called then.
    pub sheet: String,
    /// What was done.
    pub kind: MoveKind,
    /// To what.
    pub axis: MoveAxis,
    /// The first row or column, from 1.
    pub at: i64,
    /// How many.
    pub count: i64,
}

/// Whether there is more room afterwards, or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    /// More.
    Insert,
    /// Less.
    Delete,
}

/// What was inserted or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum MoveAxis {
    /// Rows.
    #[serde(rename = "rows")]
    Rows,
    /// Columns.
    #[serde(rename = "cols")]
    Columns,
}

impl Moved {
    /// The cells from there on: what named one of them names another one now.
    fn area(&self) -> Option<Area> {
        let at = u32::try_from(self.at.max(1)).ok()?;
        let first = match self.axis {
            MoveAxis::Rows => CellRef::new(at, 1),
            MoveAxis::Columns => CellRef::new(1, at),
        };
        Some(Area {
            first: first?,
            last: CellRef {
                row: LAST_ROW,
                column: LAST_COLUMN,
            },
        })
    }
}

impl std::fmt::Display for Moved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            MoveKind::Insert => "inserted",
            MoveKind::Delete => "deleted",
        };
        let (one, many) = match self.axis {
            MoveAxis::Rows => ("row", "rows"),
            MoveAxis::Columns => ("column", "columns"),
        };
        let noun = if self.count == 1 { one } else { many };
        let Self {
            sheet, at, count, ..
        } = self;
        write!(f, "{count} {noun} {kind} at {one} {at} of {sheet:?}")
    }
}

/// What named cells that were moved, and names others now. What the program wrote itself is taken to be meant so.
pub(crate) fn warnings(moved: &[Moved], before: &Workbook, after: &Workbook) -> Vec<String> {
    let known: HashSet<(&str, &str)> = before
        .sheets
        .iter()
        .flat_map(|sheet| {
            let formulas = sheet.cells().filter_map(|(_, cell)| cell.formula());
            formulas.map(|formula| (sheet.name.as_str(), formula.text.as_str()))
        })
        .collect();
    let mut told = Vec::new();
    for one in moved.iter().filter(|one| one.count > 0) {
        // A sheet that the program made has nothing that was there before.
        if before.sheet(&one.sheet).is_err() {
            continue;
        }
        let Some(area) = one.area() else {
            continue;
        };
        let found = after.referring(&one.sheet, area);
        let stale = found
            .formulas
            .iter()
            .filter(|(sheet, _, text)| known.contains(&(sheet.as_str(), text.as_str())));
        let stale: Vec<String> = stale
            .map(|(sheet, at, text)| format!("{sheet:?}!{at} (={text})"))
            .collect();
        let mut what = Vec::new();
        if !stale.is_empty() {
            let shown = stale.iter().take(NAMED).map(String::as_str);
            let shown = shown.collect::<Vec<_>>().join(", ");
            what.push(match stale.len() {
                1 => format!("the formula of {shown}"),
                count if count <= NAMED => format!("the formulas of {shown}"),
                count => format!("{count} formulas, among them those of {shown}"),
            });
        }
        let names = found
            .names
            .iter()
            .take(NAMED)
            .map(|name| format!("{name:?}"));
        let names = names.collect::<Vec<_>>().join(", ");
        if !names.is_empty() {
            what.push(format!("the names {names}"));
        }
        for (kind, count) in &found.surroundings {
            what.push(match count {
                1 => format!("1 {kind}"),
                count => format!("{count} {}", plural(kind)),
            });
        }
        if !what.is_empty() {
            told.push(format!(
                "{one}: openpyxl moved the cells alone; where they were is still what these say: {}",
                what.join("; ")
            ));
        }
    }
    told.dedup();
    told.truncate(MOST);
    told
}

fn plural(kind: &str) -> String {
    match kind.split_once(" or ") {
        Some((one, other)) => format!("{one}s or {other}s"),
        None => format!("{kind}s"),
    }
}
