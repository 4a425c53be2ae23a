//! References inside formulas: found without parsing the whole formula, so that rows can be
//! inserted, sheets renamed and shared formulas expanded. Strings, names and references into other
//! workbooks stay as they are.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::address::{Area, CellRef, LAST_COLUMN, LAST_ROW, column_name, column_number};

/// A number with or without a dollar sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coordinate {
    pub(crate) at: u32,
    pub(crate) is_fixed: bool,
}

/// A corner of a reference: a cell, or a whole column, or a whole row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corner {
    pub(crate) column: Option<Coordinate>,
    pub(crate) row: Option<Coordinate>,
}

/// A reference to cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The sheet, where one is named.
    pub(crate) sheet: Option<String>,
    pub(crate) first: Corner,
    pub(crate) last: Option<Corner>,
}

impl Reference {
    /// The cells that it names; whole rows and columns from end to end.
    pub(crate) fn area(&self) -> Area {
        let last = self.last.unwrap_or(self.first);
        let at = |corner: Corner, row: u32, column: u32| CellRef {
            row: corner.row.map_or(row, |it| it.at),
            column: corner.column.map_or(column, |it| it.at),
        };
        let (one, other) = (at(self.first, 1, 1), at(last, LAST_ROW, LAST_COLUMN));
        Area {
            first: CellRef {
                row: one.row.min(other.row),
                column: one.column.min(other.column),
            },
            last: CellRef {
                row: one.row.max(other.row),
                column: one.column.max(other.column),
            },
        }
    }
}

/// What becomes of a reference.
pub(crate) enum Change {
    Keep,
    To(Reference),
    /// What it meant is gone.
    Lost,
}

/// The formula with its references changed.
pub(crate) fn rewrite(formula: &str, mut change: impl FnMut(&Reference) -> Change) -> String {
    let mut out = String::with_capacity(formula.len() + 8);
    let mut rest = formula;
    // Whether what comes next belongs to another workbook: `[1]Sheet!A1`.
    let mut is_foreign = false;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => quoted(rest, '"'),
            '\'' => {
                let name = quoted(rest, '\'');
                let after = rest.get(name..).unwrap_or_default();
                match after.strip_prefix('!') {
                    Some(target) => {
                        let inner = rest.get(1..name - 1).unwrap_or_default();
                        let sheet = inner.replace("''", "'");
                        let foreign = sheet.contains('[');
                        let used = one(
                            target,
                            Some(sheet),
                            foreign,
                            &mut out,
                            rest,
                            name + 1,
                            &mut change,
                        );
                        rest = rest.get(used..).unwrap_or_default();
                        continue;
                    }
                    None => name,
                }
            }
            '[' => {
                is_foreign = !out.ends_with(is_word);
                let end = bracketed(rest);
                out.push_str(rest.get(..end).unwrap_or_default());
                rest = rest.get(end..).unwrap_or_default();
                continue;
            }
            '#' => error_value(rest),
            c if is_word(c) => {
                let end = sheet_span(rest).unwrap_or_else(|| word(rest));
                let after = rest.get(end..).unwrap_or_default();
                if let Some(target) = after.strip_prefix('!') {
                    let sheet = rest.get(..end).unwrap_or_default().to_owned();
                    let used = one(
                        target,
                        Some(sheet),
                        is_foreign,
                        &mut out,
                        rest,
                        end + 1,
                        &mut change,
                    );
                    rest = rest.get(used..).unwrap_or_default();
                } else if after.starts_with(['(', '[']) {
                    out.push_str(rest.get(..end).unwrap_or_default());
                    rest = after;
                } else {
                    let used = one(rest, None, is_foreign, &mut out, rest, 0, &mut change);
                    rest = rest.get(used..).unwrap_or_default();
                }
                is_foreign = false;
                continue;
            }
            c => c.len_utf8(),
        };
        is_foreign = false;
        out.push_str(rest.get(..taken).unwrap_or_default());
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

/// The length of `Jan:Mar`, if an exclamation mark follows: cells of several sheets at once.
fn sheet_span(text: &str) -> Option<usize> {
    let first = word(text);
    let second = text.get(first..)?.strip_prefix(':')?;
    let end = word(second);
    let is_span = end > 0 && second.get(end..)?.starts_with('!');
    is_span.then_some(first + 1 + end)
}

/// Whether a formula reads the same cells of several sheets, which no change here follows.
pub(crate) fn spans_sheets(formula: &str) -> bool {
    let mut spans = false;
    if formula.contains('!') && formula.contains(':') {
        rewrite(formula, |reference| {
            let sheet = reference.sheet.as_deref();
            spans |= sheet.is_some_and(|sheet| sheet.contains(':'));
            Change::Keep
        });
    }
    spans
}

/// Writes one reference, or the word that is none. Returns how much of `whole` was used; `before`
/// bytes of it are the sheet.
fn one(
    target: &str,
    sheet: Option<String>,
    is_foreign: bool,
    out: &mut String,
    whole: &str,
    before: usize,
    change: &mut impl FnMut(&Reference) -> Change,
) -> usize {
    let Some((length, first, last)) = corners(target) else {
        // A name, a number, or an error of a sheet: at least one byte is used.
        let length = match target.starts_with('#') {
            true => error_value(target),
            false => word(target),
        };
        let used = (before + length).max(1);
        out.push_str(whole.get(..used).unwrap_or_default());
        return used;
    };
    let used = before + length;
    let reference = Reference { sheet, first, last };
    let changed = match is_foreign {
        true => Change::Keep,
        false => change(&reference),
    };
    match changed {
        Change::Keep => out.push_str(whole.get(..used).unwrap_or_default()),
        Change::To(reference) => reference.write(out),
        Change::Lost => out.push_str("#REF!"),
    }
    used
}

/// The corners at the beginning of a text, and how long they are.
fn corners(text: &str) -> Option<(usize, Corner, Option<Corner>)> {
    let length = word(text);
    let first = corner(text.get(..length)?)?;
    let after = text.get(length..)?;
    let second = after.strip_prefix(':').and_then(|next| {
        let length = word(next);
        // `A1:INDEX(…)` is a range of another kind.
        let is_function = next.get(length..)?.starts_with(['(', '!', '[']);
        let last = corner(next.get(..length)?).filter(|_| !is_function)?;
        let is_same_kind = first.row.is_some() == last.row.is_some()
            && first.column.is_some() == last.column.is_some();
        is_same_kind.then_some((length, last))
    });
    match second {
        Some((more, last)) => Some((length + 1 + more, first, Some(last))),
        None if first.row.is_some() && first.column.is_some() => Some((length, first, None)),
        None => None,
    }
}

fn corner(word: &str) -> Option<Corner> {
    let (is_fixed, rest) = dollar(word);
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, digits) = rest.split_at_checked(letters)?;
    if letters.is_empty() {
        let row = row(digits)?;
        let row = Some(Coordinate { at: row, is_fixed });
        return Some(Corner { column: None, row });
    }
    let column = Some(Coordinate {
        at: column_number(letters)?,
        is_fixed,
    });
    if digits.is_empty() {
        return Some(Corner { column, row: None });
    }
    let (is_fixed, digits) = dollar(digits);
    let row = Some(Coordinate {
        at: row(digits)?,
        is_fixed,
    });
    Some(Corner { column, row })
}

fn dollar(text: &str) -> (bool, &str) {
    match text.strip_prefix('$') {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

fn row(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let row: u32 = digits.parse().ok().filter(|_| is_number)?;
    (1..=LAST_ROW).contains(&row).then_some(row)
}

impl Reference {
    fn write(&self, out: &mut String) {
        if let Some(sheet) = &self.sheet {
            out.push_str(&sheet_prefix(sheet));
        }
        self.first.write(out);
        if let Some(last) = &self.last {
            out.push(':');
            last.write(out);
        }
    }
}

impl Corner {
    fn write(&self, out: &mut String) {
        let fixed = |coordinate: &Coordinate| if coordinate.is_fixed { "$" } else { "" };
        if let Some(column) = &self.column {
            let _ = write!(out, "{}{}", fixed(column), column_name(column.at));
        }
        if let Some(row) = &self.row {
            let _ = write!(out, "{}{}", fixed(row), row.at);
        }
    }

    /// Moved, as far as it is not fixed; none if it falls off the sheet.
    fn moved(self, rows: i64, columns: i64) -> Option<Self> {
        Some(Self {
            column: match self.column {
                Some(it) => Some(it.moved(columns, LAST_COLUMN)?),
                None => None,
            },
            row: match self.row {
                Some(it) => Some(it.moved(rows, LAST_ROW)?),
                None => None,
            },
        })
    }
}

impl Coordinate {
    fn moved(self, by: i64, last: u32) -> Option<Self> {
        if self.is_fixed {
            return Some(self);
        }
        let at = u32::try_from(i64::from(self.at) + by).ok()?;
        let is_inside = (1..=last).contains(&at);
        is_inside.then_some(Self { at, ..self })
    }
}

/// A formula as it reads when it is copied so many rows down and columns right.
///
/// ```
/// assert_eq!(superstep_workbook::translate("=A1+$B$1", 2, 1), "=B3+$B$1");
/// ```
pub fn translate(formula: &str, rows: i64, columns: i64) -> String {
    rewrite(formula, |reference| {
        let first = reference.first.moved(rows, columns);
        let last = reference.last.map(|last| last.moved(rows, columns));
        match (first, last) {
            (Some(first), None) => Change::To(Reference {
                first,
                ..reference.clone()
            }),
            (Some(first), Some(Some(last))) => Change::To(Reference {
                first,
                last: Some(last),
                ..reference.clone()
            }),
            _ => Change::Lost,
        }
    })
}

/// A sheet's name as formulas write it, with its exclamation mark.
pub(crate) fn sheet_prefix(name: &str) -> Cow<'_, str> {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && corner(name).is_none_or(|corner| corner.row.is_none())
        && !matches!(
            name.to_ascii_uppercase().as_str(),
            "R" | "C" | "RC" | "TRUE" | "FALSE"
        );
    Cow::Owned(match is_plain {
        true => format!("{name}!"),
        false => format!("'{}'!", name.replace('\'', "''")),
    })
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\\' | '?')
}

pub(crate) fn word(text: &str) -> usize {
    text.find(|c| !is_word(c)).unwrap_or(text.len())
}

/// The length of a quoted text; a doubled quote does not end it.
pub(crate) fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            continue;
        }
        match chars.peek() {
            Some((_, next)) if *next == quote => {
                chars.next();
            }
            _ => return at + 1,
        }
    }
    text.len()
}

pub(crate) fn bracketed(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\'' => escaped = true,
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// Whether every bracket and every quote of a formula is closed: without that it is none, whatever is in it.
pub(crate) fn is_closed(formula: &str) -> bool {
    let mut open = Vec::new();
    let mut rest = formula;
    while let Some(c) = rest.chars().next() {
        let is_quoted = matches!(c, '"' | '\'');
        let taken = match c {
            '"' | '\'' => quoted(rest, c),
            '[' => bracketed(rest),
            c => c.len_utf8(),
        };
        let piece = rest.get(..taken).unwrap_or_default();
        match c {
            _ if is_quoted && (piece.len() < 2 || !piece.ends_with(c)) => return false,
            '[' if !piece.ends_with(']') => return false,
            '(' => open.push(')'),
            '{' => open.push('}'),
            ')' | '}' if open.pop() != Some(c) => return false,
            _ => {}
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    open.is_empty()
}

fn error_value(text: &str) -> usize {
    text.char_indices()
        .skip(1)
        .find(|(_, c)| !(c.is_ascii_alphanumeric() || matches!(c, '/' | '_')))
        .map_or(text.len(), |(at, c)| match c {
            '!' | '?' => at + 1,
            _ => at,
        })
}

/// A word of a formula that is no reference to cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// A function that is called.
    Function(&'a str),
    /// A table, or another thing with brackets behind it.
    Table(&'a str),
    /// A name, a number, or an address.
    Other(&'a str),
    /// Brackets with no word before them, in which a table means its own columns.
    OwnTable,
    /// A reference into another workbook.
    Elsewhere,
}

/// A piece of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormulaToken<'a> {
    Word(Word<'a>),
    /// What stands before an exclamation mark, as it is written: a sheet, several, or a file.
    Sheet(&'a str),
    /// Another workbook, as it stands in its brackets: a number or a name.
    Book(&'a str),
    /// A text, as it is written.
    Text(&'a str),
    /// An operator, a bracket, a separator or a space.
    Mark(char),
}

/// The words of a formula, without what is in texts.
pub(crate) fn words<'a>(formula: &'a str, mut each: impl FnMut(Word<'a>)) {
    tokens(formula, |token| {
        if let FormulaToken::Word(word) = token {
            each(word);
        }
    });
}

/// The pieces of a formula.
pub(crate) fn tokens<'a>(formula: &'a str, mut each: impl FnMut(FormulaToken<'a>)) {
    let mut rest = formula;
    let mut follows_word = false;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' => {
                let end = quoted(rest, '"');
                each(FormulaToken::Text(rest.get(..end).unwrap_or_default()));
                end
            }
            '\'' => {
                let end = quoted(rest, '\'');
                let inner = rest.get(..end).unwrap_or_default();
                let after = rest.get(end..).unwrap_or_default();
                if after.starts_with('!') {
                    if inner.contains('[') {
                        each(FormulaToken::Word(Word::Elsewhere));
                    }
                    each(FormulaToken::Sheet(inner));
                }
                end
            }
            '[' => {
                let end = bracketed(rest);
                let after = rest.get(end..).unwrap_or_default();
                let is_book = after.starts_with(|c| is_word(c) || c == '!' || c == '\'');
                match follows_word {
                    true => {}
                    false if is_book => each(FormulaToken::Word(Word::Elsewhere)),
                    false => each(FormulaToken::Word(Word::OwnTable)),
                }
                if is_book {
                    let inner = rest.get(1..end).unwrap_or_default();
                    each(FormulaToken::Book(inner.strip_suffix(']').unwrap_or(inner)));
                }
                end
            }
            '#' => error_value(rest),
            c if is_word(c) => {
                let end = word(rest);
                let (found, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                each(match after.chars().next() {
                    Some('(') => FormulaToken::Word(Word::Function(found)),
                    Some('[') => FormulaToken::Word(Word::Table(found)),
                    Some('!') => FormulaToken::Sheet(found),
                    _ => FormulaToken::Word(Word::Other(found)),
                });
                follows_word = true;
                rest = after;
                continue;
            }
            c => {
                each(FormulaToken::Mark(c));
                c.len_utf8()
            }
        };
        follows_word = false;
        rest = rest.get(taken..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(formula: &str) -> Vec<String> {
        let mut all = Vec::new();
        let same = rewrite(formula, |reference| {
            let mut text = String::new();
            reference.write(&mut text);
            all.push(text);
            Change::Keep
        });
        assert_eq!(same, formula);
        all
    }

    #[test]
    fn references_are_found_and_nothing_else() {
        assert_eq!(found("SUM(A1:B2)+$C$3*2"), ["A1:B2", "$C$3"]);
        assert_eq!(found("\"A1\"&B1"), ["B1"]);
        assert_eq!(
            found("Sheet2!A1+'My ''own'' sheet'!B2:C3"),
            ["Sheet2!A1", "'My ''own'' sheet'!B2:C3"]
        );
        assert_eq!(
            found("SUM(A:A)+SUM(3:5)+LOG10(D4)+1E5"),
            ["A:A", "3:5", "D4"]
        );
        assert_eq!(
            found("Table1[[#All],[A1]]+[1]Other!A1+'[x.xlsx]S'!A1"),
            Vec::<String>::new()
        );
        assert_eq!(found("#REF!+Sheet1!#REF!+Rate+A1.5"), Vec::<String>::new());
        assert_eq!(found("A1:INDEX(B:B,2)"), ["A1", "B:B"]);
        assert_eq!(found("IF(TRUE,1,2)%&Größe"), Vec::<String>::new());
    }

    #[test]
    fn copies_move_what_is_not_fixed() {
        assert_eq!(translate("A1+$A1+A$1+$A$1", 2, 1), "B3+$A3+B$1+$A$1");
        assert_eq!(translate("SUM(A1:A3)", 10, 0), "SUM(A11:A13)");
        assert_eq!(translate("A1+B2", -1, 0), "#REF!+B1");
        assert_eq!(translate("x!A1", 1, 0), "x!A2");
    }

    #[test]
    fn cells_of_several_sheets_are_told() {
        assert!(spans_sheets("SUM(Jan:Mar!A1)"));
        assert!(spans_sheets("SUM('Jan 1:Mar 1'!A1:B2)"));
        assert!(!spans_sheets("Jan!A1:Mar!A1"));
        assert!(!spans_sheets("SUM(A1:B2)+Jan!A1&\"Jan:Mar!A1\""));
        assert_eq!(found("Jan:Mar!A1+B2"), ["'Jan:Mar'!A1", "B2"]);
    }

    #[test]
    fn words_are_told_apart_by_what_follows_them() {
        let mut all = Vec::new();
        let formula = "IF(Rate>\"NO(\",T1[x],[@y])+[1]S!A1+'[b.xlsx]S'!A1+'my s'!B2+#REF!";
        words(formula, |word| all.push(word));
        assert_eq!(
            all,
            [
                Word::Function("IF"),
                Word::Other("Rate"),
                Word::Table("T1"),
                Word::OwnTable,
                Word::Elsewhere,
                Word::Other("A1"),
                Word::Elsewhere,
                Word::Other("A1"),
                Word::Other("B2"),
            ]
        );
    }

    #[test]
    fn formulas_that_are_not_closed_are_told() {
        for whole in [
            "SUM(A1)", "\")\"&(1)", "'a('!A1", "T[[#All],[x]]", "{1,2}", "\"\"\"\"", "A1",
        ] {
            assert!(is_closed(whole), "{whole}");
        }
        for open in [
            "SUM(", "SUM(A1))", "\"a", "T[a", "{1,2", "(]", "\"", "'a!A1", "({)}",
        ] {
            assert!(!is_closed(open), "{open}");
        }
    }

    #[test]
    fn anything_at_all_is_survived() {
        for formula in [
            "'", "\"", "[", "[[", "#", "'a'!", "a!", "!", "A1:", "'a''", "[']", "]", "ä!ö", "$",
            "'A'!$",
        ] {
            assert_eq!(rewrite(formula, |_| Change::Keep), formula, "{formula}");
            words(formula, |_| {});
        }
    }
}
