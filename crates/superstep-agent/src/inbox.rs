//! Open questions of all agents as an inbox lists them, and the answers that it takes.
//!
//! `question` is a question, `notices` shows it, `edit` makes editable text of its arguments, `answer` is what a person says,
//! and `desk` gives answers while the person reads on.

mod answer;
mod desk;
mod edit;
mod notices;
mod question;

pub use answer::{InboxAnswer, Verb};
pub use desk::{AfterAnswers, Desk, RunEnd};
pub use question::{InboxEffect, InboxQuestion, QuestionKey};
