//! Triage, the upper level: which mail is answered, shown or ignored, and which comes next.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, json};
use superstep::{
    Command, Ctx, NodeError, Res, Snap,
    model::{Message, Model, Request, Schema, structured},
    tools::{Decision, Traced, guided::Profile},
};

use super::{
    Class, EmailInput, MailState, MailStateUpdate, ReplyState, TopNode, learn::learn_from,
};
use crate::{
    Stage, Topic, View,
    memory::feedback::{FeedbackItem, UserAction},
    prompt::{filled, for_model, says, shown},
    services::{Services, TRIAGE},
    small::{self, evidence::Evidence, sort},
    wire::{Action, Item, WORDS, decide},
};

#[derive(Deserialize)]
struct Routed {
    reasoning: String,
    classification: Class,
}

pub(super) async fn router(
    state: Snap<MailState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<Command<MailState, TopNode>, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(Command::goto(TopNode::NextMail));
    };
    // Two processes that take in the same mail at the same time must not handle it twice.
    if state.finished.contains(&input.id) {
        return Ok(Command::goto(TopNode::NextMail));
    }
    let model = Traced {
        model: &**services.models.of(TRIAGE),
        ctx: &ctx,
    };
    let routed = match services.profile(TRIAGE) {
        Profile::Small => sorted_small(input, &services, &model, &ctx).await?,
        Profile::Strong => sorted(input, &services, &model, &ctx).await?,
    };
    let class = routed.classification;
    let update = MailState::update()
        .classification_decision(class)
        .reasoning(routed.reasoning);
    Ok(match class {
        Class::Respond => update
            .messages(vec![opening(input, &services)])
            .goto(TopNode::ResponseAgent),
        Class::Notify => update.goto(TopNode::TriageInterruptHandler),
        Class::Ignore => update.goto(left(&services)),
    })
}

/// How a small model sorts a mail.
async fn sorted_small(
    input: &EmailInput,
    services: &Services,
    model: &dyn Model,
    ctx: &Ctx,
) -> Result<Routed, NodeError> {
    let note = services.memory(ctx)?.show(Topic::Triage).await?;
    let guide = sort::guide(
        &small::called(services.mailbox.owner()),
        &small::learned(Topic::Triage, &note),
    )?;
    let guide = guide.max_tokens(services.settings.max_tokens);
    let owner = services.mailbox.owner();
    let shown = Evidence::of(&input.mail, owner);
    let mail = small::short(&input.mail, owner, Some(shown.addressing));
    let seen = guide.ask::<sort::Seen>(model, Message::untrusted(mail));
    let seen = seen.await?.value;
    Ok(Routed {
        classification: seen.class(&shown),
        reasoning: seen.reason(),
    })
}

/// How a strong model sorts a mail.
async fn sorted(
    input: &EmailInput,
    services: &Services,
    model: &dyn Model,
    ctx: &Ctx,
) -> Result<Routed, NodeError> {
    let preferences = services.memory(ctx)?.show(Topic::Triage).await?;
    let owner = services.owner();
    let places = [("owner", &*owner), ("preferences", &*preferences)];
    let system = filled(services.settings.prompts.of(Stage::Triage), &places);
    let mail = for_model("Which class is this mail?", input, &services.zone);
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
        max_tokens: services.settings.max_tokens,
        ..Request::new([Message::system(system), Message::untrusted(mail)])
    };
    Ok(structured::<Routed>(model, request, &schema).await?.value)
}

/// The mail as the first thing said to the model that handles it.
fn opening(input: &EmailInput, services: &Services) -> Message {
    let text = for_model("Respond to the email:", input, &services.zone);
    Message::untrusted(text).with_id(format!("mail/{}", input.id.0))
}

/// Where mail goes that nothing is done about.
fn left(services: &Services) -> TopNode {
    match services.settings.mark_ignored {
        true => TopNode::MarkAsReadNode,
        false => TopNode::NextMail,
    }
}

pub(super) async fn interrupt_handler(
    state: Snap<MailState>,
    services: Res<Services>,
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
        description: shown(&input.mail, &services.zone),
        mode: None,
        digest: None,
        view: Some(Box::new(View {
            title: "For your information".into(),
            mail: Some(shown(&input.mail, &services.zone)),
            ..View::default()
        })),
    };
    let (decision, _) = decide(&ctx, item, None, services.settings.mode(), |_| Ok(()))?;
    let (action, update, next) = match decision {
        Decision::Response(said) => {
            let instruction = says(&services.owner(), &said);
            let instruction = Message::user(instruction).with_id(ctx.idempotency_key("said"));
            let update = MailState::update().messages(vec![opening(input, &services), instruction]);
            (UserAction::Said(said), update, TopNode::ResponseAgent)
        }
        _ => (UserAction::Ignored, MailState::update(), left(&services)),
    };
    let sender = input.mail.from.as_ref().map(|from| from.email.as_str());
    let items = [FeedbackItem::new("notify", action, sender)];
    let refused = learn_from(Topic::Triage, &items, &services, &ctx).await?;
    Ok(match refused {
        Some(remark) => update.remarks([remark]),
        None => update,
    }
    .goto(next))
}

pub(super) async fn mark_as_read(
    state: Snap<MailState>,
    services: Res<Services>,
) -> Result<(), NodeError> {
    services.mark_read(state.email_input.as_ref()).await
}

/// What the handling of a mail leaves behind.
pub(super) fn answered(
    reply: &ReplyState,
    services: &Arc<Services>,
) -> Command<MailState, TopNode> {
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
        true => left(services),
        false => TopNode::NextMail,
    })
}

/// Continues with the oldest mail that came while this one was looked at.
pub(super) async fn next_mail(
    state: Snap<MailState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<Command<MailState, TopNode>, NodeError> {
    let Some(thread) = ctx.thread() else {
        return Ok(Command::end());
    };
    let queue = services.queue(&ctx)?;
    let queued = queue.list(thread).await?;
    let (known, new): (Vec<_>, Vec<_>) = queued
        .into_iter()
        .partition(|input| state.handled.contains(&input.id));
    for input in &known {
        queue.remove(thread, &input.id).await?;
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
