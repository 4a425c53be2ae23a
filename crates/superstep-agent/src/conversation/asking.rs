//! Answers to a question: from a file, from the agent's own orders, from a person or a pipe.

use superstep::OpenAsk;

use super::{Conversation, Ended, Next, Step};
use crate::{
    console::{Console, Line, ReadLine},
    notice::Notice,
    open::Reply,
    prompt::{Decides, Prompt, Reading},
    question_id::names_question,
    span::{bad, faint, plain},
};

impl<C: Console> Conversation<'_, C> {
    /// Shows a question and gets an answer. Without one the question stays open.
    pub(super) async fn ask(&mut self, ask: OpenAsk) -> Result<Step, C::Error> {
        let prompt = self.agent.present(&ask, &self.context)?;
        self.show(std::slice::from_ref(&prompt.notice))?;
        self.answered(ask, &prompt).await
    }

    /// Gets another answer to a question that was shown.
    pub(super) async fn listen(&mut self, ask: OpenAsk) -> Result<Step, C::Error> {
        let prompt = self.agent.present(&ask, &self.context)?;
        self.answered(ask, &prompt).await
    }

    async fn answered(&mut self, ask: OpenAsk, prompt: &Prompt) -> Result<Step, C::Error> {
        let is_person = self.is_person();
        let is_unforeseen = matches!(prompt.decides, Decides::Outcome | Decides::Retry);
        if is_unforeseen && !is_person && self.seen != Some(ask.id) {
            return self.waits(ask, prompt);
        }
        loop {
            let text = match self.line(&ask, prompt).await? {
                Line::Text(text) => text,
                Line::CtrlC => {
                    self.hint(prompt)?;
                    return Ok(Step::Ended(Ended::Cancelled));
                }
                Line::End => return self.waits(ask, prompt),
            };
            if let Some(reply) = self.agent.command(&text, &self.context).await? {
                match reply {
                    Reply::Shown(notices) => self.show(&notices)?,
                    Reply::Resume(notices) => {
                        self.show(&notices)?;
                        return Ok(Step::Next(Next::Resume));
                    }
                    Reply::Skip(notices) => {
                        self.show(&notices)?;
                        return Ok(Step::Ended(Ended::Skipped));
                    }
                    Reply::Exit => return self.waits(ask, prompt),
                }
                continue;
            }
            let reading = match self.agent.read(&ask, &text) {
                Ok(reading) => reading,
                Err(error) => {
                    self.hint(prompt)?;
                    return Err(error.into());
                }
            };
            match reading {
                Reading::Empty => {}
                Reading::Unclear(expected) => {
                    self.show(&[Notice::say([plain(expected)])])?;
                    // The next line was written for another question too.
                    if !is_person {
                        return self.waits(ask, prompt);
                    }
                }
                Reading::Refused(notice) => {
                    self.show(&[notice])?;
                    return self.waits(ask, prompt);
                }
                Reading::Answer(_) if !is_person && !self.is_meant(&ask, prompt) => {
                    let why = match self.named {
                        Some(_) => {
                            "not taken: the command names another question than the open one"
                        }
                        None => {
                            "not taken: the command names no question, and another one may be open; add --question ID"
                        }
                    };
                    self.show(&[Notice::say([bad(why)])])?;
                    return self.waits(ask, prompt);
                }
                Reading::Answer(answer) => {
                    if prompt.echoes && !is_person {
                        let echo = [faint(&prompt.input), plain(&text)];
                        self.show(&[Notice::note(echo).for_people()])?;
                    }
                    self.said = Some(text);
                    return Ok(Step::Next(Next::Answer(ask, answer)));
                }
            }
        }
    }

    /// Whether a person sits here who is asked.
    pub(super) fn is_person(&self) -> bool {
        let console = &self.console;
        self.answers.are_a_persons() && console.is_interactive() && console.can_read()
    }

    /// The next line for a question.
    async fn line(&mut self, ask: &OpenAsk, prompt: &Prompt) -> Result<Line, C::Error> {
        let ready = self.answers.next().or_else(|| self.agent.own_answer(ask));
        if let Some(text) = ready {
            return Ok(Line::Text(text));
        }
        let is_refused_pipe = !self.console.is_interactive() && !prompt.takes_pipe;
        if self.answers.are_written() || !self.console.can_read() || is_refused_pipe {
            return Ok(Line::End);
        }
        let line = ReadLine {
            topic: prompt.topic,
            input: &prompt.input,
            draft: "",
        };
        self.console.read(line).await
    }

    /// Accepts a prepared answer if the command names the question, or if the run began in this process.
    fn is_meant(&self, ask: &OpenAsk, prompt: &Prompt) -> bool {
        let named = self.named.as_deref();
        let is_named = || named.is_some_and(|named| names_question(named, ask.id));
        let is_call = matches!(prompt.decides, Decides::Call | Decides::Outcome);
        !is_call || self.is_own || is_named()
    }

    fn waits(&mut self, ask: OpenAsk, prompt: &Prompt) -> Result<Step, C::Error> {
        self.hint(prompt)?;
        Ok(Step::Ended(Ended::Waiting(ask)))
    }

    /// Says how to answer later.
    fn hint(&mut self, prompt: &Prompt) -> Result<(), C::Error> {
        self.has_hinted = !prompt.later.is_empty();
        self.show(&prompt.later)
    }
}
