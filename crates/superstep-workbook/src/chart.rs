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
    /// Whether piled up series fill the whole height, as shares.
    #[serde(default, skip_serializing_if = "is_false")]
    pub shares: bool,
    /// The number of a style, 1 to 48.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<u32>,
    /// Where the legend stands: `r`, `l`, `t`, `b`, `tr`, or `none`; on the right if nobody says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legend: Option<String>,
    /// What stands at the values of all series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<ChartLabels>,
    /// How wide gaps between bars are, in percent of a bar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<u32>,
    /// How much bars of one category overlap, -100 to 100 percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<i32>,
    /// The horizontal axis, or that of the categories.
    #[serde(default, skip_serializing_if = "ChartAxis::is_default")]
    pub x_axis: ChartAxis,
    /// The axis of the values.
    #[serde(default, skip_serializing_if = "ChartAxis::is_default")]
    pub y_axis: ChartAxis,
    /// Width and height in centimetres, in place of columns and rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<(f64, f64)>,
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

/// What stands at the values of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChartLabels {
    /// The value.
    pub value: bool,
    /// Its share, in a pie.
    pub percent: bool,
    /// The category.
    pub category: bool,
    /// The name of the series.
    pub series: bool,
    /// Where: `ctr`, `inEnd`, `inBase`, `outEnd`, `bestFit`, `l`, `r`, `t`, `b`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
}

/// An axis. What is absent is as usual.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChartAxis {
    /// Whether it is not shown.
    pub hidden: bool,
    /// Whether lines go through the chart at its marks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gridlines: Option<bool>,
    /// How its numbers are written: `#,##0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number_format: Option<String>,
    /// Where it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// How far its marks are apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Whether it runs backwards.
    #[serde(skip_serializing_if = "is_false")]
    pub reversed: bool,
}

impl ChartAxis {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
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
    /// The sheet that has the categories, where it is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories_sheet: Option<String>,
    /// The cell with its name.
    #[serde(default)]
    pub name_cell: Option<CellRef>,
    /// Its name, where no cell has it.
    #[serde(default)]
    pub name: Option<String>,
    /// The color of its bars, slices or areas: `FF0000`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fill: Option<String>,
    /// The color of its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The width of its line in points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_width: Option<f64>,
    /// Whether points are not joined by a line.
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_line: bool,
    /// Whether its line is smooth.
    #[serde(default, skip_serializing_if = "is_false")]
    pub smooth: bool,
    /// What marks its points: `circle`, `square`, `none`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
    /// What stands at its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<ChartLabels>,
}

const LEGENDS: [&str; 6] = ["r", "l", "t", "b", "tr", "none"];
const MARKERS: [&str; 11] = [
    "none", "auto", "circle", "square", "diamond", "triangle", "x", "star", "dot", "dash", "plus",
];
const PLACES: [&str; 9] = [
    "ctr", "inEnd", "inBase", "outEnd", "bestFit", "l", "r", "t", "b",
];

impl Chart {
    /// Whether every value is one that programs understand.
    pub(crate) fn check(&self) -> Result<(), String> {
        let one_of = |what: &str, value: Option<&String>, all: &[&str]| match value {
            Some(value) if !all.contains(&value.as_str()) => Err(format!(
                "`{value}` is no {what}; there are {}",
                all.join(", ")
            )),
            _ => Ok(()),
        };
        if self.series.is_empty() {
            return Err("a chart shows at least one series".to_owned());
        }
        if matches!(self.kind, ChartKind::Pie | ChartKind::Doughnut) && self.series.len() > 1 {
            return Err("a pie shows one series".to_owned());
        }
        if !(1..=100).contains(&self.columns) || !(1..=500).contains(&self.rows) {
            return Err("a chart is 1 to 100 columns wide and 1 to 500 rows high".to_owned());
        }
        let is_size = |size: f64| (0.1..=500.0).contains(&size);
        if self
            .size
            .is_some_and(|(width, height)| !is_size(width) || !is_size(height))
        {
            return Err("a chart is 0.1 to 500 centimetres wide and high".to_owned());
        }
        if self.style.is_some_and(|style| !(1..=48).contains(&style)) {
            return Err("the style of a chart is 1 to 48".to_owned());
        }
        if self.gap.is_some_and(|gap| gap > 500) {
            return Err("a gap is 0 to 500 percent".to_owned());
        }
        if self.overlap.is_some_and(|it| !(-100..=100).contains(&it)) {
            return Err("an overlap is -100 to 100 percent".to_owned());
        }
        one_of("place of a legend", self.legend.as_ref(), &LEGENDS)?;
        let own = self
            .series
            .iter()
            .filter_map(|series| series.labels.as_ref());
        for labels in self.labels.iter().chain(own) {
            one_of("place of a label", labels.position.as_ref(), &PLACES)?;
        }
        for axis in [&self.x_axis, &self.y_axis] {
            let numbers = [axis.min, axis.max, axis.step];
            if numbers.into_iter().flatten().any(|it| !it.is_finite()) {
                return Err("the ends and steps of an axis are numbers".to_owned());
            }
        }
        for series in &self.series {
            one_of("marker", series.marker.as_ref(), &MARKERS)?;
            for color in [&series.fill, &series.line].into_iter().flatten() {
                let is_hex = color.bytes().all(|byte| byte.is_ascii_hexdigit());
                if !is_hex || color.len() != 6 {
                    return Err(format!("`{color}` is no color; write one such as FF0000"));
                }
            }
            if series
                .line_width
                .is_some_and(|width| !(0.0..=1584.0).contains(&width))
            {
                return Err("a line is 0 to 1584 points wide".to_owned());
            }
        }
        Ok(())
    }
}

impl Series {
    /// The sheets that it shows.
    pub(crate) fn sheets(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.sheet).chain(&self.categories_sheet)
    }
}

fn is_false(it: &bool) -> bool {
    !it
}

fn width() -> u32 {
    8
}

fn height() -> u32 {
    15
}
