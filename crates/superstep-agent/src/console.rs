//! The place where a person sees notices and types lines.

use std::{future::Future, pin::Pin, sync::Arc};

use serde::Serialize;

use crate::{failure::AgentError, notice::Notice};

/// A future of a front end, which stays on its thread.
pub type Local<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Kind of text that a person types: an editor has completion and a history for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// A message of a conversation.
    Message,
    /// A short answer.
    Detail,
}

/// A line that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Text; an editor may give several lines.
    Text(String),
    /// Ctrl-C.
    CtrlC,
    /// Ctrl-D, or the end of the input.
    End,
}

/// A line to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadLine<'a> {
    /// Kind of text.
    pub topic: Topic,
    /// The beginning of the line.
    pub input: &'a str,
    /// The text that the line starts with, where it can be edited.
    pub draft: &'a str,
}

/// Where a conversation is shown, and where its lines come from.
pub trait Console {
    /// Errors of the front end. Those of runs and agents pass through it.
    type Error: From<superstep::Error> + From<AgentError>;

    /// Shows a notice.
    fn show(&mut self, notice: &Notice) -> Result<(), Self::Error>;

    /// Reads a line.
    fn read<'a>(&'a mut self, line: ReadLine<'a>) -> Local<'a, Result<Line, Self::Error>>;

    /// Waits for Ctrl-C.
    fn interrupted(&mut self) -> Local<'_, ()>;

    /// Whether a person types here.
    fn is_interactive(&self) -> bool;

    /// Whether lines may be read at all, from a person or a pipe.
    fn can_read(&self) -> bool;

    /// Marks the beginning or the end of a run: text that is typed meanwhile answers nothing.
    fn running(&mut self, is_running: bool);

    /// Says how long the run has been silent.
    fn silent(&mut self, seconds: u64);

    /// Says why a run failed, before the person is asked whether to retry.
    fn failed(&mut self, error: &Self::Error);

    /// The words before the command that resumes a stored thread, after the conversation ended early; nothing if
    /// nothing is said.
    fn stored(&self, error: Option<&Self::Error>) -> Option<&'static str>;

    /// Writes a command of the front end so that it works as it is shown.
    fn commands(&self) -> Commands;
}

/// Writes commands: the words after the program's name become a whole command line.
pub type Commands = Arc<dyn Fn(&[&str]) -> String + Send + Sync>;
