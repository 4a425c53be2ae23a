//! A request as chat completions take it.

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use super::dialect::{BesideTools, Dialect, EffortField, LimitField, Sampling};
use crate::{
    error::{ErrorKind, ModelError},
    message::{Body, Content, Message, Part, Reply, ToolReply},
    model::Structured,
    model_id::ModelId,
    remote::{
        forced_tool::{self, ForcedTool},
        messages,
        schema::Subset,
    },
    request::{Effort, OutputSchema, Request, ToolChoice},
    tool::ToolSpec,
};

/// The body of a call, and how its answer is to be read if a tool stands in for the schema.
pub(super) fn write(
    id: &ModelId,
    dialect: &Dialect,
    request: &Request,
) -> Result<(Json, Option<ForcedTool>), ModelError> {
    let mut body = Map::new();
    let mut put = |name: &str, value: Json| body.insert(name.to_owned(), value);
    put("model", json!(id.name));
    put("stream", json!(true));
    if dialect.stream_usage {
        put("stream_options", json!({"include_usage": true}));
    }
    let mut messages = messages(id, dialect, &request.messages)?;
    let tool = |spec: &ToolSpec| tool(dialect, spec);
    let mut tools: Vec<Json> = request.tools.iter().map(tool).collect();
    let mut choice = request.tool_choice.clone();
    let mut forced = None;
    if let Some(output) = &request.output {
        match dialect.structured {
            Structured::Schema => {
                put("response_format", response_format(dialect, output));
            }
            Structured::Tool => {
                tools.push(tool(&ForcedTool::tool(output)));
                choice = ForcedTool::choice(output, request);
                forced = Some(ForcedTool::new(output));
            }
            Structured::Json => {
                put("response_format", json!({"type": "json_object"}));
                ask(&mut messages, output);
            }
            Structured::Asked => ask(&mut messages, output),
        }
    }
    put("messages", json!(messages));
    if !tools.is_empty() {
        if !dialect.tools {
            return Err(unable(id, "call tools"));
        }
        put("tools", json!(&tools));
        if choice != ToolChoice::Auto {
            put("tool_choice", tool_choice(&choice));
        }
    }
    if let Some(limit) = request.max_tokens {
        let name = match dialect.limit {
            LimitField::MaxCompletionTokens => "max_completion_tokens",
            LimitField::MaxTokens => "max_tokens",
        };
        put(name, json!(limit.saturating_add(dialect.reasoning_room)));
    }
    if dialect.sampling == Sampling::Free {
        if let Some(temperature) = request.temperature {
            put("temperature", short(temperature));
        }
        if !request.stop.is_empty() {
            put("stop", json!(request.stop));
        }
    }
    if let Some(seed) = request.seed {
        put("seed", json!(seed));
    }
    let effort = match (tools.is_empty(), dialect.effort_beside_tools) {
        (true, _) | (false, BesideTools::Kept) => request.effort.map(effort),
        (false, BesideTools::Absent) => None,
        (false, BesideTools::Off) => Some("none"),
    };
    if let Some(effort) = effort {
        match dialect.effort {
            EffortField::ReasoningEffort => put("reasoning_effort", json!(effort)),
            EffortField::Reasoning => put("reasoning", json!({"effort": effort})),
            EffortField::None => None,
        };
    }
    Ok((Json::Object(body), forced))
}

/// Puts the wish for data into the instructions at the beginning: some servers take none later.
/// Where the caller has shown the schema already, nothing is added.
fn ask(messages: &mut Vec<Json>, output: &OutputSchema) {
    let schema = output.schema.to_string();
    let mut said = messages
        .iter()
        .filter_map(|turn| turn.get("content")?.as_str());
    if said.any(|text| text.contains(&schema)) {
        return;
    }
    let wish = messages::asked(output);
    let first = messages
        .first_mut()
        .filter(|turn| turn.get("role") == Some(&json!("system")));
    match first.and_then(|turn| turn.get_mut("content")) {
        Some(Json::String(instructions)) => {
            instructions.push_str("\n\n");
            instructions.push_str(&wish);
        }
        _ => messages.insert(0, json!({"role": "system", "content": wish})),
    }
}

/// A number as a person would write it: 0.1 and not what a double makes of a single.
pub(crate) fn short(number: f32) -> Json {
    number
        .to_string()
        .parse::<f64>()
        .map_or(Json::Null, Json::from)
}

pub(crate) fn effort(effort: Effort) -> &'static str {
    match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

pub(crate) fn unable(id: &ModelId, what: &str) -> ModelError {
    ErrorKind::Unable {
        model: id.to_string(),
        what: what.into(),
    }
    .into()
}

/// The calls that have a result. Providers refuse a call without one, so a call that could not be
/// made is shown only if the conversation tells what came of it.
pub(crate) fn answered(messages: &[Message]) -> HashSet<&str> {
    let results = messages.iter().filter_map(|message| match &message.body {
        Body::Tool(reply) => Some(reply.tool_call_id.as_str()),
        _ => None,
    });
    results.collect()
}

fn messages(
    id: &ModelId,
    dialect: &Dialect,
    messages: &[Message],
) -> Result<Vec<Json>, ModelError> {
    let answered = answered(messages);
    let turn = |message: &Message| {
        Ok(match &message.body {
            Body::System { content } => json!({"role": "system", "content": content.text()}),
            Body::User { .. } => {
                let content = messages::user_content(message);
                json!({"role": "user", "content": user(id, dialect, &content)?})
            }
            Body::Model(reply) => assistant(reply, &answered),
            Body::Tool(reply) => tool_result(id, reply)?,
        })
    };
    messages::in_order(messages).into_iter().map(turn).collect()
}

fn user(id: &ModelId, dialect: &Dialect, content: &Content) -> Result<Json, ModelError> {
    let parts = match content {
        Content::Text(text) => return Ok(json!(text)),
        Content::Parts(parts) => parts,
    };
    let part = |part: &Part| match part {
        Part::Text { text } => Ok(json!({"type": "text", "text": text})),
        Part::Image { .. } if !dialect.images => Err(unable(id, "look at pictures")),
        Part::Image { media_type, data } => {
            let url = format!("data:{media_type};base64,{data}");
            Ok(json!({"type": "image_url", "image_url": {"url": url}}))
        }
    };
    let parts: Result<Vec<Json>, ModelError> = parts.iter().map(part).collect();
    Ok(Json::Array(parts?))
}

fn assistant(reply: &Reply, answered: &HashSet<&str>) -> Json {
    let call = |id: &str, name: &str, arguments: String| {
        json!({
            "id": id, "type": "function",
            "function": {"name": name, "arguments": arguments},
        })
    };
    let made = reply.tool_calls.iter().map(|made| {
        let arguments = Json::Object(made.args.clone()).to_string();
        call(&made.id, &made.name, arguments)
    });
    // Servers read the arguments of earlier calls: those that are not JSON are shown as a string
    // in an object.
    let invalid = reply.invalid_tool_calls.iter();
    let invalid = invalid.filter(|invalid| answered.contains(invalid.id.as_str()));
    let invalid = invalid.map(|invalid| {
        let arguments = json!({"unreadable": invalid.args}).to_string();
        call(&invalid.id, &invalid.name, arguments)
    });
    let calls: Vec<Json> = made.chain(invalid).collect();
    let text = reply.content.text();
    let mut turn = Map::new();
    turn.insert("role".into(), json!("assistant"));
    let content = if text.is_empty() && !calls.is_empty() {
        Json::Null
    } else {
        json!(text)
    };
    turn.insert("content".into(), content);
    if !calls.is_empty() {
        turn.insert("tool_calls".into(), Json::Array(calls));
    }
    Json::Object(turn)
}

fn tool_result(id: &ModelId, reply: &ToolReply) -> Result<Json, ModelError> {
    if let Content::Parts(parts) = &reply.content
        && parts.iter().any(|part| matches!(part, Part::Image { .. }))
    {
        return Err(unable(id, "look at pictures in results of tools"));
    }
    Ok(json!({
        "role": "tool",
        "tool_call_id": reply.tool_call_id,
        "content": messages::tool_text(reply),
    }))
}

fn tool(dialect: &Dialect, spec: &ToolSpec) -> Json {
    let parameters = forced_tool::parameters(spec);
    let parameters = match dialect.schema {
        Subset::Gemini => Subset::Gemini.of(&parameters).unwrap_or(parameters),
        Subset::All | Subset::OpenAi | Subset::Anthropic => parameters,
    };
    json!({
        "type": "function",
        "function": {
            "name": spec.name,
            "description": spec.description,
            "parameters": parameters,
        },
    })
}

fn tool_choice(choice: &ToolChoice) -> Json {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": name}}),
    }
}

/// The schema of the answer, in the words of the server. Strict if the schema can be: strict mode refuses maps.
fn response_format(dialect: &Dialect, output: &OutputSchema) -> Json {
    let written = dialect.schema.of(&output.schema);
    let is_strict = written.is_some();
    json!({
        "type": "json_schema",
        "json_schema": {
            "name": output.name,
            "strict": is_strict,
            "schema": written.unwrap_or_else(|| output.schema.clone()),
        },
    })
}
