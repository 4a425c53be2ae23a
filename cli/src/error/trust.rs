//! Errors of decisions about a project's file.

use superstep::model::config::PROJECT_FILE;

/// Why nothing was decided.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustError {
    /// The decision cannot be written or removed.
    #[error("the decision about {file} cannot be kept: {why}")]
    NotKept {
        /// The file it is about.
        file: String,
        /// What failed.
        why: String,
    },
    /// Consent was not given.
    #[error("{file} is not trusted")]
    NotGiven {
        /// The file.
        file: String,
        /// Whether it was ignored before.
        is_ignored: bool,
    },
    /// There is nothing to decide about.
    #[error("there is no {PROJECT_FILE} in {folder}{above}")]
    NoFile {
        /// Where it was looked for.
        folder: String,
        /// Whether it was looked for above as well.
        above: &'static str,
    },
}

impl TrustError {
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NotKept { .. } => "SS6020",
            Self::NotGiven { .. } => "SS6021",
            Self::NoFile { .. } => "SS6022",
        }
    }

    pub(crate) fn hints(&self) -> Vec<&'static str> {
        match self {
            Self::NotKept { .. } => vec!["check the folder and its permissions"],
            Self::NotGiven { is_ignored, .. } => vec![
                "`superstep trust --yes` trusts it until it is changed",
                match is_ignored {
                    true => "`superstep trust --revoke` forgets that it is ignored",
                    false => "`superstep trust --ignore` leaves it out for good",
                },
            ],
            Self::NoFile { .. } => vec!["there is nothing to trust"],
        }
    }

    pub(crate) fn exit(&self) -> u8 {
        match self {
            Self::NotGiven { .. } => 3,
            Self::NotKept { .. } | Self::NoFile { .. } => 1,
        }
    }
}
