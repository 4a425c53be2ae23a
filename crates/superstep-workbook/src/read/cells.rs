//! The cells of a sheet, read as a stream: no more memory than the cells themselves take.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::strings;
use crate::{
    address::{Area, CellRef, LAST_COLUMN, LAST_ROW},
    dates::DateSystem,
    error::Error,
    formula, future,
    package::Package,
    sheet::{Cell, Column, Extra, Formula, FormulaKind, Row, Sheet, Text, Value},
    xml::{self, Tag, Token, Xml},
};

/// Reads the part of a sheet. `budget` is how many cells are still permitted.
pub(super) fn read(
    sheet: &mut Sheet,
    package: &Package,
    strings: &[Arc<Text>],
    dates: DateSystem,
    budget: &mut usize,
) -> Result<(), Error> {
    let part = sheet.part.clone();
    let bytes = package
        .part(&part)?
        .ok_or_else(|| Error::malformed(&part, "the part of the sheet is missing"))?;
    let text = xml::decode(&part, &bytes)?;
    let mut reader = Reader {
        xml: Xml::new(&part, &text),
        part: &part,
        strings,
        dates,
        shared: HashMap::new(),
        attributes: HashMap::new(),
        rows: BTreeMap::new(),
        arrays: Vec::new(),
        unmarked: false,
        last_row: 0,
        budget,
    };
    while let Some(token) = reader.xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close | Token::Text(_) => continue,
        };
        match tag.local() {
            "row" => reader.row(&tag, is_open)?,
            "col" => sheet.columns.extend(column(&tag)),
            "pane" => sheet.freeze = frozen(&tag),
            "mergeCell" => sheet.merged.extend(area(&tag)),
            // The filter of the sheet; those of tables are in their parts.
            "autoFilter" => sheet.filter = area(&tag),
            _ => {}
        }
    }
    sheet.rows = reader.rows;
    sheet.arrays = reader.arrays;
    sheet.unmarked = reader.unmarked;
    Ok(())
}

struct Reader<'a> {
    xml: Xml<'a>,
    part: &'a str,
    strings: &'a [Arc<Text>],
    dates: DateSystem,
    /// Shared formulas by their number, with the cell that has the text.
    shared: HashMap<u32, (CellRef, String)>,
    /// Attributes of rows, which are mostly alike.
    attributes: HashMap<String, Arc<str>>,
    rows: BTreeMap<u32, Row>,
    arrays: Vec<CellRef>,
    unmarked: bool,
    last_row: u32,
    budget: &'a mut usize,
}

impl Reader<'_> {
    fn row(&mut self, tag: &Tag<'_>, is_open: bool) -> Result<(), Error> {
        let number = tag.number("r").unwrap_or(self.last_row + 1);
        if !(1..=LAST_ROW).contains(&number) {
            let what = format!("row {number} is outside of a sheet");
            return Err(Error::malformed(self.part, what));
        }
        self.last_row = number;
        let others = tag.others(&["r", "spans", "ht", "hidden"]);
        let attributes = match self.attributes.get(&others) {
            Some(known) => Arc::clone(known),
            None => {
                let new: Arc<str> = others.as_str().into();
                self.attributes.insert(others, Arc::clone(&new));
                new
            }
        };
        let mut row = Row {
            cells: Vec::new(),
            height: tag.number("ht"),
            hidden: tag.is("hidden"),
            attributes,
        };
        if is_open {
            self.row_cells(&mut row, number)?;
        }
        let is_sorted = row
            .cells
            .is_sorted_by(|one, other| one.column < other.column);
        if !is_sorted {
            row.cells.sort_by_key(|cell| cell.column);
            row.cells.dedup_by_key(|cell| cell.column);
        }
        row.cells.shrink_to_fit();
        match self.rows.get_mut(&number) {
            // A row that is there twice: the cells of both.
            Some(known) => {
                for cell in row.cells {
                    if let Some(place) = known.cell_mut(cell.column) {
                        *place = cell;
                    }
                }
            }
            None => {
                self.rows.insert(number, row);
            }
        }
        Ok(())
    }

    fn row_cells(&mut self, row: &mut Row, number: u32) -> Result<(), Error> {
        let mut column = 0;
        loop {
            match self.xml.next()? {
                Some(Token::Open(tag)) if tag.local() == "c" => {
                    column = self.cell(row, &tag, true, number, column)?;
                }
                Some(Token::Empty(tag)) if tag.local() == "c" => {
                    column = self.cell(row, &tag, false, number, column)?;
                }
                Some(Token::Open(_)) => self.xml.skip()?,
                Some(Token::Close) => return Ok(()),
                Some(Token::Empty(_) | Token::Text(_)) => {}
                None => return Err(self.xml.cut_off()),
            }
        }
    }

    /// Reads a cell and returns its column.
    fn cell(
        &mut self,
        row: &mut Row,
        tag: &Tag<'_>,
        is_open: bool,
        number: u32,
        before: u32,
    ) -> Result<u32, Error> {
        *self.budget = self.budget.checked_sub(1).ok_or_else(|| Error::Limit {
            what: "more cells than are permitted".to_owned(),
        })?;
        let mut at = CellRef {
            row: number,
            column: before + 1,
        };
        let (mut style, mut kind) = (0, CellKind::Number);
        let mut attributes = String::new();
        for (key, value) in tag.attributes() {
            match key {
                "r" => at = value.parse()?,
                "s" => style = value.parse().unwrap_or(0),
                "t" => kind = CellKind::of(&value),
                other => xml::attribute(&mut attributes, other, &value),
            }
        }
        if at.row != number || at.column > LAST_COLUMN {
            let what = format!("the cell {at} stands in row {number}");
            return Err(Error::malformed(self.part, what));
        }
        let mut cell = Cell {
            column: at.column,
            style,
            ..Cell::default()
        };
        let formula = match is_open {
            true => self.content(&mut cell, at, kind)?,
            false => None,
        };
        if formula.is_some() || !attributes.is_empty() {
            cell.extra = Some(Box::new(Extra {
                formula,
                attributes,
            }));
        }
        row.cells.push(cell);
        Ok(at.column)
    }

    /// Reads what a cell has in it: its value, and its formula if it has one.
    fn content(
        &mut self,
        cell: &mut Cell,
        at: CellRef,
        kind: CellKind,
    ) -> Result<Option<Formula>, Error> {
        let mut formula = None;
        loop {
            match self.xml.next()? {
                Some(Token::Open(tag)) => match tag.local() {
                    "v" => {
                        let text = self.xml.text()?;
                        cell.value = self.value(kind, text)?;
                    }
                    "f" => {
                        let stored = self.xml.text()?;
                        let text = future::shown(stored.clone());
                        self.unmarked |= *future::stored(&text) != *stored;
                        formula = self.formula(at, &tag, text);
                    }
                    "is" => cell.value = self.inline()?,
                    _ => self.xml.skip()?,
                },
                Some(Token::Empty(tag)) if tag.local() == "f" => {
                    formula = self.formula(at, &tag, String::new());
                }
                Some(Token::Close) => return Ok(formula),
                Some(Token::Empty(_) | Token::Text(_)) => {}
                None => return Err(self.xml.cut_off()),
            }
        }
    }

    fn value(&self, kind: CellKind, text: String) -> Result<Value, Error> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        Ok(match kind {
            CellKind::Shared => {
                let index = text.trim().parse::<usize>().ok();
                let shared = index.and_then(|index| self.strings.get(index));
                let shared = shared.ok_or_else(|| {
                    Error::malformed(self.part, format!("there is no shared string {text}"))
                })?;
                Value::Text(Arc::clone(shared))
            }
            CellKind::Number if text.trim().is_empty() => Value::Empty,
            CellKind::Number => match number(&text) {
                Some(number) => Value::Number(number),
                None => {
                    let what = format!("{text:?} is no number");
                    return Err(Error::malformed(self.part, what));
                }
            },
            CellKind::Text => Value::text(xml::unescape_cell(text)),
            CellKind::Bool => Value::Bool(xml::is_true(text.trim())),
            CellKind::Error => Value::Error(text.as_str().into()),
            CellKind::Date => {
                let shown = text.trim().trim_end_matches('Z');
                match self.dates.read(shown) {
                    Some(serial) => Value::Number(serial),
                    None => Value::text(text),
                }
            }
        })
    }

    fn inline(&mut self) -> Result<Value, Error> {
        let start = self.xml.end();
        let (plain, is_rich) = strings::runs(&mut self.xml)?;
        let rich = is_rich.then(|| {
            let raw = self.xml.since(start);
            let end = raw.rfind("</").unwrap_or(raw.len());
            raw.get(..end).unwrap_or_default().to_owned()
        });
        Ok(Value::Text(Arc::new(Text {
            plain,
            shared: None,
            rich,
        })))
    }

    /// A formula; none for a cell that names a shared formula which is not there.
    fn formula(&mut self, at: CellRef, tag: &Tag<'_>, text: String) -> Option<Formula> {
        let plain = |text| {
            Some(Formula {
                text,
                kind: FormulaKind::Plain,
            })
        };
        match tag.get("t").as_deref() {
            Some("shared") => {
                let number = tag.number("si")?;
                if !text.is_empty() {
                    self.shared.insert(number, (at, text.clone()));
                    return plain(text);
                }
                let (from, text) = self.shared.get(&number)?;
                let rows = i64::from(at.row) - i64::from(from.row);
                let columns = i64::from(at.column) - i64::from(from.column);
                plain(formula::translate(text, rows, columns))
            }
            Some("array") => {
                self.arrays.push(at);
                let area = area(tag).unwrap_or(at.into());
                Some(Formula {
                    text,
                    kind: FormulaKind::Array(area),
                })
            }
            Some("dataTable") => Some(Formula {
                text,
                kind: FormulaKind::DataTable(tag.others(&[])),
            }),
            _ if text.is_empty() => None,
            _ => plain(text),
        }
    }
}

#[derive(Clone, Copy)]
enum CellKind {
    Number,
    Shared,
    Text,
    Bool,
    Error,
    Date,
}

impl CellKind {
    fn of(name: &str) -> Self {
        match name {
            "s" => Self::Shared,
            "str" | "inlineStr" => Self::Text,
            "b" => Self::Bool,
            "e" => Self::Error,
            "d" => Self::Date,
            _ => Self::Number,
        }
    }
}

fn area(tag: &Tag<'_>) -> Option<Area> {
    tag.get("ref")?.parse().ok()
}

fn column(tag: &Tag<'_>) -> Option<Column> {
    let (first, last) = (tag.number("min")?, tag.number("max")?);
    let is_inside = 1 <= first && first <= last && last <= LAST_COLUMN;
    is_inside.then(|| Column {
        first,
        last,
        width: tag.number("width"),
        hidden: tag.is("hidden"),
        attributes: tag.others(&["min", "max", "width", "hidden"]),
    })
}

fn frozen(tag: &Tag<'_>) -> Option<CellRef> {
    let is_frozen = matches!(tag.get("state").as_deref(), Some("frozen" | "frozenSplit"));
    let split = |name| tag.number::<f64>(name).unwrap_or(0.0) as u32;
    let at = CellRef::new(split("ySplit") + 1, split("xSplit") + 1);
    at.filter(|_| is_frozen)
}
