//! Node `model_turn`: one reply of a strong model, which asks for tools.

use superstep::{
    Ctx, NodeError, Res, Snap,
    model::{Cached, Finish, Label, Message, Model as _, Reply, Request, ToolChoice},
    tools::Traced,
};

use crate::{
    error::Error,
    research::{ANSWER, MAX_TURNS, Research, messages, tools},
    services::{MODEL_TURN, Services, problem},
    state::{AtrisState, AtrisStateUpdate},
};

/// The most repairs in a row.
const MAX_REPAIRS: u32 = 2;

/// The token limit of a reply after one was cut off at the limit of the provider.
const ROOM: u32 = 16_000;

/// Messages to the model: after a reply that was cut off, after one without a tool, and before its last one.
const CUT: &str =
    "Your last reply was cut off before its end and is not kept. Send it again, shorter.";
const WORDS: &str = "A reply in plain text reaches nobody: call `answer`, or another tool.";
const END: &str = "Answer now, with what you have; what is missing belongs in `limits`.";

pub(crate) async fn model_turn(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    match turn(&state, &services, &ctx).await {
        Ok((messages, research)) => Ok(AtrisState::update().messages(messages).research(research)),
        Err(error) => Ok(AtrisState::update().error(problem(&error, MODEL_TURN, &state))),
    }
}

/// The conversation with the reply, and with what the model has to repair.
async fn turn(
    state: &AtrisState,
    services: &Services,
    ctx: &Ctx,
) -> Result<(Vec<Message>, Research), Error> {
    let failed = |why: String| Error::Model { why };
    let model = services
        .strong_model()
        .ok_or_else(|| failed("there is none here that can call tools; use --no-model".into()))?;
    let mut research = state.research.clone().unwrap_or_default();
    let mut said = match research.turns {
        0 => {
            let question = state.query.as_deref().unwrap_or_default();
            messages(&state.message_history, question, &services.settings)?
        }
        _ => state.messages.clone().unwrap_or_default(),
    };
    research.turns += 1;
    if research.turns > MAX_TURNS {
        return Err(failed(format!("it gave no answer in {MAX_TURNS} replies")));
    }
    let is_last = research.turns == MAX_TURNS;
    if is_last {
        said.push(Message::user(END).labeled(Label::Model));
    }
    let request = Request {
        tools: tools(is_last),
        tool_choice: match is_last {
            true => ToolChoice::Tool(ANSWER.into()),
            false => ToolChoice::Auto,
        },
        max_tokens: research.is_cut.then_some(ROOM),
        cached: Cached::Conversation,
        ..Request::new(said.clone())
    };
    let reply = Traced { model, ctx }.invoke(&request).await;
    let reply = reply.map_err(|error| failed(format!("[{}] {error}", error.code())))?;
    match wrong(&reply) {
        None => {
            research.repairs = 0;
            research.is_cut = false;
        }
        Some(Wrong::Final(why)) => return Err(failed(why)),
        Some(Wrong::Cut) if research.is_cut => {
            return Err(failed(format!(
                "its reply was cut off at the limit of tokens, also with room for {ROOM}"
            )));
        }
        Some(Wrong::Cut) => {
            research.is_cut = true;
            said.push(Message::user(CUT).labeled(Label::Model));
            return Ok((said, research));
        }
        Some(Wrong::Words) if research.repairs >= MAX_REPAIRS => {
            return Err(failed(
                "it spoke and called no tool, again and again".into(),
            ));
        }
        Some(Wrong::Words) => research.repairs += 1,
    }
    let has_calls = !reply.tool_calls.is_empty() || !reply.invalid_tool_calls.is_empty();
    said.push(Message::from(reply).with_id(ctx.idempotency_key("reply")));
    if !has_calls {
        said.push(Message::user(WORDS).labeled(Label::Model));
    }
    Ok((said, research))
}

/// A fault of a reply.
enum Wrong {
    /// It was cut off.
    Cut,
    /// It calls no tool.
    Words,
    /// It ends the question.
    Final(String),
}

fn wrong(reply: &Reply) -> Option<Wrong> {
    let finish = reply.answered.as_ref().map(|it| &it.finish);
    match finish {
        Some(Finish::Refusal) => Some(Wrong::Final("it refused to answer".into())),
        Some(Finish::Filtered) => {
            let why = "the filter of its provider held the answer back";
            Some(Wrong::Final(why.into()))
        }
        Some(Finish::Length) => Some(Wrong::Cut),
        _ if reply.tool_calls.is_empty() && reply.invalid_tool_calls.is_empty() => {
            Some(Wrong::Words)
        }
        _ => None,
    }
}
