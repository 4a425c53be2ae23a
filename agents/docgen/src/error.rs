//! Errors of the documentation agents, with stable codes. Codes are listed in `docs/errors.md`.

use superstep::{Category, Coded, Failure};

/// Why there is no documentation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum Error {
    /// The folder cannot be read.
    #[error("{path} cannot be scanned: {why}")]
    #[coded("SS7801", InvalidInput, hint = "name a folder that can be read")]
    Root {
        /// The folder.
        path: String,
        /// Why.
        why: String,
    },
    /// Settings that make no sense.
    #[error("{why}")]
    #[coded("SS7802", InvalidInput, hint = "see the message, and docs/docgen.md")]
    Settings {
        /// What is wrong.
        why: String,
    },
    /// There is no such agent.
    #[error("there is no agent `{name}`{near}")]
    #[coded(
        "SS7803",
        InvalidInput,
        hint = "`superstep docs PATH --dry-run` lists the agents"
    )]
    UnknownAgent {
        /// Its name, as given.
        name: String,
        /// The nearest one.
        near: String,
    },
    /// The documentation cannot be written.
    #[error("{path} cannot be written: {why}")]
    #[coded("SS7804", Unavailable, hint = "choose another folder with -o")]
    Output {
        /// Where.
        path: String,
        /// Why.
        why: String,
    },
    /// There is nothing to show yet.
    #[error("{path} has no documentation: {why}")]
    #[coded("SS7805", NotFound, hint = "make it with `superstep docs PATH`")]
    NoDocumentation {
        /// Where it was looked for.
        path: String,
        /// Why.
        why: String,
    },
    /// A path that is not in the facts.
    #[error("{path} is not among the files of {root}")]
    #[coded(
        "SS7806",
        NotFound,
        hint = "name a file below the folder that is not ignored"
    )]
    UnknownFile {
        /// The path, as given.
        path: String,
        /// The folder.
        root: String,
    },
    /// Git does not know what changed.
    #[error("git cannot tell what changed since {reference}: {why}")]
    #[coded(
        "SS7807",
        InvalidInput,
        hint = "name a commit, a tag or a branch of this repository"
    )]
    Since {
        /// The reference, as given.
        reference: String,
        /// Why.
        why: String,
    },
    /// An agent failed; the others are not concerned.
    #[error("{agent}: {why}")]
    #[coded(
        "SS7808",
        Internal,
        hint = "run the command again: what is finished is kept",
        transient
    )]
    Agent {
        /// The agent.
        agent: String,
        /// Why.
        why: String,
    },
}

impl Error {
    /// The same with the file in which settings make no sense.
    #[must_use]
    pub fn in_file(self, file: &std::path::Path) -> Self {
        match self {
            Self::Settings { why } => Self::Settings {
                why: superstep::text::single_line(&format!("{}: {why}", file.display())),
            },
            other => other,
        }
    }

    /// The failure of a run that stops with it; the thread is kept.
    pub(crate) fn failure(&self) -> Failure {
        let coded = Coded {
            code: self.code(),
            category: self.category(),
            hint: self.hint(),
            transient: self.is_transient(),
        };
        coded.failure("DocError", self.to_string())
    }
}
