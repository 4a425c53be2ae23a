//! A reply: shown to a person, sent once.
//!
//! Its `Message-ID` follows from the idempotency key of its call, so it is equal on every attempt.
//! When the outcome of an attempt is unknown, the mailbox is asked for that `Message-ID`: it was sent,
//! it was not, or the mailbox cannot tell.

use serde_json::json;
use superstep::{
    Failure,
    tools::{Lost, Reconciled, ToolError},
};

use super::{ADDED, Draft, TEXT, context::CallContext, outcome::OutcomeText};
use crate::{
    Address, Letter, Lookup, MailError, Outgoing, Recipients, Reply, SendError, Warning,
    compose::reply_subject,
    key::key,
    prompt::{answers_elsewhere, gutter, person},
    view::marked,
};

/// From so many on, how many get a reply is worth a look.
const MANY: usize = 5;

/// A reply as it would go out, with what a person might overlook in front.
pub(super) fn describe(draft: &Draft, context: &CallContext) -> String {
    let to = recipients(draft, context);
    let mut text = marked(&warnings(draft, context));
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!("To: {}", people(&to.to)));
    if !to.cc.is_empty() {
        line(format!("Cc: {}", people(&to.cc)));
    }
    let subject = reply_subject(&context.input.mail.subject);
    line(format!("Subject: {subject}"));
    line(format!("\n{}", gutter(&draft.text)));
    text
}

fn recipients(draft: &Draft, context: &CallContext) -> Recipients {
    let owner = context.services.mailbox.owner();
    Recipients::of(&context.input.mail, owner, &draft.added)
}

/// The recipients that only the call adds.
fn added(draft: &Draft, context: &CallContext) -> Vec<Address> {
    let owner = context.services.mailbox.owner();
    let unasked = Recipients::of(&context.input.mail, owner, &[]);
    let unasked: Vec<Address> = unasked.all().cloned().collect();
    let to = recipients(draft, context);
    to.outside(&unasked).cloned().collect()
}

/// What a person might overlook.
pub(super) fn warnings(draft: &Draft, context: &CallContext) -> Vec<Warning> {
    let (input, owner) = (&context.input, context.services.mailbox.owner());
    let to = recipients(draft, context);
    let mut all = context.past();
    for one in added(draft, context) {
        let text = format!("Added by the assistant: {}", person(&one));
        all.push(Warning::about(&one, text));
    }
    for stranger in to.outside(&input.participants) {
        let text = format!("Not in this thread so far: {}", person(stranger));
        all.push(Warning::about(stranger, text));
    }
    let count = to.all().count();
    if count > MANY {
        all.push(Warning::new(format!("It goes to {count} people.")));
    }
    let from = input.mail.from.as_ref();
    if from.is_some_and(|from| from.is_same(owner)) {
        all.push(Warning::new(
            "The mail says that it is from yourself; the reply goes to those it was for.",
        ));
    }
    all.extend(answers_elsewhere(&input.mail).into_iter().map(Warning::new));
    all
}

/// The letter as data.
pub(super) fn letter(draft: &Draft, context: &CallContext) -> Letter {
    let Recipients { to, cc } = recipients(draft, context);
    let added = added(draft, context).into_iter();
    Letter {
        to,
        cc,
        subject: reply_subject(&context.input.mail.subject),
        text_arg: TEXT.into(),
        added_arg: ADDED.into(),
        added: added.map(|one| one.email).collect(),
    }
}

fn people(addresses: &[Address]) -> String {
    let all: Vec<String> = addresses.iter().map(person).collect();
    all.join(", ")
}

pub(super) fn preview(draft: &Draft, context: &CallContext) -> Result<String, String> {
    let mail = composed(draft, context, "").map_err(|error| format!("not sent: {error}"))?;
    let to = emails(mail.recipients.iter());
    Ok(format!("nothing was sent; it would have gone to {to}"))
}

/// The mail, equal on every attempt of a call with this key.
fn composed(draft: &Draft, context: &CallContext, call: &str) -> Result<Outgoing, MailError> {
    let services = &context.services;
    Reply {
        from: services.mailbox.owner(),
        to: &context.input.mail,
        added: &draft.added,
        text: &draft.text,
        key: &key(&["send", call]),
        date: context.at,
        zone: &services.zone.zone,
        thread: &context.input.thread,
    }
    .compose()
}

fn emails<'a>(addresses: impl Iterator<Item = &'a Address>) -> String {
    let all: Vec<&str> = addresses.map(|it| it.email.as_str()).collect();
    all.join(", ")
}

fn sent(mail: &Outgoing) -> String {
    format!("sent to {}", emails(mail.recipients.iter()))
}

pub(super) async fn run(
    draft: &Draft,
    context: &CallContext,
    call: &str,
) -> Result<String, ToolError> {
    let not_sent = |error: MailError| ToolError::Failed(format!("not sent: {error}"));
    let mail = composed(draft, context, call).map_err(not_sent)?;
    let is_known = context.begin(call, &sent(&mail)).await?;
    match context.services.mailbox.send(&mail).await {
        Ok(_) => context.made(call, sent(&mail)).await,
        Err(SendError::NotSent(error)) => {
            context.not_made(call, is_known).await?;
            // What may pass, or what a new sign-in mends, is tried again when the run resumes.
            match error.is_transient() || matches!(error, MailError::Auth { .. }) {
                true => Err(ToolError::Stopped(error.failure())),
                false => Err(not_sent(error)),
            }
        }
        Err(error) => Err(context.lost(call, &sent(&mail), error.to_string()).await),
    }
}

pub(super) async fn look_up(
    draft: &Draft,
    context: &CallContext,
    call: &str,
) -> Result<Reconciled, Failure> {
    let mail = match composed(draft, context, call) {
        Ok(mail) => mail,
        // It was composed once, with what is missing now.
        Err(error) => return Ok(Reconciled::Unsure(error.to_string())),
    };
    let found = match context.services.mailbox.look_up(&mail).await {
        Ok(Lookup::Sent(_)) => Reconciled::Happened(sent(&mail).into()),
        Ok(Lookup::NotSent) => Reconciled::NotHappened("the mailbox says it was not sent".into()),
        Ok(Lookup::Unsure { why }) => Reconciled::Unsure(why),
        Err(error) => return Err(error.failure()),
    };
    context.looked(call, &sent(&mail), found).await
}

pub(super) fn outcome(draft: &Draft, context: &CallContext, lost: &Lost) -> OutcomeText {
    let (id, to) = match composed(draft, context, &lost.key) {
        Ok(mail) => (mail.message_id, emails(mail.recipients.iter())),
        // A mail that cannot be composed is never attempted.
        Err(_) => (String::new(), String::new()),
    };
    OutcomeText {
        args: json!({"message_id": id, "to": to}),
        description: format!(
            "# Was this mail sent?\n\nIt is not known whether a mail to {to} was sent: {}.\
             \n\nIts Message-ID is <{id}>: look among the sent mails for it.\n\n\
             accept: it was not sent, send it now\n\
             ignore: leave it as it is, nothing is sent\n\
             response: leave it, and tell the assistant what you found\n",
            lost.known()
        ),
    }
}
