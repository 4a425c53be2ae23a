//! Source of answers: a file, automatic approval, or the terminal.

use superstep_archie::Question;

use crate::{
    args::TalkOptions,
    error::Error,
    output::Output,
    terminal::{Line, Terminal, Topic},
    written::WrittenAnswers,
};

/// Where the next answer comes from.
pub(super) struct Answers {
    /// Answers that were written down before; nobody is asked then.
    written: Option<WrittenAnswers>,
    approve_after: Option<usize>,
}

impl Answers {
    /// Only the person.
    pub(super) fn none() -> Self {
        Self {
            written: None,
            approve_after: None,
        }
    }

    pub(super) fn of(talk: &TalkOptions) -> Result<Self, Error> {
        let answers = talk.answers.as_deref();
        Ok(Self {
            written: answers.map(WrittenAnswers::read).transpose()?,
            approve_after: talk.approve_after.map(|count| count as usize),
        })
    }

    /// Whether a person is asked.
    pub(super) fn asks(&self) -> bool {
        self.written.is_none() && self.approve_after.is_none()
    }

    /// The answer to a question.
    pub(super) async fn next(
        &mut self,
        question: &Question,
        output: &Output,
        terminal: &mut Terminal,
    ) -> Result<Line, Error> {
        if let Some(words) = self.written.as_mut().and_then(WrittenAnswers::next) {
            return Ok(Line::Text(words));
        }
        if self
            .approve_after
            .is_some_and(|count| question.turn >= count)
        {
            return Ok(Line::Text("/approve".into()));
        }
        if self.written.is_some() {
            return Ok(Line::End);
        }
        terminal.read_line(Topic::Message, "you> ", output).await
    }
}
