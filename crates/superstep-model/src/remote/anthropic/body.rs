//! A request as the Messages API takes it.

use std::collections::HashSet;

use serde_json::{Map, Value as Json, json};

use super::{
    PROVIDER, Sampling,
    profile::{Profile, Thinking},
};
use crate::{
    error::ModelError,
    message::{Body, Content, Message, Part, Reply, ToolReply, ToolStatus},
    model::Structured,
    model_id::ModelId,
    remote::{
        forced_tool::{self, ForcedTool},
        messages, openai,
        schema::Subset,
    },
    request::{Cached, Effort, Request, ToolChoice},
    tool::ToolSpec,
};

/// The smallest number of tokens that may be given for thinking.
const LEAST_THOUGHT: u32 = 1024;

/// The body of a call, and how its answer is to be read if a tool stands in for the schema.
pub(super) fn write(
    id: &ModelId,
    profile: &Profile,
    request: &Request,
) -> Result<(Json, Option<ForcedTool>), ModelError> {
    let mut tools: Vec<Json> = request.tools.iter().map(tool).collect();
    let mut choice = request.tool_choice.clone();
    let mut config = Map::new();
    let mut forced = None;
    if let Some(output) = &request.output {
        let closed = match profile.structured {
            Structured::Schema => Subset::Anthropic.of(&output.schema),
            _ => None,
        };
        if let Some(schema) = closed {
            config.insert(
                "format".into(),
                json!({"type": "json_schema", "schema": schema}),
            );
        } else {
            tools.push(tool(&ForcedTool::tool(output)));
            choice = ForcedTool::choice(output, request);
            forced = Some(ForcedTool::new(output));
        }
    }
    let limit = request.max_tokens;
    let limit = limit.map(|limit| limit.saturating_add(profile.reasoning_room));
    let max_tokens = limit.unwrap_or(profile.max_tokens);
    // A model that cannot be made to call a tool is asked to.
    let mut asked = None;
    if !profile.must_call {
        asked = asked_to_call(&choice);
        if asked.is_some() {
            choice = ToolChoice::Auto;
        }
    }
    let may_think = !matches!(choice, ToolChoice::Required | ToolChoice::Tool(_));
    let mut thinking = None;
    if let Some(effort) = request.effort {
        match profile.thinking {
            Thinking::Never => {}
            Thinking::Budget if may_think && can_resume(request) => {
                thinking = budget(effort, max_tokens)
                    .map(|tokens| json!({"type": "enabled", "budget_tokens": tokens}));
            }
            Thinking::Budget => {}
            Thinking::Adaptive => {
                config.insert("effort".into(), json!(openai::effort(effort)));
                thinking = may_think.then(|| json!({"type": "adaptive"}));
            }
        }
    }

    let mut body = Map::new();
    let mut put = |name: &str, value: Json| body.insert(name.to_owned(), value);
    put("model", json!(id.name));
    put("max_tokens", json!(max_tokens));
    put("stream", json!(true));
    let mut system = system(&request.messages);
    system.extend(asked.map(|text| json!({"type": "text", "text": text})));
    if !system.is_empty() {
        put("system", Json::Array(system));
    }
    let mut turns = messages(id, profile, &request.messages)?;
    // The end of what is the same in the next call.
    let last = match request.cached {
        Cached::Instructions => None,
        Cached::Examples => turns.iter_mut().rev().nth(1),
        Cached::Conversation => turns.last_mut(),
    };
    let content = last.and_then(|turn| turn.get_mut("content"));
    cached(
        content
            .and_then(Json::as_array_mut)
            .and_then(|blocks| blocks.last_mut()),
    );
    put("messages", Json::Array(turns));
    if !tools.is_empty() {
        cached(tools.last_mut());
        put("tools", Json::Array(tools));
        if choice != ToolChoice::Auto {
            put("tool_choice", tool_choice(&choice));
        }
    }
    if !config.is_empty() {
        put("output_config", Json::Object(config));
    }
    // A model that thinks does not take a temperature.
    if profile.sampling == Sampling::Free
        && thinking.is_none()
        && let Some(temperature) = request.temperature
    {
        put("temperature", openai::short(temperature));
    }
    if let Some(thinking) = thinking {
        put("thinking", thinking);
    }
    if !request.stop.is_empty() {
        put("stop_sequences", json!(request.stop));
    }
    Ok((Json::Object(body), forced))
}

/// All instructions. The provider keeps them, and the tools before them, for the next call: those
/// at the beginning of the conversation do not change, so the mark is on the last of them.
fn system(messages: &[Message]) -> Vec<Json> {
    let text = |message: &Message| match &message.body {
        Body::System { content } => Some(content.text()).filter(|text| !text.is_empty()),
        _ => None,
    };
    let block = |text: String| json!({"type": "text", "text": text});
    let leads = |message: &&Message| matches!(message.body, Body::System { .. });
    let leading = messages.iter().take_while(leads).count();
    let (first, rest) = messages.split_at(leading);
    let mut blocks: Vec<Json> = first.iter().filter_map(text).map(block).collect();
    cached(blocks.last_mut());
    blocks.extend(rest.iter().filter_map(text).map(block));
    blocks
}

fn cached(block: Option<&mut Json>) {
    if let Some(Json::Object(fields)) = block {
        fields.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
}

/// One turn per side, in order: what follows a turn of the same side belongs to it.
fn messages(
    id: &ModelId,
    profile: &Profile,
    messages: &[Message],
) -> Result<Vec<Json>, ModelError> {
    let answered = openai::answered(messages);
    let mut turns: Vec<Turn> = Vec::new();
    for message in messages::in_order(messages) {
        let (side, blocks) = match &message.body {
            Body::System { .. } => continue,
            Body::User { .. } => {
                let content = messages::user_content(message);
                (Side::User, content_blocks(id, profile, &content)?)
            }
            Body::Tool(reply) => (Side::User, vec![tool_result(id, profile, reply)?]),
            Body::Model(reply) => (Side::Model, reply_blocks(reply, &answered)),
        };
        match turns.last_mut() {
            Some(turn) if turn.side == side => turn.blocks.extend(blocks),
            _ => turns.push(Turn { side, blocks }),
        }
    }
    Ok(turns.into_iter().filter_map(Turn::write).collect())
}

struct Turn {
    side: Side,
    blocks: Vec<Json>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    User,
    Model,
}

impl Turn {
    fn write(self) -> Option<Json> {
        if self.blocks.is_empty() {
            return None;
        }
        let role = match self.side {
            Side::User => "user",
            Side::Model => "assistant",
        };
        Some(json!({"role": role, "content": self.blocks}))
    }
}

fn content_blocks(
    id: &ModelId,
    profile: &Profile,
    content: &Content,
) -> Result<Vec<Json>, ModelError> {
    let text = |text: &str| (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let parts = match content {
        Content::Text(whole) => return Ok(text(whole).into_iter().collect()),
        Content::Parts(parts) => parts,
    };
    let block = |part: &Part| match part {
        Part::Text { text: words } => Ok(text(words)),
        Part::Image { .. } if !profile.images => Err(openai::unable(id, "look at pictures")),
        Part::Image { media_type, data } => Ok(Some(json!({
            "type": "image",
            "source": {"type": "base64", "media_type": media_type, "data": data},
        }))),
    };
    let blocks = parts.iter().map(block).filter_map(Result::transpose);
    blocks.collect()
}

fn reply_blocks(reply: &Reply, answered: &HashSet<&str>) -> Vec<Json> {
    let is_ours = |reply: &Reply| {
        let answered = reply.answered.as_ref();
        answered.is_some_and(|answered| answered.provider == PROVIDER)
    };
    let mut blocks = Vec::new();
    // A provider knows its own proofs only, and takes no thought without one.
    if is_ours(reply) {
        for thought in &reply.reasoning {
            if let Some(hidden) = &thought.hidden {
                blocks.push(json!({"type": "redacted_thinking", "data": hidden}));
            } else if let Some(signature) = &thought.signature {
                blocks.push(json!({
                    "type": "thinking", "thinking": thought.text, "signature": signature,
                }));
            }
        }
    }
    let text = reply.content.text();
    if !text.trim().is_empty() {
        blocks.push(json!({"type": "text", "text": text.trim_end()}));
    }
    let call = |id: &str, name: &str, input: Json| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    for made in &reply.tool_calls {
        blocks.push(call(&made.id, &made.name, Json::Object(made.args.clone())));
    }
    for invalid in &reply.invalid_tool_calls {
        if answered.contains(invalid.id.as_str()) {
            let input = json!({"unreadable": invalid.args});
            blocks.push(call(&invalid.id, &invalid.name, input));
        }
    }
    blocks
}

fn tool_result(id: &ModelId, profile: &Profile, reply: &ToolReply) -> Result<Json, ModelError> {
    let content = match &reply.content {
        Content::Text(text) => json!(text),
        parts => Json::Array(content_blocks(id, profile, parts)?),
    };
    let mut block = json!({
        "type": "tool_result", "tool_use_id": reply.tool_call_id, "content": content,
    });
    if reply.status == ToolStatus::Error
        && let Json::Object(fields) = &mut block
    {
        fields.insert("is_error".into(), json!(true));
    }
    Ok(block)
}

fn tool(spec: &ToolSpec) -> Json {
    json!({
        "name": spec.name,
        "description": spec.description,
        "input_schema": forced_tool::parameters(spec),
    })
}

/// The choice in words, if it is one to make a model call a tool.
fn asked_to_call(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Auto | ToolChoice::None => None,
        ToolChoice::Required => {
            Some("Reply with a call of one of the tools, not with text.".into())
        }
        ToolChoice::Tool(name) => Some(format!(
            "Reply with a call of the tool `{name}`, not with text."
        )),
    }
}

fn tool_choice(choice: &ToolChoice) -> Json {
    match choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Tool(name) => json!({"type": "tool", "name": name}),
    }
}

/// Tokens for thinking, which must leave some for the answer.
fn budget(effort: Effort, max_tokens: u32) -> Option<u32> {
    let wish = match effort {
        Effort::Low => LEAST_THOUGHT,
        Effort::Medium => 4096,
        Effort::High => 16_384,
    };
    Some(wish.min(max_tokens / 2)).filter(|tokens| *tokens >= LEAST_THOUGHT)
}

/// Whether a model that was given tokens to think may think now: in the middle of its calls it
/// must have thought before them, and the proof must be there.
fn can_resume(request: &Request) -> bool {
    let is_turn = |message: &&Message| !matches!(message.body, Body::Tool(_));
    let mut back = request.messages.iter().rev();
    match back.find(is_turn).map(|message| &message.body) {
        Some(Body::Model(reply)) => reply
            .reasoning
            .iter()
            .any(|thought| thought.signature.is_some() || thought.hidden.is_some()),
        _ => true,
    }
}
