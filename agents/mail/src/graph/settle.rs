//! What was decided about the calls of a turn becomes tasks: one a call, one a note.

use superstep::{
    Command, Ctx, Input, NodeError, Res, Snap,
    model::{Body, ToolCall, message::ToolStatus},
};

use super::{
    Decided, Job, Lesson, Office, ReplyNode, ReplyState, ReplyStateUpdate,
    respond::{last_turn, of_turn, result},
    triage::remark,
};
use crate::{
    Topic,
    inbox::Act,
    memory::{
        ActId, Learned,
        act::{Deed, HumanAct, edited},
    },
    tools::{QUESTION, SCHEDULE, SEND},
};

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
    for it in decided {
        let Decided { place, act, .. } = it;
        let Some(call) = said.tool_calls.get(*place) else {
            continue;
        };
        let deed = match act {
            Act::Direct | Act::Accept => {
                jobs.push(job(call, it));
                continue;
            }
            Act::Edit(args) => {
                if let Some(call) = patched.tool_calls.get_mut(*place) {
                    call.args = args.clone();
                    is_patched = true;
                    jobs.push(job(call, it));
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

/// An approved call, with when and in which mode it was.
fn job(call: &ToolCall, decided: &Decided) -> Job {
    Job {
        call: call.clone(),
        at: decided.at,
        mode: decided.mode,
    }
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

/// Learns of what a person did.
pub(super) async fn update_memory(
    Input(lesson): Input<Lesson>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let (topic, key) = (lesson.topic, ctx.key("memory"));
    let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
    let from = ActId {
        key: &key,
        thread: &thread,
    };
    let owner = office.owner();
    let learned = office
        .memory
        .learn(topic, &*office.model, &owner, from, &lesson.acts)
        .await?;
    Ok(match learned {
        Learned::Refused(why) => ReplyState::update().remarks([remark(topic, &why)]),
        _ => ReplyState::update(),
    })
}
