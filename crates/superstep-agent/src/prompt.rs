//! Questions as people see them, and typed answers as questions take them.

use serde::Serialize;
use serde_json::Value as Json;
use superstep::{
    AskId, Error as RunError, OpenAsk,
    tools::{Approval, Verdict},
};

use crate::{console::Topic, notice::Notice};

/// A question, ready to be shown and answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Prompt {
    /// The question.
    pub notice: Notice,
    /// The beginning of the line that a person types.
    pub input: String,
    /// Kind of text that is typed.
    pub topic: Topic,
    /// Effect of an answer.
    pub decides: Decides,
    /// Echoes answers that were not typed at this console.
    pub echoes: bool,
    /// Whether lines of a pipe answer it, as those of a file do.
    pub takes_pipe: bool,
    /// Ways to answer later, for a question that stays open.
    pub later: Vec<Notice>,
}

/// Effect of an answer: it limits which answers may have been written before the question was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Decides {
    /// Content of the conversation.
    Content,
    /// Whether a call is made. An answer from a file or a pipe counts only if the run began here, or if the command
    /// names the question.
    Call,
    /// Something that is not known before it is asked: whether a call happened, or what a step would lose. An answer
    /// from a file or a pipe counts only if the question was open before and the command names it.
    Outcome,
    /// Whether something that failed is tried again. An answer from a file or a pipe counts only if the question was
    /// open before.
    Retry,
}

/// A typed line, as the agent understands it.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// An answer.
    Answer(Answer),
    /// Nothing: the line is empty.
    Empty,
    /// No answer to this question; the text says what is expected.
    Unclear(String),
    /// An answer that cannot be given here; the question stays open.
    Refused(Notice),
}

/// An answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The question.
    pub id: AskId,
    /// The answer.
    pub value: Json,
    /// Shown before it is given.
    pub before: Vec<Notice>,
    /// Shown after the answer was accepted: another process may have answered first.
    pub after: Vec<Notice>,
}

impl Prompt {
    /// A question about content.
    pub fn new(notice: Notice) -> Self {
        Self {
            notice,
            input: "answer> ".into(),
            topic: Topic::Detail,
            decides: Decides::Content,
            echoes: false,
            takes_pipe: false,
            later: Vec::new(),
        }
    }
}

impl Answer {
    /// A verdict on the call that an approval asks about.
    pub fn to_call(ask: &OpenAsk, verdict: Verdict) -> Result<Self, RunError> {
        let answer = ask.question::<Approval>()?.answer(verdict);
        Ok(ask.answer::<Approval>(&answer)?.into())
    }
}

impl From<(AskId, Json)> for Answer {
    fn from((id, value): (AskId, Json)) -> Self {
        Self {
            id,
            value,
            before: Vec::new(),
            after: Vec::new(),
        }
    }
}
