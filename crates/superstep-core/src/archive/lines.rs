//! An archive as JSON lines.
//!
//! The first line says what this is and how much of it follows, the last one that nothing is
//! missing. Between them stand layouts, numbered in the order they come, and namespaces, each before
//! its checkpoints in order of id:
//!
//! ```text
//! {"format":"superstep thread","version":2,"layouts":1,"namespaces":1,"checkpoints":2}
//! {"layout":{"channels":["x"], ...}}
//! {"namespace":""}
//! {"checkpoint":{"id":"01985b1c-…", "parent":null, "layout":0, ...}}
//! {"checkpoint":{"id":"01985b1d-…", "parent":"01985b1c-…", "layout":0, ...}}
//! {"end":{"checkpoints":2}}
//! ```
//!
//! A field that a reader does not know is passed over, a line of a kind that it does not know is
//! refused. Floats come back bit for bit (`exact`). Ids are text since version 2 and were numbers
//! before (`numbers`).

use std::{
    io::{BufRead, Read, Write},
    sync::Arc,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Archive, ArchiveError, Archived,
    check::Space,
    exact::{is_readable, meant, spelled},
    format::{DEEPEST, FORMAT, LONGEST_LINE, VERSION},
    numbers::ids_as_text,
    row::Row,
    weight::{MAX_MEMORY, Weight},
};
use crate::{id::GraphPath, record::Layout, value::MAX_DEPTH};

#[derive(Serialize, Deserialize)]
struct Format {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize, PartialEq, Eq, Clone, Copy, Debug)]
struct Counts {
    layouts: usize,
    namespaces: usize,
    checkpoints: usize,
}

#[derive(Serialize)]
struct Header<'a> {
    format: &'a str,
    version: u64,
    #[serde(flatten)]
    counts: Counts,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Layout(Arc<Layout>),
    Namespace(GraphPath),
    Checkpoint(Box<Row>),
    End(End),
}

#[derive(Serialize, Deserialize)]
struct End {
    checkpoints: usize,
}

impl Archive {
    /// Writes the archive as JSON lines. What is written can be read: a line that is too long for that
    /// is refused here. Values as deep as [`MAX_DEPTH`], which are all that a saver stores, can be.
    pub fn write(&self, out: impl Write) -> Result<(), ArchiveError> {
        let all = || self.namespaces.values().flatten();
        let mut layouts: Vec<Arc<Layout>> = Vec::new();
        for archived in all() {
            let layout = &archived.record.layout;
            if number(&layouts, layout).is_none() {
                layouts.push(layout.clone());
            }
        }
        let checkpoints = self.len();
        let counts = Counts {
            layouts: layouts.len(),
            namespaces: self.namespaces.len(),
            checkpoints,
        };
        let mut lines = Writer {
            out,
            line: 0,
            budget: MAX_MEMORY,
        };
        lines.put(&Header {
            format: FORMAT,
            version: VERSION,
            counts,
        })?;
        for layout in &layouts {
            lines.put(&Line::Layout(layout.clone()))?;
        }
        for (namespace, checkpoints) in &self.namespaces {
            lines.put(&Line::Namespace(namespace.clone()))?;
            for archived in checkpoints {
                let layout = number(&layouts, &archived.record.layout).unwrap_or_default();
                let mut row = Row::new(archived, layout);
                let line = lines.line + 1;
                row.each_value(&mut |value| {
                    // Measured before anything walks it, and once more with its typed cells.
                    if !value.fits() {
                        return Err(ArchiveError::TooDeep { line });
                    }
                    if let Some(spelled) = spelled(value) {
                        *value = spelled;
                    }
                    match is_readable(value, MAX_DEPTH) {
                        true => Ok(()),
                        false => Err(ArchiveError::TooDeep { line }),
                    }
                })?;
                lines.put(&Line::Checkpoint(Box::new(row)))?;
            }
        }
        lines.put(&Line::End(End { checkpoints }))?;
        lines.out.flush().map_err(|error| lines.failed(error))
    }

    /// Reads an archive from JSON lines, to its end, and checks it as [`Archive::check`] does. One that
    /// would take more than [`MAX_MEMORY`] is refused before the line that exceeds it is parsed.
    pub fn read(input: impl BufRead) -> Result<Self, ArchiveError> {
        Self::read_within(input, MAX_MEMORY)
    }

    pub(super) fn read_within(input: impl BufRead, budget: usize) -> Result<Self, ArchiveError> {
        let mut lines = Reader {
            input,
            line: 0,
            text: Vec::new(),
            version: VERSION,
            budget,
        };
        let announced = lines.header()?;
        let mut archive = Self::default();
        let mut layouts: Vec<Arc<Layout>> = Vec::new();
        let mut open: Option<(GraphPath, Space, Vec<Archived>)> = None;
        let end = loop {
            match lines.next::<Line>()? {
                Line::Layout(layout) => layouts.push(layout),
                Line::Namespace(namespace) => {
                    close(&mut archive, open.take()).map_err(|why| lines.wrong(why))?;
                    if archive.namespaces.contains_key(&namespace) {
                        return Err(lines.wrong(format!("namespace `{namespace}` comes twice")));
                    }
                    open = Some((namespace, Space::default(), Vec::new()));
                }
                Line::Checkpoint(row) => {
                    let Some((_, space, checkpoints)) = &mut open else {
                        return Err(lines.wrong("a checkpoint before any namespace"));
                    };
                    let archived = checkpoint(*row, &layouts).map_err(|why| lines.wrong(why))?;
                    space.admit(&archived).map_err(|why| lines.wrong(why))?;
                    checkpoints.push(archived);
                }
                Line::End(end) => break end,
            }
        };
        close(&mut archive, open).map_err(|why| lines.wrong(why))?;
        let found = Counts {
            layouts: layouts.len(),
            namespaces: archive.namespaces.len(),
            checkpoints: archive.len(),
        };
        if found != announced || end.checkpoints != found.checkpoints {
            let why = format!("the first line announces {announced:?}, but there is {found:?}");
            return Err(lines.wrong(why));
        }
        if archive.is_empty() {
            return Err(lines.wrong("the archive holds no checkpoint"));
        }
        lines.nothing_more()?;
        Ok(archive)
    }
}

fn number(layouts: &[Arc<Layout>], layout: &Arc<Layout>) -> Option<usize> {
    let same = layouts.iter().position(|known| Arc::ptr_eq(known, layout));
    same.or_else(|| layouts.iter().position(|known| known == layout))
}

fn checkpoint(mut row: Row, layouts: &[Arc<Layout>]) -> Result<Archived, String> {
    let layout = layouts.get(row.layout);
    let layout = layout.ok_or_else(|| format!("there is no layout {} above", row.layout))?;
    row.each_value(&mut |value| {
        if let Some(exact) = meant(value)? {
            *value = exact;
        }
        Ok::<(), String>(())
    })?;
    Ok(row.archived(layout.clone()))
}

fn close(
    archive: &mut Archive,
    open: Option<(GraphPath, Space, Vec<Archived>)>,
) -> Result<(), String> {
    let Some((namespace, _, checkpoints)) = open else {
        return Ok(());
    };
    if checkpoints.is_empty() {
        return Err(format!("namespace `{namespace}` holds no checkpoint"));
    }
    archive.namespaces.insert(namespace, checkpoints);
    Ok(())
}

struct Writer<O> {
    out: O,
    line: usize,
    /// What the lines to come may take in memory when they are read.
    budget: usize,
}

impl<O: Write> Writer<O> {
    fn put(&mut self, line: &impl Serialize) -> Result<(), ArchiveError> {
        self.line += 1;
        let mut text = serde_json::to_vec(line).map_err(|error| ArchiveError::Line {
            line: self.line,
            why: error.to_string(),
        })?;
        if text.len() >= LONGEST_LINE {
            return Err(ArchiveError::TooLarge { line: self.line });
        }
        weigh(&text, self.line, &mut self.budget)?;
        text.push(b'\n');
        let written = self.out.write_all(&text);
        written.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: std::io::Error) -> ArchiveError {
        let line = self.line;
        ArchiveError::Io { line, error }
    }
}

/// Refuses a line that is nested too deep, or that takes more memory than is left of the budget.
fn weigh(text: &[u8], line: usize, budget: &mut usize) -> Result<(), ArchiveError> {
    let Weight { depth, memory } = Weight::of(text);
    if depth > DEEPEST {
        return Err(ArchiveError::TooDeep { line });
    }
    let left = budget.checked_sub(memory);
    *budget = left.ok_or(ArchiveError::TooMuch { line })?;
    Ok(())
}

struct Reader<I> {
    input: I,
    line: usize,
    text: Vec<u8>,
    version: u64,
    /// What the lines to come may take in memory.
    budget: usize,
}

impl<I: BufRead> Reader<I> {
    fn header(&mut self) -> Result<Counts, ArchiveError> {
        self.fetch()?;
        let foreign = |why: String| ArchiveError::Foreign { why };
        if self.text.is_empty() {
            return Err(foreign("it is empty".to_owned()));
        }
        // A line of no archive may be anything: the usual reader limits how deep it goes.
        let read = serde_json::from_slice(&self.text);
        let Format { format, version } = read.map_err(|error| foreign(said(&error)))?;
        if format != FORMAT {
            return Err(foreign(format!("its format is `{format}`, not `{FORMAT}`")));
        }
        if version > VERSION {
            return Err(ArchiveError::Newer { version });
        }
        if version == 0 {
            return Err(foreign("there is no version 0".to_owned()));
        }
        self.version = version;
        self.parse()
    }

    fn next<T: DeserializeOwned>(&mut self) -> Result<T, ArchiveError> {
        self.fetch()?;
        if self.text.is_empty() {
            let line = self.line;
            return Err(ArchiveError::Truncated { line });
        }
        self.parse()
    }

    /// Reads a line with its end, or nothing at the end of the file.
    fn fetch(&mut self) -> Result<(), ArchiveError> {
        self.line += 1;
        let line = self.line;
        self.text.clear();
        let mut bounded = self.input.by_ref().take(LONGEST_LINE as u64 + 1);
        let read = bounded.read_until(b'\n', &mut self.text);
        read.map_err(|error| ArchiveError::Io { line, error })?;
        if self.text.len() > LONGEST_LINE {
            return Err(ArchiveError::TooLarge { line });
        }
        if self.version == 1 {
            ids_as_text(&mut self.text);
        }
        Ok(())
    }

    fn parse<T: DeserializeOwned>(&mut self) -> Result<T, ArchiveError> {
        let line = self.line;
        weigh(&self.text, line, &mut self.budget)?;
        let mut json = serde_json::Deserializer::from_slice(&self.text);
        json.disable_recursion_limit();
        let read = T::deserialize(&mut json).and_then(|read| json.end().map(|()| read));
        read.map_err(|error| match error.is_eof() {
            true if !self.text.ends_with(b"\n") => ArchiveError::Truncated { line },
            _ => self.wrong(said(&error)),
        })
    }

    fn nothing_more(&mut self) -> Result<(), ArchiveError> {
        self.fetch()?;
        if self.text.trim_ascii().is_empty() {
            return Ok(());
        }
        Err(self.wrong("something follows the last line"))
    }

    fn wrong(&self, why: impl Into<String>) -> ArchiveError {
        let (line, why) = (self.line, why.into());
        ArchiveError::Line { line, why }
    }
}

/// The message of a reader of JSON, without the line: it only ever sees one.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(text) => format!("{text} at column {}", error.column()),
        None => text,
    }
}
