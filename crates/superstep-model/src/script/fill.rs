//! Placeholders in replies: what was said goes into what is said next.
//!
//! `{last}`, `{user}`, `{n}`, `{result}`, `{result:TOOL}`, and for results that are JSON
//! `{result:TOOL#/json/pointer}`. A text that is one placeholder with a pointer becomes the value
//! itself, where the step has JSON. Other braces stay as they are; `{{last}}` is `{last}`.

use serde_json::Value as Json;

use super::{
    step::Step,
    when::{Role, last, last_user, role},
    wrong,
};
use crate::{
    error::ModelError,
    message::{Body, Message},
    request::Request,
};

/// The step with its placeholders filled.
pub(super) fn step(step: &Step, request: &Request, number: usize) -> Result<Step, ModelError> {
    let from = Variables { request, number };
    let mut step = step.clone();
    let texts = [&mut step.text, &mut step.reasoning];
    for text in texts.into_iter().flatten() {
        *text = from.text(text)?;
    }
    for chunk in &mut step.chunks {
        *chunk = from.text(chunk)?;
    }
    for call in &mut step.calls {
        for (_, value) in &mut call.args {
            from.json(value)?;
        }
        if let Some(raw) = &mut call.raw {
            *raw = from.text(raw)?;
        }
    }
    if let Some(data) = &mut step.data {
        from.json(data)?;
    }
    Ok(step)
}

struct Variables<'a> {
    request: &'a Request,
    number: usize,
}

impl Variables<'_> {
    fn json(&self, value: &mut Json) -> Result<(), ModelError> {
        match value {
            Json::String(text) => {
                *value = match self.whole(text)? {
                    Some(json) => json,
                    None => Json::String(self.text(text)?),
                };
            }
            Json::Array(items) => {
                for item in items {
                    self.json(item)?;
                }
            }
            Json::Object(fields) => {
                for (_, field) in fields {
                    self.json(field)?;
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
        Ok(())
    }

    /// The value of a text that is one placeholder with a pointer.
    fn whole(&self, text: &str) -> Result<Option<Json>, ModelError> {
        let inside = text
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let Some((tool, pointer)) = inside.and_then(pointed) else {
            return Ok(None);
        };
        self.value(tool, pointer).map(Some)
    }

    fn text(&self, text: &str) -> Result<String, ModelError> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, at)) = rest.split_once('{') {
            filled.push_str(before);
            let escaped = at
                .strip_prefix('{')
                .and_then(|inner| inner.split_once("}}"));
            if let Some((name, after)) = escaped
                && is_name(name)
            {
                filled.push('{');
                filled.push_str(name);
                filled.push('}');
                rest = after;
                continue;
            }
            match at.split_once('}') {
                Some((name, after)) if is_name(name) => {
                    filled.push_str(&self.value_of(name)?);
                    rest = after;
                }
                _ => {
                    filled.push('{');
                    rest = at;
                }
            }
        }
        filled.push_str(rest);
        Ok(filled)
    }

    fn value_of(&self, name: &str) -> Result<String, ModelError> {
        let messages = &self.request.messages;
        match name {
            "last" => Ok(last(messages).map(Message::text).unwrap_or_default()),
            "user" => Ok(last_user(messages).unwrap_or_default()),
            "n" => Ok(self.number.to_string()),
            "result" => self.result("*"),
            _ => match (pointed(name), name.strip_prefix("result:")) {
                (Some((tool, pointer)), _) => Ok(match self.value(tool, pointer)? {
                    Json::String(text) => text,
                    other => other.to_string(),
                }),
                (None, Some(tool)) => self.result(tool),
                (None, None) => Ok(String::new()),
            },
        }
    }

    /// The newest result of a tool.
    fn result(&self, tool: &str) -> Result<String, ModelError> {
        let mut back = self.request.messages.iter().rev();
        let found = back.find(|said| match &said.body {
            Body::Tool(reply) => role(said) == Role::Tool && super::glob::fits(tool, &reply.name),
            _ => false,
        });
        found
            .map(Message::text)
            .ok_or_else(|| wrong(format!("there is no result of `{tool}` to fill in")))
    }

    fn value(&self, tool: &str, pointer: &str) -> Result<Json, ModelError> {
        let text = self.result(tool)?;
        let json: Json = serde_json::from_str(&text)
            .map_err(|error| wrong(format!("the result of `{tool}` is no JSON: {error}")))?;
        json.pointer(pointer)
            .cloned()
            .ok_or_else(|| wrong(format!("the result of `{tool}` has nothing at `{pointer}`")))
    }
}

/// The tool and the pointer of `result:TOOL#/pointer`.
fn pointed(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("result:")?.split_once('#')
}

fn is_name(name: &str) -> bool {
    matches!(name, "last" | "user" | "n" | "result")
        || name
            .strip_prefix("result:")
            .is_some_and(|tool| !tool.is_empty() && !tool.contains(['{', '"', '\n']))
}
