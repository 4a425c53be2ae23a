//! Calculates a copy of a workbook and takes the values of its formulas. What stops the calculation is found and left
//! out, until the rest can be calculated.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::OnceLock,
    time::{Duration, Instant},
};

use chrono::{Local, Offset, Utc};
use formualizer_eval::{
    engine::{DeterministicMode, EvalConfig},
    timezone::TimeZoneSpec,
};
use formualizer_workbook::{
    ExternalLinkPolicy, IoError, XlsxRecalculateLimits, XlsxRecalculateOptions,
    XlsxRecalculateResult, recalculate_xlsx_bytes,
};

use super::{
    Calculated, FormulaValue, NewValue, NotCalculated,
    copy::{self, Place},
    functions::{self, LONGEST},
    own_cell,
    reads::with_readers,
    units,
};
use crate::{
    address::{Area, CellRef},
    book::Workbook,
    error::Error,
    formula::{Word, words},
    package::Limits,
    sheet::{FormulaKind, Sheet, Value},
};

/// How many cells that were not calculated are named.
const NAMED: usize = 100;

/// How many formulas may stop a calculation before it is given up.
const MOST: usize = 50;

/// How often the copy is calculated anew because a formula gave more than one value.
const ROUNDS: usize = 3;

/// The largest area that one formula may fill.
const LARGEST: u64 = 1_000_000;

/// What is said of formulas that read themselves.
const CIRCULAR: &str = "it is part of a circular reference";

/// What is said of those that only name their own cell.
const NAMES_ITSELF: &str =
    "it counts rows or columns of an area with its own cell, which is too large for that";

/// What is said of those that may read a cell that is not calculated.
const MAY_READ: &str =
    "which cells it reads is only known when it is calculated, and some of them may not be";

/// What is said of those that give what is not calculated here.
const NOT_HERE: &str = "a function in it does not calculate this";

/// Why a copy could not be calculated, and which of its formulas it was, if that was said.
struct Stopped {
    at: Option<Place>,
    why: String,
}

pub(super) fn calculate(book: &Workbook, time: Duration) -> Result<Calculated, Error> {
    let formulas = formulas(book);
    if formulas.is_empty() {
        return Ok(Calculated::default());
    }
    functions::register();
    let mut run = Run {
        book,
        formulas: &formulas,
        left: unfit(book, &formulas),
        singles: BTreeSet::new(),
        until: Instant::now() + time,
    };
    let (result, after) = run.settled()?;
    run.unknown(&result);
    let (all, open) = with_readers(book, &formulas, &run.left);
    Ok(run.taken(&after, all, &open))
}

fn formulas(book: &Workbook) -> Vec<Place> {
    let mut all = Vec::new();
    for (number, sheet) in book.sheets.iter().enumerate() {
        let cells = sheet.cells().filter(|(_, cell)| cell.formula().is_some());
        all.extend(cells.map(|(at, _)| (number, at)));
    }
    all
}

/// Formulas that are known not to be calculated: they use functions that are not known, or other workbooks.
fn unfit(book: &Workbook, formulas: &[Place]) -> BTreeMap<Place, String> {
    let elsewhere: Vec<&str> = book
        .names
        .iter()
        .filter(|name| reads_elsewhere(&name.refers_to))
        .map(|name| name.name.as_str())
        .collect();
    let mut left = BTreeMap::new();
    for place in formulas {
        let Some(formula) = cell(book, place).and_then(|cell| cell.formula()) else {
            continue;
        };
        let mut why = match &formula.kind {
            FormulaKind::DataTable(_) => Some("it is a data table".to_owned()),
            FormulaKind::Array(area) if area.len() > LARGEST => {
                Some(format!("it fills {area}, which is too much"))
            }
            _ => None,
        };
        // Functions that a formula makes itself have names of its own.
        let makes_functions = formula.text.to_ascii_uppercase().contains("LAMBDA(");
        words(&formula.text, |word| {
            let found = match word {
                Word::Elsewhere => Some("it reads another workbook".to_owned()),
                Word::Other(name) => elsewhere
                    .iter()
                    .any(|it| it.eq_ignore_ascii_case(name))
                    .then(|| format!("{name} is in another workbook")),
                Word::Function(name) => {
                    let is_named = || {
                        let mut names = book.names.iter();
                        names.any(|it| it.name.eq_ignore_ascii_case(name))
                    };
                    let is_known = functions::is_known(name) || makes_functions || is_named();
                    (!is_known).then(|| unknown(name))
                }
                Word::Table(_) | Word::OwnTable => None,
            };
            if why.is_none() {
                why = found;
            }
        });
        if let Some(why) = why {
            left.insert(*place, why);
        }
    }
    left
}

fn unknown(function: &str) -> String {
    let end = function.floor_char_boundary(60);
    let shown = function.get(..end).unwrap_or_default();
    format!("the function {shown} is not known")
}

fn reads_elsewhere(formula: &str) -> bool {
    let mut reads = false;
    words(formula, |word| reads |= word == Word::Elsewhere);
    reads
}

fn cell<'a>(book: &'a Workbook, (sheet, at): &Place) -> Option<&'a crate::sheet::Cell> {
    book.sheets.get(*sheet)?.cell(*at)
}

struct Run<'a> {
    book: &'a Workbook,
    formulas: &'a [Place],
    /// Formulas that are not calculated, and why.
    left: BTreeMap<Place, String>,
    /// Formulas that are told to give one value.
    singles: BTreeSet<Place>,
    until: Instant,
}

impl Run<'_> {
    /// Calculates until no formula gives more values than it has cells.
    fn settled(&mut self) -> Result<(XlsxRecalculateResult, Workbook), Error> {
        for _ in 0..ROUNDS {
            let result = self.all()?;
            let after = Workbook::read(result.bytes.as_slice(), &Limits::default())?;
            let spilled: Vec<Place> = self.spilled(&after).collect();
            if spilled.is_empty() {
                return Ok((result, after));
            }
            self.singles.extend(spilled);
        }
        let result = self.all()?;
        let after = Workbook::read(result.bytes.as_slice(), &Limits::default())?;
        let spilled: Vec<Place> = self.spilled(&after).collect();
        for place in spilled {
            let why = "it gives more than one value".to_owned();
            self.left.insert(place, why);
        }
        Ok((result, after))
    }

    /// Formulas for one value that filled other cells, or wanted to.
    fn spilled<'b>(&'b self, after: &'b Workbook) -> impl Iterator<Item = Place> + 'b {
        let plain = self.formulas.iter().filter(|place| {
            let formula = cell(self.book, place).and_then(|cell| cell.formula());
            formula.is_some_and(|formula| formula.kind == FormulaKind::Plain)
                && !self.left.contains_key(place)
                && !self.singles.contains(place)
        });
        let spilled = plain.filter(|place| {
            cell(after, place).is_some_and(|cell| {
                let kind = cell.formula().map(|formula| &formula.kind);
                let is_array = matches!(kind, Some(FormulaKind::Array(_)));
                is_array || matches!(&cell.value, Value::Error(error) if &**error == "#SPILL!")
            })
        });
        spilled.copied()
    }

    /// Calculates what can be: formulas that stop the calculation are left out one after the other.
    fn all(&mut self) -> Result<XlsxRecalculateResult, Error> {
        let refused = |why: String| Error::NotRecalculated { why };
        for _ in 0..MOST {
            let stopped = match self.once(|place| !self.left.contains_key(place))? {
                Ok(result) => return Ok(result),
                Err(stopped) => stopped,
            };
            if Instant::now() > self.until {
                return Err(self.late(stopped));
            }
            let found = match stopped.at {
                Some(place) => Some((place, stopped.why.clone())),
                None => self.culprit()?,
            };
            let Some((place, why)) = found else {
                return Err(match Instant::now() > self.until {
                    true => self.late(stopped),
                    false => refused(stopped.why),
                });
            };
            let why = self.explained(&place, why);
            if self.left.insert(place, why.clone()).is_some() {
                return Err(refused(why));
            }
        }
        Err(refused(format!(
            "more than {MOST} formulas cannot be calculated"
        )))
    }

    /// The formula with which the calculation stops: all before it can be calculated without those behind it.
    fn culprit(&self) -> Result<Option<(Place, String)>, Error> {
        let tried: Vec<Place> = self
            .formulas
            .iter()
            .filter(|place| !self.left.contains_key(*place))
            .copied()
            .collect();
        let first = |count: usize| tried.get(..count).unwrap_or_default();
        if self.once(|_| false)?.is_err() {
            return Ok(None);
        }
        let (mut good, mut bad) = (0, tried.len());
        let mut why = String::new();
        while bad - good > 1 || why.is_empty() {
            if Instant::now() > self.until {
                return Ok(None);
            }
            let middle = match bad - good {
                0 | 1 => bad,
                apart => good + apart / 2,
            };
            let kept = first(middle);
            match self.once(|place| kept.binary_search(place).is_ok())? {
                Ok(_) if middle == bad => return Ok(None),
                Ok(_) => good = middle,
                Err(stopped) => {
                    bad = middle;
                    why = stopped.why;
                }
            }
        }
        let place = bad.checked_sub(1).and_then(|at| tried.get(at));
        Ok(place.map(|place| (*place, why)))
    }

    /// Calculates the formulas that are kept.
    fn once(
        &self,
        keeps: impl Fn(&Place) -> bool,
    ) -> Result<Result<XlsxRecalculateResult, Stopped>, Error> {
        let file = copy::file(self.book, keeps, &self.singles)?;
        // What the calculation may panic on is data of the workbook.
        let result = catch_unwind(AssertUnwindSafe(|| {
            recalculate_xlsx_bytes(&file, options())
        }));
        Ok(match result {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(self.stopped(&error)),
            Err(_) => Err(Stopped {
                at: None,
                why: "the calculation failed".to_owned(),
            }),
        })
    }

    fn stopped(&self, error: &IoError) -> Stopped {
        let place = match error {
            IoError::Unsupported { context, .. } => context.as_str(),
            IoError::FormulaParser {
                sheet, row, col, ..
            }
            | IoError::CellError {
                sheet, row, col, ..
            } => &format!("{sheet}!{col}{row}"),
            _ => "",
        };
        let why = error.to_string();
        let at = self.place(place);
        let known = [("#CIRC!", CIRCULAR), ("#N/IMPL!", NOT_HERE)];
        let known = known.iter().find(|(error, _)| why.contains(error));
        let why = known.map_or_else(|| one_line(&why), |(_, told)| (*told).to_owned());
        Stopped { at, why }
    }

    /// Says that there was no time to find all formulas that stop the calculation: what stopped it last is one of them, and
    /// not the reason why all are left.
    fn late(&self, stopped: Stopped) -> Error {
        let last = match stopped.at {
            Some(place) => {
                let sheet = self.book.sheets.get(place.0);
                let sheet = sheet.map_or("", |sheet| sheet.name.as_str());
                let why = self.explained(&place, stopped.why);
                format!("{sheet:?}!{}: {why}", place.1)
            }
            None => stopped.why,
        };
        let why = format!(
            "several formulas cannot be calculated, and there was no time to find all of them; the last one: {last}"
        );
        Error::NotRecalculated { why }
    }

    /// Why a formula cannot be calculated, as far as its text tells more than the calculation does.
    fn explained(&self, place: &Place, why: String) -> String {
        let formula = cell(self.book, place).and_then(|cell| cell.formula());
        let Some((formula, sheet)) = formula.zip(self.book.sheets.get(place.0)) else {
            return why;
        };
        let is_named = || own_cell::is_only_named(&formula.text, &sheet.name, place.1);
        match why.as_str() {
            CIRCULAR if is_named() => NAMES_ITSELF.to_owned(),
            NOT_HERE if units::cuts(&formula.text) => units::HALF.to_owned(),
            _ => why,
        }
    }

    /// The formula that a text names at its beginning: `Sheet!B2`, perhaps with words behind it.
    fn place(&self, text: &str) -> Option<Place> {
        for (number, sheet) in self.book.sheets.iter().enumerate() {
            let rest = text.strip_prefix(sheet.name.as_str());
            let Some(rest) = rest.and_then(|rest| rest.strip_prefix('!')) else {
                continue;
            };
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
            let address = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if let Ok(at) = address.parse::<CellRef>() {
                let place = (number, at);
                return self.formulas.binary_search(&place).ok().map(|_| place);
            }
        }
        None
    }

    /// Formulas that turned out to use a function that is not known.
    fn unknown(&mut self, result: &XlsxRecalculateResult) {
        for summary in result.summary.error_summary.values() {
            for (location, message) in summary.locations.iter().zip(&summary.messages) {
                let message = message.as_deref().unwrap_or_default();
                let name = message.strip_prefix("Unknown function: ");
                if let (Some(name), Some(place)) = (name, self.place(location)) {
                    self.left.entry(place).or_insert_with(|| unknown(name));
                }
            }
        }
    }

    /// The values that are new, without those of cells that are not calculated. `open` are those of them that may read one.
    fn taken(&mut self, after: &Workbook, mut all: BTreeSet<Place>, open: &[Place]) -> Calculated {
        let mut values = Vec::new();
        for place in self.formulas {
            if all.contains(place) {
                continue;
            }
            let (number, at) = *place;
            let (Some(old), Some(new)) = (self.book.sheets.get(number), after.sheets.get(number))
            else {
                continue;
            };
            match new_values(old, new, at) {
                Ok(cells) => {
                    let cells = cells.into_iter();
                    values.extend(
                        cells.map(|(at, given)| NewValue(number, at.row, at.column, given)),
                    );
                }
                Err(why) => {
                    all.insert(*place);
                    self.left.insert(*place, why);
                }
            }
        }
        let name = |(number, _): &Place| match self.book.sheets.get(*number) {
            Some(sheet) => sheet.name.clone(),
            None => String::new(),
        };
        let causes = self.left.iter().map(|(place, why)| (place, why.as_str()));
        let open = open.iter().map(|place| (place, MAY_READ));
        Calculated {
            formulas: self.formulas.len(),
            values,
            not_calculated: causes
                .chain(open)
                .take(NAMED)
                .map(|(place, why)| NotCalculated {
                    sheet: name(place),
                    cell: place.1,
                    why: why.to_owned(),
                })
                .collect(),
            kept: all.len(),
        }
    }
}

/// What a formula gives that its cells do not have.
fn new_values(
    old: &Sheet,
    new: &Sheet,
    at: CellRef,
) -> Result<Vec<(CellRef, FormulaValue)>, String> {
    let kind = |sheet: &Sheet| Some(sheet.cell(at)?.formula()?.kind.clone());
    let area = match (kind(old), kind(new)) {
        (Some(FormulaKind::Array(one)), Some(FormulaKind::Array(other))) if one == other => one,
        (Some(FormulaKind::Array(_)), _) => {
            return Err("it fills other cells than before".to_owned());
        }
        _ => Area::from(at),
    };
    let mut values = Vec::new();
    for at in area.cells() {
        let value = match new.value(at) {
            // An empty cell that is read is nought.
            Value::Empty => &Value::Number(0.0),
            value => value,
        };
        if let Value::Text(text) = value
            && text.plain.encode_utf16().count() > LONGEST
        {
            return Err("its text is longer than a cell holds".to_owned());
        }
        let was = old.value(at);
        let is_same = match (was, value) {
            (Value::Number(one), Value::Number(other)) => one.to_bits() == other.to_bits(),
            (one, other) => one == other,
        };
        if !is_same {
            values.push((at, FormulaValue::from(value)));
        }
    }
    Ok(values)
}

/// One line of words, without what could move the cursor.
fn one_line(text: &str) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(300).collect()
}

/// How many seconds the clock of this place is ahead of UTC.
pub(super) fn offset() -> i32 {
    static OFFSET: OnceLock<i32> = OnceLock::new();
    *OFFSET.get_or_init(|| Local::now().offset().fix().local_minus_utc())
}

fn options() -> XlsxRecalculateOptions {
    let (now, offset) = (Utc::now(), offset());
    XlsxRecalculateOptions {
        eval_config: EvalConfig {
            // Threads cost memory that is counted, and the order of work should not matter.
            enable_parallel: false,
            deterministic_mode: DeterministicMode::Enabled {
                timestamp_utc: now,
                timezone: TimeZoneSpec::FixedOffsetSeconds(offset),
            },
            ..EvalConfig::default()
        },
        // Values of other workbooks are as old as the last one who opened them.
        external_links: ExternalLinkPolicy::Refuse,
        limits: XlsxRecalculateLimits {
            max_columns: crate::address::LAST_COLUMN,
            max_formula_cells: 1_000_000,
            ..XlsxRecalculateLimits::default()
        },
        error_location_limit: 10_000,
        ..XlsxRecalculateOptions::default()
    }
}
