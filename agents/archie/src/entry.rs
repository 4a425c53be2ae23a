//! One file of the folder: its path, hash and encoding, and whether the model gets it.

use std::fmt;

use serde::{Deserialize, Serialize};
use superstep::text::single_line;

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its path below the folder, as it is; show it with `superstep::text::sanitize` or as this entry.
    pub path: String,
    /// The hash of its bytes, if they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How large it is.
    pub bytes: u64,
    /// How its bytes are text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Whether the model gets it.
    pub fate: Fate,
}

/// How much of a file the model is shown first. Tokens are estimated, the file's header among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// All of it.
    Whole {
        /// How many tokens it is.
        tokens: usize,
    },
    /// Some of its sections.
    Cut {
        /// How many tokens they are.
        tokens: usize,
        /// How many it has.
        of: usize,
    },
    /// Nothing.
    Left(Why),
}

/// Why a file is not included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Why {
    /// It is no `.txt`, `.md`, `.docx` or `.pdf`, and no glob names it.
    OtherKind,
    /// It is a result of this program.
    OwnOutput,
    /// It is a link; links are not followed.
    Link,
    /// It is a pipe, a socket or a device.
    NotAFile,
    /// It is larger than a document should be.
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The files before it have all the bytes that are read.
    TooMuch,
    /// It cannot be read.
    Unreadable {
        /// Why not.
        message: String,
    },
    /// It is no text.
    Binary,
    /// There is nothing in it.
    Empty,
    /// It is a PDF of pictures alone, such as scanned pages.
    Scanned,
    /// It is a PDF, and nothing reads those here.
    NoPdfReader,
    /// It is the same as one before it.
    Copy,
    /// Others are of more use, and not all fit.
    Budget,
}

/// How bytes are text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 with a mark at the beginning.
    Utf8Bom,
    /// UTF-8 with places that are not; those are shown as �.
    Utf8Damaged,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// Latin-1.
    Latin1,
    /// Windows-1252.
    Windows1252,
    /// A document of Word, of which the text was taken.
    Docx,
    /// A PDF, of which the text was taken.
    Pdf,
}

impl Fate {
    /// How many tokens of the file the model gets.
    pub fn tokens(&self) -> Option<usize> {
        match self {
            Self::Whole { tokens } | Self::Cut { tokens, .. } => Some(*tokens),
            Self::Left(_) => None,
        }
    }
}

impl Why {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OtherKind => "other_kind",
            Self::OwnOutput => "own_output",
            Self::Link => "link",
            Self::NotAFile => "not_a_file",
            Self::TooLarge { .. } => "too_large",
            Self::TooMuch => "too_much",
            Self::Unreadable { .. } => "unreadable",
            Self::Binary => "binary",
            Self::Empty => "empty",
            Self::Scanned => "scanned",
            Self::NoPdfReader => "no_pdf_reader",
            Self::Copy => "copy",
            Self::Budget => "budget",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKind => f.write_str("not .txt, .md, .docx or .pdf"),
            Self::OwnOutput => f.write_str("a result of this program"),
            Self::Link => f.write_str("a link; links are not followed"),
            Self::NotAFile => f.write_str("a pipe, a socket or a device"),
            Self::TooLarge { limit } if *limit >= 1 << 20 => {
                write!(f, "larger than {} MiB", limit >> 20)
            }
            Self::TooLarge { limit } => write!(f, "larger than {limit} bytes"),
            Self::TooMuch => f.write_str("too many bytes in all"),
            Self::Unreadable { message } => write!(f, "cannot be read: {}", single_line(message)),
            Self::Binary => f.write_str("no text"),
            Self::Empty => f.write_str("empty"),
            Self::Scanned => f.write_str(
                "a PDF without text, such as scanned pages; make text of it first (OCR)",
            ),
            Self::NoPdfReader => f.write_str("a PDF, which this program was built without"),
            Self::Copy => f.write_str("a copy of another one"),
            Self::Budget => f.write_str("does not fit; others are closer to the query"),
        }
    }
}

impl fmt::Display for Entry {
    /// On one line, fit for a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = single_line(&self.path);
        match &self.fate {
            Fate::Whole { tokens } => write!(f, "{path} ({tokens} tokens")?,
            Fate::Cut { tokens, of } => {
                write!(f, "{path} (sections of it: {tokens} of {of} tokens")?
            }
            Fate::Left(why) => return write!(f, "{path}: {why}"),
        }
        match self.encoding {
            None | Some(Encoding::Utf8) => f.write_str(")"),
            Some(encoding) => write!(f, ", {encoding})"),
        }
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "utf-8",
            Self::Utf8Bom => "utf-8 with a mark",
            Self::Utf8Damaged => "utf-8, damaged",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Latin1 => "latin-1",
            Self::Windows1252 => "windows-1252",
            Self::Docx => "text of a DOCX",
            Self::Pdf => "text of a PDF",
        })
    }
}
