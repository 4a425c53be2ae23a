//! Cells that show an error and did not before.

use superstep_workbook::{Value, Workbook};

/// How many cells are listed.
const LISTED: usize = 20;

/// The new errors of a workbook against an earlier one, the first of them, as `"Sheet"!A1: #REF!`.
pub(crate) fn new_errors(before: &Workbook, after: &Workbook) -> Vec<String> {
    let mut found = Vec::new();
    for sheet in &after.sheets {
        let old = before.sheet(&sheet.name).ok();
        let errors = sheet.cells().filter_map(|(at, cell)| match &cell.value {
            Value::Error(error) => Some((at, error)),
            _ => None,
        });
        let new = errors.filter(|(at, _)| {
            let was = old.map(|old| old.value(*at));
            !matches!(was, Some(Value::Error(_)))
        });
        let left = LISTED.saturating_sub(found.len());
        let lines = new.map(|(at, error)| format!("{:?}!{at}: {error}", sheet.name));
        found.extend(lines.take(left));
    }
    found
}
