//! Terminal input and Ctrl-C.
//!
//! At a terminal there is a line editor (`editor`) with completion (`completer`); a pipe is read line by
//! line. Typeahead (`typeahead`), which is input from before the question was shown, does not answer it.

mod completer;
mod echo;
mod editor;
mod menu;
pub(crate) mod typeahead;

use std::io::{self, BufRead, IsTerminal, Read};

use superstep_agent::slash::{CLEAR, EDITOR};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{
    error::Error,
    output::{Output, faint, plain, strong},
};

pub(crate) use echo::Unechoed;
use editor::Typed;
pub(crate) use editor::{Composed, Editor};
pub(crate) use superstep_agent::Line;

/// More than this is not read from a pipe, nor from a file that a question names: as many tokens as Archie reads of a
/// folder of documents.
pub(crate) const MOST_PIPED: u64 = 192 << 10;

/// What is asked for: decides about completion and history of the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// A command of the shell.
    Command,
    /// A message of a conversation.
    Message,
    /// A message of a plain chat.
    Chat,
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
struct Editors(Vec<(Topic, Box<Editor>)>);

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

    /// Turns the echo off while a reply streams, if a person types here.
    pub(crate) fn unechoed(&self) -> Option<Unechoed> {
        self.is_interactive().then(Unechoed::begin)
    }

    /// What is piped into the command besides its arguments; nothing at a terminal, or if the lines of stdin
    /// are read as answers or commands.
    pub(crate) async fn piped_text(&mut self) -> Result<Option<String>, Error> {
        if !matches!(self.input, InputSource::Stdin(None)) || !stdin_is_data() {
            return Ok(None);
        }
        let read = tokio::task::spawn_blocking(|| {
            let mut text = Vec::new();
            let read = io::stdin()
                .lock()
                .take(MOST_PIPED + 1)
                .read_to_end(&mut text);
            read.map(|_| text)
        });
        let bytes = tokio::select! {
            read = read => read.map_err(io::Error::other)??,
            () = self.ctrl_c() => return Err(Error::Cancelled),
        };
        if bytes.len() as u64 > MOST_PIPED {
            return Err(Error::Usage(format!(
                "more than {} kB were piped in; put them into a folder and use --inputs",
                MOST_PIPED >> 10
            )));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| Error::Usage("stdin is not UTF-8 text".into()))?;
        Ok((!text.trim().is_empty()).then_some(text))
    }

    /// Reads the next line.
    pub(crate) async fn read_line(
        &mut self,
        topic: Topic,
        prompt: &str,
        output: &Output,
    ) -> Result<Line, Error> {
        self.read_draft(topic, prompt, "", output).await
    }

    /// Asks a question that is answered with yes; no line is none.
    pub(crate) async fn agrees(&mut self, prompt: &str, output: &Output) -> Result<bool, Error> {
        let line = self.read_line(Topic::Detail, prompt, output).await?;
        let is_yes = |words: &str| matches!(words.to_lowercase().as_str(), "y" | "yes");
        Ok(matches!(line, Line::Text(words) if is_yes(words.trim())))
    }

    /// Reads the next line; at a terminal it begins as this text, which can be changed.
    pub(crate) async fn read_draft(
        &mut self,
        topic: Topic,
        prompt: &str,
        draft: &str,
        output: &Output,
    ) -> Result<Line, Error> {
        let lines = match &mut self.input {
            InputSource::Editor(editors) => {
                let command = self.command;
                return editors
                    .read_line(topic, prompt, draft, command, output)
                    .await;
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
    /// Reads a line. The first Ctrl-C keeps what was typed and says how to leave; a second one leaves. At a short
    /// question without words one is enough. What is written in an outer editor is in the line then, to be sent.
    async fn read_line(
        &mut self,
        topic: Topic,
        prompt: &str,
        draft: &str,
        command: fn() -> clap::Command,
        output: &Output,
    ) -> Result<Line, Error> {
        let is_talk = topic != Topic::Detail;
        let given = draft;
        let mut draft = given.to_owned();
        // A reply was just stopped, and what was said is in the line again.
        let mut is_leaving = topic == Topic::Detail || topic == Topic::Message && !given.is_empty();
        loop {
            let start = match self.read_once(topic, prompt, &draft, command).await? {
                Typed::Line(Line::Text(words)) if is_talk && words.trim() == EDITOR => {
                    given.to_owned()
                }
                Typed::Line(Line::Text(words)) if is_talk && words.trim() == CLEAR => {
                    output.clear()?;
                    given.clone_into(&mut draft);
                    continue;
                }
                Typed::Line(line) => return Ok(line),
                Typed::Outer(words) => words,
                Typed::Stopped(words) => {
                    // The line of the prompt has no end yet.
                    output.say(&[]);
                    let is_new = !words.trim().is_empty() && words != given;
                    if is_leaving && !is_new {
                        return Ok(Line::CtrlC);
                    }
                    is_leaving = true;
                    draft.clear();
                    output.say(&[faint(match words.trim().is_empty() {
                        true => "Ctrl-C again leaves",
                        false => "Ctrl-C again leaves; Up brings your words back",
                    })]);
                    continue;
                }
            };
            draft = match Editor::compose(&start)? {
                Composed::Text(text) => text.trim_end().to_owned(),
                Composed::Nothing(why) => {
                    output.say(&[]);
                    output.say(&[plain(why)]);
                    start
                }
            };
        }
    }

    /// Reads on a thread of its own, as an editor blocks.
    async fn read_once(
        &mut self,
        topic: Topic,
        prompt: &str,
        draft: &str,
        command: fn() -> clap::Command,
    ) -> Result<Typed, Error> {
        let known = self.0.iter().position(|(known, _)| *known == topic);
        let mut editor = match known {
            Some(at) => self.0.swap_remove(at).1,
            None => Box::new(Editor::new(topic, command)),
        };
        let (prompt, draft) = (prompt.to_owned(), draft.to_owned());
        let reading = tokio::task::spawn_blocking(move || {
            let typed = editor.read(&prompt, &draft, topic);
            (editor, typed)
        });
        let (editor, typed) = reading.await.map_err(io::Error::other)?;
        self.0.push((topic, editor));
        Ok(typed?)
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

/// Whether stdin is a pipe or a file: neither a terminal nor a device such as `/dev/null`.
#[cfg(unix)]
fn stdin_is_data() -> bool {
    use rustix::fs::{FileType, fstat};
    fstat(io::stdin()).is_ok_and(|it| {
        let kind = FileType::from_raw_mode(it.st_mode);
        matches!(kind, FileType::Fifo | FileType::RegularFile)
    })
}

#[cfg(not(unix))]
fn stdin_is_data() -> bool {
    !io::stdin().is_terminal()
}
