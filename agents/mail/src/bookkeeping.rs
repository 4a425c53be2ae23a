//! Namespaces of the store in which the assistant keeps what is not for people.

/// Mail that arrived while its thread had open questions.
pub(crate) const QUEUE: [&str; 2] = ["email_assistant", "queue"];

/// Calls that were made about a mail: what was sent is not sent again.
pub(crate) const PAST_CALLS: [&str; 2] = ["email_assistant", "past_calls"];

/// Edits that wait for their question.
pub(crate) const EDITS: [&str; 2] = ["email_assistant", "edits"];

/// Mail that is being parsed.
pub(crate) const PARSING: [&str; 2] = ["email_assistant", "parsing"];

/// Meetings that wait for an answer.
pub(crate) const PROPOSALS: [&str; 2] = ["email_assistant", "proposals"];

/// Store namespaces of bookkeeping, not of notes. Front ends hide them.
/// Without them mail may be sent twice, or never be looked at.
pub const BOOKKEEPING: [[&str; 2]; 5] = [QUEUE, PAST_CALLS, EDITS, PARSING, PROPOSALS];
