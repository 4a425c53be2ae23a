//! Cells: their values, formulas and looks, and what surrounds them.

use std::rc::Rc;

use superstep_workbook::{
    Area, Border, Cell, CellRef, Input, Operation, Sheet, Style, Value as CellValue, Workbook,
};

use super::{book, convert};
use crate::python::{
    fault::Res,
    number::Number,
    value::{Args, Value},
    vm::Vm,
};

/// The sheet of a call: `(book, name, …)`.
fn sheet<'a>(vm: &'a mut Vm, args: &Args) -> Res<(&'a Workbook, &'a Sheet)> {
    let at = book(vm, args)?;
    let name = vm.text_argument(args, 1)?;
    let is_there = vm
        .host
        .books
        .get(at)
        .is_some_and(|book| book.workbook.sheet(&name).is_ok());
    if !is_there {
        let message = format!("Worksheet {name} does not exist.");
        return Err(vm.error("KeyError", message));
    }
    let workbook = vm.host.books.get(at).map(|book| &book.workbook);
    match workbook.and_then(|workbook| Some((workbook, workbook.sheet(&name).ok()?))) {
        Some(found) => Ok(found),
        // Checked above; a borrow of the machine would be in the way here.
        None => Err(crate::python::fault::Fault::Stop(
            crate::fault::Stop::Operations,
        )),
    }
}

fn place(vm: &mut Vm, row: &Value, column: &Value) -> Res<CellRef> {
    let (row, column) = (vm.int_argument(row)?, vm.int_argument(column)?);
    let at = match (u32::try_from(row), u32::try_from(column)) {
        (Ok(row), Ok(column)) => CellRef::new(row, column),
        _ => None,
    };
    match at {
        Some(at) => Ok(at),
        None => {
            let message = format!(
                "Row or column values must be at least 1 and within a sheet, not ({row}, {column})"
            );
            Err(vm.error("ValueError", message))
        }
    }
}

/// What a cell holds. A date is a tuple with its text, so that Python makes a date of it.
fn held(workbook: &Workbook, cell: Option<&Cell>, shows_values: bool) -> Value {
    let Some(cell) = cell else {
        return Value::None;
    };
    if let (Some(formula), false) = (cell.formula(), shows_values) {
        return Value::str(format!("={}", formula.text));
    }
    match &cell.value {
        CellValue::Empty => Value::None,
        CellValue::Number(number) => {
            if workbook.styles.is_date(cell.style) {
                let text = workbook.dates.show(*number);
                return match text {
                    Some(text) => Value::tuple(vec![Value::str(text), Value::Float(*number)]),
                    None => plain(*number),
                };
            }
            plain(*number)
        }
        CellValue::Text(text) => Value::str(text.plain.as_str()),
        CellValue::Bool(it) => Value::Bool(*it),
        CellValue::Error(error) => Value::str(&**error),
    }
}

fn plain(number: f64) -> Value {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => Value::Int(number as i64),
        false => Value::Float(number),
    }
}

/// `get(book, sheet, row, column, shows_values)`
pub(super) fn get(vm: &mut Vm, args: Args) -> Res<Value> {
    let at = place(vm, &args.get(2), &args.get(3))?;
    let shows_values = matches!(args.get(4), Value::Bool(true));
    let (workbook, sheet) = sheet(vm, &args)?;
    Ok(held(workbook, sheet.cell(at), shows_values))
}

/// `rows(book, sheet, first_row, first_column, last_row, last_column, shows_values)`: a list of tuples.
pub(super) fn rows(vm: &mut Vm, args: Args) -> Res<Value> {
    let first = place(vm, &args.get(2), &args.get(3))?;
    let last = place(vm, &args.get(4), &args.get(5))?;
    let shows_values = matches!(args.get(6), Value::Bool(true));
    let area = Area { first, last };
    if last.row < first.row || last.column < first.column {
        return Ok(Value::list(Vec::new()));
    }
    let size = usize::try_from(area.len()).unwrap_or(usize::MAX);
    vm.room(size.saturating_mul(size_of::<Value>()))?;
    let (workbook, sheet) = sheet(vm, &args)?;
    let mut all = Vec::new();
    for row in first.row..=last.row {
        let line = sheet.rows.get(&row);
        let cells = (first.column..=last.column).map(|column| {
            held(
                workbook,
                line.and_then(|line| line.cell(column)),
                shows_values,
            )
        });
        all.push(Value::Tuple(cells.collect::<Rc<[Value]>>()));
    }
    Ok(Value::list(all))
}

/// Texts that openpyxl takes for errors.
const ERRORS: [&str; 7] = [
    "#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A",
];

/// `set(book, sheet, row, column, value)`; a date is a tuple with its text.
pub(super) fn set(vm: &mut Vm, args: Args) -> Res<Value> {
    let at = book(vm, &args)?;
    let sheet = vm.text_argument(&args, 1)?.to_string();
    let cell = place(vm, &args.get(2), &args.get(3))?;
    let value = args.get(4);
    let is_control = |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r');
    if value.as_str().is_some_and(|text| text.contains(is_control)) {
        let message = "a text with control characters cannot be used in worksheets";
        return Err(vm.error("ValueError", message));
    }
    let value = match &value {
        Value::None => Input::Empty,
        Value::Bool(it) => Input::Bool(*it),
        Value::Str(text) if text.starts_with('=') && text.len() > 1 => {
            Input::Formula(text.to_string())
        }
        // As openpyxl writes them: a text of nothing is no text, and what reads like an error is one.
        Value::Str(text) if text.is_empty() => Input::Empty,
        Value::Str(text) if ERRORS.contains(&&**text) => Input::Error(text.to_string()),
        Value::Str(text) => Input::Text(text.to_string()),
        Value::Tuple(date) => match date.first().and_then(Value::as_str) {
            Some(text) => Input::Date(text.to_string()),
            None => return Err(unsupported(vm, &value)),
        },
        other => match Number::of(other) {
            // openpyxl would write a file that Excel does not open.
            Some(number) if !number.to_float().is_finite() => {
                let message = format!("{} is no number of a cell", number.to_float());
                return Err(vm.error("ValueError", message));
            }
            Some(number) => Input::Number(number.to_float()),
            None => match other.as_str() {
                Some(text) => Input::Text(text.to_string()),
                None => return Err(unsupported(vm, &value)),
            },
        },
    };
    vm.make(at, Operation::Set { sheet, cell, value })?;
    Ok(Value::None)
}

fn unsupported(vm: &mut Vm, value: &Value) -> crate::python::fault::Fault {
    let message = match vm.repr(value) {
        Ok(text) => format!("Cannot convert {text} to Excel"),
        Err(_) => "Cannot convert the value to Excel".to_owned(),
    };
    vm.error("ValueError", message)
}

/// `look(book, sheet, row, column)`: how a cell looks, as a dict.
pub(super) fn look(vm: &mut Vm, args: Args) -> Res<Value> {
    let at = place(vm, &args.get(2), &args.get(3))?;
    let (workbook, sheet) = sheet(vm, &args)?;
    let style = sheet.cell(at).map_or(0, |cell| cell.style);
    let look = workbook.styles.look(style);
    match serde_json::to_value(&look) {
        Ok(json) => Ok(convert::from_json(&json)),
        Err(error) => Err(vm.error("RuntimeError", error.to_string())),
    }
}

/// `styles(book)`: the names of the styles that the workbook has.
pub(super) fn styles(vm: &mut Vm, args: Args) -> Res<Value> {
    let at = book(vm, &args)?;
    let book = vm.host.books.get(at);
    let names = book.map(|book| book.workbook.styles.named());
    Ok(convert::from_json(&serde_json::Value::from(
        names.unwrap_or_default(),
    )))
}

/// `format(book, sheet, row, column, style)`
pub(super) fn format(vm: &mut Vm, args: Args) -> Res<Value> {
    let at = book(vm, &args)?;
    let sheet = vm.text_argument(&args, 1)?.to_string();
    let cell = place(vm, &args.get(2), &args.get(3))?;
    let json = convert::to_json(vm, &args.get(4), 0)?;
    let style: Style = match serde_json::from_value(json) {
        Ok(style) => style,
        Err(error) => return Err(vm.error("ValueError", error.to_string())),
    };
    let area = Area::from(cell);
    vm.make(at, Operation::Format { sheet, area, style })?;
    Ok(Value::None)
}

/// One style over another: what it says counts.
pub(super) fn over(style: &Style, old: &Style) -> Style {
    let border = match (&style.border, &old.border) {
        (Some(new), Some(old)) => Some(Border {
            left: new.left.clone().or_else(|| old.left.clone()),
            right: new.right.clone().or_else(|| old.right.clone()),
            top: new.top.clone().or_else(|| old.top.clone()),
            bottom: new.bottom.clone().or_else(|| old.bottom.clone()),
        }),
        (new, old) => new.clone().or_else(|| old.clone()),
    };
    let text = |new: &Option<String>, old: &Option<String>| new.clone().or_else(|| old.clone());
    // A style with a name takes the place of all that was said before.
    if style.named.is_some() {
        return style.clone();
    }
    Style {
        named: old.named.clone(),
        bold: style.bold.or(old.bold),
        italic: style.italic.or(old.italic),
        underline: style.underline.or(old.underline),
        strike: style.strike.or(old.strike),
        size: style.size.or(old.size),
        font: text(&style.font, &old.font),
        color: text(&style.color, &old.color),
        fill: text(&style.fill, &old.fill),
        number_format: text(&style.number_format, &old.number_format),
        horizontal: text(&style.horizontal, &old.horizontal),
        vertical: text(&style.vertical, &old.vertical),
        wrap: style.wrap.or(old.wrap),
        rotation: style.rotation.or(old.rotation),
        indent: style.indent.or(old.indent),
        shrink: style.shrink.or(old.shrink),
        locked: style.locked.or(old.locked),
        border,
    }
}

/// `info(book, sheet)`: what surrounds the cells, as a dict.
pub(super) fn info(vm: &mut Vm, args: Args) -> Res<Value> {
    let (_, sheet) = sheet(vm, &args)?;
    let (mut rows, mut columns) = ((u32::MAX, 0), (u32::MAX, 0));
    for (number, row) in &sheet.rows {
        if let (Some(first), Some(last)) = (row.cells.first(), row.cells.last()) {
            rows = (rows.0.min(*number), rows.1.max(*number));
            columns = (columns.0.min(first.column), columns.1.max(last.column));
        }
    }
    if rows.1 == 0 {
        (rows, columns) = ((1, 1), (1, 1));
    }
    // Merged cells count, also where they are empty.
    for area in &sheet.merged {
        rows.1 = rows.1.max(area.last.row);
        columns.1 = columns.1.max(area.last.column);
    }
    let json = serde_json::json!({
        "is_empty": sheet.rows.values().all(|row| row.cells.is_empty()),
        "min_row": rows.0,
        "max_row": rows.1,
        "min_column": columns.0,
        "max_column": columns.1,
        "merged": sheet.merged.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "freeze": sheet.freeze.map(|cell| cell.to_string()),
        "filter": sheet.filter.map(|area| area.to_string()),
        "tables": sheet.tables.iter().map(|table| {
            let style = table.style.as_ref().map(|style| style.name.clone());
            (table.name.clone(), table.area.to_string(), style, table.columns.clone())
        }).collect::<Vec<_>>(),
        "drawings": sheet.drawings,
    });
    Ok(convert::from_json(&json))
}

/// `comment(book, sheet, row, column)`: text and author, or none.
pub(super) fn comment(vm: &mut Vm, args: Args) -> Res<Value> {
    let at = place(vm, &args.get(2), &args.get(3))?;
    let (_, sheet) = sheet(vm, &args)?;
    Ok(match sheet.comments.get(&at) {
        Some(comment) => Value::tuple(vec![
            Value::str(comment.text.as_str()),
            Value::str(comment.author.as_str()),
        ]),
        None => Value::None,
    })
}

/// `features(book, sheet)`: what surrounds the cells, as tuples of kind, place and words.
pub(super) fn features(vm: &mut Vm, args: Args) -> Res<Value> {
    let (workbook, sheet) = sheet(vm, &args)?;
    match workbook.features(sheet) {
        Ok(found) => {
            let told = found.into_iter().map(|feature| {
                Value::tuple(vec![
                    Value::str(feature.kind),
                    Value::str(feature.at),
                    Value::str(feature.what),
                ])
            });
            let told = told.collect();
            Ok(Value::list(told))
        }
        Err(error) => Err(vm.error("ValueError", error.to_string())),
    }
}

/// `last_row(book, sheet)`: the last row with cells, or 0.
pub(super) fn last_row(vm: &mut Vm, args: Args) -> Res<Value> {
    let (_, sheet) = sheet(vm, &args)?;
    let last = sheet
        .rows
        .iter()
        .rev()
        .find(|(_, row)| !row.cells.is_empty());
    Ok(last.map_or(Value::Int(0), |(number, _)| Value::int(*number)))
}

/// `column(book, sheet, number)`: width and whether it is hidden.
pub(super) fn column(vm: &mut Vm, args: Args) -> Res<Value> {
    let number = vm.int_argument(&args.get(2))?;
    let number = u32::try_from(number).unwrap_or(0);
    let (_, sheet) = sheet(vm, &args)?;
    let found = sheet
        .columns
        .iter()
        .find(|column| (column.first..=column.last).contains(&number));
    let width = found
        .and_then(|column| column.width)
        .map_or(Value::None, Value::Float);
    let hidden = found.is_some_and(|column| column.hidden);
    let level = Value::int(found.map_or(0, superstep_workbook::Column::outline));
    Ok(Value::tuple(vec![width, Value::Bool(hidden), level]))
}

/// `row(book, sheet, number)`: height and whether it is hidden.
pub(super) fn row(vm: &mut Vm, args: Args) -> Res<Value> {
    let number = vm.int_argument(&args.get(2))?;
    let number = u32::try_from(number).unwrap_or(0);
    let (_, sheet) = sheet(vm, &args)?;
    let found = sheet.rows.get(&number);
    let height = found
        .and_then(|row| row.height)
        .map_or(Value::None, Value::Float);
    let hidden = found.is_some_and(|row| row.hidden);
    let level = Value::int(found.map_or(0, superstep_workbook::Row::outline));
    Ok(Value::tuple(vec![height, Value::Bool(hidden), level]))
}
