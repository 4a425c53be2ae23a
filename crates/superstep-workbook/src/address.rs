//! Where a cell is: `B3`, `A1:C9`, columns by letters. Rows and columns count from 1.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::error::Error;

/// The last row of a sheet.
pub const LAST_ROW: u32 = 1_048_576;
/// The last column of a sheet, `XFD`.
pub const LAST_COLUMN: u32 = 16_384;

/// The address of one cell.
///
/// ```
/// use superstep_workbook::CellRef;
///
/// # fn main() -> Result<(), superstep_workbook::Error> {
/// let cell: CellRef = "B3".parse()?;
/// assert_eq!((cell.row, cell.column), (3, 2));
/// assert_eq!(cell.to_string(), "B3");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRef {
    /// The row, from 1.
    pub row: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A rectangle of cells, both corners included.
///
/// ```
/// use superstep_workbook::Area;
///
/// # fn main() -> Result<(), superstep_workbook::Error> {
/// let area: Area = "A1:C4".parse()?;
/// assert_eq!((area.height(), area.width(), area.len()), (4, 3, 12));
/// assert!(area.contains("B2".parse()?));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Area {
    /// The upper left cell.
    pub first: CellRef,
    /// The lower right cell.
    pub last: CellRef,
}

impl CellRef {
    /// The cell in a row and a column, both from 1 and within a sheet.
    pub fn new(row: u32, column: u32) -> Option<Self> {
        let is_inside = (1..=LAST_ROW).contains(&row) && (1..=LAST_COLUMN).contains(&column);
        is_inside.then_some(Self { row, column })
    }
}

impl Area {
    /// The rectangle between two cells, whichever corners they are.
    pub fn new(one: CellRef, other: CellRef) -> Self {
        Self {
            first: CellRef {
                row: one.row.min(other.row),
                column: one.column.min(other.column),
            },
            last: CellRef {
                row: one.row.max(other.row),
                column: one.column.max(other.column),
            },
        }
    }

    /// The smallest area that has this cell, too.
    #[must_use]
    pub fn with(self, at: CellRef) -> Self {
        Self {
            first: CellRef {
                row: self.first.row.min(at.row),
                column: self.first.column.min(at.column),
            },
            last: CellRef {
                row: self.last.row.max(at.row),
                column: self.last.column.max(at.column),
            },
        }
    }

    /// Whether a cell lies inside.
    pub fn contains(&self, at: CellRef) -> bool {
        (self.first.row..=self.last.row).contains(&at.row)
            && (self.first.column..=self.last.column).contains(&at.column)
    }

    /// Whether two areas have a cell in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.first.row <= other.last.row
            && other.first.row <= self.last.row
            && self.first.column <= other.last.column
            && other.first.column <= self.last.column
    }

    /// How many rows it has.
    pub fn height(&self) -> u32 {
        self.last.row - self.first.row + 1
    }

    /// How many columns it has.
    pub fn width(&self) -> u32 {
        self.last.column - self.first.column + 1
    }

    /// How many cells it has.
    pub fn len(&self) -> u64 {
        u64::from(self.height()) * u64::from(self.width())
    }

    /// Never: an area has at least one cell.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// With dollar signs, as names have it: `$A$1:$B$2`.
    pub(crate) fn absolute(&self) -> String {
        let corner = |at: CellRef| format!("${}${}", column_name(at.column), at.row);
        match self.first == self.last {
            true => corner(self.first),
            false => format!("{}:{}", corner(self.first), corner(self.last)),
        }
    }

    /// Its cells, row by row.
    pub fn cells(self) -> impl Iterator<Item = CellRef> {
        (self.first.row..=self.last.row).flat_map(move |row| {
            (self.first.column..=self.last.column).map(move |column| CellRef { row, column })
        })
    }
}

/// The letters of a column: 1 is `A`, 27 is `AA`.
///
/// ```
/// assert_eq!(superstep_workbook::column_name(28), "AB");
/// ```
pub fn column_name(mut column: u32) -> String {
    let mut letters = Vec::new();
    while column > 0 {
        let letter = ((column - 1) % 26) as u8;
        letters.push(char::from(b'A' + letter));
        column = (column - 1) / 26;
    }
    letters.iter().rev().collect()
}

/// The number of a column from its letters.
///
/// ```
/// assert_eq!(superstep_workbook::column_number("AB"), Some(28));
/// assert_eq!(superstep_workbook::column_number("7"), None);
/// ```
pub fn column_number(letters: &str) -> Option<u32> {
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let mut number = 0;
    for letter in letters.bytes() {
        let letter = letter.to_ascii_uppercase();
        if !letter.is_ascii_uppercase() {
            return None;
        }
        number = number * 26 + u32::from(letter - b'A') + 1;
    }
    (number <= LAST_COLUMN).then_some(number)
}

impl FromStr for CellRef {
    type Err = Error;

    /// Reads `B3`; dollar signs are ignored.
    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text).ok_or_else(|| Error::Address {
            text: text.to_owned(),
            kind: "address of a cell",
        })
    }
}

fn parse(text: &str) -> Option<CellRef> {
    let text = text.strip_prefix('$').unwrap_or(text);
    let digits = text.find(|c: char| !c.is_ascii_alphabetic())?;
    let (letters, digits) = text.split_at_checked(digits)?;
    let digits = digits.strip_prefix('$').unwrap_or(digits);
    if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    CellRef::new(digits.parse().ok()?, column_number(letters)?)
}

impl FromStr for Area {
    type Err = Error;

    /// Reads `A1:C9`, or one cell.
    fn from_str(text: &str) -> Result<Self, Error> {
        let read = || {
            let (first, last) = text.split_once(':').unwrap_or((text, text));
            Some(Self::new(parse(first)?, parse(last)?))
        };
        read().ok_or_else(|| Error::Address {
            text: text.to_owned(),
            kind: "area of cells",
        })
    }
}

impl From<CellRef> for Area {
    fn from(at: CellRef) -> Self {
        Self {
            first: at,
            last: at,
        }
    }
}

impl fmt::Display for CellRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", column_name(self.column), self.row)
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            return self.first.fmt(f);
        }
        write!(f, "{}:{}", self.first, self.last)
    }
}

macro_rules! as_text {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }
    };
}

as_text!(CellRef);
as_text!(Area);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for text in ["A1", "Z9", "AA10", "XFD1048576"] {
            assert_eq!(text.parse::<CellRef>().unwrap().to_string(), text);
        }
        assert_eq!(
            "$b$3".parse::<CellRef>().unwrap(),
            CellRef { row: 3, column: 2 }
        );
        assert_eq!("C9:A1".parse::<Area>().unwrap().to_string(), "A1:C9");
        for text in [
            "", "A", "1", "A0", "A01", "XFE1", "A1048577", "A1B", "Ä1", "A-1",
        ] {
            assert!(text.parse::<CellRef>().is_err(), "{text}");
        }
    }

    #[test]
    fn columns_have_letters() {
        for (number, letters) in [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (703, "AAA")] {
            assert_eq!(column_name(number), letters);
            assert_eq!(column_number(letters), Some(number));
        }
    }
}
