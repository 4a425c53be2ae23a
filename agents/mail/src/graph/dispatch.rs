//! Dispatch of the decisions of a turn as tasks: one per approved call, one per note.
//!
//! A mail may promise a meeting of the same turn, so mail waits until the calendar has it.

use superstep::{
    Command, Ctx, Input, NodeError, Res, Snap,
    model::{Body, ToolCall, message::ToolStatus},
    tools::Decision,
};

use super::{
    Decided, Feedback, Job, ReplyNode, ReplyState, ReplyStateUpdate,
    learn::learn_from,
    turn::{last_turn, of_turn, result, result_of},
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
    let (mut patched, mut is_patched) = (said.clone(), false);
    let (mut jobs, mut replies, mut feedback) = (Vec::new(), Vec::new(), Vec::<Feedback>::new());
    let mut ignored = false;
    for it in decided {
        let Decided {
            place, decision, ..
        } = it;
        let Some(call) = said.tool_calls.get(*place) else {
            continue;
        };
        let action = match decision {
            Decision::Direct | Decision::Accept => {
                jobs.push(job(call, it));
                continue;
            }
            Decision::Edit(args) => {
                if let Some(call) = patched.tool_calls.get_mut(*place) {
                    call.args = args.clone();
                    is_patched = true;
                    jobs.push(job(call, it));
                }
                UserAction::Edited(edited(&call.args, args))
            }
            Decision::Denied(why) => {
                replies.push(result(&ctx, *place, call, why, ToolStatus::Error));
                continue;
            }
            Decision::Ignore => {
                ignored = true;
                let text = "the user wants nothing done about this mail; the call was not made";
                replies.push(result(&ctx, *place, call, text, ToolStatus::Success));
                UserAction::Ignored
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
        if action == UserAction::Ignored && !may_teach {
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
    if jobs.iter().any(|job| job.is_for(EffectKind::Calendar)) {
        jobs.retain(|job| !job.is_for(EffectKind::Mail));
    }
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

/// The end of a turn whose approved mail waited for its calendar: the mail is sent, or the model reads why not.
/// Nothing if no mail waits.
pub(super) fn send_waiting_mail(
    state: &ReplyState,
    ctx: &Ctx,
) -> Option<Command<ReplyState, ReplyNode>> {
    let (_, said) = last_turn(&state.messages)?;
    let mut waiting = Vec::new();
    let mut missing = None;
    for it in of_turn(state) {
        let Some(call) = said.tool_calls.get(it.place) else {
            continue;
        };
        let result = result_of(state, call);
        match (EffectKind::of(&call.name), result) {
            (Some(EffectKind::Mail), None) => waiting.push((it, call)),
            (Some(EffectKind::Calendar), Some(result)) => {
                let is_made =
                    result.status == ToolStatus::Success && !state.left.contains(&call.id);
                missing = missing.or((!is_made).then_some(&call.name));
            }
            _ => {}
        }
    }
    if waiting.is_empty() {
        return None;
    }
    let Some(missing) = missing else {
        let command = Command::end();
        return Some(waiting.iter().fold(command, |command, (it, call)| {
            command.and_send(ReplyNode::MakeCall, &job(call, it))
        }));
    };
    let why = format!(
        "not sent, because {missing} of this turn was not made: write a mail that is true without it"
    );
    let results = waiting.iter();
    let results = results.map(|(it, call)| result(ctx, it.place, call, &why, ToolStatus::Error));
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
