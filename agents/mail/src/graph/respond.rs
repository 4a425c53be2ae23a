//! The handling of one mail: the model speaks, people decide, what was decided becomes tasks.

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};
use superstep::{
    Command, Ctx, Input, NodeError, Res, Snap,
    model::{
        Body, Message, Reply, Request, ToolCall, ToolChoice,
        message::{ToolReply, ToolStatus},
    },
    tools::converse,
};

use super::{
    Decided, EmailInput, Job, Lesson, Office, Pending, ReplyNode, ReplyState, ReplyStateUpdate,
    triage::remark,
};
use crate::{
    Recipients, Topic,
    compose::reply_subject,
    inbox::{ALL, Act, Action, Item, WORDS, decide},
    memory::{
        Learned,
        act::{Deed, HumanAct, edited},
    },
    prompt::{filled, person, shown},
    tools::{CHECK, DONE, QUESTION, SCHEDULE, SEND, Wanted},
};

/// How many calls a turn may have.
const MAX_CALLS: usize = 8;

/// How many replies in a row may be of no use before a person is asked.
const MAX_MISSES: u32 = 2;

pub(super) async fn llm_call(
    state: Snap<ReplyState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<Command<ReplyState, ReplyNode>, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(Command::end());
    };
    if state.spent >= office.settings.max_turns {
        let why = format!("the model took {} turns and is not done", state.spent);
        return Ok(stuck(why));
    }
    let request = request(&state, input, &office).await?;
    let message = converse(&ctx, &*office.model, &request).await?;
    let said = message.reply().cloned().unwrap_or_default();
    let update = ReplyState::update()
        .turn(state.turn + 1)
        .spent(state.spent + 1);
    let (calls, refused) = sorted(&said, input, &office, &ctx);
    let is_done = said.tool_calls.iter().any(|call| call.name == DONE);
    let mut messages = vec![message];
    messages.extend(refused);
    if !calls.is_empty() {
        let command = update.misses(0).messages(messages).end();
        return Ok(calls.into_iter().fold(command, |command, (place, call)| {
            let turn = state.turn + 1;
            command.and_send(ReplyNode::InterruptHandler, &Pending { turn, place, call })
        }));
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
    let may_mend = misses < MAX_MISSES;
    if messages.len() > 1 {
        let why = "not yet: a call of this turn failed";
        messages.extend(done_replies(&said, &ctx, why, ToolStatus::Error));
    } else if may_mend {
        let nudge = "That was no tool call. Call a tool: send_email_tool, \
                     schedule_meeting_tool, check_calendar_tool, Question, or Done.";
        messages.push(Message::user(nudge).with_id(ctx.key("nudge")));
    }
    let update = update.misses(misses).messages(messages);
    Ok(match may_mend {
        true => update.goto(ReplyNode::LlmCall),
        false => {
            let why = "the model calls no tool, or not in a way that can be understood";
            update.stuck(why.to_owned()).goto(ReplyNode::AskPerson)
        }
    })
}

fn stuck(why: String) -> Command<ReplyState, ReplyNode> {
    ReplyState::update().stuck(why).goto(ReplyNode::AskPerson)
}

async fn request(
    state: &ReplyState,
    input: &EmailInput,
    office: &Office,
) -> Result<Request, NodeError> {
    let response = office.memory.show(Topic::Response).await?;
    let calendar = office.memory.show(Topic::Calendar).await?;
    let today = Timestamp::now().to_zoned(office.zone.zone.clone());
    let today = today.strftime("%A %d-%m-%Y").to_string();
    let owner = office.owner();
    let system = filled(
        include_str!("../../prompts/respond.md"),
        &[
            ("owner", &owner),
            ("background", &office.settings.background),
            ("response_preferences", &response),
            ("cal_preferences", &calendar),
            ("today", &today),
            ("zone", &office.zone.name),
        ],
    );
    let said = state.messages.iter().cloned();
    Ok(Request {
        tools: office.desk(input).specs(),
        tool_choice: ToolChoice::Required,
        max_tokens: office.settings.max_tokens,
        ..Request::new([Message::system(system)].into_iter().chain(said))
    })
}

/// The calls that can be made, by their place, and what the model is told about the others.
fn sorted(
    said: &Reply,
    input: &EmailInput,
    office: &Office,
    ctx: &Ctx,
) -> (Vec<(usize, ToolCall)>, Vec<Message>) {
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    for (place, call) in said.tool_calls.iter().enumerate() {
        if call.name == DONE {
            continue;
        }
        let why = match office.desk(input).read(&call.name, &call.args) {
            Ok(_) if calls.len() < MAX_CALLS => {
                calls.push((place, call.clone()));
                continue;
            }
            Ok(_) => format!("a turn has at most {MAX_CALLS} calls"),
            Err(why) => why,
        };
        refused.push(result(
            ctx,
            place,
            &call.id,
            &call.name,
            &why,
            ToolStatus::Error,
        ));
    }
    for (place, call) in said.invalid_tool_calls.iter().enumerate() {
        let why = format!("the arguments are not a JSON object: {}", call.error);
        let place = said.tool_calls.len() + place;
        refused.push(result(
            ctx,
            place,
            &call.id,
            &call.name,
            &why,
            ToolStatus::Error,
        ));
    }
    (calls, refused)
}

/// What the model reads about a call of its own.
pub(super) fn result(
    ctx: &Ctx,
    place: usize,
    id: &str,
    name: &str,
    text: &str,
    status: ToolStatus,
) -> Message {
    let reply = ToolReply {
        tool_call_id: id.to_owned(),
        name: name.to_owned(),
        content: text.into(),
        status,
    };
    Message::from(reply).with_id(ctx.key(&format!("result {place}")))
}

fn done_replies(said: &Reply, ctx: &Ctx, text: &str, status: ToolStatus) -> Vec<Message> {
    let calls = said.tool_calls.iter().enumerate();
    let done = calls.filter(|(_, call)| call.name == DONE);
    done.map(|(place, call)| result(ctx, place, &call.id, DONE, text, status))
        .collect()
}

/// Asks about one call, and does nothing else.
pub(super) async fn interrupt_handler(
    Input(pending): Input<Pending>,
    state: Snap<ReplyState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(ReplyState::update());
    };
    let call = &pending.call;
    let act = match call.name.as_str() {
        CHECK => Act::Direct,
        _ => {
            let item = item(call, input, &office);
            let check = |args: &Map<String, Json>| {
                let wanted = office.desk(input).read(&call.name, args);
                wanted.map(|_| ())
            };
            decide(&ctx, item, check)?
        }
    };
    Ok(ReplyState::update().decided([Decided {
        turn: pending.turn,
        place: pending.place,
        act,
        at: Timestamp::now(),
    }]))
}

/// The question about a call.
fn item(call: &ToolCall, input: &EmailInput, office: &Office) -> Item {
    let about = match office.desk(input).read(&call.name, &call.args) {
        Ok(Wanted::Send(letter)) => {
            let to = Recipients::of(&input.mail, office.mailbox.owner(), &letter.added);
            let people = |all: &[crate::Address]| -> String {
                let all: Vec<String> = all.iter().map(person).collect();
                all.join(", ")
            };
            let mut text = String::from("# A reply\n\n");
            for stranger in to.outside(&input.participants) {
                text.push_str(&format!(
                    "**Not in this thread so far: {}**\n",
                    person(stranger)
                ));
            }
            let from = input.mail.from.as_ref();
            for other in &input.mail.reply_to {
                if from.is_some_and(|from| !from.is_same(other)) {
                    let other = person(other);
                    text.push_str(&format!("**Answers go to {other}, not to the sender.**\n"));
                }
            }
            text.push_str(&format!("To: {}\n", people(&to.to)));
            if !to.cc.is_empty() {
                text.push_str(&format!("Cc: {}\n", people(&to.cc)));
            }
            let subject = reply_subject(&input.mail.subject);
            text.push_str(&format!("Subject: {subject}\n\n{}\n", letter.text));
            text
        }
        Ok(Wanted::Schedule(meeting)) => {
            let mut text = format!("# A meeting\n\n{}\n{}\n", meeting.title, meeting.told());
            let known = |one: &crate::Address| input.participants.iter().any(|it| it.is_same(one));
            for one in &meeting.attendees {
                let stranger = if known(one) {
                    ""
                } else {
                    " **(not in this thread so far)**"
                };
                text.push_str(&format!("- {}{stranger}\n", one.email));
            }
            text
        }
        Ok(Wanted::Question(content)) => format!("# A question\n\n{content}\n"),
        _ => format!("# {}\n", call.name),
    };
    let dry = match office.settings.dry_run && call.name != QUESTION {
        true => "\n(dry run: nothing will leave)\n",
        false => "",
    };
    let mail = shown(&input.mail, &office.zone);
    Item {
        action_request: Action {
            action: call.name.clone(),
            args: call.args.clone(),
        },
        config: if call.name == QUESTION { WORDS } else { ALL },
        description: format!("{about}{dry}\n---\n\n{mail}"),
    }
}

/// Makes tasks of what was decided about the calls of a turn.
pub(super) async fn settle_decisions(
    state: Snap<ReplyState>,
    ctx: Ctx,
) -> Result<Command<ReplyState, ReplyNode>, NodeError> {
    let Some((message, said)) = last_turn(&state.messages) else {
        return Ok(Command::end());
    };
    let mut decided: Vec<&Decided> = of_turn(&state).collect();
    decided.sort_by_key(|it| it.place);
    let sender = state
        .email_input
        .as_ref()
        .and_then(|input| input.mail.from.as_ref());
    let sender = sender.map(|from| from.email.as_str());
    let (mut patched, mut is_patched) = (said.clone(), false);
    let (mut jobs, mut replies, mut lessons) = (Vec::new(), Vec::new(), Vec::<Lesson>::new());
    let mut ignored = false;
    for Decided { place, act, at, .. } in decided {
        let Some(call) = said.tool_calls.get(*place) else {
            continue;
        };
        let deed = match act {
            Act::Direct | Act::Accept => {
                jobs.push(Job {
                    call: call.clone(),
                    at: *at,
                });
                continue;
            }
            Act::Edit(args) => {
                if let Some(call) = patched.tool_calls.get_mut(*place) {
                    call.args = args.clone();
                    is_patched = true;
                    jobs.push(Job {
                        call: call.clone(),
                        at: *at,
                    });
                }
                Deed::Edited(edited(&call.args, args))
            }
            Act::Ignore => {
                ignored = true;
                let text = "the user wants nothing done about this mail; the call was not made";
                replies.push(result(
                    &ctx,
                    *place,
                    &call.id,
                    &call.name,
                    text,
                    ToolStatus::Success,
                ));
                Deed::Ignored
            }
            Act::Response(text) => {
                let told = match call.name.as_str() {
                    QUESTION => format!("the user answers: {text}"),
                    _ => format!("the call was not made; the user says: {text}"),
                };
                replies.push(result(
                    &ctx,
                    *place,
                    &call.id,
                    &call.name,
                    &told,
                    ToolStatus::Success,
                ));
                Deed::Said(text.clone())
            }
        };
        let Some(topic) = topic(&call.name, &deed) else {
            continue;
        };
        let act = HumanAct::new(&call.name, deed, sender);
        match lessons.iter_mut().find(|lesson| lesson.topic == topic) {
            Some(lesson) => lesson.acts.push(act),
            None => lessons.push(Lesson {
                topic,
                acts: vec![act],
            }),
        }
    }
    let mut messages = Vec::new();
    if is_patched {
        let mut message = message.clone();
        message.body = Body::Model(patched);
        messages.push(message);
    }
    messages.extend(replies);
    let command = ReplyState::update()
        .messages(messages)
        .ignored(ignored)
        .end();
    if jobs.is_empty() && lessons.is_empty() {
        return Ok(command.and_goto(ReplyNode::TurnEnd));
    }
    let command = jobs.iter().fold(command, |command, job| {
        command.and_send(ReplyNode::ToolCall, job)
    });
    Ok(lessons.iter().fold(command, |command, lesson| {
        command.and_send(ReplyNode::UpdateMemory, lesson)
    }))
}

/// Which note an act of a person is about.
fn topic(tool: &str, deed: &Deed) -> Option<Topic> {
    match (tool, deed) {
        (_, Deed::Ignored) => Some(Topic::Triage),
        (SEND, _) => Some(Topic::Response),
        (SCHEDULE, _) => Some(Topic::Calendar),
        _ => None,
    }
}

fn last_turn(messages: &[Message]) -> Option<(&Message, &Reply)> {
    let mut all = messages.iter().rev();
    all.find_map(|message| Some((message, message.reply()?)))
}

fn of_turn(state: &ReplyState) -> impl Iterator<Item = &Decided> {
    state.decided.iter().filter(|it| it.turn == state.turn)
}

/// Learns of what a person did.
pub(super) async fn update_memory(
    Input(lesson): Input<Lesson>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let (topic, key) = (lesson.topic, ctx.key("memory"));
    let owner = office.owner();
    let learned = office
        .memory
        .learn(topic, &*office.model, &owner, &key, &lesson.acts)
        .await?;
    Ok(match learned {
        Learned::Refused(why) => ReplyState::update().remarks([remark(topic, &why)]),
        _ => ReplyState::update(),
    })
}

/// Ends the turn: on to the model, to the end, or to a mail that is handled.
pub(super) async fn turn_end(
    state: Snap<ReplyState>,
    ctx: Ctx,
) -> Result<Command<ReplyState, ReplyNode>, NodeError> {
    let Some((_, said)) = last_turn(&state.messages) else {
        return Ok(Command::end());
    };
    if state.ignored {
        let done = done_replies(said, &ctx, "the mail is left", ToolStatus::Success);
        return Ok(ReplyState::update().messages(done).end());
    }
    if !said.tool_calls.iter().any(|call| call.name == DONE) {
        return Ok(Command::goto(ReplyNode::LlmCall));
    }
    let is_response = |it: &Decided| matches!(it.act, Act::Response(_));
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

/// Lets a person help a model that cannot go on.
pub(super) async fn ask_person(
    state: Snap<ReplyState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<Command<ReplyState, ReplyNode>, NodeError> {
    let why = state.stuck.clone().unwrap_or_default();
    let mail = state
        .email_input
        .as_ref()
        .map(|input| shown(&input.mail, &office.zone));
    let args = json!({"why": why});
    let item = Item {
        action_request: Action {
            action: "stuck".into(),
            args: args.as_object().cloned().unwrap_or_default(),
        },
        config: WORDS,
        description: format!(
            "# The assistant cannot go on\n\n{why}\n\nSay what it should do, or ignore the mail.\
             \n\n---\n\n{}",
            mail.unwrap_or_default()
        ),
    };
    Ok(match decide(&ctx, item, |_| Ok(()))? {
        Act::Response(text) => {
            let told = format!("{} says: {text}", office.owner());
            ReplyState::update()
                .messages(vec![Message::user(told).with_id(ctx.key("said"))])
                .spent(0)
                .misses(0)
                .stuck(None)
                .goto(ReplyNode::LlmCall)
        }
        _ => ReplyState::update().ignored(true).end(),
    })
}

pub(super) async fn mark_as_read(
    state: Snap<ReplyState>,
    office: Res<Office>,
) -> Result<(), NodeError> {
    office.mark_read(state.email_input.as_ref()).await
}
