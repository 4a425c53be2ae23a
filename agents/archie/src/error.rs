//! Errors of an analysis besides those of models and savers, with stable codes.
//!
//! An [`Error`] gives its code as its source, so a node that passes it on with `?` fails with the
//! same code. Codes are listed in `docs/errors.md`. The thread is kept in every case.

use std::{error::Error as StdError, fmt, io, path::Path};

use superstep::{Category, Coded, text::single_line};

use crate::entry::Entry;

/// How many files a message names.
const NAMED: usize = 12;

/// An analysis that cannot continue, or a file that cannot be read or written.
#[derive(Clone)]
pub struct Error {
    kind: Box<ErrorKind>,
    coded: Coded,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The folder with the documents cannot be read.
    #[error("cannot read the folder `{folder}`: {why}")]
    #[coded(
        "SS6001",
        NotFound,
        hint = "check that it exists and can be read; then: superstep threads resume THREAD"
    )]
    Folder {
        /// The folder.
        folder: String,
        /// Why.
        why: String,
    },
    /// The folder has no document that can be read.
    #[error("nothing to read in `{folder}`{}", listed(.found, *.more))]
    #[coded(
        "SS6002",
        NotFound,
        hint = "put .txt, .md, .docx or .pdf files there or name others by globs, then resume the thread"
    )]
    NothingToRead {
        /// The folder.
        folder: String,
        /// What there is, and why it is not read.
        found: Vec<Entry>,
        /// How many more there are.
        more: usize,
    },
    /// The model gave an empty reply.
    #[error("the model returned an empty reply{}", limit.map(|limit| format!(": it used up its limit of {limit} tokens")).unwrap_or_default())]
    #[coded(
        "SS6003",
        Unavailable,
        hint = "resume the thread to try again; raise reply_tokens in [agents.archie] if a limit was used up, or choose another model",
        transient
    )]
    EmptyReply {
        /// The limit that cut it, if one did.
        limit: Option<u32>,
    },
    /// The text of a document is no longer in the store.
    #[error("the text of `{path}` is not in the store")]
    #[coded(
        "SS6004",
        NotFound,
        hint = "start the analysis again with its folder, or use the database it was made in"
    )]
    DocumentGone {
        /// The document.
        path: String,
    },
    /// The memory file cannot be read or written.
    #[error("the memory file `{path}`: {why}")]
    #[coded("SS6005", Unavailable, hint = "repair the file or name another one")]
    Memory {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
    /// Somebody else works on the memory file.
    #[error("the memory file `{path}` is in use by another process")]
    #[coded("SS6006", Conflict, hint = "wait for the other process", transient)]
    MemoryBusy {
        /// The file.
        path: String,
    },
    /// The result cannot be written.
    #[error("cannot write `{path}`: {why}")]
    #[coded(
        "SS6007",
        Unavailable,
        hint = "choose another place; the thread keeps the result and can write it again"
    )]
    Result {
        /// The file.
        path: String,
        /// Why.
        why: String,
    },
    /// Settings or an input that make no sense.
    #[error("{why}")]
    #[coded("SS6008", InvalidInput)]
    Settings {
        /// What is wrong with them.
        why: String,
    },
}

impl Error {
    /// What happened.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.coded.code
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        self.coded.hint
    }

    /// The error of this crate that a run ended with, if it was one.
    pub fn of(error: &superstep::Error) -> Option<&Self> {
        let superstep::ErrorKind::Failed(failure) = &*error.kind else {
            return None;
        };
        failure.source.as_deref()?.downcast_ref()
    }

    pub(crate) fn settings(why: impl Into<String>) -> Self {
        ErrorKind::Settings { why: why.into() }.into()
    }

    pub(crate) fn folder(folder: &Path, why: impl fmt::Display) -> Self {
        ErrorKind::Folder {
            folder: shown(folder),
            why: why.to_string(),
        }
        .into()
    }

    pub(crate) fn memory(path: &Path, why: impl fmt::Display) -> Self {
        ErrorKind::Memory {
            path: shown(path),
            why: why.to_string(),
        }
        .into()
    }

    pub(crate) fn result(path: &Path, why: &io::Error) -> Self {
        ErrorKind::Result {
            path: shown(path),
            why: why.to_string(),
        }
        .into()
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        let coded = Coded {
            code: kind.code(),
            category: kind.category(),
            hint: kind.hint(),
            transient: kind.is_transient(),
        };
        let kind = Box::new(kind);
        Self { kind, coded }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.kind, f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.coded.code, self.kind)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.coded)
    }
}

/// A path, sanitized for a terminal.
pub(crate) fn shown(path: &Path) -> String {
    single_line(&path.to_string_lossy())
}

fn listed(found: &[Entry], more: usize) -> String {
    if found.is_empty() {
        return ": it is empty, or all of it is hidden or ignored".into();
    }
    let named = found.iter().take(NAMED);
    let mut text = String::from(":");
    for entry in named {
        text.push_str("\n  ");
        text.push_str(&entry.to_string());
    }
    let rest = found.len().saturating_sub(NAMED) + more;
    if rest > 0 {
        text.push_str(&format!("\n  and {rest} more"));
    }
    text
}
