//! `superstep threads history`: the steps of a thread, and what was said in each.
//!
//! A thread that went back has branches: steps that are not behind the newest one are marked, and are named by
//! the beginning of the id of their checkpoint.

use std::collections::BTreeSet;

use serde_json::json;
use superstep::{CheckpointId, clock::made_at, dynamic::Snapshot};

use super::{Status, ThreadReader, ago, diff, words::conversation};
use crate::{
    error::Error,
    output::{Form, Output, faint, plain, strong},
    units,
};

/// The shortest beginning of an id that is shown.
const SHORTEST: usize = 8;

pub(super) async fn run(
    reader: &ThreadReader,
    thread: &str,
    limit: Option<usize>,
    output: &Output,
) -> Result<(), Error> {
    let agent = reader.agent(thread).await?;
    let graph = reader.graph_of(agent)?;
    // All of them: what a step changed is known from its parent, and ids from all others.
    let all = reader.history(&graph, thread, None).await?;
    let line = line_of(&all);
    let letters = letters(&all);
    for snapshot in all.iter().take(limit.unwrap_or(usize::MAX)) {
        let Some(id) = snapshot.checkpoint else {
            continue;
        };
        let (source, step) = snapshot
            .origin
            .map_or(("", 0), |(source, step)| (source.as_str(), step));
        let before = all
            .iter()
            .find(|it| it.checkpoint.is_some() && it.checkpoint == snapshot.parent);
        let changed: Vec<String> = before
            .map(|before| diff::fields(&before.values, &snapshot.values))
            .unwrap_or_default();
        let is_current = line.contains(&id);
        if output.form == Form::Json {
            output.json(&json!({
                "checkpoint": id.to_string(), "parent": snapshot.parent.map(|id| id.to_string()),
                "step": step, "source": source, "next": snapshot.next, "changed": changed,
                "status": Status::of(snapshot), "made_ms": made_at(id) / 1000,
                "made_at": units::made(id), "current": is_current,
            }))?;
            continue;
        }
        let said = said(before, snapshot, agent.name());
        let what = match (said.is_empty(), changed.is_empty()) {
            (false, _) => said,
            (true, false) => format!("changed: {}", changed.join(", ")),
            (true, true) => source.to_owned(),
        };
        let next = match snapshot.next.is_empty() {
            true => "the end".to_owned(),
            false => snapshot.next.join(", "),
        };
        let id: String = id.to_string().chars().take(letters).collect();
        output.data(&[
            strong(format!("{step:>4}  ")),
            faint(format!("{id}  {:<10}  ", ago_of(snapshot))),
            plain(what),
            faint(format!("  → {next}")),
            faint(match is_current {
                true => "",
                false => "  (another branch)",
            }),
        ])?;
    }
    Ok(())
}

fn ago_of(snapshot: &Snapshot) -> String {
    snapshot.checkpoint.map(ago).unwrap_or_default()
}

/// The newest checkpoint and those behind it.
fn line_of(all: &[Snapshot]) -> BTreeSet<CheckpointId> {
    let mut line = BTreeSet::new();
    let mut at = all.first().and_then(|newest| newest.checkpoint);
    // A parent that was pruned, or is its own, ends it.
    while let Some(id) = at.filter(|id| line.insert(*id)) {
        let snapshot = all.iter().find(|it| it.checkpoint == Some(id));
        at = snapshot.and_then(|it| it.parent);
    }
    line
}

/// How many letters of an id name one checkpoint and no other.
fn letters(all: &[Snapshot]) -> usize {
    let ids = all.iter().filter_map(|it| it.checkpoint);
    let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    let longest = ids.iter().map(String::len).max().unwrap_or(SHORTEST);
    let is_unique = |letters: &usize| {
        let begins: BTreeSet<&str> = ids.iter().filter_map(|id| id.get(..*letters)).collect();
        begins.len() == ids.len()
    };
    (SHORTEST..longest).find(is_unique).unwrap_or(longest)
}

/// What was said in a step, in a few words: the newest of the messages that were not there before.
fn said(before: Option<&Snapshot>, now: &Snapshot, agent: &str) -> String {
    let messages = |snapshot: &Snapshot| {
        let state = serde_json::to_value(&snapshot.values).unwrap_or_default();
        conversation(&state, agent).1
    };
    let had = before.map_or(0, |before| messages(before).len());
    let new = messages(now);
    if let Some(said) = new.get(had..).and_then(<[_]>::last) {
        return said.brief();
    }
    // What a person said is no message until it is answered.
    let words = |snapshot: &Snapshot| {
        let state = serde_json::to_value(&snapshot.values).unwrap_or_default();
        let words = state.get("user_input").and_then(serde_json::Value::as_str);
        words.unwrap_or_default().to_owned()
    };
    let text = words(now);
    match text.is_empty() || before.is_some_and(|before| words(before) == text) {
        true => String::new(),
        false => {
            let who = "you".to_owned();
            super::words::Utterance { who, text }.brief()
        }
    }
}
