//! The question whether a call happened.

/// The texts of a question whether a call happened.
pub(crate) struct OutcomeText {
    /// What identifies the effect.
    pub(crate) args: serde_json::Value,
    pub(crate) description: String,
}
