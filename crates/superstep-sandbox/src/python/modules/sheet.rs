//! The workbook as programs see it: values are read from it, changes become operations, which are
//! done at once and kept for whoever runs the program.

mod cells;
mod convert;

use superstep_workbook::{Area, CellRef, Input, Operation, Style, Workbook};

use super::super::{
    fault::{Fault, Res},
    value::{Args, Dict, Function, Key, Value},
    vm::Vm,
};
use crate::{fault::Stop, program_run::Base};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("file", |vm, _| Ok(Value::str(vm.host.file.as_str()))),
    ("new", |vm, _| match Workbook::empty() {
        Ok(workbook) => {
            vm.host.books.push(Book::new(workbook, Base::New));
            Ok(Value::int(vm.host.books.len() - 1))
        }
        Err(error) => Err(vm.error("RuntimeError", error.to_string())),
    }),
    ("save", |vm, args| {
        let at = book(vm, &args)?;
        if let Some(book) = vm.host.books.get(at) {
            vm.host.saved = Some((at, book.operations.clone()));
        }
        Ok(Value::None)
    }),
    ("sheets", |vm, args| {
        let at = book(vm, &args)?;
        let sheets = vm.host.books.get(at).map(|book| {
            let names = book.workbook.sheets.iter();
            names
                .map(|sheet| {
                    let hidden = sheet.visibility != superstep_workbook::Visibility::Visible;
                    Value::tuple(vec![
                        Value::str(sheet.name.as_str()),
                        Value::Bool(hidden),
                        Value::Bool(sheet.is_grid),
                    ])
                })
                .collect()
        });
        Ok(Value::list(sheets.unwrap_or_default()))
    }),
    ("names", |vm, args| {
        let at = book(vm, &args)?;
        let mut dict = Dict::new();
        // With a sheet, the names that are known in it alone.
        let sheet = match args.get(1) {
            Value::None => None,
            _ => Some(vm.text_argument(&args, 1)?.to_string()),
        };
        if let Some(book) = vm.host.books.get(at) {
            let mut sheets = book.workbook.sheets.iter();
            let sheet = sheet.map(|name| sheets.position(|sheet| sheet.name == name));
            let meant = |name: &&superstep_workbook::DefinedName| match sheet {
                None => name.sheet.is_none(),
                Some(place) => name.sheet == place && place.is_some(),
            };
            for name in book.workbook.names.iter().filter(meant) {
                let key = Key::Str(name.name.as_str().into());
                let entry = (
                    Value::str(name.name.as_str()),
                    Value::str(name.refers_to.as_str()),
                );
                dict.insert(key, entry);
            }
        }
        Ok(Value::dict(dict))
    }),
    ("op", |vm, args| {
        let at = book(vm, &args)?;
        let json = convert::to_json(vm, &args.get(1), 0)?;
        match serde_json::from_value::<Operation>(json) {
            Ok(operation) => {
                vm.make(at, operation)?;
                Ok(Value::None)
            }
            Err(error) => Err(vm.error("ValueError", error.to_string())),
        }
    }),
    ("usual", |vm, args| {
        let at = book(vm, &args)?;
        let book = vm.host.books.get(at);
        let look = book.map(|book| book.workbook.styles.look(0));
        match serde_json::to_value(look.unwrap_or_default()) {
            Ok(json) => Ok(convert::from_json(&json)),
            Err(error) => Err(vm.error("RuntimeError", error.to_string())),
        }
    }),
    ("translate", |vm, args| {
        let formula = vm.text_argument(&args, 0)?.to_string();
        let rows = vm.int_argument(&args.get(1))?;
        let columns = vm.int_argument(&args.get(2))?;
        Ok(match formula.strip_prefix('=') {
            Some(text) => {
                let moved = superstep_workbook::translate(text, rows, columns);
                Value::str(format!("={moved}"))
            }
            None => Value::str(formula),
        })
    }),
    ("comment", cells::comment),
    ("features", cells::features),
    ("get", cells::get),
    ("set", cells::set),
    ("rows", cells::rows),
    ("look", cells::look),
    ("styles", cells::styles),
    ("format", cells::format),
    ("info", cells::info),
    ("last_row", cells::last_row),
    ("column", cells::column),
    ("row", cells::row),
];

/// The workbooks of a program: the one it was given, and those that it makes.
pub(crate) struct Host {
    pub(crate) books: Vec<Book>,
    /// The name of the file that the program was given.
    pub(crate) file: String,
    /// The workbook that was saved last, as it was then.
    pub(crate) saved: Option<(usize, Vec<Operation>)>,
    made: usize,
    most: usize,
}

pub(crate) struct Book {
    pub(crate) workbook: Workbook,
    pub(crate) base: Base,
    pub(crate) operations: Vec<Operation>,
}

impl Book {
    fn new(workbook: Workbook, base: Base) -> Self {
        Self {
            workbook,
            base,
            operations: Vec::new(),
        }
    }
}

impl Host {
    pub(crate) fn new(workbook: Workbook, file: &str, most: usize) -> Self {
        Self {
            books: vec![Book::new(workbook, Base::Given)],
            file: file.to_owned(),
            saved: None,
            made: 0,
            most,
        }
    }

    /// What the program made: what it saved last, or else the workbook it was given as it is at the end.
    pub(crate) fn outcome(&mut self) -> (Base, Vec<Operation>) {
        let (at, operations) = match self.saved.take() {
            Some(saved) => saved,
            None => {
                let first = self.books.first_mut();
                let operations = first.map(|book| std::mem::take(&mut book.operations));
                (0, operations.unwrap_or_default())
            }
        };
        let base = self.books.get(at).map_or(Base::Given, |book| book.base);
        (base, operations)
    }
}

impl Vm {
    /// Does an operation and remembers it.
    fn make(&mut self, at: usize, operation: Operation) -> Res<()> {
        self.tick()?;
        self.host.made += 1;
        if self.host.made > self.host.most {
            return Err(Fault::Stop(Stop::Operations));
        }
        let Some(book) = self.host.books.get_mut(at) else {
            return Err(self.error("ValueError", "there is no such workbook"));
        };
        match book.workbook.make(&operation) {
            Ok(()) => {
                remember(&mut book.operations, operation);
                Ok(())
            }
            Err(superstep_workbook::Error::Refused { why, .. }) => {
                Err(self.error("ValueError", why))
            }
            Err(error) => Err(self.error("ValueError", error.to_string())),
        }
    }
}

fn book(vm: &mut Vm, args: &Args) -> Res<usize> {
    let at = vm.int_argument(&args.get(0))?;
    Ok(usize::try_from(at).unwrap_or(usize::MAX))
}

/// Adds an operation to a list; one that continues where the last one ended becomes a part of it.
fn remember(operations: &mut Vec<Operation>, operation: Operation) {
    let merged = match (operations.last_mut(), &operation) {
        (Some(last), Operation::Set { sheet, cell, value }) => grow(last, sheet, *cell, value),
        (
            Some(Operation::Format {
                sheet: known,
                area: last,
                style: old,
            }),
            Operation::Format { sheet, area, style },
        ) if known == sheet => grow_format(last, old, *area, style),
        _ => false,
    };
    if !merged {
        operations.push(operation);
    }
}

fn grow(last: &mut Operation, sheet: &str, cell: CellRef, value: &Input) -> bool {
    match last {
        Operation::Set {
            sheet: known,
            cell: first,
            value: old,
        } if known == sheet => {
            let is_right = cell.row == first.row && cell.column == first.column + 1;
            let is_below = cell.row == first.row + 1 && cell.column == first.column;
            let rows = match (is_right, is_below) {
                (true, _) => vec![vec![old.clone(), value.clone()]],
                (_, true) => vec![vec![old.clone()], vec![value.clone()]],
                _ => return false,
            };
            *last = Operation::SetRows {
                sheet: known.clone(),
                cell: *first,
                rows,
            };
            true
        }
        Operation::SetRows {
            sheet: known,
            cell: first,
            rows,
        } if known == sheet => {
            let down = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            let Some(row) = rows.last_mut() else {
                return false;
            };
            let right = u32::try_from(row.len()).unwrap_or(u32::MAX);
            if cell.row == first.row + down - 1 && cell.column == first.column + right {
                row.push(value.clone());
                return true;
            }
            if cell.row == first.row + down && cell.column == first.column {
                rows.push(vec![value.clone()]);
                return true;
            }
            false
        }
        _ => false,
    }
}

fn grow_format(last: &mut Area, old: &mut Style, area: Area, style: &Style) -> bool {
    if *last == area {
        *old = cells::over(style, old);
        return true;
    }
    if old != style || area.first != area.last {
        return false;
    }
    let at = area.first;
    let goes_right =
        last.height() == 1 && at.row == last.first.row && at.column == last.last.column + 1;
    let goes_down =
        last.width() == 1 && at.column == last.first.column && at.row == last.last.row + 1;
    if goes_right || goes_down {
        last.last = at;
    }
    goes_right || goes_down
}
