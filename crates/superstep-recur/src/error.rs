//! Texts of calendars that are not understood.

/// Why a rule or a moment is refused. The texts are as they were given: of any length and with any character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecurError {
    /// Neither a day nor a time.
    #[error("`{0}` is no time")]
    Time(String),
    /// A part of a rule that is not followed.
    #[error("it recurs in a way that is not known: `{0}`")]
    Part(String),
    /// A rule without `FREQ`.
    #[error("it recurs without saying how often")]
    Frequency,
}
