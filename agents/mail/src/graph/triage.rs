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
    opening_id,
};
use crate::{
    Judgement, Stage, Topic, Urgency, View,
    danger::{dangers, signs},
    memory::feedback::{FeedbackItem, UserAction},
    moment::Moment,
    parse::one_line,
    prompt::{filled, for_model, says, shown},
    services::{Services, TRIAGE},
    small::{self, evidence::Evidence, sort},
    view::marked,
    wire::{Action, Item, NOTIFY, READ, WORDS, decide},
};

/// How a mail is sorted.
#[derive(Deserialize)]
struct Routed {
    reasoning: String,
    classification: Class,
    suspicious: bool,
    security_notice: bool,
    urgency: Urgency,
    /// Nothing for a mail without words.
    language: Option<String>,
}

impl Routed {
    /// What the owner should see is not left to a class that hides it: a notice about the security of an account, and a
    /// fraud that asks for something, are shown.
    fn class(&self) -> Class {
        match self.classification {
            Class::Ignore if self.security_notice && !self.suspicious => Class::Notify,
            Class::Respond if self.suspicious => Class::Notify,
            class => class,
        }
    }

    fn judgement(&self) -> Judgement {
        Judgement {
            reason: one_line(&self.reasoning, 400),
            is_suspicious: self.suspicious,
            is_security_notice: self.security_notice,
            urgency: self.urgency,
            language: one_line(self.language.as_deref().unwrap_or_default(), 40),
        }
    }
}

pub(super) async fn router(
    state: Snap<MailState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<Command<MailState, TopNode>, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(Command::goto(TopNode::NextMail));
    };
    checked(&state, &services)?;
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
    let (class, judgement) = (routed.class(), routed.judgement());
    let update = MailState::update()
        .classification_decision(class)
        .judgement(judgement.clone())
        .account(services.mailbox.account())
        .reasoning(routed.reasoning);
    Ok(match class {
        Class::Respond => update
            .messages(vec![opening(input, &judgement, &services)])
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
    let seen = guide.ask::<sort::SmallReading>(model, Message::untrusted(mail));
    let seen = seen.await?.value;
    Ok(Routed {
        classification: seen.class(&shown),
        reasoning: seen.reason(),
        suspicious: false,
        security_notice: false,
        urgency: Urgency::default(),
        language: None,
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
    let (owner, moment) = (services.owner(), Moment::now(services));
    let mut places = vec![
        ("owner", owner.as_str()),
        ("background", &services.settings.background),
        ("preferences", &preferences),
    ];
    places.extend(moment.places());
    let system = filled(services.settings.prompts.of(Stage::Triage), &places);
    let signs = signs(input, services.mailbox.owner());
    let mut mail = for_model(input, &services.zone);
    let mut question = "Sort the mail below.".to_owned();
    if !signs.is_empty() {
        // They quote the mail, so they are data as well.
        let count = signs.len();
        question.push_str(&format!(
            " Behind it are the signs of fraud that the program found: {count}."
        ));
        mail.push_str(&format!("\n\nSigns of fraud:\n- {}", signs.join("\n- ")));
    }
    // Reasons come first: a model that thinks before it chooses chooses better.
    let schema = json!({
        "type": "object",
        "properties": {
            "reasoning": {"type": "string", "maxLength": 400},
            "classification": {"type": "string", "enum": ["respond", "notify", "ignore"]},
            "suspicious": {"type": "boolean"},
            "security_notice": {"type": "boolean"},
            "urgency": {"type": "string", "enum": ["today", "soon", "later"]},
            "language": {"type": ["string", "null"], "maxLength": 40},
        },
        "required": [
            "reasoning", "classification", "suspicious", "security_notice", "urgency", "language",
        ],
        "additionalProperties": false,
    });
    let schema = Schema::new("triage", schema)?;
    let said = [
        Message::system(system),
        Message::user(question),
        Message::untrusted(mail),
        Message::moment(moment.sentence()),
    ];
    let request = Request {
        max_tokens: services.settings.max_tokens,
        ..Request::new(said)
    };
    Ok(structured::<Routed>(model, request, &schema).await?.value)
}

/// The mail as the first thing said to the model that handles it, and what was found when it was sorted. A model's reason
/// and the signs of fraud quote the mail, so they are data as well.
fn opening(input: &EmailInput, judged: &Judgement, services: &Services) -> Message {
    let mut text = for_model(input, &services.zone);
    if !judged.reason.is_empty() {
        text.push_str(&format!("\n\nReason of the sorting: {}", judged.reason));
    }
    if judged.is_suspicious {
        text.push_str("\n\nThe sorting took it for a fraud.");
    }
    let signs = signs(input, services.mailbox.owner());
    if !signs.is_empty() {
        text.push_str(&format!("\n\nSigns of fraud:\n- {}", signs.join("\n- ")));
    }
    Message::untrusted(text).with_id(opening_id(&input.id))
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
    checked(&state, &services)?;
    let judged = state.judgement.clone().unwrap_or_default();
    let item = notice(input, &judged, &services);
    let (decision, _) = decide(&ctx, item, None, services.settings.mode(), |_| Ok(()))?;
    let (action, update, next) = match decision {
        Decision::Response(said) => {
            let instruction = says(&said);
            let instruction = Message::user(instruction).with_id(ctx.idempotency_key("said"));
            let update =
                MailState::update().messages(vec![opening(input, &judged, &services), instruction]);
            (UserAction::Said(said), update, TopNode::ResponseAgent)
        }
        // It was read, and that is all.
        Decision::Accept => return Ok(Command::goto(TopNode::MarkAsReadNode)),
        _ => (UserAction::Ignored, MailState::update(), left(&services)),
    };
    let may_teach = !judged.is_suspicious && !judged.is_security_notice;
    if action == UserAction::Ignored && !may_teach {
        return Ok(update.goto(next));
    }
    let items = [FeedbackItem::about_mail(
        "notify",
        action,
        input,
        Class::Notify,
    )];
    let refused = learn_from(Topic::Triage, &items, &services, &ctx).await?;
    Ok(match refused {
        Some(remark) => update.remarks([remark]),
        None => update,
    }
    .goto(next))
}

/// The question that shows a mail of class notify.
fn notice(input: &EmailInput, judged: &Judgement, services: &Services) -> Item {
    let title = "For your information";
    let mail = shown(&input.mail, &services.zone);
    let warnings = dangers(input, Some(judged), services);
    let reason = Some(judged.reason.clone()).filter(|reason| !reason.is_empty());
    let why = reason.as_ref().map(|it| format!("Why it is shown: {it}\n"));
    Item {
        action_request: Action {
            action: NOTIFY.into(),
            args: Map::new(),
        },
        config: WORDS,
        description: format!(
            "# {title}\n\n{}{}\n---\n\n{mail}",
            marked(&warnings),
            why.unwrap_or_default()
        ),
        mode: None,
        digest: None,
        view: Some(Box::new(View {
            title: title.into(),
            warnings,
            reason,
            urgency: Some(judged.urgency),
            options: vec![READ.into()],
            mail: Some(mail),
            time_zone: Some(services.zone.name.clone()),
            ..View::default()
        })),
    }
}

pub(super) async fn mark_as_read(
    state: Snap<MailState>,
    services: Res<Services>,
) -> Result<(), NodeError> {
    checked(&state, &services)?;
    services.mark_read(state.email_input.as_ref()).await
}

/// Refuses a thread of another mailbox.
fn checked(state: &MailState, services: &Services) -> Result<(), NodeError> {
    let found = services.check_account(state.account.as_deref());
    found.map_err(|error| NodeError::failed(error.failure()))
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
        .judgement(None)
        .reasoning(None)
}
