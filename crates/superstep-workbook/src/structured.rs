//! Columns of tables as formulas name them: `Sales[Units]`, `Sales[[#This Row],[Units]]`, `[@Units]`.

use crate::formula::{bracketed, is_word, quoted, word};

/// The formula with another name for a column of a table. `is_home` says whether brackets without a word before them may
/// mean this table.
pub(crate) fn rename_column(
    formula: &str,
    table: &str,
    is_home: bool,
    old: &str,
    new: &str,
) -> String {
    let mut out = String::with_capacity(formula.len());
    let mut rest = formula;
    let mut before = "";
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '"' | '\'' => quoted(rest, c),
            '[' => bracketed(rest),
            c if is_word(c) => word(rest),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        let is_other_book = after.starts_with(|c| is_word(c) || c == '!' || c == '\'');
        let is_meant = match before.is_empty() {
            true => is_home && !is_other_book,
            false => before.to_lowercase() == table.to_lowercase(),
        };
        match c == '[' && is_meant {
            true => out.push_str(&renamed(piece, old, new)),
            false => out.push_str(piece),
        }
        before = if is_word(c) { piece } else { "" };
        rest = after;
    }
    out
}

/// What is in brackets, with another name for a column.
fn renamed(brackets: &str, old: &str, new: &str) -> String {
    let inner = brackets
        .strip_prefix('[')
        .and_then(|it| it.strip_suffix(']'));
    let Some(inner) = inner else {
        return brackets.to_owned();
    };
    let is_old = |name: &str| unescaped(name).to_lowercase() == old.to_lowercase();
    if !inner.contains('[') {
        let (at, name) = match inner.strip_prefix('@') {
            Some(name) => ("@", name),
            None => ("", inner),
        };
        return match is_old(name) {
            false => brackets.to_owned(),
            true if at.is_empty() || new.chars().all(char::is_alphanumeric) => {
                format!("[{at}{}]", escaped(new))
            }
            true => format!("[@[{}]]", escaped(new)),
        };
    }
    let mut out = String::from("[");
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            '[' => bracketed(rest),
            c => c.len_utf8(),
        };
        let (piece, after) = rest.split_at_checked(taken).unwrap_or((rest, ""));
        let name = piece.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        match name.is_some_and(is_old) {
            true => out.push_str(&format!("[{}]", escaped(new))),
            false => out.push_str(piece),
        }
        rest = after;
    }
    out.push(']');
    out
}

/// A name without the apostrophes that stand before what brackets mean.
fn unescaped(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    let mut letters = name.chars();
    while let Some(c) = letters.next() {
        match c {
            '\'' => plain.extend(letters.next()),
            c => plain.push(c),
        }
    }
    plain
}

fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '[' | ']' | '#' | '\'' | '@') {
            out.push('\'');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_the_table_alone_are_renamed() {
        let rename = |formula: &str| rename_column(formula, "Sales", true, "Units", "Net #");
        for (formula, wanted) in [
            ("SUM(sales[units])", "SUM(sales[Net '#])"),
            (
                "Sales[[#This Row],[Units]]*2",
                "Sales[[#This Row],[Net '#]]*2",
            ),
            (
                "SUM(Sales[[Units]:[Price]])", "SUM(Sales[[Net '#]:[Price]])",
            ),
            ("[@Units]*[@Price]", "[@[Net '#]]*[@Price]"),
            (
                "Other[Units]&\"Sales[Units]\"",
                "Other[Units]&\"Sales[Units]\"",
            ),
            ("[1]Units!A1+[Units]Sheet!A1", "[1]Units!A1+[Units]Sheet!A1"),
            ("Sales[Units", "Sales[Units"),
        ] {
            assert_eq!(rename(formula), wanted);
        }
        let away = rename_column("[@Units]", "Sales", false, "Units", "x");
        assert_eq!(away, "[@Units]");
    }
}
