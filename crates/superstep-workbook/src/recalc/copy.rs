//! The copy of a workbook that is calculated. It differs so that what comes out is what Excel would show:
//!
//! - comparisons look at 15 digits, so that 0.1+0.2=0.3;
//! - functions of single values are applied to each of many, or take the one beside the formula (`lift`);
//! - rows and columns of areas with the cell itself are numbers (`own_cell`);
//! - `VALUE` reads numbers whose thousands are set off, and texts are counted as Excel does (`functions`, `units`);
//! - texts that are longer than a cell holds are errors;
//! - formulas that are no array formulas give one value: they are listed in the order of calculation, by which the
//!   calculation knows them, or marked with `@`;
//! - formulas that are left out are what they gave last.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    functions::{COMPARED, HELD, renamed},
    lift::lifted,
    own_cell::numbered,
    units,
};
use crate::{
    address::{Area, CellRef},
    book::Workbook,
    error::Error,
    formula::{Word, bracketed, quoted, words},
    package::Package,
    patch::OnLoad,
    relations::{Target, declare, relate},
    sheet::{Formula, FormulaKind, Sheet},
    xml::{self, Token, Xml},
};

const CHAIN: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml";

/// How deep calls in formulas are followed.
const DEEPEST: usize = 200;

/// The longest formula that may become longer.
const LONGEST: usize = 6_000;

/// A cell with a formula: the place of its sheet, and where it is there.
pub(super) type Place = (usize, CellRef);

/// The file to be calculated. `keeps` tells which formulas it has, `singles` those that are marked.
pub(super) fn file(
    book: &Workbook,
    keeps: impl Fn(&Place) -> bool,
    singles: &BTreeSet<Place>,
) -> Result<Vec<u8>, Error> {
    let is_wide = has_wide_texts(book);
    let mut copy = book.clone();
    let mut chained: Vec<Vec<CellRef>> = Vec::new();
    for (number, sheet) in copy.sheets.iter_mut().enumerate() {
        let mut chain = Vec::new();
        let mut changes = Vec::new();
        for (at, cell) in sheet.cells() {
            let Some(formula) = cell.formula() else {
                continue;
            };
            let place = (number, at);
            if !keeps(&place) {
                changes.push((at, None));
                continue;
            }
            if formula.kind == FormulaKind::Plain {
                chain.push(at);
            }
            let made = Made {
                book,
                sheet: &sheet.name,
                at,
                is_single: singles.contains(&place),
                is_wide,
            };
            if let Some(text) = made.text(formula) {
                changes.push((at, Some(text)));
            }
        }
        if !changes.is_empty() || is_larger(sheet, &book.package)? {
            let sheet = Arc::make_mut(sheet);
            sheet.changed.cells = true;
            for (at, text) in changes {
                let Some(cell) = sheet.cell_mut(at) else {
                    continue;
                };
                match (text, cell.formula_mut()) {
                    (Some(text), Some(formula)) => formula.text = text,
                    _ => cell.set_formula(None),
                }
            }
        }
        chained.push(chain);
    }
    // The order of calculation of the file goes; ours takes its place.
    copy.changed.values = true;
    let mut package = copy.patched(OnLoad::Trust)?;
    chain(&copy, &chained, &mut package)?;
    package.to_bytes()
}

/// Whether a sheet has cells outside of the area that its part says it has, which the calculation refuses. When it is
/// written anew it says the right one.
fn is_larger(sheet: &Sheet, package: &Package) -> Result<bool, Error> {
    let Some(extent) = sheet.extent().filter(|_| sheet.is_grid) else {
        return Ok(false);
    };
    if sheet.part.is_empty() || sheet.changed.cells {
        return Ok(false);
    }
    let bytes = package.part(&sheet.part)?.unwrap_or_default();
    // It stands before the cells.
    let head = bytes.get(..bytes.len().min(16 << 10)).unwrap_or_default();
    let head = String::from_utf8_lossy(head);
    let Some((_, rest)) = head.split_once("<dimension") else {
        return Ok(false);
    };
    let stated = rest.split('"').nth(1).unwrap_or_default();
    Ok(match stated.parse::<Area>() {
        Ok(area) => !area.contains(extent.first) || !area.contains(extent.last),
        Err(_) => true,
    })
}

fn chain(book: &Workbook, chained: &[Vec<CellRef>], package: &mut Package) -> Result<(), Error> {
    let main = &book.parts.workbook;
    let bytes = package.part(main)?.unwrap_or_default().into_owned();
    let text = xml::decode(main, &bytes)?;
    let mut numbers = Vec::new();
    let mut xml = Xml::new(main, &text);
    while let Some(token) = xml.next()? {
        if let Token::Open(tag) | Token::Empty(tag) = token
            && tag.local() == "sheet"
        {
            let name = tag.get("name").unwrap_or_default().into_owned();
            numbers.push((name, tag.number::<u32>("sheetId")));
        }
    }
    let mut content = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <calcChain xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">",
    );
    let mut is_empty = true;
    for (sheet, cells) in book.sheets.iter().zip(chained) {
        let number = numbers.iter().find(|(name, _)| *name == sheet.name);
        let Some((_, Some(number))) = number else {
            continue;
        };
        for cell in cells {
            is_empty = false;
            content.push_str(&format!("<c r=\"{cell}\" i=\"{number}\"/>"));
        }
    }
    content.push_str("</calcChain>");
    if is_empty {
        return Ok(());
    }
    let part = crate::relations::free_name(package, "xl/calcChain", ".xml");
    package.set(&part, content.into_bytes());
    declare(package, &part, CHAIN)?;
    relate(package, main, "calcChain", &Target::Part(&part))?;
    Ok(())
}

/// Whether a text of a workbook, or one that a formula makes, has letters of two units.
fn has_wide_texts(book: &Workbook) -> bool {
    let cells = book.sheets.iter().flat_map(|sheet| sheet.cells());
    let mut cells = cells.map(|(_, cell)| cell);
    cells.any(|cell| {
        let is_wide = cell.value.as_text().is_some_and(units::is_wide);
        let makes = |formula: &Formula| {
            units::is_wide(&formula.text) || formula.text.to_ascii_uppercase().contains("UNICHAR(")
        };
        is_wide || cell.formula().is_some_and(makes)
    })
}

/// A formula on its way into the copy.
struct Made<'a> {
    book: &'a Workbook,
    sheet: &'a str,
    at: CellRef,
    /// Whether it is told to give one value.
    is_single: bool,
    /// Whether texts have letters of two units.
    is_wide: bool,
}

impl Made<'_> {
    /// The text of a formula in the copy, if it is another one.
    fn text(&self, formula: &Formula) -> Option<String> {
        if formula.text.len() > LONGEST {
            return None;
        }
        let mut made = Formula {
            text: formula.text.clone(),
            kind: formula.kind.clone(),
        };
        if let Some(text) = numbered(&made.text, self.sheet, self.at) {
            made.text = text;
        }
        if let Some(text) = lifted(self.book, &made) {
            made.text = text;
        }
        let mut text = made.text;
        if let Some(compared) = comparisons(&text) {
            text = compared;
        }
        let is_long = formula.kind == FormulaKind::Plain && makes_text(&text);
        if let Some(named) = with_own_names(&text, self.is_wide) {
            text = named;
        }
        if is_long {
            text = format!("{HELD}({text})");
        }
        if self.is_single {
            text = format!("@({text})");
        }
        (text != formula.text).then_some(text)
    }
}

/// The formula with functions under our names, if it calls such.
fn with_own_names(formula: &str, is_wide: bool) -> Option<String> {
    let mut out = String::new();
    let mut done = 0;
    words(formula, |word| {
        if let Word::Function(name) = word
            && let Some(own) = renamed(name, is_wide)
        {
            let at = name.as_ptr() as usize - formula.as_ptr() as usize;
            out.push_str(formula.get(done..at).unwrap_or_default());
            out.push_str(own);
            done = at + name.len();
        }
    });
    out.push_str(formula.get(done..).unwrap_or_default());
    (done > 0).then_some(out)
}

/// Whether a formula can give a text that is longer than those that it reads.
fn makes_text(formula: &str) -> bool {
    let mut makes = formula.contains('&');
    words(formula, |word| {
        if let Word::Function(name) = word {
            let name = name.rsplit('.').next().unwrap_or(name);
            let known = [
                "REPT",
                "CONCAT",
                "CONCATENATE",
                "TEXTJOIN",
                "SUBSTITUTE",
                "REPLACE",
                "ARRAYTOTEXT",
                "TEXT",
                "REDUCE",
            ];
            makes |= known.iter().any(|known| known.eq_ignore_ascii_case(name));
        }
    });
    makes
}

/// The formula with what it compares cut to 15 digits, if it compares anything.
fn comparisons(formula: &str) -> Option<String> {
    if !formula.contains(['=', '<', '>']) {
        return None;
    }
    let mut rest = formula;
    let mut out = String::with_capacity(formula.len() * 2);
    let mut changed = false;
    while !rest.is_empty() {
        let part = Part::read(&mut rest, 0)?;
        changed |= part.changed;
        out.push_str(&part.text);
        // A comma that joins areas, or what is no formula at all.
        let end = rest.chars().next().map_or(0, char::len_utf8);
        let (separator, after) = rest.split_at_checked(end)?;
        out.push_str(separator);
        rest = after;
    }
    changed.then_some(out)
}

/// What is between two separators.
struct Part {
    text: String,
    changed: bool,
}

impl Part {
    /// Reads up to a separator or a closing bracket. Comparisons bind weakest of all, so what is between them is whole.
    fn read(rest: &mut &str, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        let mut operands = vec![String::new()];
        let mut operators: Vec<&str> = Vec::new();
        let mut changed = false;
        while let Some(c) = rest.chars().next() {
            let taken = match c {
                ')' | ',' | ';' | '}' => break,
                '"' | '\'' => quoted(rest, c),
                '[' => bracketed(rest),
                '{' => array(rest),
                '<' | '>' | '=' => {
                    let pair = rest.get(..2).filter(|it| matches!(*it, "<=" | ">=" | "<>"));
                    let length = pair.map_or(1, str::len);
                    let (operator, after) = rest.split_at_checked(length)?;
                    operators.push(operator);
                    operands.push(String::new());
                    *rest = after;
                    continue;
                }
                '(' => {
                    let operand = operands.last_mut()?;
                    operand.push('(');
                    *rest = rest.get(1..)?;
                    loop {
                        let part = Self::read(rest, depth + 1)?;
                        changed |= part.changed;
                        operand.push_str(&part.text);
                        let end = rest.chars().next()?;
                        operand.push(end);
                        *rest = rest.get(end.len_utf8()..)?;
                        if end == ')' {
                            break;
                        }
                    }
                    continue;
                }
                c => c.len_utf8(),
            };
            let (piece, after) = rest.split_at_checked(taken)?;
            operands.last_mut()?.push_str(piece);
            *rest = after;
        }
        // Something with nothing before or behind it is no comparison that is understood.
        let is_whole = operands.iter().all(|operand| !operand.trim().is_empty());
        let is_plain = operators.is_empty() || !is_whole;
        let needs_none = operators.len() == 1 && operands.iter().any(|it| is_exact(it));
        let mut text = String::new();
        for (number, operand) in operands.iter().enumerate() {
            let before = number.checked_sub(1).and_then(|at| operators.get(at));
            text.push_str(before.copied().unwrap_or_default());
            match is_plain || needs_none || is_number(operand) {
                true => text.push_str(operand),
                false => {
                    changed = true;
                    text.push_str(&format!("{COMPARED}({operand})"));
                }
            }
        }
        Some(Self { text, changed })
    }
}

/// Whether a comparison with this looks at no digits: with a text, or with nothing.
fn is_exact(operand: &str) -> bool {
    let operand = operand.trim();
    let is_text = operand.starts_with('"') && quoted(operand, '"') == operand.len();
    let is_bool = ["TRUE", "FALSE", "TRUE()", "FALSE()"]
        .iter()
        .any(|it| it.eq_ignore_ascii_case(operand));
    is_text || is_bool || operand == "0"
}

/// Whether it is a number of so few digits that none is cut.
fn is_number(operand: &str) -> bool {
    let operand = operand.trim();
    let is_digit = |byte: u8| byte.is_ascii_digit() || byte == b'.';
    !operand.is_empty() && operand.len() < 15 && operand.bytes().all(is_digit)
}

/// The length of a constant array.
fn array(text: &str) -> usize {
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        at += match c {
            '"' => quoted(text.get(at..).unwrap_or_default(), '"'),
            c => c.len_utf8(),
        };
        if c == '}' {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comparisons_of_numbers_are_changed() {
        let changed = |formula: &str| comparisons(formula).unwrap_or_else(|| formula.to_owned());
        let c = COMPARED;
        assert_eq!(changed("0.1+0.2=0.3"), format!("{c}(0.1+0.2)=0.3"));
        assert_eq!(changed("A1=\"x\""), "A1=\"x\"");
        assert_eq!(changed("A1>0"), "A1>0");
        assert_eq!(
            changed("IF(A1+B1>=C1,\"a=b\",'x=y'!A1<>T[a=b])"),
            format!("IF({c}(A1+B1)>={c}(C1),\"a=b\",{c}('x=y'!A1)<>{c}(T[a=b]))")
        );
        assert_eq!(
            changed("SUMPRODUCT((A1:A3={1,2;\"=\",4})*1)"),
            format!("SUMPRODUCT(({c}(A1:A3)={c}({{1,2;\"=\",4}}))*1)")
        );
        assert_eq!(changed("COUNTIF(A:A,\">=3\")"), "COUNTIF(A:A,\">=3\")");
    }

    #[test]
    fn formulas_that_are_none_stay_as_they_are() {
        for formula in [
            "=", "A1=", "(", "(A1=B1", ")=", "<>", "IF(=)", "'=", "\"=", "{=", "[=",
        ] {
            let text = comparisons(formula);
            assert!(text.is_none_or(|text| text.contains(COMPARED)), "{formula}");
        }
        assert_eq!(comparisons(&"(".repeat(10_000)), None);
    }
}
