//! What a chart shows; `patch` writes it.

use serde::{Deserialize, Serialize};

use crate::address::{Area, CellRef};

/// A chart to be added to a sheet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Its kind.
    pub kind: ChartKind,
    /// Its upper left corner.
    pub at: CellRef,
    /// What it shows.
    pub series: Vec<Series>,
    /// Its title.
    #[serde(default)]
    pub title: Option<String>,
    /// The title of the horizontal axis.
    #[serde(default)]
    pub x_title: Option<String>,
    /// The title of the vertical axis.
    #[serde(default)]
    pub y_title: Option<String>,
    /// Whether series are piled up.
    #[serde(default)]
    pub stacked: bool,
    /// Its width in columns.
    #[serde(default = "width")]
    pub columns: u32,
    /// Its height in rows.
    #[serde(default = "height")]
    pub rows: u32,
}

/// Kinds of charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChartKind {
    /// Vertical bars.
    Column,
    /// Horizontal bars.
    Bar,
    /// Lines over categories.
    Line,
    /// A pie of one series.
    Pie,
    /// A ring of one series.
    Doughnut,
    /// Points by two numbers.
    Scatter,
    /// Lines with their areas filled.
    Area,
}

/// One row of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The sheet that has the cells.
    pub sheet: String,
    /// The values.
    pub values: Area,
    /// The categories, or the horizontal values of points.
    #[serde(default)]
    pub categories: Option<Area>,
    /// The cell with its name.
    #[serde(default)]
    pub name_cell: Option<CellRef>,
    /// Its name, where no cell has it.
    #[serde(default)]
    pub name: Option<String>,
}

fn width() -> u32 {
    8
}

fn height() -> u32 {
    15
}
