//! After a run failed or was stopped: retry, other words, or leave. The thread stays as its last step left it.

use serde_json::json;
use superstep::{
    Error as RunError, ErrorKind, OpenAsk, SaverError, ThreadId, dynamic::state::Depth,
};

use super::{Conversation, Ended, Next, Step};
use crate::{
    block::{Block, Weight},
    console::{Console, Line, ReadLine, Topic},
    notice::Notice,
    open::{Instead, Reply},
    prompt::Reading,
    span::{faint, plain},
};

impl<C: Console> Conversation<'_, C> {
    /// Lets a person try again. Without one, the conversation ends with the error, or cancelled.
    pub(super) async fn recover(&mut self, error: Option<RunError>) -> Result<Step, C::Error> {
        let is_over = error.as_ref().is_some_and(is_taken);
        let notices = self.agent.broken_off(&self.context).await?;
        self.show(&notices)?;
        let error = error.map(C::Error::from);
        if is_over || !self.is_person() {
            return left(error);
        }
        match &error {
            Some(error) => self.console.failed(error),
            None => self.show(&[Notice::say([faint("stopped")])])?,
        }
        match self
            .agent
            .words(self.said.as_deref(), &self.context)
            .await?
        {
            Some(words) => self.rephrase(error, words).await,
            None => self.retry(error).await,
        }
    }

    async fn retry(&mut self, error: Option<C::Error>) -> Result<Step, C::Error> {
        let line = ReadLine {
            topic: Topic::Detail,
            input: "Press Enter to try again (Ctrl-D leaves): ",
            draft: "",
        };
        loop {
            let text = match self.console.read(line).await? {
                Line::Text(text) => text,
                Line::CtrlC => return Ok(Step::Ended(Ended::Cancelled)),
                Line::End => return left(error),
            };
            // A call may cost money: only an empty line repeats it.
            if text.trim().is_empty() {
                return Ok(Step::Next(Next::Resume));
            }
            match self.agent.command(&text, &self.context).await? {
                Some(Reply::Exit) => return left(error),
                Some(Reply::Resume(notices)) => {
                    self.show(&notices)?;
                    return Ok(Step::Next(Next::Resume));
                }
                Some(Reply::Shown(notices) | Reply::Skip(notices)) => self.show(&notices)?,
                None => self.show(&[Notice::say([faint("only Enter repeats the call")])])?,
            }
        }
    }

    /// Reads what the person says now; their last words are in the line.
    async fn rephrase(&mut self, error: Option<C::Error>, said: String) -> Result<Step, C::Error> {
        let how = "Enter sends your message again; change it to send another one. Ctrl-C leaves.";
        self.show(&[Notice::say([faint(how)])])?;
        loop {
            let line = ReadLine {
                topic: Topic::Message,
                input: "you> ",
                draft: &said,
            };
            let text = match self.console.read(line).await? {
                Line::Text(text) if text.trim().is_empty() => continue,
                Line::Text(text) => text,
                Line::CtrlC => return Ok(Step::Ended(Ended::Cancelled)),
                Line::End => return left(error),
            };
            match self.agent.command(&text, &self.context).await? {
                Some(Reply::Exit) => return left(error),
                Some(Reply::Resume(notices)) => {
                    self.show(&notices)?;
                    return Ok(Step::Next(Next::Resume));
                }
                Some(Reply::Shown(notices) | Reply::Skip(notices)) => {
                    self.show(&notices)?;
                    continue;
                }
                None => {}
            }
            let is_same = text.trim() == said.trim();
            self.said = Some(text.clone());
            if let Some(ask) = self.open_ask().await? {
                return Ok(Step::Next(match self.agent.read(&ask, &text)? {
                    Reading::Answer(answer) => Next::Answer(ask, answer),
                    _ => Next::Ask(ask),
                }));
            }
            if is_same {
                return Ok(Step::Next(Next::Resume));
            }
            return Ok(Step::Next(
                match self.agent.instead(&text, &self.context).await? {
                    Instead::Input(value) => Next::Input(value),
                    Instead::Resume => Next::Resume,
                },
            ));
        }
    }

    async fn open_ask(&self) -> Result<Option<OpenAsk>, C::Error> {
        let thread = ThreadId::from(self.context.thread.as_str());
        let snapshot = self.agent.graph().state(&thread, None, Depth::Here);
        let snapshot = snapshot.await?;
        Ok(snapshot.asks().next().map(OpenAsk::from))
    }

    /// Says how to resume, if there is something to resume: a thread that was not stored, or that another process works
    /// on, is not called saved.
    pub(super) async fn say_stored(&mut self, error: Option<&C::Error>) {
        let thread = ThreadId::from(self.context.thread.as_str());
        let stored = self.agent.graph().state(&thread, None, Depth::Here).await;
        let is_stored = stored.is_ok_and(|it| it.checkpoint.is_some() || !it.next.is_empty());
        let Some(how) = self.console.stored(error).filter(|_| is_stored) else {
            return;
        };
        let resume = self.agent.resume(&self.context);
        let fields = json!({"thread": self.context.thread, "resume": resume});
        let line = Block::Line(Weight::Say, vec![faint(how), plain(resume)]);
        // A closed output is reported by the error itself.
        let _shown = self
            .console
            .show(&Notice::named("kept", fields).with(vec![line]));
    }
}

fn left<E>(error: Option<E>) -> Result<Step, E> {
    match error {
        Some(error) => Err(error),
        None => Ok(Step::Ended(Ended::Cancelled)),
    }
}

/// Whether another process has the thread: trying again here cannot help.
fn is_taken(error: &RunError) -> bool {
    matches!(
        &*error.kind,
        ErrorKind::Saver(SaverError::Busy { .. } | SaverError::Conflict { .. })
    )
}
