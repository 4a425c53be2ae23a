//! What a claim is: a place in a sentence, and what the sentence says there that can be checked.

use std::ops::Range;

use super::{kinds::Kind, verdict::Verdict};

/// Something in a sentence that can be checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// Where in the sentence.
    pub(super) place: Range<usize>,
    pub(super) what: What,
}

/// What a claim says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// A file or a folder, and lines of it.
    Path {
        path: String,
        lines: Option<(u32, u32)>,
        /// Whether its place ends behind its closing backtick, because the line stands there.
        is_open: bool,
        /// Whether it is outside of code.
        is_bare: bool,
        /// Whether a slash at its end says that it is a folder.
        is_folder: bool,
    },
    /// A name of code, what it is part of, and whether a word says what kind of definition it is.
    Symbol {
        name: String,
        owner: Option<String>,
        has_kind: bool,
        /// Whether the sentence says that it is called, or that it is a type.
        kind: Option<Kind>,
    },
    /// A name of something from outside, and whether the sentence says that it is that.
    Dependency { name: String, is_said: bool },
    /// A version of something from outside, and whether it is said to be locked.
    Version {
        name: String,
        version: String,
        is_locked: bool,
        /// Where the name begins.
        from: usize,
    },
    /// A number of things.
    Count(Count),
    /// Something that was checked where it was found.
    Checked(Verdict),
}

/// A number of things.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Count {
    pub(super) number: u64,
    pub(super) noun: String,
    pub(super) of: Option<String>,
    /// Whether it is about lines of code.
    pub(super) is_code: bool,
    /// Whether the sentence leaves room around it.
    pub(super) is_about: bool,
    /// Whether it is plainly how much there is in all.
    pub(super) is_all: bool,
    /// Whether it is plainly what a file, named right before, has.
    pub(super) is_of_file: bool,
}
