//! What can be done to a workbook, as data.

use serde::{Deserialize, Serialize};

use crate::{
    address::{Area, CellRef},
    chart::Chart,
    edit::{
        condition::Condition,
        page::Page,
        table::NewTable,
        validation::{Validation, ValidationMessages},
    },
    sheet::Comment,
    styles::Style,
};

/// One change of a workbook.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
#[allow(missing_docs)] // The fields are named for what they are.
pub enum Operation {
    /// Gives a cell a value or a formula; its format stays.
    Set {
        sheet: String,
        cell: CellRef,
        value: Input,
    },
    /// Gives cells values row by row, from an upper left corner.
    SetRows {
        sheet: String,
        cell: CellRef,
        rows: Vec<Vec<Input>>,
    },
    /// Removes values and formulas; formats stay.
    Clear { sheet: String, area: Area },
    /// Changes how cells look.
    Format {
        sheet: String,
        area: Area,
        style: Style,
    },
    /// Gives the workbook a style with a name, which `format` can use; one that it has stays as it is.
    DefineStyle {
        name: String,
        style: Style,
        /// The number of a style that programs have themselves: 26 is `Good`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        builtin: Option<u32>,
    },
    /// Gives cells the whole format of another cell; without one they look like the bare sheet.
    FormatLike {
        sheet: String,
        area: Area,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<CellRef>,
        /// The sheet of that cell, if it is another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_sheet: Option<String>,
    },
    /// Merges cells; all but the first lose their values.
    Merge { sheet: String, area: Area },
    /// Splits merged cells again.
    Unmerge { sheet: String, area: Area },
    /// Gives columns (`C` or `C:E`) a width in characters.
    ColumnWidth {
        sheet: String,
        columns: String,
        width: f64,
    },
    /// Hides or shows columns.
    HideColumns {
        sheet: String,
        columns: String,
        hidden: bool,
    },
    /// Gives rows a height in points.
    RowHeight {
        sheet: String,
        first: u32,
        #[serde(default)]
        last: Option<u32>,
        height: f64,
    },
    /// Hides or shows rows.
    HideRows {
        sheet: String,
        first: u32,
        #[serde(default)]
        last: Option<u32>,
        hidden: bool,
    },
    /// Keeps what is above and left of a cell in view; without a cell nothing is kept.
    Freeze {
        sheet: String,
        cell: Option<CellRef>,
    },
    /// Puts filter buttons over an area; without an area they are removed.
    Filter { sheet: String, area: Option<Area> },
    /// Formats cells by their values.
    ConditionalFormat {
        sheet: String,
        area: Area,
        condition: Condition,
        #[serde(default)]
        style: Option<Style>,
        /// Whether rules behind it do not apply where it does.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        stops: bool,
    },
    /// Restricts what may be entered.
    Validate {
        sheet: String,
        area: Area,
        validation: Validation,
        #[serde(default, skip_serializing_if = "ValidationMessages::is_default")]
        messages: ValidationMessages,
    },
    /// Makes a cell lead to an address, or to `#Sheet!A1` in the workbook.
    Link {
        sheet: String,
        cell: CellRef,
        address: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tooltip: Option<String>,
    },
    /// Makes a cell lead nowhere any more.
    Unlink { sheet: String, cell: CellRef },
    /// Gives a cell a comment in place of the one it has; without one it loses it.
    Comment {
        sheet: String,
        cell: CellRef,
        comment: Option<Comment>,
    },
    /// Makes cells a table with a name. The first row has the names of its columns.
    AddTable { sheet: String, table: NewTable },
    /// Gives a table more rows, or fewer; its columns stay.
    ResizeTable {
        sheet: String,
        table: String,
        area: Area,
    },
    /// Says how a sheet is printed; what is absent stays.
    Page { sheet: String, page: Page },
    /// Gives the tab of a sheet a color, or takes it away.
    TabColor {
        sheet: String,
        color: Option<String>,
    },
    /// Says how a sheet is shown; what is absent stays.
    View {
        sheet: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gridlines: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        zoom: Option<u32>,
    },
    /// Makes a sheet the one that is shown first.
    Activate { sheet: String },
    /// Protects a sheet against changes by people, without a password, or no longer.
    Protect { sheet: String, protected: bool },
    /// Groups rows at a level from 1 to 7; 0 ends the group.
    OutlineRows {
        sheet: String,
        first: u32,
        last: u32,
        level: u8,
    },
    /// Groups columns at a level from 1 to 7; 0 ends the group.
    OutlineColumns {
        sheet: String,
        columns: String,
        level: u8,
    },
    /// Says that columns are as wide as what is in them, for programs that heed it.
    FitColumns { sheet: String, columns: String },
    /// Inserts empty rows.
    InsertRows {
        sheet: String,
        before: u32,
        count: u32,
    },
    /// Deletes rows.
    DeleteRows {
        sheet: String,
        first: u32,
        count: u32,
    },
    /// Inserts empty columns.
    InsertColumns {
        sheet: String,
        before: String,
        count: u32,
    },
    /// Deletes columns.
    DeleteColumns {
        sheet: String,
        first: String,
        count: u32,
    },
    /// Adds an empty sheet, at the end or at a place from 0.
    AddSheet {
        name: String,
        #[serde(default)]
        at: Option<usize>,
    },
    /// Renames a sheet, also in formulas.
    RenameSheet { sheet: String, name: String },
    /// Deletes a sheet; formulas that read it get `#REF!`.
    DeleteSheet { sheet: String },
    /// Copies a sheet behind itself, without charts and tables.
    CopySheet { sheet: String, name: String },
    /// Moves a sheet to a place from 0.
    MoveSheet { sheet: String, to: usize },
    /// Hides or shows a sheet.
    HideSheet { sheet: String, hidden: bool },
    /// Sorts the rows of an area.
    Sort {
        sheet: String,
        area: Area,
        keys: Vec<SortKey>,
        #[serde(default)]
        has_header: bool,
    },
    /// Adds a chart.
    AddChart { sheet: String, chart: Chart },
    /// Defines a name for cells or a formula, or redefines it.
    DefineName {
        name: String,
        refers_to: String,
        /// The sheet in which alone it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
    },
    /// Deletes a name.
    DeleteName {
        name: String,
        /// The sheet in which alone it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sheet: Option<String>,
    },
}

/// What a cell gets. Text that looks like a formula stays text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Input {
    /// Nothing.
    Empty,
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// True or false.
    Bool(bool),
    /// A formula, with or without its equals sign.
    Formula(String),
    /// An error, such as `#N/A`.
    Error(String),
    /// A date or a date with time: `2025-06-10`, `2025-06-10T08:30:00`. A cell without a format for
    /// dates gets one.
    Date(String),
}

/// By which column rows are sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SortKey {
    /// The column's letters.
    pub column: String,
    /// Whether large values come first.
    #[serde(default)]
    pub descending: bool,
}

impl Operation {
    /// Its name, as it is written.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Set { .. } => "set",
            Self::SetRows { .. } => "set_rows",
            Self::Clear { .. } => "clear",
            Self::Format { .. } => "format",
            Self::DefineStyle { .. } => "define_style",
            Self::FormatLike { .. } => "format_like",
            Self::Merge { .. } => "merge",
            Self::Unmerge { .. } => "unmerge",
            Self::ColumnWidth { .. } => "column_width",
            Self::HideColumns { .. } => "hide_columns",
            Self::RowHeight { .. } => "row_height",
            Self::HideRows { .. } => "hide_rows",
            Self::Freeze { .. } => "freeze",
            Self::Filter { .. } => "filter",
            Self::ConditionalFormat { .. } => "conditional_format",
            Self::Validate { .. } => "validate",
            Self::Link { .. } => "link",
            Self::Unlink { .. } => "unlink",
            Self::Comment { .. } => "comment",
            Self::AddTable { .. } => "add_table",
            Self::ResizeTable { .. } => "resize_table",
            Self::Page { .. } => "page",
            Self::TabColor { .. } => "tab_color",
            Self::View { .. } => "view",
            Self::Activate { .. } => "activate",
            Self::Protect { .. } => "protect",
            Self::OutlineRows { .. } => "outline_rows",
            Self::OutlineColumns { .. } => "outline_columns",
            Self::FitColumns { .. } => "fit_columns",
            Self::InsertRows { .. } => "insert_rows",
            Self::DeleteRows { .. } => "delete_rows",
            Self::InsertColumns { .. } => "insert_columns",
            Self::DeleteColumns { .. } => "delete_columns",
            Self::AddSheet { .. } => "add_sheet",
            Self::RenameSheet { .. } => "rename_sheet",
            Self::DeleteSheet { .. } => "delete_sheet",
            Self::CopySheet { .. } => "copy_sheet",
            Self::MoveSheet { .. } => "move_sheet",
            Self::HideSheet { .. } => "hide_sheet",
            Self::Sort { .. } => "sort",
            Self::AddChart { .. } => "add_chart",
            Self::DefineName { .. } => "define_name",
            Self::DeleteName { .. } => "delete_name",
        }
    }

    /// Whether it takes something away that is not empty space: a caller may want to ask first.
    pub fn is_destructive(&self) -> bool {
        matches!(
            self,
            Self::DeleteSheet { .. }
                | Self::DeleteRows { .. }
                | Self::DeleteColumns { .. }
                | Self::DeleteName { .. }
                | Self::Clear { .. }
                | Self::Merge { .. }
        )
    }
}
