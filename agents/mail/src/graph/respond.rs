//! Turns of the model: its request, its calls, and the end of a turn.
//!
//! `decide` asks people about the calls, `dispatch` makes tasks of what they decided.

use jiff::Timestamp;
use serde_json::json;
use superstep::{
    Command, Ctx, NodeError, Res, Snap,
    model::{Body, Message, Reply, Request, ToolCall, ToolChoice, ToolSpec, message::ToolStatus},
    text::single_line,
    tools::{Decision, Turn, guided::Profile, stream_reply},
};

use super::{
    Decided, Pending, ReplyNode, ReplyState,
    dispatch::make_waiting,
    guided, opening_id,
    order::premature,
    turn::{last_turn, of_turn, reply, result},
};
use crate::{
    Stage, Topic, View,
    agenda::{Agenda, thread},
    danger::{dangers, signs},
    moment::Moment,
    prompt::{filled, says, shown},
    services::{LLM_CALL, Services},
    tools::{CallValidator, DONE, EffectKind, SCHEDULE, SEND, fill_in},
    view::marked,
    wire::{Action, Item, WORDS, decide},
};

/// How many calls a turn may have.
const MAX_CALLS: usize = 8;

/// How many replies in a row may be invalid before a person is asked.
const MAX_MISSES: u32 = 2;

pub(super) async fn llm_call(
    state: Snap<ReplyState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<Command<ReplyState, ReplyNode>, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(Command::end());
    };
    if state.spent >= services.settings.max_turns {
        let why = format!("the model took {} turns and is not done", state.spent);
        return Ok(stuck(why));
    }
    let (none, now) = ((None, None), Timestamp::now());
    let validator = CallValidator::new(&services.0, &ctx, input, none, now).await?;
    let (mut message, handling) = match services.profile(LLM_CALL) {
        Profile::Small => guided::turn(&state, input, &services.0, &ctx).await?,
        Profile::Strong => {
            let request = request(&state, &validator, &services, &ctx).await?;
            let model = &**services.models.of(LLM_CALL);
            (stream_reply(&ctx, model, &request).await?, None)
        }
    };
    if let Body::Model(said) = &mut message.body {
        tell_apart(said, state.turn);
        for call in &mut said.tool_calls {
            fill_in(call, input, &services).await;
        }
    }
    let said = message.reply().cloned().unwrap_or_default();
    let mut update = ReplyState::update()
        .turn(state.turn + 1)
        .spent(state.spent + 1);
    if let Some(handling) = handling {
        update = update.small(handling);
    }
    let (calls, refused) = sorted(&message, &said, &validator, &ctx);
    let is_done = said.tool_calls.iter().any(|call| call.name == DONE);
    let mut messages = vec![message];
    messages.extend(refused);
    if !calls.is_empty() {
        let mut command = update.misses(0).messages(messages).end();
        let (proposals, thread) = (services.proposals(&ctx)?, thread(&ctx));
        for (place, call) in calls {
            let agenda = match validator.parse(&call) {
                Ok(parsed) => Agenda::of(&parsed, &services, &proposals, &thread).await?,
                Err(_) => None,
            };
            let pending = Pending {
                turn: state.turn + 1,
                place,
                call,
                mode: services.settings.mode(),
                conflicts: agenda.map(|it| it.conflicts).unwrap_or_default(),
            };
            command = command.and_send(ReplyNode::InterruptHandler, &pending);
        }
        return Ok(command);
    }
    if let (true, 1, Some(why)) = (is_done, messages.len(), unmade(&state)) {
        let reply_text = "not yet: a call failed, and the user is asked what to do";
        messages.extend(done_replies(&said, &ctx, reply_text, ToolStatus::Error));
        let update = update.misses(0).messages(messages).stuck(why);
        return Ok(update.goto(ReplyNode::AskPerson));
    }
    if is_done && messages.len() == 1 {
        messages.extend(done_replies(
            &said,
            &ctx,
            "the mail is handled",
            ToolStatus::Success,
        ));
        return Ok(update
            .misses(0)
            .messages(messages)
            .goto(ReplyNode::MarkAsReadNode));
    }
    let misses = state.misses + 1;
    let may_repair = misses < MAX_MISSES;
    if messages.len() > 1 {
        let why = "not yet: a call of this turn failed";
        messages.extend(done_replies(&said, &ctx, why, ToolStatus::Error));
    } else if may_repair {
        let specs = validator.specs();
        let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        let nudge = format!("That was no tool call. Call a tool: {}.", names.join(", "));
        messages.push(Message::user(nudge).with_id(ctx.idempotency_key("nudge")));
    }
    let update = update.misses(misses).messages(messages);
    Ok(match may_repair {
        true => update.goto(ReplyNode::LlmCall),
        false => {
            let why = "the model calls no tool, or not in a way that can be understood";
            update.stuck(why.to_owned()).goto(ReplyNode::AskPerson)
        }
    })
}

/// Why a mail is not handled: the last call that failed to send or schedule something, if neither a
/// call of a later turn made up for it nor a person has left it.
fn unmade(state: &ReplyState) -> Option<String> {
    let from = state.inherited.max(state.reviewed);
    let (mut this_turn, mut later) = (Vec::new(), Vec::new());
    for message in state.messages.iter().skip(from).rev() {
        let reply = match &message.body {
            Body::Tool(reply) => reply,
            Body::Model(_) => {
                later.append(&mut this_turn);
                continue;
            }
            _ => continue,
        };
        let name = reply.name.as_str();
        let what = match EffectKind::of(name) {
            Some(EffectKind::Mail) if name == SEND => "a reply was not sent",
            Some(EffectKind::Mail) => "a mail was not sent",
            Some(EffectKind::Calendar) if name == SCHEDULE => "a meeting was not made",
            Some(EffectKind::Calendar) => "a meeting was not changed",
            None => continue,
        };
        if reply.status == ToolStatus::Success {
            this_turn.push(name);
        } else if !later.contains(&name) && !state.left.contains(&reply.tool_call_id) {
            return Some(format!("{what}: {}", single_line(&message.text())));
        }
    }
    None
}

/// Gives calls that share an id, or have none, ids of their own: results refer to them.
fn tell_apart(said: &mut Reply, turn: u32) {
    let mut seen: Vec<String> = Vec::new();
    for (place, call) in said.tool_calls.iter_mut().enumerate() {
        if call.id.is_empty() || seen.contains(&call.id) {
            call.id = format!("call_{turn}_{place}");
        }
        seen.push(call.id.clone());
    }
}

fn stuck(why: String) -> Command<ReplyState, ReplyNode> {
    ReplyState::update().stuck(why).goto(ReplyNode::AskPerson)
}

async fn request(
    state: &ReplyState,
    validator: &CallValidator,
    services: &Services,
    ctx: &Ctx,
) -> Result<Request, NodeError> {
    let memory = services.memory(ctx)?;
    let response = memory.show(Topic::Response).await?;
    let calendar = memory.show(Topic::Calendar).await?;
    let (owner, moment) = (services.owner(), Moment::now(services));
    let mut places = vec![
        ("owner", owner.as_str()),
        ("background", &services.settings.background),
        ("response_preferences", &response),
        ("cal_preferences", &calendar),
    ];
    places.extend(moment.places());
    let system = filled(services.settings.prompts.of(Stage::Respond), &places);
    let tools = validator.specs();
    let mut said: Vec<Message> = state.messages.clone();
    for message in &mut said {
        as_described(message, &tools);
    }
    let mail = state
        .email_input
        .as_ref()
        .map(|input| opening_id(&input.id));
    let at = said.iter().rposition(|message| message.id == mail);
    let mut text =
        "Handle the mail below. Behind it is what was found when it was sorted.".to_owned();
    let input = state.email_input.as_ref();
    let signs = input.map_or(0, |input| signs(input, services.mailbox.owner()).len());
    if signs > 0 {
        text.push_str(&format!(" Signs of fraud that the program found: {signs}."));
    }
    said.insert(at.unwrap_or_default(), Message::user(text));
    // At the end, so that all before it stays the same.
    said.push(Message::moment(moment.sentence()));
    Ok(Request {
        tools,
        tool_choice: ToolChoice::Required,
        max_tokens: services.settings.max_tokens,
        ..Request::new([Message::system(system)].into_iter().chain(said))
    })
}

/// Leaves out of calls what the program added to them: the model is told of no such arguments.
fn as_described(message: &mut Message, tools: &[ToolSpec]) {
    let Body::Model(said) = &mut message.body else {
        return;
    };
    for call in &mut said.tool_calls {
        let tool = tools.iter().find(|tool| tool.name == call.name);
        let known = tool.and_then(|tool| tool.parameters.get("properties")?.as_object());
        if let Some(known) = known {
            call.args
                .retain(|name, _| known.contains_key(name) || name == "subject");
        }
    }
}

/// The calls that can be made, by their place, and what the model reads about the others.
fn sorted(
    message: &Message,
    said: &Reply,
    validator: &CallValidator,
    ctx: &Ctx,
) -> (Vec<(usize, ToolCall)>, Vec<Message>) {
    let has_calls = !said.tool_calls.is_empty() || !said.invalid_tool_calls.is_empty();
    let (valid, mut refused) = match Turn::classify(message, validator.tools()) {
        Turn::Call { calls, refused } => (calls, refused),
        Turn::Repair { messages, .. } if has_calls => (Vec::new(), messages),
        Turn::Repair { .. } | Turn::Say(_) => (Vec::new(), Vec::new()),
    };
    let invalid: Vec<String> = refused.iter().filter_map(tool_of).collect();
    let names = valid.iter().map(|call| (call.name.clone(), true));
    let names: Vec<(String, bool)> = names
        .chain(invalid.into_iter().map(|name| (name, false)))
        .collect();
    let mut calls = Vec::new();
    for call in valid.into_iter().filter(|call| call.name != DONE) {
        let others = names.iter().map(|(name, is_valid)| (&**name, *is_valid));
        if let Some(why) = premature(&call.name, others) {
            refused.push(reply(&call, &why, ToolStatus::Error).into());
            continue;
        }
        let place = said.tool_calls.iter().position(|it| it.id == call.id);
        match place {
            Some(place) if calls.len() < MAX_CALLS => calls.push((place, call)),
            _ => {
                let why = format!("a turn has at most {MAX_CALLS} calls");
                refused.push(reply(&call, &why, ToolStatus::Error).into());
            }
        }
    }
    let refused = refused.into_iter().enumerate();
    let refused =
        refused.map(|(n, message)| message.with_id(ctx.idempotency_key(&format!("refused {n}"))));
    (calls, refused.collect())
}

/// The tool that a result is of.
fn tool_of(message: &Message) -> Option<String> {
    match &message.body {
        Body::Tool(reply) => Some(reply.name.clone()),
        _ => None,
    }
}

fn done_replies(said: &Reply, ctx: &Ctx, text: &str, status: ToolStatus) -> Vec<Message> {
    let calls = said.tool_calls.iter().enumerate();
    let done = calls.filter(|(_, call)| call.name == DONE);
    done.map(|(place, call)| result(ctx, place, call, text, status))
        .collect()
}

/// Ends the turn: on to the model, to the end, or to a mail that is handled.
pub(super) async fn turn_end(
    state: Snap<ReplyState>,
    ctx: Ctx,
) -> Result<Command<ReplyState, ReplyNode>, NodeError> {
    if let Some(command) = make_waiting(&state, &ctx) {
        return Ok(command);
    }
    let Some((_, said)) = last_turn(&state.messages) else {
        return Ok(Command::end());
    };
    if state.ignored {
        let done = done_replies(said, &ctx, "the mail is left", ToolStatus::Success);
        return Ok(ReplyState::update().messages(done).end());
    }
    let calls = || said.tool_calls.iter();
    let says_done = calls().any(|call| call.name == DONE);
    // A mail that was sent ends it, unless something is to be read first.
    let is_effect = |call: &ToolCall| EffectKind::of(&call.name).is_some();
    let sends = calls().any(|call| EffectKind::of(&call.name) == Some(EffectKind::Mail));
    let is_over = says_done || sends && calls().all(is_effect);
    if !is_over {
        return Ok(Command::goto(ReplyNode::LlmCall));
    }
    let is_response = |it: &Decided| matches!(it.decision, Decision::Response(_));
    let newest = state.messages.iter().rev();
    let mut newest = newest.take_while(|message| message.reply().is_none());
    let failed = newest.any(|message| match &message.body {
        Body::Tool(reply) => reply.status == ToolStatus::Error,
        _ => false,
    });
    let (text, status, next) = match failed || of_turn(&state).any(is_response) {
        true => (
            "not yet: read the other results of this turn first",
            ToolStatus::Error,
            ReplyNode::LlmCall,
        ),
        false => (
            "the mail is handled",
            ToolStatus::Success,
            ReplyNode::MarkAsReadNode,
        ),
    };
    let done = done_replies(said, &ctx, text, status);
    Ok(ReplyState::update().messages(done).goto(next))
}

/// Asks a person for help when the model is stuck.
pub(super) async fn ask_person(
    state: Snap<ReplyState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<Command<ReplyState, ReplyNode>, NodeError> {
    let why = state.stuck.clone().unwrap_or_default();
    let input = state.email_input.as_ref();
    let mail = input.map(|input| shown(&input.mail, &services.zone));
    let warnings = input.map(|input| dangers(input, state.judgement.as_ref(), &services));
    let warnings = warnings.unwrap_or_default();
    let marks = marked(&warnings);
    let args = json!({"why": why});
    let item = Item {
        action_request: Action {
            action: "stuck".into(),
            args: args.as_object().cloned().unwrap_or_default(),
        },
        config: WORDS,
        mode: None,
        digest: None,
        view: Some(Box::new(View {
            title: "The assistant cannot continue".into(),
            text: Some(why.clone()),
            mail: mail.clone(),
            warnings,
            time_zone: Some(services.zone.name.clone()),
            ..View::default()
        })),
        description: format!(
            "# The assistant cannot continue\n\n{marks}{why}\n\nSay what it should do, or ignore the mail.\
             \n\n---\n\n{}",
            mail.unwrap_or_default()
        ),
    };
    let mode = services.settings.mode();
    Ok(match decide(&ctx, item, None, mode, |_| Ok(()))?.0 {
        Decision::Response(text) => {
            let reply_text = says(&text);
            ReplyState::update()
                .messages(vec![
                    Message::user(reply_text).with_id(ctx.idempotency_key("said")),
                ])
                .spent(0)
                .misses(0)
                .reviewed(state.messages.len())
                .stuck(None)
                .goto(ReplyNode::LlmCall)
        }
        _ => ReplyState::update().ignored(true).end(),
    })
}

pub(super) async fn mark_as_read(
    state: Snap<ReplyState>,
    services: Res<Services>,
) -> Result<(), NodeError> {
    services.mark_read(state.email_input.as_ref()).await
}
