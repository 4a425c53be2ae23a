//! The copy of a workbook that is calculated. It differs so that what comes out is what Excel would show:
//!
//! - comparisons look at 15 digits, so that 0.1+0.2=0.3, and at letters without their case; texts are made of 15 digits
//!   (`operators`);
//! - functions of single values are applied to each of many, or take the one beside the formula (`lift`);
//! - rows and columns of areas with the cell itself are numbers (`own_cell`);
//! - `VALUE` reads numbers whose thousands are set off, and texts are counted as Excel does (`functions`, `units`);
//! - texts that are longer than a cell holds are errors;
//! - formulas that are no array formulas give one value: they are listed in the order of calculation, by which the
//!   calculation knows them, or marked with `@`;
//! - formulas that are left out are what they gave last.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    functions::{HELD, renamed},
    lift::lifted,
    operators::operands,
    own_cell::numbered,
    units,
};
use crate::{
    address::{Area, CellRef},
    book::Workbook,
    error::Error,
    formula::{Word, words},
    package::Package,
    patch::OnLoad,
    relations::{Target, declare, relate},
    sheet::{Formula, FormulaKind, Sheet},
    xml::{self, Token, Xml},
};

const CHAIN: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml";

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
        if let Some(marked) = operands(&text) {
            text = marked;
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
                "REPT", "CONCAT", "CONCATENATE", "TEXTJOIN", "SUBSTITUTE", "REPLACE",
                "ARRAYTOTEXT", "TEXT", "REDUCE",
            ];
            makes |= known.iter().any(|known| known.eq_ignore_ascii_case(name));
        }
    });
    makes
}
