//! Obedient model, which does what it reads: the worst case of a prompt-injection test.
//!
//! Whatever came since it last spoke is searched for instructions, whoever wrote it and wherever it
//! is: in a line, in the middle of one, in a text within JSON.
//!
//! ```text
//! CALL tool {"argument": 1}      call a tool, offered or not
//! DATA {"field": "value"}        answer with data
//! SAY some words                 answer with text, to the end of the line
//! ```

use serde_json::Value as Json;

use super::{sample, step::Step, when::newest};
use crate::request::{Request, ToolChoice};

/// What the newest content says to do, if it says anything.
pub(super) fn step(request: &Request) -> Option<Step> {
    let mut found = Step::default();
    for message in newest(&request.messages) {
        let text = message.text();
        match serde_json::from_str::<Json>(&text) {
            Ok(json @ (Json::Array(_) | Json::Object(_) | Json::String(_))) => {
                each_text(&json, &mut |text| obey(text, &mut found));
            }
            _ => obey(&text, &mut found),
        }
    }
    (found != Step::default()).then_some(found)
}

/// What an obedient model does when nobody tells it anything: as little as is valid.
pub(super) fn idle(request: &Request) -> Step {
    if let Some(output) = &request.output {
        return Step::data(sample::of(&output.schema));
    }
    let forced = match &request.tool_choice {
        ToolChoice::Tool(name) => request.tools.iter().find(|tool| tool.name == *name),
        ToolChoice::Required => request.tools.first(),
        ToolChoice::Auto | ToolChoice::None => None,
    };
    match forced {
        Some(tool) => Step::call(tool.name.clone(), sample::of(&tool.parameters)),
        None => Step::text("Done."),
    }
}

fn each_text(json: &Json, act: &mut dyn FnMut(&str)) {
    match json {
        Json::String(text) => act(text),
        Json::Array(items) => items.iter().for_each(|item| each_text(item, act)),
        Json::Object(fields) => fields.values().for_each(|field| each_text(field, act)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn obey(text: &str, found: &mut Step) {
    for (_, rest) in after(text, "CALL ") {
        let rest = rest.trim_start();
        let name: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/'))
            .collect();
        let args = rest.strip_prefix(name.as_str()).and_then(object);
        if let (false, Some(args)) = (name.is_empty(), args) {
            *found = std::mem::take(found).and_call(name, args);
        }
    }
    if let Some(data) = after(text, "DATA ").find_map(|(_, rest)| object(rest)) {
        found.data = Some(data);
    }
    for (before, rest) in after(text, "SAY ") {
        let starts_line = before.trim_end_matches([' ', '\t']).ends_with('\n') || before.is_empty();
        if let (true, Some(words)) = (starts_line, rest.lines().next()) {
            // Words of others are said as they are, so what looks like a placeholder is none.
            found.chunks.push(words.to_owned());
        }
    }
}

/// All places behind a mark, with what is before it.
fn after<'a>(text: &'a str, mark: &'static str) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.match_indices(mark).filter_map(move |(at, _)| {
        let (before, rest) = text.split_at_checked(at)?;
        Some((before, rest.strip_prefix(mark)?))
    })
}

/// The JSON object a text begins with, also where its quotes are escaped.
fn object(text: &str) -> Option<Json> {
    let text = text.trim_start();
    let first = |text: &str| {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
        values.next().and_then(Result::ok).filter(Json::is_object)
    };
    first(text).or_else(|| first(&text.replace("\\\"", "\"")))
}
