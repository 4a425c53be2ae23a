//! Terminal input and Ctrl-C.
//!
//! At a terminal there is a line editor (`editor`) with completion (`completer`); a pipe is read line by
//! line. Typeahead (`typeahead`), which is input from before the question was shown, does not answer it.

mod completer;
mod editor;
pub(crate) mod typeahead;

use std::io::{self, BufRead, IsTerminal};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{
    error::Error,
    output::{Output, strong},
};

pub(crate) use editor::Editor;

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line of text; an editor may give several.
    Text(String),
    /// Ctrl-C.
    CtrlC,
    /// Ctrl-D, or the end of stdin.
    End,
}

/// What is asked for: decides about completion and history of the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// A command of the shell.
    Command,
    /// A message of a conversation.
    Message,
    /// A short answer, without completion and history.
    Detail,
}

/// Lines and Ctrl-C. Signals are caught from the moment it is made.
pub(crate) struct Terminal {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
    #[cfg(windows)]
    signal: tokio::signal::windows::CtrlC,
    input: InputSource,
    /// The command line, which commands are completed by.
    command: fn() -> clap::Command,
}

/// Where lines come from.
enum InputSource {
    Editor(Editors),
    Stdin(Option<UnboundedReceiver<io::Result<String>>>),
}

/// A line editor per topic, made on first use.
#[derive(Default)]
struct Editors {
    command: Option<Box<Editor>>,
    message: Option<Box<Editor>>,
    detail: Option<Box<Editor>>,
}

impl Terminal {
    /// Begins to listen: from here on Ctrl-C does not end the process by itself. Without `asks` nothing
    /// is asked, so no editor is needed.
    pub(crate) fn listen(asks: bool, command: fn() -> clap::Command) -> Result<Self, Error> {
        #[cfg(unix)]
        let signal = {
            use tokio::signal::unix::{SignalKind, signal};
            signal(SignalKind::interrupt())?
        };
        #[cfg(windows)]
        let signal = tokio::signal::windows::ctrl_c()?;
        let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
        let can_draw = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let input = match asks && is_there {
            true if can_draw => InputSource::Editor(Editors::default()),
            // Read from the start, so that what is typed before a question can be distinguished from its answer.
            true => InputSource::Stdin(Some(read_lines())),
            false => InputSource::Stdin(None),
        };
        Ok(Self {
            signal,
            input,
            command,
        })
    }

    /// Waits until Ctrl-C is pressed, or was since the last time.
    pub(crate) async fn ctrl_c(&mut self) {
        self.signal.recv().await;
    }

    /// Whether a person can be asked.
    pub(crate) fn is_interactive(&self) -> bool {
        matches!(self.input, InputSource::Editor(_))
    }

    /// Reads the next line.
    pub(crate) async fn read_line(
        &mut self,
        topic: Topic,
        prompt: &str,
        output: &Output,
    ) -> Result<Line, Error> {
        let lines = match &mut self.input {
            InputSource::Editor(editors) => {
                return editors.read_line(topic, prompt, self.command).await;
            }
            InputSource::Stdin(lines) => lines.get_or_insert_with(read_lines),
        };
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            if topic != Topic::Command {
                // Typeahead is for something else.
                while lines.try_recv().is_ok() {}
            }
            output.ask(&[strong(prompt)]);
        }
        tokio::select! {
            line = lines.recv() => Ok(line.transpose()?.map_or(Line::End, Line::Text)),
            _ = self.signal.recv() => Ok(Line::CtrlC),
        }
    }
}

impl Editors {
    /// Reads on a thread of its own, as an editor blocks.
    async fn read_line(
        &mut self,
        topic: Topic,
        prompt: &str,
        command: fn() -> clap::Command,
    ) -> Result<Line, Error> {
        let place = match topic {
            Topic::Command => &mut self.command,
            Topic::Message => &mut self.message,
            Topic::Detail => &mut self.detail,
        };
        let mut editor = place
            .take()
            .unwrap_or_else(|| Box::new(Editor::new(topic, command)));
        let prompt = prompt.to_owned();
        let reading = tokio::task::spawn_blocking(move || {
            let line = editor.read(&prompt, topic);
            (editor, line)
        });
        let (editor, line) = reading.await.map_err(io::Error::other)?;
        *place = Some(editor);
        Ok(line?)
    }
}

/// Lines of stdin, read by a thread of its own: reading cannot be stopped.
fn read_lines() -> UnboundedReceiver<io::Result<String>> {
    let (send, receive) = unbounded_channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}
