//! The file: one interaction a line, only ever appended to.
//!
//! A line counts once it ends and is synced. A process that died while it wrote leaves a line without
//! an end, which whoever records next takes away; who replays is told.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{ErrorKind as Io, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{request::Canonical, scrub, unrecorded};
use crate::{delta::Delta, error::ModelError, model::Caps, usage::Usage};

/// The version of the format.
const VERSION: u32 = 1;

/// A request and its reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interaction {
    v: u32,
    /// The hash of the request. A line written by hand may leave it out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) key: String,
    /// Which recording of the file: a later one supersedes what an earlier one has for the same
    /// request.
    #[serde(default)]
    pub(super) take: u32,
    pub(super) provenance: Provenance,
    /// What wrote the line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    recorder: String,
    /// What the model can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) caps: Option<Caps>,
    pub(super) request: Canonical,
    pub(super) deltas: Vec<Delta>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
}

/// How an interaction came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// A model said it.
    Live,
    /// A person wrote it. Recording does not replace it.
    Hand,
}

impl Interaction {
    pub(super) fn live(request: Canonical, caps: Caps, take: u32, deltas: Vec<Delta>) -> Self {
        let usage = deltas.iter().rev().find_map(|delta| match delta {
            Delta::Usage(usage) => Some(*usage),
            _ => None,
        });
        Self {
            v: VERSION,
            key: request.key(),
            take,
            provenance: Provenance::Live,
            recorder: concat!("superstep-model ", env!("CARGO_PKG_VERSION")).into(),
            caps: Some(caps),
            request,
            deltas,
            usage,
        }
    }

    /// The same interaction without secrets, also those that came in pieces.
    pub(super) fn scrubbed(mut self, secrets: &[String]) -> Self {
        let mut clean: Vec<Delta> = Vec::with_capacity(self.deltas.len());
        let mut run: Vec<Delta> = Vec::new();
        for delta in self.deltas {
            if !run.last().is_some_and(|last| is_continued(last, &delta)) {
                clean.append(&mut whole(&mut run, secrets));
            }
            run.push(delta);
        }
        clean.append(&mut whole(&mut run, secrets));
        self.deltas = clean;
        self
    }

    /// The model that was asked.
    pub(super) fn model(&self) -> Option<&str> {
        self.request.json().get("model")?.as_str()
    }
}

/// Pieces of one text: as they came if there is no secret in it, as one clean piece otherwise.
fn whole(run: &mut Vec<Delta>, secrets: &[String]) -> Vec<Delta> {
    let run = std::mem::take(run);
    let said: String = run.iter().filter_map(text_of).collect();
    let mut clean = said.clone();
    scrub::text(&mut clean, secrets);
    if clean == said {
        return run;
    }
    let mut run = run.into_iter();
    let piece = run.next().map(|piece| match piece {
        Delta::Reasoning(_) => Delta::Reasoning(clean),
        Delta::Args { index, .. } => Delta::Args { index, json: clean },
        _ => Delta::Text(clean),
    });
    piece.into_iter().collect()
}

fn text_of(delta: &Delta) -> Option<&str> {
    match delta {
        Delta::Text(text) | Delta::Reasoning(text) | Delta::Args { json: text, .. } => Some(text),
        _ => None,
    }
}

fn is_continued(one: &Delta, next: &Delta) -> bool {
    match (one, next) {
        (Delta::Text(_), Delta::Text(_)) | (Delta::Reasoning(_), Delta::Reasoning(_)) => true,
        (Delta::Args { index, .. }, Delta::Args { index: other, .. }) => index == other,
        _ => false,
    }
}

/// All lines of a file that is to be replayed.
pub(super) fn read(path: &Path) -> Result<Vec<Interaction>, ModelError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| unrecorded(format!("{}: {error}", path.display())))?;
    parse(path, &text)
}

/// All lines of a file that is to be written to, without what a dying process left behind.
pub(super) fn mend(path: &Path) -> Result<Vec<Interaction>, ModelError> {
    let failed = |error: std::io::Error| unrecorded(format!("{}: {error}", path.display()));
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == Io::NotFound => return Ok(Vec::new()),
        read => read.map_err(failed)?,
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let (lines, rest) = text.split_at_checked(whole).unwrap_or((&text, ""));
    if !rest.is_empty() && serde_json::from_str::<Interaction>(rest).is_err() {
        let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        let length = u64::try_from(whole).unwrap_or(u64::MAX);
        file.set_len(length).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        return parse(path, lines);
    }
    parse(path, &text)
}

/// Adds a line, which is on the disk when this returns.
pub(super) fn append(path: &Path, line: &Interaction) -> Result<(), ModelError> {
    let write = || -> std::io::Result<()> {
        let is_new = !path.exists();
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        // A recording holds whole prompts; whoever shares it says so.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        if !is_new && !ends_line(path)? {
            text.insert(0, '\n');
        }
        // One write: lines of several processes do not mix.
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        if let (true, Some(folder)) = (is_new, path.parent()) {
            let here = folder.as_os_str().is_empty();
            File::open(if here { Path::new(".") } else { folder })?.sync_all()?;
        }
        Ok(())
    };
    write().map_err(|error| unrecorded(format!("{}: not written: {error}", path.display())))
}

/// The recordings of each request that count: the newest take, and what was written by hand.
pub(super) fn by_key(lines: Vec<Interaction>) -> HashMap<String, Vec<Interaction>> {
    let mut all = HashMap::new();
    for line in lines {
        add(&mut all, line);
    }
    all
}

/// Adds a recording after its equals. A later take supersedes; what is by hand only yields to
/// what is by hand.
pub(super) fn add(all: &mut HashMap<String, Vec<Interaction>>, line: Interaction) {
    let takes: &mut Vec<Interaction> = all.entry(line.key.clone()).or_default();
    let by_hand = |line: &Interaction| line.provenance == Provenance::Hand;
    if takes.iter().any(by_hand) && !by_hand(&line) {
        return;
    }
    takes.retain(|kept| kept.take >= line.take && by_hand(kept) == by_hand(&line));
    takes.push(line);
}

fn parse(path: &Path, text: &str) -> Result<Vec<Interaction>, ModelError> {
    let mut lines = Vec::new();
    for (number, line) in (1_usize..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let damaged = |why: String| {
            let place = path.display();
            unrecorded(format!("{place}:{number}: the line is damaged: {why}"))
        };
        let mut line: Interaction =
            serde_json::from_str(line).map_err(|error| damaged(error.to_string()))?;
        if line.v > VERSION {
            let place = path.display();
            let v = line.v;
            return Err(unrecorded(format!(
                "{place}:{number}: written by a later program (format {v}, known {VERSION})"
            )));
        }
        line.request = line.request.normal();
        let key = line.request.key();
        if !line.key.is_empty() && line.key != key {
            return Err(damaged("its key is not that of its request".into()));
        }
        line.key = key;
        lines.push(line);
    }
    Ok(lines)
}

fn ends_line(path: &Path) -> std::io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0_u8];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
