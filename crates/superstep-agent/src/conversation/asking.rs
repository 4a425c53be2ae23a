//! Answers to a question: from a file, from an inbox, from the agent's own orders, from a person or a pipe.

use superstep::{OpenAsk, tools::Approval};

use super::{Conversation, Ended, Next, Step};
use crate::{
    answers::Written,
    console::{Console, Line, ReadLine},
    failure::AgentError,
    inbox::InboxAnswer,
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
            let said = match self.answers.next() {
                // To a question about content, words are a typed line.
                Some(Written::Inbox(InboxAnswer::Respond(words))) if !ask.is::<Approval>() => {
                    Written::Line(words)
                }
                Some(said) => said,
                None => match self.line(&ask, prompt).await? {
                    Line::Text(text) => Written::Line(text),
                    Line::CtrlC => {
                        self.hint(prompt)?;
                        return Ok(Step::Ended(Ended::Cancelled));
                    }
                    Line::End => return self.waits(ask, prompt),
                },
            };
            let (reading, text) = match said {
                Written::Inbox(answer) => (self.decided(&ask, &answer), String::new()),
                Written::Line(text) => {
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
                    (self.agent.read(&ask, &text), text)
                }
            };
            let reading = match reading {
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
                    if prompt.echoes && !is_person && !text.is_empty() {
                        let echo = [faint(&prompt.input), plain(&text)];
                        self.show(&[Notice::note(echo).for_people()])?;
                    }
                    self.said = Some(text);
                    return Ok(Step::Next(Next::Answer(ask, answer)));
                }
            }
        }
    }

    /// An answer of an inbox as the question takes it. Its kind decides about a call, not its words.
    fn decided(&mut self, ask: &OpenAsk, answer: &InboxAnswer) -> Result<Reading, AgentError> {
        match answer.verdict().filter(|_| ask.is::<Approval>()) {
            Some(verdict) => self.agent.decide(ask, verdict),
            None => {
                let verb = answer.verb().name();
                Ok(Reading::Unclear(format!(
                    "this question does not take `{verb}`"
                )))
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
        if let Some(text) = self.agent.own_answer(ask) {
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

    /// Accepts a prepared answer if the command names the question. A later one, or one of a command that names no question,
    /// counts for content, and for a call if the run began in this process.
    fn is_meant(&self, ask: &OpenAsk, prompt: &Prompt) -> bool {
        let is_call = matches!(prompt.decides, Decides::Call | Decides::Outcome);
        match &self.named {
            Some(named) if names_question(named, ask.id) => true,
            Some(_) if !self.has_answered => false,
            _ => !is_call || self.is_own,
        }
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
