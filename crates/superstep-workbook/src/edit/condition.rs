//! Conditional formats: what may be a condition, and how it is written as a rule.

use std::{fmt::Write as _, sync::Arc};

use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::{address::Area, book::Workbook, styles::Style, xml};

/// When a conditional format applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
#[allow(missing_docs)] // The fields are named for what they are.
pub enum Condition {
    /// The value compares with others: `greaterThan`, `between`, …
    Cell {
        operator: String,
        formulas: Vec<String>,
    },
    /// A formula is true.
    Formula(String),
    /// The value is in the area more than once.
    Duplicates,
    /// The value is in the area once.
    Unique,
    /// The value contains a text.
    Contains(String),
    /// The value does not contain a text.
    Lacks(String),
    /// The value begins with a text.
    Begins(String),
    /// The value ends with a text.
    Ends(String),
    /// The cell is empty, or shows nothing but spaces.
    Blank,
    /// The cell shows something.
    NotBlank,
    /// The cell shows an error.
    Error,
    /// The cell shows no error.
    NoError,
    /// The value is above the average, or below.
    Average {
        #[serde(default)]
        below: bool,
        #[serde(default)]
        or_equal: bool,
        /// By how many standard deviations.
        #[serde(default)]
        deviations: Option<u32>,
    },
    /// The value is a date in a stretch of time: `today`, `lastWeek`, …
    Period(String),
    /// The value is among the largest, or the smallest.
    Top {
        rank: u32,
        #[serde(default)]
        bottom: bool,
        #[serde(default)]
        percent: bool,
    },
    /// Colors from the smallest to the largest value: two or three.
    ColorScale(Vec<String>),
    /// Colors at points: two or three, from low to high.
    Scale(Vec<ScalePoint>),
    /// A bar as long as the value.
    DataBar {
        color: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Threshold>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Threshold>,
        /// Whether the bar stands alone, without the number.
        #[serde(default, skip_serializing_if = "is_false")]
        hides_value: bool,
    },
    /// An icon by the value, such as `3TrafficLights1` or `5Arrows`.
    Icons {
        set: String,
        /// Where each icon begins, from the lowest; as many as the set has icons.
        thresholds: Vec<Threshold>,
        #[serde(default, skip_serializing_if = "is_false")]
        reversed: bool,
        #[serde(default, skip_serializing_if = "is_false")]
        hides_value: bool,
    },
}

/// A color at a point of a scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScalePoint {
    /// Where.
    pub at: Threshold,
    /// The color.
    pub color: String,
}

/// A point among the values of an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// `min`, `max`, `num`, `percent`, `percentile` or `formula`.
    pub kind: String,
    /// The number or the formula; none for `min` and `max`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

fn is_false(it: &bool) -> bool {
    !it
}

pub(super) const COMPARISONS: [&str; 8] = [
    "lessThan", "lessThanOrEqual", "equal", "notEqual", "greaterThanOrEqual", "greaterThan",
    "between", "notBetween",
];

const PERIODS: [&str; 10] = [
    "today", "yesterday", "tomorrow", "last7Days", "thisWeek", "lastWeek", "nextWeek", "thisMonth",
    "lastMonth", "nextMonth",
];

/// Sets of icons; the first character is how many there are.
const ICONS: [&str; 17] = [
    "3Arrows", "3ArrowsGray", "3Flags", "3TrafficLights1", "3TrafficLights2", "3Signs", "3Symbols",
    "3Symbols2", "4Arrows", "4ArrowsGray", "4RedToBlack", "4Rating", "4TrafficLights", "5Arrows",
    "5ArrowsGray", "5Rating", "5Quarters",
];

impl Condition {
    /// Whether it shows colors or icons of its own, so that it has no style.
    fn has_own_look(&self) -> bool {
        matches!(
            self,
            Self::ColorScale(_) | Self::Scale(_) | Self::DataBar { .. } | Self::Icons { .. }
        )
    }
}

impl Workbook {
    pub(super) fn conditional(
        &mut self,
        sheet: &str,
        area: Area,
        condition: &Condition,
        style: Option<&Style>,
        stops: bool,
    ) -> Result<(), Refusal> {
        let place = self.place(sheet)?;
        self.grid(sheet)?;
        self.load_blocks(place)?;
        let format = match (condition.has_own_look(), style) {
            (true, None) => None,
            (true, Some(_)) => {
                return Err(
                    "color scales, data bars and icons have a look of their own, no style"
                        .to_owned(),
                );
            }
            (false, Some(style)) => Some(Arc::make_mut(&mut self.styles).difference(style)?),
            (false, None) => return Err("it needs a style to apply".to_owned()),
        };
        let grid = self.grid(sheet)?;
        let blocks = grid.blocks.entry("conditionalFormatting").or_default();
        let rules: usize = blocks
            .iter()
            .map(|it| it.matches("priority=").count())
            .sum();
        let mut rule = rule(area, condition, format, rules + 1)?;
        if stops {
            rule = rule.replacen("<cfRule", "<cfRule stopIfTrue=\"1\"", 1);
        }
        blocks.push(format!(
            "<conditionalFormatting sqref=\"{area}\">{rule}</conditionalFormatting>"
        ));
        Ok(())
    }
}

pub(super) fn check_comparison(operator: &str, formulas: &[String]) -> Result<(), Refusal> {
    if !COMPARISONS.contains(&operator) {
        return Err(format!(
            "`{operator}` is no comparison; there are {}",
            COMPARISONS.join(", ")
        ));
    }
    let wanted = if operator.ends_with("etween") { 2 } else { 1 };
    match formulas.len() == wanted {
        true => Ok(()),
        false => Err(format!(
            "`{operator}` compares with {wanted} values, not {}",
            formulas.len()
        )),
    }
}

/// One rule of a conditional format.
fn rule(
    area: Area,
    condition: &Condition,
    format: Option<u32>,
    priority: usize,
) -> Result<String, Refusal> {
    let mut rule = Rule::default();
    let first = area.first;
    let quoted = |text: &str| text.replace('"', "\"\"");
    let length = |text: &str| text.encode_utf16().count();
    match condition {
        Condition::Cell { operator, formulas } => {
            check_comparison(operator, formulas)?;
            rule.set("type", "cellIs");
            rule.set("operator", operator);
            formulas.iter().for_each(|text| rule.formula(text));
        }
        Condition::Formula(text) => {
            rule.set("type", "expression");
            rule.formula(text);
        }
        Condition::Duplicates => rule.set("type", "duplicateValues"),
        Condition::Unique => rule.set("type", "uniqueValues"),
        Condition::Contains(text) => {
            rule.text("containsText", "containsText", text);
            rule.formula(&format!(
                "NOT(ISERROR(SEARCH(\"{}\",{first})))",
                quoted(text)
            ));
        }
        Condition::Lacks(text) => {
            rule.text("notContainsText", "notContains", text);
            rule.formula(&format!("ISERROR(SEARCH(\"{}\",{first}))", quoted(text)));
        }
        Condition::Begins(text) => {
            rule.text("beginsWith", "beginsWith", text);
            let (quoted, length) = (quoted(text), length(text));
            rule.formula(&format!("LEFT({first},{length})=\"{quoted}\""));
        }
        Condition::Ends(text) => {
            rule.text("endsWith", "endsWith", text);
            let (quoted, length) = (quoted(text), length(text));
            rule.formula(&format!("RIGHT({first},{length})=\"{quoted}\""));
        }
        Condition::Blank => {
            rule.set("type", "containsBlanks");
            rule.formula(&format!("LEN(TRIM({first}))=0"));
        }
        Condition::NotBlank => {
            rule.set("type", "notContainsBlanks");
            rule.formula(&format!("LEN(TRIM({first}))>0"));
        }
        Condition::Error => {
            rule.set("type", "containsErrors");
            rule.formula(&format!("ISERROR({first})"));
        }
        Condition::NoError => {
            rule.set("type", "notContainsErrors");
            rule.formula(&format!("NOT(ISERROR({first}))"));
        }
        Condition::Average {
            below,
            or_equal,
            deviations,
        } => {
            rule.set("type", "aboveAverage");
            if *below {
                rule.set("aboveAverage", "0");
            }
            if *or_equal {
                rule.set("equalAverage", "1");
            }
            if let Some(deviations) = deviations {
                rule.set("stdDev", &deviations.to_string());
            }
        }
        Condition::Period(period) => {
            if !PERIODS.contains(&period.as_str()) {
                return Err(format!(
                    "`{period}` is no period; there are {}",
                    PERIODS.join(", ")
                ));
            }
            rule.set("type", "timePeriod");
            rule.set("timePeriod", period);
        }
        Condition::Top {
            rank,
            bottom,
            percent,
        } => {
            if !(1..=1000).contains(rank) {
                return Err("a rank is 1 to 1000".to_owned());
            }
            rule.set("type", "top10");
            if *percent {
                rule.set("percent", "1");
            }
            if *bottom {
                rule.set("bottom", "1");
            }
            rule.set("rank", &rank.to_string());
        }
        Condition::ColorScale(colors) => {
            let kinds: &[(&str, Option<&str>)] = match colors.len() {
                2 => &[("min", None), ("max", None)],
                3 => &[("min", None), ("percentile", Some("50")), ("max", None)],
                _ => return Err("a color scale has two or three colors".to_owned()),
            };
            let points = kinds
                .iter()
                .zip(colors)
                .map(|((kind, value), color)| ScalePoint {
                    at: Threshold {
                        kind: (*kind).to_owned(),
                        value: value.map(str::to_owned),
                    },
                    color: color.clone(),
                });
            rule.scale(&points.collect::<Vec<_>>())?;
        }
        Condition::Scale(points) => {
            if !matches!(points.len(), 2 | 3) {
                return Err("a color scale has two or three points".to_owned());
            }
            rule.scale(points)?;
        }
        Condition::DataBar {
            color,
            from,
            to,
            hides_value,
        } => {
            rule.set("type", "dataBar");
            let hides = if *hides_value { " showValue=\"0\"" } else { "" };
            let _ = write!(rule.inner, "<dataBar{hides}>");
            rule.threshold(&from.clone().unwrap_or_else(|| end("min")))?;
            rule.threshold(&to.clone().unwrap_or_else(|| end("max")))?;
            let _ = write!(rule.inner, "<color rgb=\"{}\"/></dataBar>", argb(color)?);
        }
        Condition::Icons {
            set,
            thresholds,
            reversed,
            hides_value,
        } => {
            if !ICONS.contains(&set.as_str()) {
                return Err(format!(
                    "`{set}` is no set of icons; there are {}",
                    ICONS.join(", ")
                ));
            }
            let wanted = set.chars().next().and_then(|count| count.to_digit(10));
            if wanted != u32::try_from(thresholds.len()).ok() {
                return Err(format!(
                    "`{set}` wants a threshold for each icon, not {}",
                    thresholds.len()
                ));
            }
            rule.set("type", "iconSet");
            let reversed = if *reversed { " reverse=\"1\"" } else { "" };
            let hides = if *hides_value { " showValue=\"0\"" } else { "" };
            let _ = write!(rule.inner, "<iconSet iconSet=\"{set}\"{hides}{reversed}>");
            for threshold in thresholds {
                rule.threshold(threshold)?;
            }
            rule.inner.push_str("</iconSet>");
        }
    }
    if let Some(format) = format {
        rule.set("dxfId", &format.to_string());
    }
    rule.set("priority", &priority.to_string());
    Ok(format!(
        "<cfRule{}>{}</cfRule>",
        rule.attributes, rule.inner
    ))
}

fn end(kind: &str) -> Threshold {
    Threshold {
        kind: kind.to_owned(),
        value: None,
    }
}

/// A rule that is being written.
#[derive(Default)]
struct Rule {
    attributes: String,
    inner: String,
}

impl Rule {
    fn set(&mut self, name: &str, value: &str) {
        xml::attribute(&mut self.attributes, name, value);
    }

    fn text(&mut self, kind: &str, operator: &str, text: &str) {
        self.set("type", kind);
        self.set("operator", operator);
        self.set("text", text);
    }

    fn formula(&mut self, text: &str) {
        self.inner.push_str("<formula>");
        let text = text.strip_prefix('=').unwrap_or(text);
        xml::escape(&mut self.inner, &crate::future::stored(text));
        self.inner.push_str("</formula>");
    }

    fn scale(&mut self, points: &[ScalePoint]) -> Result<(), Refusal> {
        self.set("type", "colorScale");
        self.inner.push_str("<colorScale>");
        for point in points {
            self.threshold(&point.at)?;
        }
        for point in points {
            let _ = write!(self.inner, "<color rgb=\"{}\"/>", argb(&point.color)?);
        }
        self.inner.push_str("</colorScale>");
        Ok(())
    }

    fn threshold(&mut self, threshold: &Threshold) -> Result<(), Refusal> {
        let kind = threshold.kind.as_str();
        let needs_value = match kind {
            "min" | "max" => false,
            "num" | "percent" | "percentile" | "formula" => true,
            _ => {
                return Err(format!(
                    "`{kind}` is no threshold; there are min, max, num, percent, percentile, formula"
                ));
            }
        };
        self.inner.push_str("<cfvo");
        xml::attribute(&mut self.inner, "type", kind);
        match (&threshold.value, needs_value) {
            (Some(value), true) => xml::attribute(&mut self.inner, "val", value),
            (None, true) => return Err(format!("a threshold `{kind}` needs a value")),
            (_, false) => {}
        }
        self.inner.push_str("/>");
        Ok(())
    }
}

fn argb(color: &str) -> Result<String, Refusal> {
    let is_hex = color.bytes().all(|byte| byte.is_ascii_hexdigit());
    match (is_hex, color.len()) {
        (true, 6) => Ok(format!("FF{}", color.to_ascii_uppercase())),
        (true, 8) => Ok(color.to_ascii_uppercase()),
        _ => Err(format!("`{color}` is no color; write one such as FF0000")),
    }
}
