//! Dispatch of the decisions of a turn as tasks: one per approved call, one per note.

use superstep::{
    Command, Ctx, Input, NodeError, Res, Snap,
    model::{Body, ToolCall, message::ToolStatus},
    tools::Decision,
};

use super::{
    Decided, Feedback, Job, ReplyNode, ReplyState, ReplyStateUpdate,
    learn::learn_from,
    order::Approved,
    turn::{last_turn, of_turn, result},
};
use crate::{
    Class, Topic,
    memory::feedback::{FeedbackItem, UserAction, edited},
    services::Services,
    tools::{EffectKind, QUESTION},
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
    let Some(input) = &state.email_input else {
        return Ok(Command::end());
    };
    let judged = state.judgement.clone().unwrap_or_default();
    let approved = Approved::of(&state);
    let is_said = |it: &&Decided| matches!(it.decision, Decision::Response(_));
    // The mail is left if nothing else is wanted; refused beside other calls, only this call is.
    let is_left = !decided.iter().any(|it| it.is_approved() || is_said(it));
    // Words are for the model, and so is mail that it has to write anew.
    let goes_on = !approved.withdrawn.is_empty() || decided.iter().any(is_said);
    let (mut patched, mut is_patched) = (said.clone(), false);
    let (mut replies, mut feedback) = (Vec::new(), Vec::<Feedback>::new());
    let mut ignored = false;
    for it in &decided {
        let Decided {
            place, decision, ..
        } = it;
        let Some(call) = said.tool_calls.get(*place) else {
            continue;
        };
        let action = match decision {
            Decision::Direct | Decision::Accept => continue,
            Decision::Edit(args) => {
                if let Some(call) = patched.tool_calls.get_mut(*place) {
                    call.args = args.clone();
                    is_patched = true;
                }
                UserAction::Edited(edited(&call.args, args))
            }
            Decision::Denied(why) => {
                replies.push(result(&ctx, *place, call, why, ToolStatus::Error));
                continue;
            }
            Decision::Ignore => {
                ignored = !goes_on;
                let (text, action) = match is_left {
                    true => (
                        "the user wants nothing done about this mail; the call was not made",
                        UserAction::Ignored,
                    ),
                    false => (
                        "the user does not want this call; it was not made",
                        UserAction::Refused,
                    ),
                };
                replies.push(result(&ctx, *place, call, text, ToolStatus::Success));
                action
            }
            Decision::Response(text) => {
                let reply_text = match call.name.as_str() {
                    QUESTION => format!("the user answers: {text}"),
                    _ => format!("the call was not made; the user says: {text}"),
                };
                replies.push(result(&ctx, *place, call, &reply_text, ToolStatus::Success));
                UserAction::Said(text.clone())
            }
        };
        let Some(topic) = topic(&call.name, &action) else {
            continue;
        };
        // What is left of a fraud or of a notice about security says nothing about other mail.
        let may_teach = !judged.is_suspicious && !judged.is_security_notice;
        if !may_teach && matches!(action, UserAction::Ignored | UserAction::Refused) {
            continue;
        }
        let item = FeedbackItem::about_mail(&call.name, action, input, Class::Respond);
        let item = match (topic, decision) {
            (Topic::Triage, _) => item,
            (_, Decision::Edit(args)) => item.with_texts(&call.args, Some(args), &judged.language),
            _ => item.with_texts(&call.args, None, &judged.language),
        };
        match feedback.iter_mut().find(|one| one.topic == topic) {
            Some(one) => one.items.push(item),
            None => feedback.push(Feedback {
                topic,
                items: vec![item],
            }),
        }
    }
    let ready = decided
        .iter()
        .filter(|it| approved.ready.contains(&it.place));
    let jobs = ready.filter_map(|it| Some(job(patched.tool_calls.get(it.place)?, it)));
    let jobs: Vec<Job> = jobs.collect();
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
    if jobs.is_empty() && feedback.is_empty() {
        return Ok(command.and_goto(ReplyNode::TurnEnd));
    }
    let command = jobs.iter().fold(command, |command, job| {
        command.and_send(ReplyNode::MakeCall, job)
    });
    Ok(feedback.iter().fold(command, |command, one| {
        command.and_send(ReplyNode::UpdateMemory, one)
    }))
}

/// The end of a turn with approved calls that waited for others: they are made, or the model reads why they are not.
/// Nothing if none waits.
pub(super) fn make_waiting(
    state: &ReplyState,
    ctx: &Ctx,
) -> Option<Command<ReplyState, ReplyNode>> {
    let (_, said) = last_turn(&state.messages)?;
    let approved = Approved::of(state);
    if !approved.ready.is_empty() {
        let ready = of_turn(state).filter(|it| approved.ready.contains(&it.place));
        let jobs = ready.filter_map(|it| Some(job(said.tool_calls.get(it.place)?, it)));
        return Some(jobs.fold(Command::end(), |command, job| {
            command.and_send(ReplyNode::MakeCall, &job)
        }));
    }
    if approved.withdrawn.is_empty() {
        return None;
    }
    let results = approved.withdrawn.iter().filter_map(|(place, why)| {
        let call = said.tool_calls.get(*place)?;
        Some(result(ctx, *place, call, why, ToolStatus::Error))
    });
    let update = ReplyState::update().messages(results.collect::<Vec<_>>());
    Some(update.goto(ReplyNode::TurnEnd))
}

/// An approved call, with the time and the terms of its approval.
fn job(call: &ToolCall, decided: &Decided) -> Job {
    Job {
        call: call.clone(),
        at: decided.at,
        conflicts: decided.conflicts.clone(),
        terms: decided.terms.clone(),
    }
}

/// Which note an action of a person is about.
fn topic(tool: &str, action: &UserAction) -> Option<Topic> {
    match (tool, action) {
        (_, UserAction::Ignored) => Some(Topic::Triage),
        (tool, _) => EffectKind::of(tool).map(|kind| match kind {
            EffectKind::Mail => Topic::Response,
            EffectKind::Calendar => Topic::Calendar,
        }),
    }
}

/// Lets the notes learn from what a person did.
pub(super) async fn update_memory(
    Input(feedback): Input<Feedback>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let refused = learn_from(feedback.topic, &feedback.items, &services, &ctx).await?;
    Ok(match refused {
        Some(remark) => ReplyState::update().remarks([remark]),
        None => ReplyState::update(),
    })
}
