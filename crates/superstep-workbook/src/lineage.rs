//! How another program came from one workbook to the next: which sheets are the same ones, and which rows and columns were
//! inserted and deleted. Where a cell is afterwards follows from it, and whether it is still there.
//!
//! It is told by the process of the program, and so it is hostile data: what it says decides where contents are compared,
//! never whether they are.

use serde::{Deserialize, Serialize};

use crate::{
    address::{Area, CellRef, LAST_COLUMN, LAST_ROW},
    book::is_same_name,
    formula::{self, Change, Reference},
};

/// How a workbook came from another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Lineage {
    /// Sheets that both have: the old name and the new one. Without it they are those of the same name.
    pub sheets: Option<Vec<(String, String)>>,
    /// Rows and columns that were inserted and deleted, in their order.
    pub moved: Vec<BandMove>,
    /// Whether the workbook is one of the program's own, and not the given one.
    pub is_new: bool,
}

/// One insertion or deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandMove {
    /// The sheet, as it was called at first.
    pub sheet: String,
    /// What was done.
    pub kind: MoveKind,
    /// To what.
    pub axis: MoveAxis,
    /// The first row or column, from 1, as they were then.
    pub at: i64,
    /// How many.
    pub count: i64,
}

/// Whether there is more room afterwards, or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveKind {
    /// More.
    Insert,
    /// Less.
    Delete,
}

/// What was inserted or deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MoveAxis {
    /// Rows.
    #[serde(rename = "rows")]
    Rows,
    /// Columns.
    #[serde(rename = "cols")]
    Columns,
}

impl BandMove {
    /// The first and how many, as far as a sheet goes.
    fn range(&self) -> Option<(u32, u32)> {
        let at = u32::try_from(self.at.max(1)).ok()?;
        let count = u32::try_from(self.count).ok()?;
        (count > 0).then_some((at, count))
    }
}

impl Lineage {
    /// The new name of a sheet; none if it is gone.
    pub fn sheet<'a>(&'a self, old: &'a str) -> Option<&'a str> {
        match &self.sheets {
            _ if self.is_new => None,
            None => Some(old),
            Some(sheets) => sheets
                .iter()
                .find(|(name, _)| is_same_name(name, old))
                .map(|(_, new)| new.as_str()),
        }
    }

    /// The old name of a sheet; none if it is new.
    pub fn before<'a>(&'a self, new: &'a str) -> Option<&'a str> {
        match &self.sheets {
            _ if self.is_new => None,
            None => Some(new),
            Some(sheets) => sheets
                .iter()
                .find(|(_, name)| is_same_name(name, new))
                .map(|(old, _)| old.as_str()),
        }
    }

    /// Sheets that have another name, old and new.
    pub fn renamed(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.sheets.iter().flatten().filter(|_| !self.is_new);
        all.filter(|(old, new)| old != new)
            .map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// A formula with the new names of the sheets that it reads.
    pub fn follow(&self, formula: &str) -> String {
        if self.renamed().next().is_none() {
            return formula.to_owned();
        }
        formula::rewrite(formula, |reference| {
            let old = reference.sheet.as_deref();
            let mut renamed = self.renamed();
            let new = renamed.find(|(name, _)| old.is_some_and(|old| is_same_name(old, name)));
            match new {
                Some((_, new)) => Change::To(Reference {
                    sheet: Some(new.to_owned()),
                    ..reference.clone()
                }),
                None => Change::Keep,
            }
        })
    }

    /// Where the cells of a sheet got to, by its old name.
    pub fn tracks(&self, sheet: &str) -> Tracks {
        let mut tracks = Tracks {
            rows: Track::new(LAST_ROW),
            columns: Track::new(LAST_COLUMN),
        };
        for moved in self
            .moved
            .iter()
            .filter(|it| is_same_name(&it.sheet, sheet))
        {
            let track = match moved.axis {
                MoveAxis::Rows => &mut tracks.rows,
                MoveAxis::Columns => &mut tracks.columns,
            };
            if let Some((at, count)) = moved.range() {
                track.change(moved.kind, at, count);
            }
        }
        tracks
    }
}

/// Where the cells of a sheet got to.
#[derive(Clone, Debug)]
pub struct Tracks {
    rows: Track,
    columns: Track,
}

impl Tracks {
    /// Whether a cell was pushed off the sheet: its row and its column are not deleted, and have no place any more.
    pub fn is_pushed_off(&self, at: CellRef) -> bool {
        let is_left = self.rows.span(at.row, at.row).is_some()
            && self.columns.span(at.column, at.column).is_some();
        is_left && self.cell(at).is_none()
    }

    /// Where a cell is now; none if its row or column is gone or was pushed off the sheet.
    pub fn cell(&self, at: CellRef) -> Option<CellRef> {
        let row = self.rows.span(at.row, at.row)?.0;
        let column = self.columns.span(at.column, at.column)?.0;
        CellRef::new(row, column)
    }

    /// What is left of an area.
    pub fn area(&self, area: Area) -> Option<Area> {
        let rows = self.rows.span(area.first.row, area.last.row)?;
        let columns = self.columns.span(area.first.column, area.last.column)?;
        Some(Area {
            first: CellRef::new(rows.0, columns.0)?,
            last: CellRef::new(rows.1, columns.1)?,
        })
    }

    /// Rows that are gone, first and last, as they were numbered at first.
    pub fn deleted_rows(&self) -> Vec<(u32, u32)> {
        self.rows.deleted.clone()
    }

    /// Columns that are gone.
    pub fn deleted_columns(&self) -> Vec<(u32, u32)> {
        self.columns.deleted.clone()
    }
}

/// Rows or columns: runs of those that were there, and of new ones between them.
#[derive(Clone, Debug)]
struct Track {
    /// The first of a run as it was numbered at first, none if they are new; and how many.
    runs: Vec<(Option<u32>, u32)>,
    deleted: Vec<(u32, u32)>,
}

impl Track {
    fn new(last: u32) -> Self {
        Self {
            runs: vec![(Some(1), last)],
            deleted: Vec::new(),
        }
    }

    /// Makes a run begin at a place, and gives its number.
    fn split(&mut self, at: u32) -> usize {
        let mut start = 1_u32;
        for number in 0..self.runs.len() {
            let Some((first, count)) = self.runs.get(number).copied() else {
                break;
            };
            if start == at {
                return number;
            }
            let end = start.saturating_add(count);
            if at < end {
                let kept = at - start;
                let rest = (first.map(|first| first + kept), count - kept);
                if let Some(run) = self.runs.get_mut(number) {
                    run.1 = kept;
                }
                self.runs.insert(number + 1, rest);
                return number + 1;
            }
            start = end;
        }
        self.runs.len()
    }

    fn change(&mut self, kind: MoveKind, at: u32, count: u32) {
        let from = self.split(at);
        match kind {
            MoveKind::Insert => self.runs.insert(from, (None, count)),
            MoveKind::Delete => {
                let to = self.split(at.saturating_add(count));
                for (first, count) in self.runs.drain(from..to) {
                    if let Some(first) = first {
                        self.deleted.push((first, first + count - 1));
                    }
                }
            }
        }
    }

    /// Where what is left of a span is now.
    fn span(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        let mut start = 1_u32;
        let mut found: Option<(u32, u32)> = None;
        for (old, count) in &self.runs {
            if let Some(old) = old {
                let (from, to) = (first.max(*old), last.min(old + count - 1));
                if from <= to {
                    let now = (
                        start.saturating_add(from - old),
                        start.saturating_add(to - old),
                    );
                    found = Some(found.map_or(now, |known| (known.0, now.1)));
                }
            }
            start = start.saturating_add(*count);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(kind: MoveKind, at: i64, count: i64) -> BandMove {
        BandMove {
            sheet: "Data".to_owned(),
            kind,
            axis: MoveAxis::Rows,
            at,
            count,
        }
    }

    #[test]
    fn rows_are_found_where_they_got_to() {
        let lineage = Lineage {
            moved: vec![
                moved(MoveKind::Insert, 3, 2),
                moved(MoveKind::Delete, 4, 2),
                moved(MoveKind::Delete, 1, 1),
            ],
            ..Lineage::default()
        };
        let tracks = lineage.tracks("data");
        let row = |row| tracks.cell(CellRef { row, column: 2 }).map(|at| at.row);
        // 1 2 | new new | 3 4 5 …, then 1 2 new 4 5 …, then 2 new 4 5 …
        assert_eq!(
            [row(1), row(2), row(3), row(4)],
            [None, Some(1), None, Some(3)]
        );
        assert_eq!(tracks.deleted_rows(), [(3, 3), (1, 1)]);
        let area = tracks.area("A1:A5".parse().unwrap()).unwrap();
        assert_eq!(area.to_string(), "A1:A4");
        assert_eq!(tracks.area("A3".parse().unwrap()), None);
    }

    #[test]
    fn cells_that_are_pushed_off_the_sheet_are_told_from_deleted_ones() {
        let lineage = Lineage {
            moved: vec![
                moved(MoveKind::Delete, 1, 1),
                moved(MoveKind::Insert, 3, 2_000_000),
            ],
            ..Lineage::default()
        };
        let tracks = lineage.tracks("Data");
        let at = |row| CellRef { row, column: 1 };
        let pushed = [1, 2, 3, 4].map(|row| tracks.is_pushed_off(at(row)));
        assert_eq!(pushed, [false, false, false, true]);
        assert_eq!(tracks.cell(at(4)), None);
    }

    #[test]
    fn anything_that_is_told_is_survived() {
        let all = [i64::MIN, -1, 0, 1, 1_048_576, i64::MAX];
        let mut lineage = Lineage::default();
        for at in all {
            for count in all {
                lineage.moved.push(moved(MoveKind::Delete, at, count));
                lineage.moved.push(moved(MoveKind::Insert, at, count));
            }
        }
        lineage.tracks("Data").cell(CellRef { row: 1, column: 1 });
        assert_eq!(lineage.follow("Data!A1"), "Data!A1");
        lineage.sheets = Some(vec![("Data".to_owned(), "My data".to_owned())]);
        assert_eq!(lineage.follow("SUM(data!A1:A2)"), "SUM('My data'!A1:A2)");
    }
}
