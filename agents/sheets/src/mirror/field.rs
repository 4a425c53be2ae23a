//! A value that a query gave: a number stays a number.

use std::fmt;

use rusqlite::types::ValueRef;
use serde::{Serialize, Serializer};

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Field {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text, on one line and perhaps cut.
    Text(String),
    /// Bytes: how many.
    Bytes(usize),
}

/// Up to here every whole number is one that `f64` has.
const WHOLE: f64 = 9_007_199_254_740_992.0;

impl Field {
    /// A value of SQLite, a text with no more letters than that.
    pub(super) fn of(value: ValueRef<'_>, longest: usize) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(number) => Self::Integer(number),
            ValueRef::Real(number) => Self::Real(number),
            ValueRef::Text(text) => {
                let text = String::from_utf8_lossy(text);
                let letters = text.chars().take(longest);
                let mut line: String = letters
                    .map(|c| if c.is_control() { ' ' } else { c })
                    .collect();
                if text.chars().nth(longest).is_some() {
                    line.push('…');
                }
                Self::Text(line)
            }
            ValueRef::Blob(bytes) => Self::Bytes(bytes.len()),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Real(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Bytes(count) => write!(f, "({count} bytes)"),
        }
    }
}

impl Serialize for Field {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => to.serialize_none(),
            Self::Integer(number) => to.serialize_i64(*number),
            // Cells have one kind of numbers: 3 is written as 3.
            #[allow(clippy::cast_possible_truncation, reason = "whole and small enough")]
            Self::Real(number) if number.fract() == 0.0 && number.abs() <= WHOLE => {
                to.serialize_i64(*number as i64)
            }
            Self::Real(number) if number.is_finite() => to.serialize_f64(*number),
            other => to.collect_str(other),
        }
    }
}
