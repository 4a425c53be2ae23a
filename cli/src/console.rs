//! The terminal as the console of a conversation.

use std::sync::Arc;

use superstep::OpenAsk;
use superstep_agent::{
    Answers, Block, Commands, Console, Conversation, Ended, FilePlace, ForPrograms, Line, Local,
    Next, Notice, OpenAgent, ReadLine, ResultFile, Topic, Weight,
};

use crate::{
    app::App,
    error::Error,
    output::{Form, Output, Span, faint, plain, strong},
    stream::TextStream,
    suggest, table,
    terminal::{self, Unechoed},
};

/// A terminal, or the pipes in its place.
pub(crate) struct TerminalConsole<'a, 'b> {
    app: &'a mut App<'b>,
    stream: TextStream<'b>,
    /// Whether the line about silence is shown.
    is_silent: bool,
    unechoed: Option<Unechoed>,
}

impl<'a, 'b> TerminalConsole<'a, 'b> {
    pub(crate) fn new(app: &'a mut App<'b>) -> Self {
        let stream = TextStream::new(app.output);
        Self {
            app,
            stream,
            is_silent: false,
            unechoed: None,
        }
    }

    fn block(&mut self, block: &Block) -> Result<(), Error> {
        if std::mem::take(&mut self.is_silent) {
            self.app.output.status().clear();
        }
        if let Block::Piece(text) = block {
            return self.stream.write(text);
        }
        self.stream.end()?;
        printed(block, self.app.output)
    }
}

impl Console for TerminalConsole<'_, '_> {
    type Error = Error;

    fn show(&mut self, notice: &Notice) -> Result<(), Error> {
        let mut blocks = left(notice, self.app.output)?.iter();
        blocks.try_for_each(|block| self.block(block))
    }

    fn read<'a>(&'a mut self, line: ReadLine<'a>) -> Local<'a, Result<Line, Error>> {
        let topic = match line.topic {
            Topic::Message => terminal::Topic::Message,
            Topic::Detail => terminal::Topic::Detail,
        };
        Box::pin(async move {
            let (terminal, output) = (&mut *self.app.terminal, self.app.output);
            let read = terminal.read_draft(topic, line.input, line.draft, output);
            read.await
        })
    }

    fn interrupted(&mut self) -> Local<'_, ()> {
        Box::pin(self.app.terminal.ctrl_c())
    }

    fn is_interactive(&self) -> bool {
        self.app.terminal.is_interactive()
    }

    fn can_read(&self) -> bool {
        // A person who watches JSON is not asked between its lines.
        let is_json = self.app.output.form == Form::Json;
        !(self.app.global.no_input || self.is_interactive() && is_json)
    }

    fn running(&mut self, is_running: bool) {
        self.unechoed = match is_running {
            true => self.app.terminal.unechoed(),
            false => None,
        };
    }

    fn silent(&mut self, seconds: u64) {
        let output = self.app.output;
        if output.is_watched() && output.form == Form::Text && !self.stream.is_open() {
            let line = format!("… {seconds} s, still working; Ctrl-C stops it");
            output.status().redraw(&[faint(line)]);
            self.is_silent = true;
        }
    }

    fn failed(&mut self, error: &Error) {
        // A reply that broke off has no end of the line yet; a closed output is reported when more is shown.
        let _ended = self.stream.end();
        self.app.output.error(error);
    }

    fn stored(&self, error: Option<&Error>) -> Option<&'static str> {
        match error {
            Some(Error::Closed) => None,
            Some(error) => match error.saver() {
                Some(superstep::SaverError::Busy { .. }) => None,
                Some(_) => Some("Saved up to its last stored step. Resume with: "),
                None => Some("Saved. Resume with: "),
            },
            None => Some("Saved. Resume with: "),
        }
    }

    fn commands(&self) -> Commands {
        let global = self.app.global.clone();
        Arc::new(move |words| suggest::command(&global, words))
    }
}

/// Shows notices outside of a conversation.
pub(crate) fn show(
    notices: impl IntoIterator<Item = Notice>,
    output: &Output,
) -> Result<(), Error> {
    let mut notices = notices.into_iter();
    notices.try_for_each(|notice| {
        for block in left(&notice, output)? {
            printed(block, output)?;
        }
        Ok(())
    })
}

/// Prints the event of a notice if events are what is printed; gives the blocks that are left.
fn left<'n>(notice: &'n Notice, output: &Output) -> Result<&'n [Block], Error> {
    let is_announced = |block: &Block| matches!(block, Block::Announcement(_));
    match &notice.programs {
        _ if output.form == Form::Text => return Ok(&notice.blocks),
        ForPrograms::Event(event) if notice.blocks.iter().any(is_announced) => {
            output.announce_json(event)?;
        }
        ForPrograms::Event(event) => output.json(event)?,
        ForPrograms::Nothing => {}
        ForPrograms::Blocks => return Ok(&notice.blocks),
    }
    Ok(&[])
}

/// Prints a block that is no part of a stream.
fn printed(block: &Block, output: &Output) -> Result<(), Error> {
    match block {
        Block::Line(weight, spans) => line(*weight, spans, output)?,
        Block::Piece(_) | Block::EndOfPieces => {}
        Block::Table(table) => table::print(table, output)?,
        Block::File(weight, file) => line(*weight, &file_line(*weight, file), output)?,
        Block::Diff(weight, diff) => {
            let mut lines = diff.lines().into_iter();
            lines.try_for_each(|spans| line(*weight, &spans, output))?;
        }
        Block::Announcement(lines) => output.announce(lines)?,
    }
    Ok(())
}

fn line(weight: Weight, spans: &[Span], output: &Output) -> Result<(), Error> {
    match weight {
        Weight::Note => output.note(spans),
        Weight::Say => output.say(spans),
        Weight::Data => output.data(spans)?,
    }
    Ok(())
}

/// A file of a result. As a part of the result it is its path alone, for the next program.
fn file_line(weight: Weight, file: &ResultFile) -> Vec<Span> {
    let about = plain(format!("{} is ", file.about));
    match (&file.place, weight) {
        (FilePlace::Path(path), Weight::Data) => vec![plain(path.display())],
        (FilePlace::Path(path), _) => vec![about, plain("in "), strong(path.display())],
        (FilePlace::Sha256(hash), _) => {
            let (kept, hash) = (plain("kept as "), faint(format!(", sha256 {hash}")));
            vec![about, kept, strong(&file.name), hash]
        }
    }
}

/// Talks until the thread is done, a question stays open or the person leaves. `question` is the id of the one that written
/// answers are for.
pub(crate) async fn talk(
    agent: &mut dyn OpenAgent,
    thread: &str,
    (answers, question): (Answers, Option<&str>),
    next: Next,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let talk = Conversation::new(agent, thread, answers, TerminalConsole::new(app));
    let talk = talk.naming(question.map(str::to_owned));
    ended(talk.run(next).await?, thread)
}

/// Shows an open question of a thread, and how to answer it.
pub(crate) fn show_open(
    agent: &mut dyn OpenAgent,
    thread: &str,
    ask: &OpenAsk,
    app: &mut App<'_>,
) -> Result<(), Error> {
    let console = TerminalConsole::new(app);
    Conversation::new(agent, thread, Answers::written([]), console).show_open(ask)
}

/// The end of a conversation, as its command ends.
pub(crate) fn ended(ended: Ended, thread: &str) -> Result<(), Error> {
    match ended {
        Ended::Done(None) | Ended::Skipped => Ok(()),
        Ended::Done(Some(exit)) => Err(Error::Reported { exit }),
        Ended::Waiting(_) => Err(Error::Waiting {
            thread: thread.to_owned(),
        }),
        Ended::Paused => Err(Error::Paused {
            thread: thread.to_owned(),
        }),
        Ended::Cancelled => Err(Error::Cancelled),
    }
}
