//! Checks of `model test`.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use superstep::{
    model::{
        Delta, ManagedModel, Message, Model, ModelError, Request, Schema, ToolChoice, ToolSpec,
        structured_json,
    },
    text::single_line,
};

use crate::stats::Stats;

/// What is tried, in order.
pub(super) const NAMES: [&str; 4] = ["plain reply", "data", "tool call", "cancel"];

/// How long a cancelled call may take to end.
const PROMPT: Duration = Duration::from_secs(1);

/// What came of a check.
pub(super) enum Check {
    Passed { what: String, stats: Option<Stats> },
    Failed { why: String },
    Skipped { why: String },
}

impl Check {
    pub(super) fn failed(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }

    pub(super) fn json(&self, name: &str) -> Json {
        match self {
            Self::Passed { what, stats } => {
                json!({"check": name, "outcome": "ok", "what": what, "stats": stats})
            }
            Self::Failed { why } => json!({"check": name, "outcome": "failed", "why": why}),
            Self::Skipped { why } => json!({"check": name, "outcome": "skipped", "why": why}),
        }
    }
}

pub(super) async fn run(name: &str, caller: &ManagedModel) -> Check {
    let done = match name {
        "plain reply" => plain(caller).await,
        "data" => data(caller).await,
        "tool call" => call(caller).await,
        _ => cancel(caller).await,
    };
    done.unwrap_or_else(|error| Check::Failed {
        why: format!("[{}] {error}", error.code()),
    })
}

async fn plain(caller: &ManagedModel) -> Result<Check, ModelError> {
    let request = Request {
        max_tokens: Some(64),
        ..Request::new([Message::user("Say hello in one short sentence.")])
    };
    let begun = Instant::now();
    let mut first = None;
    let mut deltas = caller.stream(&request).await?;
    let mut reply = superstep::model::Assembly::new(caller.id());
    while let Some(delta) = deltas.next().await {
        let delta = delta?;
        if matches!(delta, Delta::Text(_)) {
            first.get_or_insert_with(|| begun.elapsed());
        }
        reply.add(delta)?;
    }
    let reply = reply.finish()?;
    let text = single_line(&reply.content.text());
    if text.is_empty() {
        return Ok(Check::Failed {
            why: "the reply is empty".into(),
        });
    }
    Ok(Check::Passed {
        what: quoted(&text),
        stats: Some(Stats::of(caller, &reply, begun.elapsed(), first)),
    })
}

async fn data(caller: &ManagedModel) -> Result<Check, ModelError> {
    let shape = json!({
        "type": "object",
        "properties": {
            "city": {"type": "string", "maxLength": 40},
            "degrees": {"type": "integer", "minimum": -100, "maximum": 100}
        },
        "required": ["city", "degrees"],
        "additionalProperties": false
    });
    let schema = match Schema::new("weather", shape) {
        Ok(schema) => schema,
        Err(error) => {
            let why = error.to_string();
            return Ok(Check::Failed { why });
        }
    };
    let request = Request {
        max_tokens: Some(128),
        ..Request::new([Message::user(
            "It is 21 degrees in Oslo today. Give the city and the degrees.",
        )])
    };
    let begun = Instant::now();
    let fitted = structured_json(caller, request, &schema).await?;
    let repairs = match fitted.repairs {
        0 => String::new(),
        count => format!(", repaired {count} times"),
    };
    let mut reply = fitted.reply;
    reply.usage = Some(fitted.usage);
    Ok(Check::Passed {
        what: format!("{}{repairs}", quoted(&fitted.value.to_string())),
        stats: Some(Stats::of(caller, &reply, begun.elapsed(), None)),
    })
}

async fn call(caller: &ManagedModel) -> Result<Check, ModelError> {
    if !caller.caps().tools {
        return Ok(Check::Skipped {
            why: "the model calls no tools".into(),
        });
    }
    let request = Request {
        tools: vec![ToolSpec {
            name: "weather".into(),
            description: "Tells the weather of a city.".into(),
            parameters: json!({"type": "object",
                "properties": {"city": {"type": "string", "maxLength": 40}},
                "required": ["city"], "additionalProperties": false}),
        }],
        tool_choice: ToolChoice::Required,
        max_tokens: Some(128),
        ..Request::new([Message::user("What is the weather in Oslo?")])
    };
    let begun = Instant::now();
    let reply = caller.invoke(&request).await?;
    let Some(call) = reply.tool_calls.first() else {
        let why = match reply.invalid_tool_calls.first() {
            Some(call) => format!("a call with arguments that are no JSON: {}", call.error),
            None => "no tool was called".into(),
        };
        return Ok(Check::Failed { why });
    };
    if call.name != "weather" {
        let why = format!("a tool was called that was not offered: {}", call.name);
        return Ok(Check::Failed { why });
    }
    let args = Json::Object(call.args.clone());
    Ok(Check::Passed {
        what: quoted(&format!("{} {args}", call.name)),
        stats: Some(Stats::of(caller, &reply, begun.elapsed(), None)),
    })
}

async fn cancel(caller: &ManagedModel) -> Result<Check, ModelError> {
    let request = Request {
        max_tokens: Some(512),
        ..Request::new([Message::user("Count from one to two hundred in words.")])
    };
    let mut deltas = caller.stream(&request).await?;
    while let Some(delta) = deltas.next().await {
        if matches!(delta?, Delta::Text(_) | Delta::Reasoning(_)) {
            break;
        }
    }
    let begun = Instant::now();
    drop(deltas);
    let took = begun.elapsed();
    if took > PROMPT {
        let why = format!("it took {:.1} s to stop", took.as_secs_f64());
        return Ok(Check::Failed { why });
    }
    Ok(Check::Passed {
        what: "stopped at once".into(),
        stats: None,
    })
}

/// The beginning of a reply.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
