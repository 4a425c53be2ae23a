//! Turns on a small model: the program decides what is done next, and says so as calls of tools.
//!
//! What comes next follows from the conversation and from what was decided: first the owner is asked, with answers to choose
//! from; then a meeting is made if they chose a time; then the reply is worded. The pieces are in `small`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use superstep::{
    Ctx, NodeError,
    model::{Body, Label, Message, Reply, ToolCall, Usage, message::ToolStatus},
    tools::{Decision, Traced, guided::picked},
};

use super::{
    ReplyState,
    turn::{last_turn, of_turn},
};
use crate::{
    Span, Topic,
    input::EmailInput,
    parse::one_line,
    prompt::{answers_elsewhere, gutter, said_by},
    services::{LLM_CALL, Services},
    small::{called, form, free, learned, short, word},
    tools::{CallValidator, DONE, QUESTION, SCHEDULE, SEND, ToolRequest},
};

/// What the program keeps of a mail that a small model helps with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Handling {
    /// The answers that were proposed.
    answers: Vec<Proposed>,
    /// What the owner is told about the reply.
    note: Option<String>,
}

impl Handling {
    /// What the owner is told about the reply, in lines that cannot be taken for ours.
    pub(super) fn note(&self) -> Option<String> {
        self.note.as_deref().map(gutter)
    }
}

/// An answer that the owner may give.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Proposed {
    text: String,
    /// The time that it agrees to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<Span>,
}

/// What comes next.
enum Next {
    /// The owner is asked what to answer.
    Understand,
    /// A meeting at a time that the owner agreed to.
    Meet(Proposed),
    /// The reply that says this.
    Word(String),
    /// Nothing is left.
    Done,
}

/// A turn, as a message of calls, and what is kept.
pub(super) async fn turn(
    state: &ReplyState,
    input: &EmailInput,
    services: &std::sync::Arc<Services>,
    ctx: &Ctx,
) -> Result<(Message, Option<Handling>), NodeError> {
    let (calls, handling, usage) = match next(state, input, services, ctx).await? {
        Next::Understand => understand(input, services, ctx).await?,
        Next::Meet(chosen) => (meeting(&chosen, input, services), None, Usage::default()),
        Next::Word(decision) => reply(&decision, state, input, services, ctx).await?,
        Next::Done => (
            vec![call(DONE, json!({"done": true}))],
            None,
            Usage::default(),
        ),
    };
    let said = Reply {
        tool_calls: calls,
        usage: (usage != Usage::default()).then_some(usage),
        ..Reply::default()
    };
    let message = Message::from(said).with_id(ctx.idempotency_key("reply"));
    Ok((message, handling))
}

fn call(name: &str, args: Json) -> ToolCall {
    ToolCall {
        id: String::new(),
        name: name.into(),
        args: args.as_object().cloned().unwrap_or_else(Map::new),
    }
}

/// What comes next, by what was said and decided last.
async fn next(
    state: &ReplyState,
    input: &EmailInput,
    services: &std::sync::Arc<Services>,
    ctx: &Ctx,
) -> Result<Next, NodeError> {
    // The words of the owner, when they were told of the mail or asked for help.
    let newest = state.messages.last();
    let newest =
        newest.filter(|it| matches!(it.body, Body::User { .. }) && it.label() == Label::User);
    let owner = services.owner();
    if let Some(said) = newest.and_then(|message| said_by(&owner, &message.text())) {
        return Ok(Next::Word(said));
    }
    let new = state.messages.get(state.inherited..).unwrap_or_default();
    let Some((_, said)) = last_turn(new) else {
        return Ok(Next::Understand);
    };
    let calls = said.tool_calls.iter().enumerate();
    let Some((place, call)) = calls.into_iter().find(|(_, call)| call.name != DONE) else {
        return Ok(Next::Done);
    };
    let decision = of_turn(state)
        .find(|it| it.place == place)
        .map(|it| &it.decision);
    let answer = match decision {
        Some(Decision::Response(text)) => Some(text.clone()),
        _ => left_with_words(state, call),
    };
    Ok(match (call.name.as_str(), answer) {
        (QUESTION, Some(text)) => {
            let proposed = state.small.iter().flat_map(|it| &it.answers);
            let proposed: Vec<&Proposed> = proposed.collect();
            let texts: Vec<&str> = proposed.iter().map(|it| it.text.as_str()).collect();
            match picked(&texts, &text).and_then(|place| proposed.get(place)) {
                Some(chosen) if chosen.time.is_some() => Next::Meet((*chosen).clone()),
                Some(chosen) => Next::Word(chosen.text.clone()),
                None => Next::Word(text),
            }
        }
        (_, Some(text)) => Next::Word(text),
        (SCHEDULE, None) if succeeded(state, call) => {
            // The owner may have changed the time.
            let (none, now) = ((None, None), Timestamp::now());
            let validator = CallValidator::new(services, ctx, input, none, now).await?;
            match validator.parse(call).map(|parsed| parsed.request) {
                Ok(ToolRequest::Schedule(meeting)) => {
                    Next::Word(format!("Yes, {}", free::written(meeting.span, services)))
                }
                _ => Next::Done,
            }
        }
        (SEND | SCHEDULE, None) => Next::Done,
        _ => Next::Understand,
    })
}

fn result<'a>(state: &'a ReplyState, call: &ToolCall) -> Option<&'a Message> {
    let mut all = state.messages.iter().rev();
    all.find(|message| matches!(&message.body, Body::Tool(reply) if reply.tool_call_id == call.id))
}

fn succeeded(state: &ReplyState, call: &ToolCall) -> bool {
    let result = result(state, call).map(|message| &message.body);
    matches!(result, Some(Body::Tool(reply)) if reply.status == ToolStatus::Success)
        && !state.left.contains(&call.id)
}

/// What the owner said when they were asked again about a call and left it.
fn left_with_words(state: &ReplyState, call: &ToolCall) -> Option<String> {
    let text = result(state, call)
        .filter(|_| state.left.contains(&call.id))?
        .text();
    let (_, said) = text.split_once("; the user says: ")?;
    Some(said.to_owned())
}

type Turned = (Vec<ToolCall>, Option<Handling>, Usage);

/// Reads the mail, and asks the owner what to answer.
async fn understand(
    input: &EmailInput,
    services: &Services,
    ctx: &Ctx,
) -> Result<Turned, NodeError> {
    let read = short(&input.mail, services.mailbox.owner(), None);
    let guide =
        form::guide(&called(services.mailbox.owner()))?.max_tokens(services.settings.max_tokens);
    let model = Traced {
        model: &**services.models.of(LLM_CALL),
        ctx,
    };
    let answer = guide
        .ask::<form::Form>(&model, Message::untrusted(&*read))
        .await?;
    let now = services.settings.now();
    let written = input
        .mail
        .date
        .unwrap_or(now)
        .to_zoned(services.zone.zone.clone());
    let understood = answer.value.checked(&read, written.date());
    let mut answers = Vec::new();
    let mut remarks = Vec::new();
    if let Some(wanted) = &understood.meeting {
        match free::times(wanted, services, now).await {
            Ok((times, unread)) => {
                if times.is_empty() {
                    remarks
                        .push("Nothing is free for it in working hours on these days.".to_owned());
                }
                if unread > 0 {
                    remarks.push(format!(
                        "{unread} parts of the calendar could not be read, so more may be taken."
                    ));
                }
                let texts: Vec<String> = times
                    .iter()
                    .map(|it| free::written(*it, services))
                    .collect();
                let yes = times.iter().zip(&texts).map(|(time, text)| Proposed {
                    text: format!("Yes, {text}"),
                    time: Some(*time),
                });
                answers.extend(yes);
                if texts.len() > 1 {
                    let text = format!("Offer {}", texts.join(" or "));
                    answers.push(Proposed { text, time: None });
                }
            }
            // A calendar that fails is said, and no time is made up.
            Err(error) => remarks.push(format!(
                "The calendar could not be read, so no times are proposed: {}",
                one_line(&error.to_string(), 120)
            )),
        }
        let text = "No, I have no time then".to_owned();
        answers.push(Proposed { text, time: None });
    } else {
        let of_model = understood.answers.iter().cloned();
        answers.extend(of_model.map(|text| Proposed { text, time: None }));
        for text in ["Yes", "No"] {
            if answers.len() < 2 {
                let text = text.to_owned();
                answers.push(Proposed { text, time: None });
            }
        }
    }
    let texts: Vec<&str> = answers.iter().map(|it| it.text.as_str()).collect();
    remarks.extend(answers_elsewhere(&input.mail));
    let content = question(&understood.asks, &remarks, &texts);
    let args = json!({"content": content, "answers": texts, "understood": understood});
    let handling = Handling {
        answers,
        note: None,
    };
    Ok((vec![call(QUESTION, args)], Some(handling), answer.usage))
}

/// The question to the owner, with the answers to choose from.
fn question(asks: &str, remarks: &[String], answers: &[&str]) -> String {
    let mut text = format!(
        "{asks}\nWhat should the reply say? Answer with a number, or in a few words of your own.\n"
    );
    for (number, answer) in (1..).zip(answers) {
        text.push_str(&format!("{number}. {answer}\n"));
    }
    for remark in remarks {
        text.push_str(&format!("{remark}\n"));
    }
    crate::parse::clipped(text.trim_end(), 1_000).to_owned()
}

/// The meeting at the time that the owner chose.
fn meeting(chosen: &Proposed, input: &EmailInput, services: &Services) -> Vec<ToolCall> {
    let Some(span) = chosen.time else {
        return Vec::new();
    };
    let at = |at: Timestamp| {
        let at = at.to_zoned(services.zone.zone.clone());
        at.strftime("%Y-%m-%dT%H:%M:%S").to_string()
    };
    let mail = &input.mail;
    let asking = mail.reply_to.first().or(mail.from.as_ref());
    let title = match one_line(&mail.subject, 200) {
        subject if subject.is_empty() => "Meeting".to_owned(),
        subject => subject,
    };
    let args = json!({
        "attendees": asking.map(|it| it.email.as_str()).into_iter().collect::<Vec<_>>(),
        "title": title,
        "start_time": at(span.start),
        "end_time": at(span.end),
        "organizer_email": services.mailbox.owner().email,
    });
    vec![call(SCHEDULE, args)]
}

/// The reply that says what was decided.
async fn reply(
    decision: &str,
    state: &ReplyState,
    input: &EmailInput,
    services: &Services,
    ctx: &Ctx,
) -> Result<Turned, NodeError> {
    let note = services.memory(ctx)?.show(Topic::Response).await?;
    let wording = word::wording(services, &learned(Topic::Response, &note))?;
    let model = Traced {
        model: &**services.models.of(LLM_CALL),
        ctx,
    };
    let decision = &one_line(decision, 1_000);
    let worded = word::worded(&model, &wording, &input.mail, decision, services).await?;
    let args =
        json!({"response_text": worded.text, "email_address": services.mailbox.owner().email});
    let handling = Handling {
        note: Some(word::note(&worded, decision)),
        ..state.small.clone().unwrap_or_default()
    };
    let calls = vec![call(SEND, args), call(DONE, json!({"done": true}))];
    Ok((calls, Some(handling), worded.usage))
}
