//! Runs and trees as text for a terminal. All of it is sanitized.

use superstep_core::{
    event::{Facts, SpanKind},
    value::Value,
};

use crate::{
    sanitize::sanitize_line,
    tree::{Beginning, Branch, Kind, Run, RunTree, Status},
    units,
};

/// How much of a tree is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Detail {
    /// What happened, how long it took, what it cost, what went wrong.
    #[default]
    Brief,
    /// Also the first so many letters of what went in and what came out.
    Content(usize),
}

impl RunTree {
    /// The runs of the thread, one a line.
    pub fn list(&self) -> String {
        let head = [
            "run", "started", "took", "status", "tokens", "cost", "graph",
        ];
        let mut rows = vec![head.map(str::to_owned)];
        for run in &self.runs {
            let root = &run.root;
            rows.push([
                run.ordinal.to_string(),
                root.started.map(units::time).unwrap_or_default(),
                root.took().map(units::duration).unwrap_or_default(),
                root.status.label().to_owned(),
                tokens(root).unwrap_or_default(),
                cost(root).unwrap_or_default(),
                sanitize_line(&root.name),
            ]);
        }
        let mut widths = [0; 7];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let mut text = String::new();
        for row in rows {
            let cells = row.iter().zip(widths);
            let line: Vec<String> = cells
                .map(|(cell, width)| format!("{cell:width$}"))
                .collect();
            text.push_str(line.join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// All runs as trees.
    pub fn show(&self, detail: Detail) -> String {
        let runs: Vec<String> = self.runs.iter().map(|run| run.show(detail)).collect();
        runs.join("\n")
    }
}

impl Run {
    /// The run as a tree.
    pub fn show(&self, detail: Detail) -> String {
        let mut text = format!("run {}", self.ordinal);
        // It is always the one before it.
        if self.continues.is_some() {
            let before = self.ordinal.saturating_sub(1);
            text.push_str(&format!(" (continues run {before})"));
        }
        if self.beginning == Beginning::Pruned {
            text.push_str(" (its beginning was pruned)");
        }
        text.push_str(": ");
        text.push_str(&line(&self.root));
        text.push('\n');
        let asks = self.asks.iter().map(|ask| format!("? waits for {ask}"));
        let parts = parts(&self.root);
        let bar = if parts.is_empty() { "  " } else { "│ " };
        for note in notes(&self.root, detail).into_iter().chain(asks) {
            text.push_str(&format!("{bar}{note}\n"));
        }
        draw(&parts, "", detail, &mut text);
        text
    }
}

/// The builder bounds the depth of the tree.
fn draw(parts: &[&Branch], indent: &str, detail: Detail, text: &mut String) {
    let last = parts.len().saturating_sub(1);
    for (at, branch) in parts.iter().enumerate() {
        let (knee, bar) = if at == last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        text.push_str(&format!("{indent}{knee}{}\n", line(branch)));
        let below = self::parts(branch);
        let indent = format!("{indent}{bar}");
        let stem = if below.is_empty() { "  " } else { "│ " };
        for note in notes(branch, detail) {
            text.push_str(&format!("{indent}{stem}{note}\n"));
        }
        draw(&below, &indent, detail, text);
    }
}

/// What is shown below a branch: a node that is a graph shows what is in the graph.
fn parts(branch: &Branch) -> Vec<&Branch> {
    let graphs = branch
        .children
        .iter()
        .filter(|child| child.kind == Kind::Graph);
    let one = branch.kind == Kind::Node && graphs.count() == 1;
    let mut parts = Vec::new();
    for child in &branch.children {
        match child.kind {
            Kind::Graph if one => parts.extend(&child.children),
            _ => parts.push(child),
        }
    }
    parts
}

fn line(branch: &Branch) -> String {
    let name = sanitize_line(&branch.name);
    let mut line = match branch.kind {
        Kind::Graph if branch.place.namespace.is_root() => name,
        Kind::Node | Kind::Span(SpanKind::Attempt) => name,
        kind => format!("{} {name}", kind.as_str()),
    };
    let mut add = |part: Option<String>| {
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            line.push_str("  ");
            line.push_str(&part);
        }
    };
    // That something went well need not be said, but of a whole run.
    let is_run = branch.kind == Kind::Graph && branch.place.namespace.is_root();
    let says = is_run || branch.status != Status::Done;
    add(says.then(|| branch.status.label().to_owned()));
    add(branch.took().map(units::duration));
    add(tokens(branch));
    add(cost(branch));
    add(facts(branch));
    line
}

fn tokens(branch: &Branch) -> Option<String> {
    let totals = &branch.totals;
    if totals.input_tokens == 0 && totals.output_tokens == 0 {
        return None;
    }
    // Where they come from is said where it is known.
    let is_span = matches!(branch.kind, Kind::Span(_));
    let some = |n: u64, what: &str| match n {
        0 => String::new(),
        _ if !is_span => String::new(),
        n => format!(" ({} {what})", units::number(n)),
    };
    Some(format!(
        "{} in{}, {} out{}",
        units::number(totals.input_tokens),
        some(totals.cached_tokens, "cached"),
        units::number(totals.output_tokens),
        some(totals.reasoning_tokens, "reasoning"),
    ))
}

fn cost(branch: &Branch) -> Option<String> {
    let totals = &branch.totals;
    match (totals.cost, totals.unpriced) {
        (0, 0) if totals.models == 0 => None,
        (cost, 0) => Some(units::money(cost)),
        (0, _) => None,
        (cost, _) => Some(format!("{} and more", units::money(cost))),
    }
}

fn facts(branch: &Branch) -> Option<String> {
    let Facts {
        provider,
        model_answered,
        finish,
        attempts,
        first_token,
        ..
    } = &branch.facts;
    let first = first_token.map(|micros| format!("first token {}", units::duration(micros)));
    let tries = attempts.filter(|n| *n > 1).map(|n| format!("{n} requests"));
    let other = model_answered
        .as_ref()
        .filter(|model| **model != branch.name);
    let parts = [
        provider.as_deref().map(sanitize_line),
        other.map(|model| sanitize_line(model)),
        first,
        tries,
        finish.as_deref().map(sanitize_line),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("  "))
}

/// Lines below a branch: what went wrong, and what went in and came out.
fn notes(branch: &Branch, detail: Detail) -> Vec<String> {
    let error = branch.error.as_ref();
    let mut notes: Vec<String> = Vec::new();
    notes.extend(error.map(|error| {
        let (code, message) = (sanitize_line(&error.code), sanitize_line(&error.message));
        format!("! {code} {message}")
    }));
    if let Detail::Content(most) = detail {
        let content = |what: &str, value: &Value| {
            let said = said(value);
            let text = match value {
                Value::Str(text) => sanitize_line(text),
                value => said.unwrap_or_else(|| sanitize_line(&value.to_string())),
            };
            let short: String = text.chars().take(most).collect();
            let more = if short.len() < text.len() { "…" } else { "" };
            format!("{what} {short}{more}")
        };
        if !branch.inputs.is_null() {
            notes.push(content("<", &branch.inputs));
        }
        if !branch.outputs.is_null() {
            notes.push(content(">", &branch.outputs));
        }
    }
    notes
}

/// What is said in a request or a reply of a model: the newest words of it, which are what people look for. The
/// exports have all of it.
fn said(value: &Value) -> Option<String> {
    let json = serde_json::to_value(value).ok()?;
    let newest = match json.get("messages") {
        Some(messages) => messages.as_array()?.last()?,
        None => &json,
    };
    let text = match newest.get("content")? {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join(" ")
        }
        _ => return None,
    };
    let calls = newest
        .get("tool_calls")
        .and_then(serde_json::Value::as_array);
    let calls = calls.into_iter().flatten().filter_map(|call| {
        let (name, args) = (call.get("name")?.as_str()?, call.get("args")?);
        Some(format!("{name}({args})"))
    });
    let all: Vec<String> = [text]
        .into_iter()
        .filter(|it| !it.is_empty())
        .chain(calls)
        .collect();
    (!all.is_empty()).then(|| sanitize_line(&all.join(" ")))
}
