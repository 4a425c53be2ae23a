//! What a thread keeps of the documents it read: names, hashes, and why a file is not among them.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use serde::{Deserialize, Serialize};
use superstep::text::single_line;

use super::{Reading, decode::Encoding};

/// How many files that were left out are named in the state. The others are counted there, and
/// named in the store.
pub const LISTED: usize = 200;

/// Where documents are and what was found there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inputs {
    /// The folder, or one file; nothing if the thread has no documents.
    pub folder: Option<String>,
    /// Files besides `.txt` and `.md`.
    pub globs: Vec<String>,
    /// Files that are never read: where results go.
    pub skip: Vec<String>,
    /// The files that are included, then the first [`LISTED`] of those that are not.
    pub files: Vec<Entry>,
    /// How many files are not included, by reason.
    pub left: BTreeMap<String, usize>,
    /// How many tokens the included ones are, as estimated.
    pub tokens: usize,
    /// How many they could have been.
    pub budget: usize,
    /// Where in the store all files are listed, if not all are listed here.
    pub manifest: Option<String>,
}

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

/// Whether the model gets a file. Tokens are estimated, the file's header among them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// All of it.
    Whole {
        /// How many tokens it is.
        tokens: usize,
    },
    /// Its beginning.
    Cut {
        /// How many tokens are left of it.
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
    /// It is no `.txt` or `.md`, and no glob names it.
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
    /// It is the same as one before it.
    Copy,
    /// Others are of more use, and not all fit.
    Budget,
}

impl Inputs {
    /// Documents below this folder.
    pub(crate) fn of(folder: Option<&PathBuf>, globs: &[String], skip: &[PathBuf]) -> Self {
        let absolute = |path: &PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            path.to_string_lossy().into_owned()
        };
        Self {
            folder: folder.map(absolute),
            globs: globs.to_vec(),
            skip: skip.iter().map(absolute).collect(),
            ..Self::default()
        }
    }

    /// The same with what was read.
    pub(crate) fn filled(mut self, reading: &Reading, budget: usize) -> Self {
        self.tokens = reading.tokens;
        self.budget = budget;
        self.left.clear();
        self.files.clear();
        let mut listed = 0;
        for entry in &reading.files {
            if let Fate::Left(why) = &entry.fate {
                *self.left.entry(why.name().to_owned()).or_default() += 1;
                listed += 1;
                if listed > LISTED {
                    continue;
                }
            }
            self.files.push(entry.clone());
        }
        self
    }

    /// The files that are included.
    pub fn included(&self) -> impl Iterator<Item = &Entry> {
        self.files
            .iter()
            .filter(|entry| entry.fate.tokens().is_some())
    }

    /// How many files are not included.
    pub fn omitted(&self) -> usize {
        self.left.values().sum()
    }
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
            Self::Copy => "copy",
            Self::Budget => "budget",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherKind => f.write_str("neither .txt nor .md"),
            Self::OwnOutput => f.write_str("a result of this program"),
            Self::Link => f.write_str("a link; links are not followed"),
            Self::NotAFile => f.write_str("a pipe, a socket or a device"),
            Self::TooLarge { limit } => write!(f, "larger than {limit} bytes"),
            Self::TooMuch => f.write_str("too many bytes in all"),
            Self::Unreadable { message } => write!(f, "cannot be read: {}", single_line(message)),
            Self::Binary => f.write_str("no text"),
            Self::Empty => f.write_str("empty"),
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
            Fate::Cut { tokens, of } => write!(f, "{path} (cut: {tokens} of {of} tokens")?,
            Fate::Left(why) => return write!(f, "{path}: {why}"),
        }
        match self.encoding {
            None | Some(Encoding::Utf8) => f.write_str(")"),
            Some(encoding) => write!(f, ", {encoding})"),
        }
    }
}
