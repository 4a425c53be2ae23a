//! Errors of decisions about a project's file.

use superstep::model::config::PROJECT_FILE;

use super::{Facts, facts};

/// Why nothing was decided.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustError {
    /// The decision cannot be written or removed.
    #[error("the decision about {file} cannot be kept: {why}")]
    NotKept { file: String, why: String },
    /// Consent was not given.
    #[error("{file} is not trusted")]
    NotGiven { file: String, is_ignored: bool },
    /// There is nothing to decide about.
    #[error("there is no {PROJECT_FILE} in {folder}{above}")]
    NoFile { folder: String, above: &'static str },
}

impl TrustError {
    pub(super) fn facts(&self) -> Facts {
        match self {
            Self::NotKept { .. } => facts("SS6020", 1, ["check the folder and its permissions"]),
            Self::NotGiven { is_ignored, .. } => {
                let trusts = "`superstep trust --yes` trusts it until it is changed";
                let other = match is_ignored {
                    true => "`superstep trust --revoke` forgets that it is ignored",
                    false => "`superstep trust --ignore` leaves it out for good",
                };
                facts("SS6021", 3, [trusts, other])
            }
            Self::NoFile { .. } => facts("SS6022", 1, ["there is nothing to trust"]),
        }
    }
}
