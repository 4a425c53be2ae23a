//! Output: the only module that prints.
//!
//! Text comes in [`Span`]s: their text is sanitized (`superstep::text::sanitize`), their style is ours. So
//! no text of a model, a tool or a file can control the terminal, in color or without.

use std::{
    convert::Infallible,
    ffi::OsString,
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

use anstream::{AutoStream, ColorChoice};
use anstyle::AnsiColor;
use serde::Serialize;
use serde_json::json;
use superstep::text::{escaped_json, sanitize};
use superstep_agent::Style;

use crate::{
    args::{Color, Global},
    error::{Error, USAGE},
    suggest::{self, Options},
    wrap::{self, Piece},
};
use superstep::sync::lock;
pub(crate) use superstep_agent::{Span, bad, code, count, faint, good, plain, shown, strong};

/// How data is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Where everything is printed.
pub(crate) struct Output {
    pub(crate) form: Form,
    is_quiet: bool,
    is_verbose: bool,
    out: Mutex<AutoStream<io::Stdout>>,
    err: StatusLine,
    /// What suggested commands need.
    options: Options,
}

/// Stderr with the line that is drawn over while something takes its time. What is printed next clears it, so
/// whoever draws it need not know who prints.
#[derive(Clone)]
pub(crate) struct StatusLine(Arc<Mutex<Drawn>>);

struct Drawn {
    err: AutoStream<io::Stderr>,
    is_drawn: bool,
    is_held: bool,
}

impl StatusLine {
    fn new(err: AutoStream<io::Stderr>) -> Self {
        Self(Arc::new(Mutex::new(Drawn {
            err,
            is_drawn: false,
            is_held: false,
        })))
    }

    /// Draws the line anew, unless somebody holds it; only for terminals.
    pub(crate) fn redraw(&self, spans: &[Span]) {
        let mut err = lock(&self.0);
        if !err.is_held {
            err.draw(spans);
        }
    }

    /// Prints a line of its own. That nobody reads it does not matter.
    pub(crate) fn say(&self, spans: &[Span]) {
        let lines = rows(spans, &io::stderr());
        self.write(|err| {
            for line in lines {
                let _ = writeln!(err, "{line}");
            }
        });
    }

    /// Draws the line and keeps it from being drawn by others until it is released.
    pub(crate) fn hold(&self, spans: &[Span]) {
        let mut err = lock(&self.0);
        err.is_held = true;
        err.draw(spans);
    }

    pub(crate) fn release(&self) {
        let mut err = lock(&self.0);
        if std::mem::take(&mut err.is_held) {
            err.clear();
        }
    }

    /// Clears the line if it is there.
    pub(crate) fn clear(&self) {
        lock(&self.0).clear();
    }

    /// Writes to stderr, after the line.
    fn write<T>(&self, write: impl FnOnce(&mut AutoStream<io::Stderr>) -> T) -> T {
        let mut err = lock(&self.0);
        err.clear();
        write(&mut err.err)
    }
}

impl Drawn {
    fn draw(&mut self, spans: &[Span]) {
        // A line that is drawn over is one row.
        let line = match wrap::columns() {
            Some(columns) => drawn(&wrap::cut(spans, columns - 1)),
            None => drawn(spans),
        };
        let _ = write!(self.err.as_inner(), "\r\x1b[K{line}");
        let _ = self.err.flush();
        self.is_drawn = true;
    }

    fn clear(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let _ = write!(self.err.as_inner(), "\r\x1b[K");
            let _ = self.err.flush();
        }
    }
}

impl Output {
    pub(crate) fn new(global: &Global) -> Self {
        let color = global.color;
        let out = match ColorChoice::from(color) {
            ColorChoice::Auto => AutoStream::choice(&io::stdout()),
            chosen => chosen,
        };
        let err = match ColorChoice::from(color) {
            ColorChoice::Auto => AutoStream::choice(&io::stderr()),
            chosen => chosen,
        };
        Self {
            form: match global.json {
                true => Form::Json,
                false => Form::Text,
            },
            is_quiet: global.quiet,
            is_verbose: global.verbose,
            out: Mutex::new(AutoStream::new(io::stdout(), out)),
            err: StatusLine::new(AutoStream::new(io::stderr(), err)),
            options: Options::of(global),
        }
    }

    /// A line of data.
    pub(crate) fn data(&self, spans: &[Span]) -> Result<(), Error> {
        let lines = rows(spans, &io::stdout());
        self.err.clear();
        let mut out = lock(&self.out);
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    /// A value as JSON, on a line of its own.
    pub(crate) fn json(&self, value: &impl Serialize) -> Result<(), Error> {
        self.json_text(&serde_json::to_string(value).map_err(io::Error::from)?)
    }

    /// The same of a line that is JSON already.
    pub(crate) fn json_text(&self, text: &str) -> Result<(), Error> {
        self.err.clear();
        let mut out = lock(&self.out);
        writeln!(out, "{}", escaped_json(text))?;
        out.flush()?;
        Ok(())
    }

    /// The same, which must have been written before anything else happens.
    pub(crate) fn announce_json(&self, value: &impl Serialize) -> Result<(), Error> {
        let printed = is_open(&io::stdout()).and_then(|()| self.json(value));
        printed.map_err(unannounced)
    }

    /// Parts of a text that streams, in styles of ours.
    pub(crate) fn parts(&self, spans: &[Span]) -> Result<(), Error> {
        let text = drawn(spans);
        if text.is_empty() {
            return Ok(());
        }
        self.err.clear();
        let mut out = lock(&self.out);
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }

    /// Parts of a text that is broken for the terminal.
    pub(crate) fn pieces(&self, pieces: Vec<Piece>) -> Result<(), Error> {
        if pieces.is_empty() {
            return Ok(());
        }
        self.err.clear();
        let mut out = lock(&self.out);
        for piece in pieces {
            match piece {
                Piece::Text(span) => out.write_all(drawn(&[span]).as_bytes())?,
                Piece::Moved(0) => out.write_all(b"\n")?,
                Piece::Moved(columns) => {
                    out.flush()?;
                    writeln!(out.as_inner(), "\x1b[{columns}D\x1b[K")?;
                }
            }
        }
        out.flush()?;
        Ok(())
    }

    /// How wide a text on stdout may be; nothing if that is no terminal.
    pub(crate) fn columns(&self) -> Option<usize> {
        let is_text = self.form == Form::Text && io::IsTerminal::is_terminal(&io::stdout());
        is_text.then(wrap::columns).flatten()
    }

    /// Whether styles can be seen: stdout is a terminal, and colors are wanted.
    pub(crate) fn is_styled(&self) -> bool {
        let is_terminal = io::IsTerminal::is_terminal(&io::stdout());
        let is_colored = lock(&self.out).current_choice() != ColorChoice::Never;
        self.form == Form::Text && is_terminal && is_colored
    }

    /// The help, on stderr.
    pub(crate) fn help(&self, command: &clap::Command) -> Result<(), Error> {
        let text = command.clone().render_help().ansi().to_string();
        Ok(self.err.write(|err| write!(err, "{text}"))?)
    }

    /// A line on stderr about how the work goes, which `--quiet` leaves out.
    pub(crate) fn note(&self, spans: &[Span]) {
        if !self.is_quiet {
            self.say(spans);
        }
    }

    /// A line on stderr for `--verbose` alone.
    pub(crate) fn detail(&self, spans: &[Span]) {
        if self.is_verbose {
            self.say(spans);
        }
    }

    /// A line on stderr. That nobody reads it does not matter.
    pub(crate) fn say(&self, spans: &[Span]) {
        self.err.say(spans);
    }

    /// Lines on stderr that must have been written, all of them, before anything else happens.
    pub(crate) fn announce(&self, lines: &[Vec<Span>]) -> Result<(), Error> {
        let printed = is_open(&io::stderr()).and_then(|()| {
            self.err.write(|err| {
                for line in lines.iter().flat_map(|line| rows(line, &io::stderr())) {
                    writeln!(err, "{line}")?;
                }
                err.flush()
            })?;
            Ok(())
        });
        printed.map_err(unannounced)
    }

    /// The same without an end of the line: a question.
    pub(crate) fn ask(&self, spans: &[Span]) {
        let line = drawn(spans);
        self.err.write(|err| {
            let _ = write!(err, "{line}");
            let _ = err.flush();
        });
    }

    /// The line of stderr that is drawn over; only for terminals.
    pub(crate) fn status(&self) -> &StatusLine {
        &self.err
    }

    /// Draws a line anew every second, while there is one and somebody watches.
    pub(crate) async fn tick(&self, line: impl Fn() -> Option<String>) -> Infallible {
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        loop {
            tick.tick().await;
            if let Some(line) = line().filter(|_| self.is_watched()) {
                self.status().redraw(&[faint(line)]);
            }
        }
    }

    /// Why the command failed.
    pub(crate) fn error(&self, error: &Error) {
        if matches!(error, Error::Closed | Error::Reported { .. }) {
            return;
        }
        let message = error.to_string();
        let thread = suggest::thread_in(&message);
        let whole = |text: &str| self.options.completed_for(text, thread);
        let hints: Vec<String> = error.hints().into_iter().map(whole).collect();
        if self.form == Form::Json {
            let line = json!({"error": {
                "code": error.code(), "message": message, "hints": hints,
                "exit": error.exit(),
            }});
            let line = escaped_json(&line.to_string());
            return self.err.write(|err| {
                let _ = writeln!(err, "{line}");
            });
        }
        if matches!(error, Error::Cancelled) {
            return self.say(&[faint("cancelled")]);
        }
        // An open question is not an error: its code is for programs.
        let is_waiting = matches!(error, Error::Waiting { .. });
        let code = error.code().filter(|_| !is_waiting);
        let code = code.map(|code| format!(" [{code}]")).unwrap_or_default();
        let lines = error.lines();
        let mut lines = lines.iter().map(|line| whole(line));
        let first = lines.next().unwrap_or_default();
        let head = match is_waiting {
            true => strong("waiting"),
            false => bad("error"),
        };
        self.say(&[head, plain(format!("{code}: {first}"))]);
        for line in lines {
            self.say(&[plain(line)]);
        }
        // The question and how to answer it were just shown.
        for hint in hints.into_iter().filter(|_| !is_waiting) {
            self.say(&[faint("  hint: "), plain(hint)]);
        }
    }

    /// Clears the screen; only for terminals.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        Ok(self.err.write(|err| {
            write!(err.as_inner(), "\x1b[2J\x1b[H")?;
            err.flush()
        })?)
    }

    /// Whether `--quiet` was given.
    pub(crate) fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Whether stderr is a terminal.
    pub(crate) fn is_watched(&self) -> bool {
        io::IsTerminal::is_terminal(&io::stderr())
    }
}

/// A command line that cannot be understood, as the parser reports it, with a code.
pub(crate) fn usage(error: &clap::Error, words: impl Iterator<Item = OsString>) {
    let is_json = words.take_while(|it| it != "--").any(|it| it == "--json");
    if is_json {
        let text = error.render().to_string();
        let mut parts = text.trim().splitn(2, "\n\n");
        let message = parts.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let line = json!({"error": {
            "code": USAGE, "message": message, "hints": parts.collect::<Vec<_>>(), "exit": 2,
        }});
        let _ = writeln!(io::stderr(), "{}", escaped_json(&line.to_string()));
        return;
    }
    let text = error.render().ansi().to_string();
    let text = text.replacen("error:", &format!("error [{USAGE}]:"), 1);
    let _ = write!(anstream::stderr(), "{text}");
}

/// Prints a page of help, or the version, that clap made; in a narrow terminal, in rows of ours.
pub(crate) fn page(shown: &clap::Error) {
    let Some(columns) = narrow() else {
        // That nobody reads it does not matter.
        let _ = shown.print();
        return;
    };
    let text = shown.render().to_string();
    let mut out = io::stdout().lock();
    for row in text.lines().flat_map(|line| wrap::stacked(line, columns)) {
        let _ = writeln!(out, "{}", drawn(&row));
    }
}

/// How many columns stdout has, if that is a terminal that is too narrow for what is made for most.
pub(crate) fn narrow() -> Option<usize> {
    let is_terminal = io::IsTerminal::is_terminal(&io::stdout());
    let columns = is_terminal.then(wrap::columns).flatten();
    columns.filter(|columns| *columns < wrap::NARROW)
}

/// Fails for a stream that was closed when the process started: Rust puts `/dev/null` in its place, open
/// for reading too, which no shell does.
#[cfg(unix)]
fn is_open(stream: &impl std::os::fd::AsFd) -> Result<(), Error> {
    use rustix::fs::{OFlags, fcntl_getfl, fstat, stat};
    let is_null = match (fstat(stream), stat("/dev/null")) {
        (Ok(one), Ok(null)) => one.st_rdev == null.st_rdev && one.st_ino == null.st_ino,
        _ => false,
    };
    let flags = fcntl_getfl(stream).map_err(io::Error::from)?;
    match is_null && flags.contains(OFlags::RDWR) {
        true => Err(Error::Closed),
        false => Ok(()),
    }
}

#[cfg(not(unix))]
fn is_open<T>(_: &T) -> Result<(), Error> {
    Ok(())
}

/// A row for a screen that is drawn elsewhere: one line, sanitized, in color or without.
pub(crate) fn painted(spans: &[Span], color: Color) -> String {
    let one_line = |span: &Span| span.with(span.text().replace(['\n', '\t'], " "));
    let spans: Vec<Span> = spans.iter().map(one_line).collect();
    match color {
        Color::Auto | Color::Always => drawn(&spans),
        Color::Never => spans.iter().map(|span| sanitize(span.text())).collect(),
    }
}

/// A line as rows of a terminal; as it is for anything else.
fn rows(spans: &[Span], stream: &impl io::IsTerminal) -> Vec<String> {
    match stream.is_terminal().then(wrap::columns).flatten() {
        Some(columns) => {
            let rows = wrap::soft_wrapped(spans, columns);
            rows.iter().map(|row| drawn(row)).collect()
        }
        None => vec![drawn(spans)],
    }
}

fn drawn(spans: &[Span]) -> String {
    let mut line = String::new();
    for span in spans {
        let (style, text) = (span.style(), span.text());
        let style = match style {
            Style::Plain => anstyle::Style::new(),
            Style::Strong => anstyle::Style::new().bold(),
            Style::Faint => anstyle::Style::new().dimmed(),
            Style::Good => AnsiColor::Green.on_default(),
            Style::Bad => AnsiColor::Red.on_default().bold(),
            Style::Code => AnsiColor::Cyan.on_default(),
        };
        let text = sanitize(text);
        line.push_str(&format!("{style}{text}{style:#}"));
    }
    line
}

/// What cannot be announced is not done.
fn unannounced(error: Error) -> Error {
    let why = match error {
        Error::Closed => "the output was closed".to_owned(),
        error => error.to_string(),
    };
    Error::Io(io::Error::other(format!(
        "nothing was done, because what is about to be done could not be printed: {why}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_loses_nothing_and_moves_nothing() {
        let text = "a\u{9b}31m\u{202e}\u{7f}\u{e0041}\x1b[1mé";
        let json = escaped_json(&serde_json::to_string(text).unwrap());
        assert_eq!(sanitize(&json), json);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn spans_are_sanitised_and_colours_are_ours() {
        let line = drawn(&[good("o\x1b]0;t\x07k"), plain(" \x1b[31mx")]);
        assert_eq!(line, "\u{1b}[32mok\u{1b}[0m x");
    }
}
