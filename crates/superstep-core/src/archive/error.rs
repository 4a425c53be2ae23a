//! Why an archive cannot be read or written.

use std::io;

use super::{
    format::{LONGEST_LINE, VERSION},
    weight::MAX_MEMORY,
};
use crate::{error::Category, value::MAX_DEPTH};

/// Why an archive cannot be read or written; names the line.
#[derive(Debug, thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum ArchiveError {
    /// It begins with something else.
    #[error("line 1: not an archive of a thread: {why}")]
    #[coded("SS2101", InvalidInput)]
    Foreign {
        /// What was found.
        why: String,
    },
    /// A later program wrote it.
    #[error("line 1: the archive has version {version}, this program reads up to {VERSION}")]
    #[coded("SS2102", InvalidInput)]
    Newer {
        /// The version it has.
        version: u64,
    },
    /// Its last line is missing.
    #[error("line {line}: the archive ends before its last line")]
    #[coded("SS2103", InvalidInput)]
    Truncated {
        /// The line that should be there.
        line: usize,
    },
    /// A line does not say what it should.
    #[error("line {line}: {why}")]
    #[coded("SS2104", InvalidInput)]
    Line {
        /// Which.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A line is too long to be read.
    #[error("line {line}: more than {LONGEST_LINE} bytes")]
    #[coded("SS2105", InvalidInput)]
    TooLarge {
        /// Which.
        line: usize,
    },
    /// A line holds a value that is nested deeper than a saver stores.
    #[error(
        "line {line}: a value is nested more than {MAX_DEPTH} levels deep, or has no JSON form"
    )]
    #[coded("SS2105", InvalidInput)]
    TooDeep {
        /// Which.
        line: usize,
    },
    /// Up to this line it takes more memory than an archive may.
    #[error("line {line}: the archive takes more than {MAX_MEMORY} bytes of memory")]
    #[coded(
        "SS2105",
        InvalidInput,
        hint = "prune the thread and export it again; an archive of unknown origin may be made to exhaust memory"
    )]
    TooMuch {
        /// Where.
        line: usize,
    },
    /// The file failed.
    #[error("line {line}: {error}")]
    #[coded("SS2106", Unavailable)]
    Io {
        /// Where.
        line: usize,
        /// Its message.
        #[source]
        error: io::Error,
    },
}
