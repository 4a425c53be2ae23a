//! Formulas that name their own cell without reading it: `ROWS(A1:A9)` in A3. The calculation takes that for a circular
//! reference, so the copy has the numbers instead.

use crate::{
    address::{Area, CellRef, LAST_ROW},
    book::is_same_name,
    formula::{Change, Word, rewrite, words},
};

/// The most rows or columns that are written as numbers.
const MOST: u32 = 10_000;

/// Functions that look at where cells are, not at what is in them.
const NAMES: [&str; 4] = ["ROW", "COLUMN", "ROWS", "COLUMNS"];

/// The formula of a cell with such calls as numbers; none if it has none.
pub(super) fn numbered(formula: &str, sheet: &str, at: CellRef) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    each(formula, |call| {
        if let Some(area) = call.area(sheet).filter(|area| area.contains(at))
            && let Some(number) = call.numbers(area, MOST)
        {
            out.push_str(formula.get(done..call.start).unwrap_or_default());
            out.push_str(&number);
            done = call.end;
        }
    });
    out.push_str(formula.get(done..).unwrap_or_default());
    (done > 0).then_some(out)
}

/// The numbers of the rows or columns of an area: what `ROW` and `COLUMN` give where many values are calculated, of which
/// the calculation gives the first. None if it is one cell, or no such call.
pub(super) fn many(name: &str, inner: &str) -> Option<String> {
    let call = PlaceCall {
        name,
        inner,
        start: 0,
        end: 0,
    };
    let is_place = ["ROW", "COLUMN"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(name));
    let area = call.any_area().filter(|area| area.first != area.last)?;
    let numbers = is_place.then(|| call.numbers(area, LAST_ROW)).flatten();
    numbers.filter(|it| it.contains('('))
}

/// Whether a formula names its own cell, and only where it does not read it.
pub(super) fn is_only_named(formula: &str, sheet: &str, at: CellRef) -> bool {
    let names = |text: &str| {
        let mut found = false;
        rewrite(text, |reference| {
            let meant = reference.sheet.as_deref().unwrap_or(sheet);
            found |= is_same_name(meant, sheet) && reference.area().contains(at);
            Change::Keep
        });
        found
    };
    let mut without = String::new();
    let mut done = 0;
    each(formula, |call| {
        without.push_str(formula.get(done..call.start).unwrap_or_default());
        without.push('0');
        done = call.end;
    });
    without.push_str(formula.get(done..).unwrap_or_default());
    names(formula) && !names(&without)
}

/// A call with one reference and nothing else.
struct PlaceCall<'a> {
    name: &'a str,
    inner: &'a str,
    start: usize,
    end: usize,
}

impl PlaceCall<'_> {
    /// The cells that it names on a sheet.
    fn area(&self, sheet: &str) -> Option<Area> {
        let mut is_meant = false;
        rewrite(self.inner, |reference| {
            let meant = reference.sheet.as_deref().unwrap_or(sheet);
            is_meant = is_same_name(meant, sheet);
            Change::Keep
        });
        self.any_area().filter(|_| is_meant)
    }

    /// The cells that it names on whatever sheet, if it names nothing else.
    fn any_area(&self) -> Option<Area> {
        let mut found = None;
        let rest = rewrite(self.inner.trim(), |reference| {
            found = Some(reference.area());
            Change::Lost
        });
        found.filter(|_| rest == "#REF!")
    }

    fn numbers(&self, area: Area, most: u32) -> Option<String> {
        let (height, width) = (area.height(), area.width());
        let is = |name: &str| self.name.eq_ignore_ascii_case(name);
        if is("ROWS") {
            return Some(height.to_string());
        }
        if is("COLUMNS") {
            return Some(width.to_string());
        }
        let (count, first) = match is("ROW") {
            true => (height, area.first.row),
            false => (width, area.first.column),
        };
        match (count, is("ROW")) {
            (1, _) => Some(first.to_string()),
            (count, _) if count > most => None,
            (count, true) => Some(format!("SEQUENCE({count},1,{first})")),
            (count, false) => Some(format!("SEQUENCE(1,{count},{first})")),
        }
    }
}

/// Calls a function for every such call that has one argument.
fn each<'a>(formula: &'a str, mut see: impl FnMut(PlaceCall<'a>)) {
    words(formula, |word| {
        let Word::Function(name) = word else {
            return;
        };
        if !NAMES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return;
        }
        let start = name.as_ptr() as usize - formula.as_ptr() as usize;
        let open = start + name.len() + 1;
        let inner = formula.get(open..).unwrap_or_default();
        // A quoted name of a sheet may have brackets: such a call is left as it is.
        let Some(length) = inner.find(')').filter(|_| !inner.starts_with('\'')) else {
            return;
        };
        let inner = inner.get(..length).unwrap_or_default();
        if !inner.trim().is_empty() && !inner.contains(['(', ',', '"']) {
            see(PlaceCall {
                name,
                inner,
                start,
                end: open + length + 1,
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_name_their_own_cell_are_numbers() {
        let numbered = |formula: &str| {
            let at = "A3".parse().unwrap();
            numbered(formula, "Data", at).unwrap_or_else(|| formula.to_owned())
        };
        assert_eq!(numbered("ROWS(A1:A9)+1"), "9+1");
        assert_eq!(numbered("SUM(ROW(1:10))"), "SUM(SEQUENCE(10,1,1))");
        assert_eq!(numbered("row($A$3)*COLUMN(Data!A:C)"), "3*SEQUENCE(1,3,1)");
        for same in [
            "ROWS(B1:B9)", "ROW()", "ROW(1:1048576)", "SUM(A1:A9)", "ROW(Other!A3)",
        ] {
            assert_eq!(numbered(same), same);
        }
        let at = "A3".parse().unwrap();
        assert!(is_only_named("SUM(ROW(1:1048576))", "Data", at));
        assert!(!is_only_named("SUM(ROW(1:1048576))+A3", "Data", at));
        assert!(!is_only_named("SUM(B1:B3)", "Data", at));
    }
}
