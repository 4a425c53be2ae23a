//! The inbox of a person: open questions in lines, edits, answers and their effects, as front ends show them.
//!
//! `question` lists questions, `description` makes lines of one, `edit` parses changed arguments, `answer` gives answers,
//! `outcome` is what became of them, `notices` shows all of it. Questions on the wire are in `wire`.

mod answer;
mod description;
pub mod edit;
mod error;
mod notices;
mod outcome;
mod question;

pub use answer::{give, resume};
pub use description::Described;
pub use error::InboxError;
pub use outcome::{After, Effect};
pub use question::{Question, QuestionKey, Shown};
