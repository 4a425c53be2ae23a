//! Answers, and states step by step.

use serde_json::{Value as Json, json};
use superstep::Checkpoint;
use superstep_agent::{Block, Notice, Span, Table, Weight, bad, faint, good, plain, strong};

use crate::{Answer, AtrisState, Node, Progress, Status, answer, tools::Source};

/// The most characters of a value in a difference.
const LONGEST: usize = 160;

/// The exit code of a question without an answer.
pub(super) fn exit(answer: &Answer) -> Option<u8> {
    match answer.status {
        Status::Failed | Status::Refused => Some(1),
        Status::Answered | Status::Partial | Status::Empty => None,
    }
}

/// An answer, with the fields that its numbers are.
pub(super) fn answer(answer: &Answer, thread: &str, explains: bool) -> Notice {
    let mut event = json!({
        "thread": thread,
        "operation": answer.operation,
        "parameters": answer.parameters,
        "status": answer.status,
        "answer": answer.answer,
        "sources": answer.sources,
        "error": answer.error,
        "understood": answer.understood,
        "reading": answer.reading,
        "limits": answer.limits,
        "unverified": answer.unverified,
        "table": answer.table,
    });
    if let (true, Some(event)) = (explains, event.as_object_mut()) {
        event.insert("facts".into(), json!(answer.facts));
    }
    Notice::event(event).with(blocks(answer, explains))
}

fn blocks(answer: &Answer, explains: bool) -> Vec<Block> {
    let data = |spans: Vec<Span>| Block::Line(Weight::Data, spans);
    let reading = answer.reading.iter();
    let reading = reading.map(|line| data(vec![faint("("), plain(line), faint(")")]));
    let mut blocks: Vec<Block> = reading.collect();
    let mut lines = answer.answer.lines();
    if let Some(table) = answer.table.as_ref().filter(|it| !it.is_apart) {
        blocks.extend(lines.next().map(|line| data(vec![plain(line)])));
        let text = lines.by_ref().take(table.rows.len());
        blocks.push(rows(table, Some(text.map(str::to_owned).collect())));
    }
    // Behind a table there are remarks about the reply.
    blocks.extend(lines.map(|line| data(vec![plain(line)])));
    if let Some(table) = answer.table.as_ref().filter(|it| it.is_apart) {
        blocks.push(rows(table, None));
    }
    for limit in &answer.limits {
        blocks.push(data(vec![strong("not certain: "), plain(limit)]));
    }
    if let Some(understood) = &answer.understood {
        let line = vec![faint("(understood as: "), plain(understood), faint(")")];
        blocks.push(data(line));
    }
    for fact in answer.facts.iter().filter(|_| explains) {
        let source = answer.sources.get(fact.source);
        let place = source.map(|source| place_of(source, &answer.sources));
        let place = place.unwrap_or_default();
        let field = faint(format!(" is {} of {place}", fact.field));
        blocks.push(data(vec![faint("  "), strong(&fact.text), field]));
    }
    for source in &answer.sources {
        let line = format!("source: {} {}", source.operation, source.url);
        blocks.push(Block::Line(Weight::Note, vec![faint(line)]));
    }
    blocks
}

fn rows(table: &answer::Table, text: Option<Vec<String>>) -> Block {
    Block::Table(Table {
        columns: table.columns.clone(),
        rows: table.rows.clone(),
        text,
        ..Table::default()
    })
}

/// What a model does, as it does it.
pub(super) fn progress(progress: &Progress) -> Notice {
    let line = vec![faint(progress)];
    let event = serde_json::to_value(progress).unwrap_or_default();
    Notice::event(event).with(vec![Block::Line(Weight::Note, line)])
}

/// The operation of a source; where several are of one, with the path that was asked.
fn place_of(source: &Source, all: &[Source]) -> String {
    let same = all.iter().filter(|it| it.operation == source.operation);
    let path = source.url.split("/v1/").nth(1).unwrap_or_default();
    match same.count() {
        0 | 1 => source.operation.clone(),
        _ => format!("{} /v1/{path}", source.operation),
    }
}

/// The states of a run in order, and what changed from one to the next. `before` were there already.
pub(super) fn states(history: &[Checkpoint<AtrisState, Node>], before: usize) -> Vec<Notice> {
    let new = history.len().saturating_sub(before);
    let mut last = Json::Null;
    let steps = history.iter().take(new).rev().zip(1_u32..);
    let notices = steps.map(|(checkpoint, number)| {
        let state = serde_json::to_value(&*checkpoint.state).unwrap_or_default();
        let next = checkpoint.next.iter();
        let next: Vec<String> = next.map(|node| format!("{node:?}")).collect();
        let place = faint(format!(" next: {}", next.join(", ")));
        let mut lines = vec![vec![strong(format!("state {number}")), place]];
        lines.extend(changes(&last, &state));
        let lines = lines.into_iter();
        let blocks = lines.map(|line| Block::Line(Weight::Say, line)).collect();
        let event = json!({"step": number, "next": next, "state": state});
        last = state;
        Notice::named("state", event).with(blocks)
    });
    notices.collect()
}

fn changes(last: &Json, state: &Json) -> Vec<Vec<Span>> {
    let short = |value: &Json| {
        let text = value.to_string();
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
            None => text,
        }
    };
    let mut lines = Vec::new();
    for (name, value) in state.as_object().into_iter().flatten() {
        let old = last.get(name).unwrap_or(&Json::Null);
        if old == value || old.is_null() && value.as_array().is_some_and(Vec::is_empty) {
            continue;
        }
        if !old.is_null() {
            lines.push(vec![bad("  - "), plain(format!("{name}: {}", short(old)))]);
        }
        if !value.is_null() {
            lines.push(vec![
                good("  + "),
                plain(format!("{name}: {}", short(value))),
            ]);
        }
    }
    lines
}
