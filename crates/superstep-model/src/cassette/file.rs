//! What a recording holds: one interaction per line, and which of them count.

use std::{collections::HashMap, path::Path};

use serde::{Deserialize, Serialize};
use superstep_text::Redactor;

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
    pub(super) fn scrubbed(mut self, redactor: &Redactor) -> Self {
        let mut clean: Vec<Delta> = Vec::with_capacity(self.deltas.len());
        let mut run: Vec<Delta> = Vec::new();
        for delta in self.deltas {
            if !run.last().is_some_and(|last| is_continued(last, &delta)) {
                clean.append(&mut whole(&mut run, redactor));
            }
            run.push(delta);
        }
        clean.append(&mut whole(&mut run, redactor));
        self.deltas = clean;
        self
    }

    /// The model that was asked.
    pub(super) fn model(&self) -> Option<&str> {
        self.request.json().get("model")?.as_str()
    }
}

/// Pieces of one text: as they came if there is no secret in it, as one clean piece otherwise.
fn whole(run: &mut Vec<Delta>, redactor: &Redactor) -> Vec<Delta> {
    let run = std::mem::take(run);
    let said: String = run.iter().filter_map(text_of).collect();
    let clean = match run.first() {
        Some(Delta::Args { .. }) => scrub::args(&said, redactor),
        _ => scrub::text(&said, redactor),
    };
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

/// The lines of a text, each of which must be an interaction or blank.
pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Interaction>, ModelError> {
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
