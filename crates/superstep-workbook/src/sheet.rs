//! A sheet as it is held in memory: rows of cells, and what surrounds them.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    address::{Area, CellRef},
    xml::Tag,
};

/// Whether a sheet is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// It is shown.
    #[default]
    Visible,
    /// A user can make it visible.
    Hidden,
    /// Only a program can make it visible.
    VeryHidden,
}

/// One sheet.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Sheet {
    /// Its name.
    pub name: String,
    /// Whether it is shown.
    pub visibility: Visibility,
    /// The rows that have something, by number.
    pub rows: BTreeMap<u32, Row>,
    /// Columns with a width or style of their own, in order.
    pub columns: Vec<Column>,
    /// Merged cells.
    pub merged: Vec<Area>,
    /// The first cell that scrolls.
    pub freeze: Option<CellRef>,
    /// The area of the filter.
    pub filter: Option<Area>,
    /// Tables.
    pub tables: Vec<Table>,
    /// How many charts, pictures and shapes its drawing has.
    pub drawings: usize,
    /// How many pivot tables it has.
    pub pivots: usize,
    /// Elements of the part that are kept as they are written, by name, where they were changed.
    pub(crate) blocks: BTreeMap<&'static str, Vec<String>>,
    /// Whether it has cells; sheets that are one chart do not.
    pub is_grid: bool,
    /// Comments by their cells.
    pub comments: BTreeMap<CellRef, Comment>,
    /// Whether comments are conversations, which are stored a second time.
    pub(crate) threads: bool,
    /// Attributes of the view that are to be set.
    pub(crate) view: BTreeMap<&'static str, String>,
    /// The part that it was read from; empty until a new sheet is written.
    pub(crate) part: String,
    /// Its relationship in the workbook.
    pub(crate) relation: String,
    /// Cells whose formulas fill an area.
    pub(crate) arrays: Vec<CellRef>,
    /// What has to be written anew.
    pub(crate) changed: Changed,
    /// Charts that are to be added.
    pub(crate) new_charts: Vec<crate::chart::Chart>,
    /// Links to addresses that are to be added.
    pub(crate) new_links: Vec<Link>,
    /// Whether its part has newer functions without the mark that files put before them.
    pub(crate) unmarked: bool,
    /// The sheet of which this is a copy that is not written yet.
    pub(crate) copied_from: Option<String>,
}

/// What of a sheet differs from its part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) cells: bool,
    pub(crate) columns: bool,
    pub(crate) merged: bool,
    pub(crate) view: bool,
    pub(crate) filter: bool,
    pub(crate) blocks: bool,
    pub(crate) comments: bool,
}

/// A link to an address that is to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) area: Area,
    pub(crate) address: String,
    pub(crate) tooltip: Option<String>,
}

/// A row.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its cells by column.
    pub cells: Vec<Cell>,
    /// Its height in points, where it has one of its own.
    pub height: Option<f64>,
    /// Whether it is hidden.
    pub hidden: bool,
    /// Its other attributes, as they are written.
    pub(crate) attributes: Arc<str>,
}

/// Columns that are alike.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Column {
    /// The first.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// The width in characters.
    pub width: Option<f64>,
    /// Whether they are hidden.
    pub hidden: bool,
    /// Other attributes, as they are written.
    pub(crate) attributes: String,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Its column, from 1.
    pub column: u32,
    /// The number of its style.
    pub style: u32,
    /// Its value; of a formula, what it gave when it was last calculated.
    pub value: Value,
    /// What few cells have.
    pub(crate) extra: Option<Box<Extra>>,
}

/// What few cells have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    pub(crate) formula: Option<Formula>,
    /// Attributes of the cell that are kept, as they are written.
    pub(crate) attributes: String,
}

/// A formula, without its equals sign.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Formula {
    /// Its text.
    pub text: String,
    /// What kind it is.
    pub kind: FormulaKind,
}

/// Kinds of formulas. Shared ones are expanded where they are read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormulaKind {
    /// One formula, one value.
    Plain,
    /// A formula whose values fill an area.
    Array(Area),
    /// A data table; its attributes as they are written.
    DataTable(String),
}

/// What a cell shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// Nothing.
    #[default]
    Empty,
    /// A number; dates and times are numbers with a format.
    Number(f64),
    /// A text.
    Text(Arc<Text>),
    /// True or false.
    Bool(bool),
    /// An error such as `#N/A`.
    Error(Arc<str>),
}

/// A text, and where it is stored.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// The text without its formats.
    pub plain: String,
    /// Its number in the shared strings.
    pub(crate) shared: Option<u32>,
    /// How a text with formats is written.
    pub(crate) rich: Option<String>,
}

/// A table of a sheet.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Table {
    /// Its name in formulas.
    pub name: String,
    /// Its area, header and totals included.
    pub area: Area,
    /// Whether its first row has the names of its columns.
    pub has_header: bool,
    /// Whether its last row has totals.
    pub has_totals: bool,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// How it looks; none is plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<TableStyle>,
    /// The part that defines it.
    #[serde(skip)]
    pub(crate) part: String,
}

/// What somebody says about a cell.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// What it says.
    pub text: String,
    /// Who says it; may be empty.
    #[serde(default)]
    pub author: String,
    /// Where it is in the part that was read, if it is there.
    #[serde(skip)]
    pub(crate) stored: Option<CellRef>,
}

impl PartialEq for Comment {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, &self.author) == (&other.text, &other.author)
    }
}

impl Comment {
    /// A new comment.
    pub fn new(text: impl Into<String>, author: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            author: author.into(),
            stored: None,
        }
    }
}

/// How a table looks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableStyle {
    /// The name of a style, such as `TableStyleMedium9`.
    pub name: String,
    /// Whether every second row looks different.
    pub row_stripes: bool,
    /// Whether every second column looks different.
    pub column_stripes: bool,
    /// Whether the first column stands out.
    pub first_column: bool,
    /// Whether the last column stands out.
    pub last_column: bool,
}

impl Default for TableStyle {
    fn default() -> Self {
        Self {
            name: "TableStyleMedium2".to_owned(),
            row_stripes: true,
            column_stripes: false,
            first_column: false,
            last_column: false,
        }
    }
}

impl Sheet {
    /// An element that a sheet has once, as it is written.
    pub(crate) fn block(&self, name: &str) -> Option<&str> {
        self.blocks.get(name)?.first().map(String::as_str)
    }

    /// A cell, if there is something in it or it has a style.
    pub fn cell(&self, at: CellRef) -> Option<&Cell> {
        self.rows.get(&at.row)?.cell(at.column)
    }

    /// The value of a cell; nothing where there is no cell.
    pub fn value(&self, at: CellRef) -> &Value {
        self.cell(at).map_or(&Value::Empty, |cell| &cell.value)
    }

    /// All cells with their addresses, row by row.
    pub fn cells(&self) -> impl Iterator<Item = (CellRef, &Cell)> {
        self.rows.iter().flat_map(|(row, line)| {
            line.cells.iter().map(|cell| {
                let column = cell.column;
                (CellRef { row: *row, column }, cell)
            })
        })
    }

    /// The smallest area that has all values and formulas; none on an empty sheet.
    pub fn used(&self) -> Option<Area> {
        let mut used: Option<Area> = None;
        for (at, _) in self.cells().filter(|(_, cell)| !cell.is_blank()) {
            used = Some(used.map_or(at.into(), |area: Area| area.with(at)));
        }
        used
    }

    /// The smallest area that has all cells, also those that only look different.
    pub(crate) fn extent(&self) -> Option<Area> {
        let mut cells = self.cells().map(|(at, _)| at);
        let first = Area::from(cells.next()?);
        Some(cells.fold(first, Area::with))
    }

    /// The width of a column, where it has one of its own.
    pub fn width(&self, column: u32) -> Option<f64> {
        self.columns
            .iter()
            .find(|it| (it.first..=it.last).contains(&column))?
            .width
    }

    /// A cell to be changed; it is made if it is not there.
    pub(crate) fn cell_mut(&mut self, at: CellRef) -> Option<&mut Cell> {
        self.changed.cells = true;
        self.rows.entry(at.row).or_default().cell_mut(at.column)
    }
}

/// The level of a group, from attributes as they are written.
fn outline(attributes: &str) -> u8 {
    let content = format!("x{attributes}");
    Tag::new(&content).number("outlineLevel").unwrap_or(0)
}

impl Column {
    /// The level of the group that they are in; 0 without one.
    pub fn outline(&self) -> u8 {
        outline(&self.attributes)
    }

    /// The style of their cells that have none.
    pub(crate) fn style(&self) -> u32 {
        let content = format!("x{}", self.attributes);
        Tag::new(&content).number("style").unwrap_or(0)
    }
}

impl Row {
    /// The level of the group that it is in; 0 without one.
    pub fn outline(&self) -> u8 {
        match self.attributes.contains("outlineLevel") {
            true => outline(&self.attributes),
            false => 0,
        }
    }

    /// The cell in a column.
    pub fn cell(&self, column: u32) -> Option<&Cell> {
        let at = self.find(column).ok()?;
        self.cells.get(at)
    }

    fn find(&self, column: u32) -> Result<usize, usize> {
        self.cells.binary_search_by_key(&column, |cell| cell.column)
    }

    pub(crate) fn cell_mut(&mut self, column: u32) -> Option<&mut Cell> {
        let at = match self.find(column) {
            Ok(at) => at,
            Err(at) => {
                let new = Cell {
                    column,
                    ..Cell::default()
                };
                self.cells.insert(at, new);
                at
            }
        };
        self.cells.get_mut(at)
    }
}

impl Cell {
    /// The formula, if it has one.
    pub fn formula(&self) -> Option<&Formula> {
        self.extra.as_ref()?.formula.as_ref()
    }

    /// Whether it has neither a value nor a formula.
    pub fn is_blank(&self) -> bool {
        self.value == Value::Empty && self.formula().is_none()
    }

    pub(crate) fn set_formula(&mut self, formula: Option<Formula>) {
        // Attributes that describe the old formula or value go with it.
        self.extra = formula.map(|formula| {
            Box::new(Extra {
                formula: Some(formula),
                attributes: String::new(),
            })
        });
    }

    pub(crate) fn formula_mut(&mut self) -> Option<&mut Formula> {
        self.extra.as_mut()?.formula.as_mut()
    }
}

impl Value {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Arc::new(Text {
            plain: text.into(),
            ..Text::default()
        }))
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.plain),
            _ => None,
        }
    }
}

impl Text {
    /// Whether parts of it look different from the rest.
    pub fn has_formats(&self) -> bool {
        self.rich.is_some()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.plain == other.plain
    }
}

impl fmt::Display for Value {
    /// The value without its format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => Ok(()),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(&text.plain),
            Self::Bool(true) => f.write_str("TRUE"),
            Self::Bool(false) => f.write_str("FALSE"),
            Self::Error(error) => f.write_str(error),
        }
    }
}
