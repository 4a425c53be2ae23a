//! The upper level: which mail is answered, shown or left, and which comes next.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, json};
use superstep::{
    Command, Ctx, NodeError, Res, Snap,
    model::{Message, Request, Schema},
};

use super::{Class, EmailInput, MailState, MailStateUpdate, Office, ReplyState, TopNode, data};
use crate::{
    Topic,
    inbox::{Act, Action, Item, WORDS, decide},
    memory::{
        ActId, Learned,
        act::{Deed, HumanAct},
    },
    prompt::{filled, for_model, person, shown},
};

#[derive(Deserialize)]
struct Routed {
    reasoning: String,
    classification: Class,
}

pub(super) async fn router(
    state: Snap<MailState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<Command<MailState, TopNode>, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(Command::goto(TopNode::NextMail));
    };
    // Two processes that take in the same mail at the same time must not handle it twice.
    if state.finished.contains(&input.id) {
        return Ok(Command::goto(TopNode::NextMail));
    }
    let preferences = office.memory.show(Topic::Triage).await?;
    let owner = office.owner();
    let places = [("owner", &*owner), ("preferences", &*preferences)];
    let system = filled(include_str!("../../prompts/triage.md"), &places);
    let mail = for_model("Which class is this mail?", input, &office.zone);
    // Reasons come first: a small model that thinks before it chooses chooses better.
    let schema = json!({
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "maxLength": 400},
            "classification": {"type": "string", "enum": ["respond", "notify", "ignore"]},
        },
        "required": ["reasoning", "classification"],
        "additionalProperties": false,
    });
    let schema = Schema::new("triage", schema)?;
    let request = Request {
        max_tokens: office.settings.max_tokens,
        ..Request::new([Message::system(system), Message::untrusted(mail)])
    };
    let routed: Routed = data(&ctx, &*office.model, request, &schema).await?;
    let class = routed.classification;
    let update = MailState::update()
        .classification_decision(class)
        .reasoning(routed.reasoning);
    Ok(match class {
        Class::Respond => update
            .messages(vec![opening(input, &office)])
            .goto(TopNode::ResponseAgent),
        Class::Notify => update.goto(TopNode::TriageInterruptHandler),
        Class::Ignore => update.goto(left(&office)),
    })
}

/// The mail as the first thing said to the model that handles it.
fn opening(input: &EmailInput, office: &Office) -> Message {
    let text = for_model("Respond to the email:", input, &office.zone);
    Message::untrusted(text).with_id(format!("mail/{}", input.id.0))
}

/// Where mail goes that nothing is done about.
fn left(office: &Office) -> TopNode {
    match office.settings.mark_ignored {
        true => TopNode::MarkAsReadNode,
        false => TopNode::NextMail,
    }
}

pub(super) async fn interrupt_handler(
    state: Snap<MailState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<Command<MailState, TopNode>, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(Command::goto(TopNode::NextMail));
    };
    let item = Item {
        action_request: Action {
            action: "notify".into(),
            args: Map::new(),
        },
        config: WORDS,
        description: shown(&input.mail, &office.zone),
    };
    let decision = decide(&ctx, item, office.settings.mode(), |_| Ok(()))?;
    let (deed, update, next) = match decision.act {
        Act::Response(said) => {
            let told = format!("{} says: {said}", person(office.mailbox.owner()));
            let told = Message::user(told).with_id(ctx.key("said"));
            let update = MailState::update().messages(vec![opening(input, &office), told]);
            (Deed::Said(said), update, TopNode::ResponseAgent)
        }
        _ => (Deed::Ignored, MailState::update(), left(&office)),
    };
    let sender = input.mail.from.as_ref().map(|from| from.email.as_str());
    let acts = [HumanAct::new("notify", deed, sender)];
    let key = ctx.key("memory");
    let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
    let from = ActId {
        key: &key,
        thread: &thread,
    };
    let owner = office.owner();
    let learned = office
        .memory
        .learn(Topic::Triage, &*office.model, &owner, from, &acts)
        .await?;
    Ok(match learned {
        Learned::Refused(why) => update.remarks([remark(Topic::Triage, &why)]),
        _ => update,
    }
    .goto(next))
}

pub(super) fn remark(topic: Topic, why: &str) -> String {
    format!("the note `{}` was not changed: {why}", topic.label())
}

pub(super) async fn mark_as_read(
    state: Snap<MailState>,
    office: Res<Office>,
) -> Result<(), NodeError> {
    office.mark_read(state.email_input.as_ref()).await
}

/// What the handling of a mail leaves behind.
pub(super) fn answered(reply: &ReplyState, office: &Arc<Office>) -> Command<MailState, TopNode> {
    let new: Vec<Message> = reply
        .messages
        .iter()
        .skip(reply.inherited)
        .cloned()
        .collect();
    let update: MailStateUpdate = MailState::update()
        .messages(new)
        .remarks(reply.remarks.clone());
    update.goto(match reply.ignored {
        true => left(office),
        false => TopNode::NextMail,
    })
}

/// Goes on with the oldest mail that came while this one was looked at.
pub(super) async fn next_mail(
    state: Snap<MailState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<Command<MailState, TopNode>, NodeError> {
    let Some(thread) = ctx.thread() else {
        return Ok(Command::end());
    };
    let queued = office.queue.list(thread).await?;
    let (known, new): (Vec<_>, Vec<_>) = queued
        .into_iter()
        .partition(|input| state.handled.contains(&input.id));
    for input in &known {
        office.queue.remove(thread, &input.id).await?;
    }
    let over = state.email_input.iter().map(|input| input.id.clone());
    let over = over
        .filter(|id| !state.finished.contains(id))
        .collect::<Vec<_>>();
    Ok(match new.into_iter().next() {
        None => MailState::update().finished(over).end(),
        Some(next) => begin(next).finished(over).goto(TopNode::TriageRouter),
    })
}

/// The update that puts a mail before the graph.
pub(crate) fn begin(input: EmailInput) -> MailStateUpdate {
    MailState::update()
        .handled(vec![input.id.clone()])
        .email_input(input)
        .classification_decision(None)
        .reasoning(None)
}
