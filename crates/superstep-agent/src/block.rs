//! Parts of a document, and their form in JSON: objects tagged with their `kind`.

use serde::{Serialize, Serializer};

use crate::{
    diff::Diff,
    result_file::ResultFile,
    span::{Span, plain, strong},
};

/// A part of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A line.
    Line(Weight, Vec<Span>),
    /// A piece of streamed Markdown; the next piece follows it on the same line.
    Piece(String),
    /// The end of what was streamed.
    EndOfPieces,
    /// A table.
    Table(Table),
    /// A file of the result.
    File(Weight, ResultFile),
    /// A text before and after it was changed.
    Diff(Weight, Diff),
    /// Lines that must be visible before the run resumes: an answer is about to take effect.
    Announcement(Vec<Vec<Span>>),
}

impl Block {
    /// The part in lines, for screens that draw lines.
    pub fn lines(&self) -> Vec<Vec<Span>> {
        match self {
            Self::Line(_, spans) => vec![spans.clone()],
            Self::Piece(text) => text.lines().map(|line| vec![plain(line)]).collect(),
            Self::EndOfPieces => Vec::new(),
            Self::Table(table) => {
                let rows = [&table.columns].into_iter().chain(&table.rows);
                rows.map(|row| vec![plain(row.join("  "))]).collect()
            }
            Self::File(_, file) => {
                let name = strong(&file.name);
                vec![vec![plain(format!("{} is ", file.about)), name]]
            }
            Self::Diff(_, diff) => diff.lines(),
            Self::Announcement(lines) => lines.clone(),
        }
    }
}

/// Importance of a part: it decides where it goes, and whether a quiet front end leaves it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// Progress; a quiet front end leaves it out.
    Note,
    /// Something a person should read.
    Say,
    /// A part of the result.
    Data,
}

/// Rows under named columns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The names.
    pub columns: Vec<String>,
    /// The cells.
    pub rows: Vec<Vec<String>>,
    /// The layout.
    pub style: TableStyle,
    /// The rows as lines of text, for an output that is no terminal; columns there too if there are none.
    pub text: Option<Vec<String>>,
}

/// Layout of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TableStyle {
    /// Records, which may stand below each other where the columns do not fit.
    #[default]
    Records,
    /// Cells of a sheet: short, with numbers aligned to the right.
    Grid,
}

/// A block in JSON.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum BlockJson<'a> {
    Line {
        weight: Weight,
        spans: &'a [Span],
    },
    Piece {
        text: &'a str,
    },
    EndOfPieces,
    Table(&'a Table),
    File {
        weight: Weight,
        #[serde(flatten)]
        file: &'a ResultFile,
    },
    Diff {
        weight: Weight,
        #[serde(flatten)]
        diff: &'a Diff,
    },
    Announcement {
        lines: &'a [Vec<Span>],
    },
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = match self {
            Self::Line(weight, spans) => BlockJson::Line {
                weight: *weight,
                spans,
            },
            Self::Piece(text) => BlockJson::Piece { text },
            Self::EndOfPieces => BlockJson::EndOfPieces,
            Self::Table(table) => BlockJson::Table(table),
            Self::File(weight, file) => BlockJson::File {
                weight: *weight,
                file,
            },
            Self::Diff(weight, diff) => BlockJson::Diff {
                weight: *weight,
                diff,
            },
            Self::Announcement(lines) => BlockJson::Announcement { lines },
        };
        json.serialize(serializer)
    }
}
