//! The question whether a call happened.

/// The texts of a question whether a call happened.
pub(crate) struct OutcomeText {
    /// What identifies the effect.
    pub(crate) args: serde_json::Value,
    pub(crate) title: &'static str,
    /// What is known, and what each answer does.
    pub(crate) text: String,
}
