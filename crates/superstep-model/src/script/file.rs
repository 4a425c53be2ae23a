//! Scripts as files: JSON Lines, or one JSON array. The format is described in `docs/scripts.md`.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{Script, step::Step, wrong};
use crate::{error::ModelError, model::Structured};

/// What a script says about itself, in its first entry: `{"script": {...}}`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Head {
    name: Option<String>,
    obedient: bool,
    otherwise: Option<Step>,
    caps: Abilities,
}

/// What the model is said to be able to do, where that differs.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Abilities {
    tools: Option<bool>,
    structured: Option<Structured>,
    images: Option<bool>,
    context: Option<u32>,
}

/// The largest script that is read.
const MAX_BYTES: u64 = 16 << 20;

pub(super) fn read(path: &Path) -> Result<Script, ModelError> {
    let shown = path.display();
    let failed = |error: std::io::Error| wrong(format!("{shown}: {error}"));
    let about = std::fs::metadata(path).map_err(failed)?;
    // A pipe would block.
    if !about.is_file() {
        return Err(wrong(format!("{shown}: it is not a regular file")));
    }
    if about.len() > MAX_BYTES {
        return Err(wrong(format!("{shown}: larger than {MAX_BYTES} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let script = parse_as(&shown.to_string(), &text)?;
    Ok(match (script.id.name.as_str(), path.file_stem()) {
        ("", Some(stem)) => script.named(stem.to_string_lossy()),
        _ => script,
    })
}

pub(super) fn parse(name: &str, text: &str) -> Result<Script, ModelError> {
    let script = parse_as(name, text)?;
    Ok(match script.id.name.as_str() {
        "" => script.named(name),
        _ => script,
    })
}

fn parse_as(origin: &str, text: &str) -> Result<Script, ModelError> {
    let mut head = Head::default();
    let mut steps = Vec::new();
    for (at, (place, json)) in entries(origin, text)?.into_iter().enumerate() {
        let bad = |error: serde_json::Error| wrong(format!("{place}: {error}"));
        match json {
            Json::Object(mut fields) if at == 0 && fields.contains_key("script") => {
                let about = fields.remove("script").unwrap_or_default();
                if let Some(other) = fields.keys().next() {
                    return Err(wrong(format!("{place}: `{other}` beside `script`")));
                }
                head = serde_json::from_value(about).map_err(bad)?;
            }
            json => {
                let step: Step = serde_json::from_value(json).map_err(bad)?;
                check(&step).map_err(|why| wrong(format!("{place}: {why}")))?;
                steps.push(step);
            }
        }
    }
    let mut script = Script::new(steps).named(head.name.unwrap_or_default());
    if head.obedient {
        script = script.obedient();
    }
    if let Some(step) = head.otherwise {
        script = script.otherwise(step);
    }
    let mut caps = script.caps;
    caps.tools = head.caps.tools.unwrap_or(caps.tools);
    caps.images = head.caps.images.unwrap_or(caps.images);
    caps.context = head.caps.context;
    caps.structured = head.caps.structured.unwrap_or(caps.structured);
    Ok(script.with_caps(caps))
}

/// The entries with the place that errors name.
fn entries(origin: &str, text: &str) -> Result<Vec<(String, Json)>, ModelError> {
    if text.trim_start().starts_with('[') {
        let all: Vec<Json> =
            serde_json::from_str(text).map_err(|error| wrong(format!("{origin}: {error}")))?;
        let numbered = (1..).zip(all);
        return Ok(numbered
            .map(|(number, json): (usize, _)| (format!("{origin}, entry {number}"), json))
            .collect());
    }
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .map(|(number, line): (usize, _)| {
            let place = format!("{origin}:{number}");
            let json =
                serde_json::from_str(line).map_err(|error| wrong(format!("{place}: {error}")))?;
            Ok((place, json))
        })
        .collect()
}

/// Things a step says that do not go together.
fn check(step: &Step) -> Result<(), &'static str> {
    let says = step.text.is_some()
        || step.reasoning.is_some()
        || step.data.is_some()
        || !step.chunks.is_empty()
        || !step.calls.is_empty();
    if step.text.is_some() && !step.chunks.is_empty() {
        return Err("`text` and `chunks` are two ways to say the same");
    }
    if step.error.is_some() && step.breaks.is_some() {
        return Err("`error` and `break` are two ways to fail");
    }
    if step.after.is_some() && !step.fails() {
        return Err("`after` without `error` or `break`");
    }
    if step.calls.iter().any(|call| call.name.is_empty()) {
        return Err("a call without `name`");
    }
    let both = |call: &super::Call| call.raw.is_some() && !call.args.is_empty();
    if step.calls.iter().any(both) {
        return Err("`args` and `raw` are two ways to say the same");
    }
    if !says && !step.fails() && step.finish.is_none() {
        return Err("a step that neither says anything nor fails");
    }
    Ok(())
}
