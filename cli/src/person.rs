//! Whoever sits before the command: what they say, and Ctrl-C.
//!
//! At a terminal they have a line editor (`editor`); what comes through a pipe is read line by line. What
//! is typed before a question is shown (`ahead`) does not answer it.

pub(crate) mod ahead;
mod editor;
mod suggest;

use std::io::{self, BufRead, IsTerminal};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{
    failure::Failure,
    output::{Output, strong},
};

pub(crate) use editor::Editor;

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// This.
    Words(String),
    /// They pressed Ctrl-C instead.
    Stop,
    /// They pressed Ctrl-D, or there is no more input.
    End,
}

/// What is asked for, which decides what the editor helps with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// A command of the shell.
    Command,
    /// A message of a conversation.
    Message,
    /// Something small that nobody wants to see again.
    Detail,
}

/// Words and Ctrl-C, listened to from the first moment on.
pub(crate) struct Person {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
    #[cfg(windows)]
    signal: tokio::signal::windows::CtrlC,
    mouth: Mouth,
}

/// Where words come from.
enum Mouth {
    Terminal(Editors),
    Lines(Option<UnboundedReceiver<io::Result<String>>>),
}

/// An editor for each topic, made when it is needed.
#[derive(Default)]
struct Editors {
    command: Option<Box<Editor>>,
    message: Option<Box<Editor>>,
    detail: Option<Box<Editor>>,
}

impl Person {
    /// Begins to listen: from here on Ctrl-C does not end the process by itself. Without `asks` no
    /// question is put to them, so there is nothing to edit.
    pub(crate) fn listen(asks: bool) -> Result<Self, Failure> {
        #[cfg(unix)]
        let signal = {
            use tokio::signal::unix::{SignalKind, signal};
            signal(SignalKind::interrupt())?
        };
        #[cfg(windows)]
        let signal = tokio::signal::windows::ctrl_c()?;
        let is_there = io::stdin().is_terminal() && io::stderr().is_terminal();
        let can_draw = std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let mouth = match asks && is_there {
            true if can_draw => Mouth::Terminal(Editors::default()),
            // Read from the start, so that what is typed before a question can be told from its answer.
            true => Mouth::Lines(Some(read_lines())),
            false => Mouth::Lines(None),
        };
        Ok(Self { signal, mouth })
    }

    /// Waits until Ctrl-C is pressed, or was since the last time.
    pub(crate) async fn pressed(&mut self) {
        self.signal.recv().await;
    }

    /// Whether somebody sits there who can be asked.
    pub(crate) fn is_there(&self) -> bool {
        matches!(self.mouth, Mouth::Terminal(_))
    }

    /// What they say next.
    pub(crate) async fn words(
        &mut self,
        topic: Topic,
        prompt: &str,
        output: &Output,
    ) -> Result<Said, Failure> {
        let lines = match &mut self.mouth {
            Mouth::Terminal(editors) => return editors.words(topic, prompt).await,
            Mouth::Lines(lines) => lines.get_or_insert_with(read_lines),
        };
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            if topic != Topic::Command {
                // Lines that were typed before this is asked are for something else.
                while lines.try_recv().is_ok() {}
            }
            output.ask(&[strong(prompt)]);
        }
        tokio::select! {
            line = lines.recv() => Ok(line.transpose()?.map_or(Said::End, Said::Words)),
            _ = self.signal.recv() => Ok(Said::Stop),
        }
    }
}

impl Editors {
    /// An editor blocks, so it reads on a thread of its own and comes back with the words.
    async fn words(&mut self, topic: Topic, prompt: &str) -> Result<Said, Failure> {
        let place = match topic {
            Topic::Command => &mut self.command,
            Topic::Message => &mut self.message,
            Topic::Detail => &mut self.detail,
        };
        let mut editor = place.take().unwrap_or_else(|| Box::new(Editor::new(topic)));
        let prompt = prompt.to_owned();
        let reading = tokio::task::spawn_blocking(move || {
            let said = editor.read(&prompt, topic);
            (editor, said)
        });
        let (editor, said) = reading.await.map_err(io::Error::other)?;
        *place = Some(editor);
        Ok(said?)
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
