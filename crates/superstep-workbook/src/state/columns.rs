//! What a column of a table holds, over many rows.

use super::tables::Region;
use crate::{
    address::CellRef,
    book::Workbook,
    sheet::{Sheet, Value},
};

/// How many rows are looked at.
const ROWS: u32 = 5_000;

/// How many examples are given.
const EXAMPLES: usize = 3;

/// What a column holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    pub(super) header: Option<String>,
    pub(super) examples: Vec<String>,
    counts: [usize; 8],
    seen: usize,
    is_cut: bool,
}

const WORDS: [&str; 8] = [
    "formula", "number", "date", "text", "number as text", "truth value", "error", "empty",
];

impl Summary {
    pub(super) fn of(book: &Workbook, sheet: &Sheet, region: &Region, column: u32) -> Self {
        let mut summary = Self::default();
        if let Some(row) = region.header {
            let value = sheet.value(CellRef { row, column });
            summary.header = (*value != Value::Empty).then(|| value.to_string());
        }
        let first = region.first_data_row();
        let last = region.area.last.row.min(first.saturating_add(ROWS));
        summary.is_cut = last < region.area.last.row;
        for row in first..=last {
            let cell = sheet.cell(CellRef { row, column });
            let kind = match cell {
                None => 7,
                Some(cell) if cell.formula().is_some() => 0,
                Some(cell) => match &cell.value {
                    Value::Empty => 7,
                    Value::Number(_) if book.styles.is_date(cell.style) => 2,
                    Value::Number(_) => 1,
                    Value::Text(text) if is_number(&text.plain) => 4,
                    Value::Text(_) => 3,
                    Value::Bool(_) => 5,
                    Value::Error(_) => 6,
                },
            };
            if let Some(count) = summary.counts.get_mut(kind) {
                *count += 1;
            }
            summary.seen += 1;
            if let Some(cell) = cell.filter(|cell| cell.value != Value::Empty)
                && summary.examples.len() < EXAMPLES
            {
                let shown = match &cell.value {
                    Value::Text(text) => format!("{:?}", text.plain),
                    _ => book.shown(cell),
                };
                if !summary.examples.contains(&shown) {
                    summary.examples.push(shown);
                }
            }
        }
        summary
    }

    /// The kinds of values, the most frequent first.
    pub(super) fn kinds(&self) -> String {
        let mut kinds: Vec<(usize, &str)> = self.counts.iter().copied().zip(WORDS).collect();
        kinds.retain(|(count, _)| *count > 0);
        kinds.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let said: Vec<String> = match kinds.as_slice() {
            [] => return "nothing below".to_owned(),
            [(_, kind)] => vec![(*kind).to_owned()],
            kinds => kinds
                .iter()
                .map(|(count, kind)| format!("{kind} ({count})"))
                .collect(),
        };
        let cut = match self.is_cut {
            true => format!(" in the first {} rows", self.seen),
            false => String::new(),
        };
        format!("{}{cut}", said.join(", "))
    }
}

/// Whether a text is a number that somebody typed: `12.5`, `1.234,56`, `-7`.
fn is_number(text: &str) -> bool {
    let text = text.trim();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_shaped = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ' '));
    // A leading zero is an id, not a number: 0090429355.
    let is_id = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with(['.', ',']);
    let is_fraction = digits.starts_with("0.") || digits.starts_with("0,");
    is_shaped && (!is_id || is_fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_text_are_known_in_two_notations() {
        for text in ["12.5", "1.234,56", "-7", " 0,5 ", "1'000"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "0090429355", "12a", "2025-06-10", "-", "EUR 5"] {
            assert!(!is_number(text), "{text}");
        }
    }
}
