//! One step of a computation, as a model writes it and as people read it.

use std::fmt;

use serde::Deserialize;
use serde_json::Value as Json;

/// A step.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    Filter {
        field: String,
        is: Is,
        #[serde(default)]
        value: Option<Json>,
    },
    Sort {
        field: String,
        #[serde(default)]
        order: SortOrder,
    },
    Limit {
        count: usize,
    },
    Distinct {
        field: String,
    },
    Calculate {
        name: String,
        left: Operand,
        operator: Operator,
        right: Operand,
    },
    Summarize {
        #[serde(default)]
        by: Option<String>,
        #[serde(default)]
        measures: Vec<Measured>,
    },
    Compare {
        field: String,
    },
    Join {
        with: String,
        field: String,
        other: String,
        #[serde(default)]
        keep: Keep,
    },
}

/// A test of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Is {
    Equals,
    NotEquals,
    Above,
    AtLeast,
    Below,
    AtMost,
    Contains,
    StartsWith,
    OneOf,
    Known,
    Unknown,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SortOrder {
    Ascending,
    #[default]
    Descending,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Keep {
    #[default]
    Matched,
    Unmatched,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Operand {
    Number(f64),
    Field(String),
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum Operator {
    #[serde(rename = "+")]
    Plus,
    #[serde(rename = "-")]
    Minus,
    #[serde(rename = "*")]
    Times,
    #[serde(rename = "/")]
    Over,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measured {
    pub(super) measure: Measure,
    pub(super) field: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Measure {
    Sum,
    Mean,
    Median,
    Min,
    Max,
}

impl Is {
    /// Tells tests of known values from those of absence.
    pub(super) fn wants_known(self) -> bool {
        !matches!(self, Self::Known | Self::Unknown)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Equals => "is",
            Self::NotEquals => "is not",
            Self::Above => "above",
            Self::AtLeast => "at least",
            Self::Below => "below",
            Self::AtMost => "at most",
            Self::Contains => "contains",
            Self::StartsWith => "starts with",
            Self::OneOf => "is one of",
            Self::Known => "is known",
            Self::Unknown => "is not known",
        }
    }
}

impl Operator {
    /// Its result; nothing for a division by 0.
    pub(super) fn of(self, left: f64, right: f64) -> Option<f64> {
        let result = match self {
            Self::Plus => left + right,
            Self::Minus => left - right,
            Self::Times => left * right,
            Self::Over => left / right,
        };
        result.is_finite().then_some(result)
    }

    fn sign(self) -> char {
        match self {
            Self::Plus => '+',
            Self::Minus => '-',
            Self::Times => '*',
            Self::Over => '/',
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Median => "median",
            Self::Min => "min",
            Self::Max => "max",
        })
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Field(field) => f.write_str(field),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter { field, is, value } => {
                write!(f, "{field} {}", is.words())?;
                match value {
                    Some(Json::String(text)) => write!(f, " {text}"),
                    Some(value) => write!(f, " {value}"),
                    None => Ok(()),
                }
            }
            Self::Sort { field, order } => match order {
                SortOrder::Ascending => write!(f, "by {field}, least first"),
                SortOrder::Descending => write!(f, "by {field}, most first"),
            },
            Self::Limit { count } => write!(f, "the first {count}"),
            Self::Distinct { field } => write!(f, "one for each {field}"),
            Self::Calculate {
                name,
                left,
                operator,
                right,
            } => write!(f, "{name} = {left} {} {right}", operator.sign()),
            Self::Summarize { by, measures } => {
                f.write_str("count")?;
                for Measured { measure, field } in measures {
                    write!(f, ", {measure} of {field}")?;
                }
                by.as_ref().map_or(Ok(()), |by| write!(f, " for each {by}"))
            }
            Self::Compare { field } => write!(f, "compare {field}"),
            Self::Join {
                with,
                field,
                other,
                keep,
            } => match keep {
                Keep::Matched => write!(f, "with {with} where {field} is its {other}"),
                Keep::Unmatched => write!(f, "where {field} is no {other} of {with}"),
            },
        }
    }
}
