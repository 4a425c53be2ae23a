//! What triage found about a mail, besides its class.

use serde::{Deserialize, Serialize};

/// What triage found about a mail, besides its class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Judgement {
    /// Why the mail has its class, as the model put it.
    pub reason: String,
    /// Whether the model takes it for a fraud.
    pub is_suspicious: bool,
    /// Whether it is about the security of an account: nothing is learnt from such mail about what to ignore.
    pub is_security_notice: bool,
    /// How soon it needs its owner.
    pub urgency: Urgency,
    /// The language it is written in; empty if the model did not say.
    pub language: String,
}

/// How soon a mail needs its owner.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Urgency {
    /// Today: a deadline, an outage, somebody who waits now.
    Today,
    /// Within days.
    #[default]
    Soon,
    /// Whenever there is time.
    Later,
}
