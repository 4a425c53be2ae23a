//! A mail to send, a reply, a forward or a new one: shown to a person, sent once.
//!
//! Its `Message-ID` follows from the idempotency key of its call, so it is equal on every attempt.
//! When the outcome of an attempt is unknown, the mailbox is asked for that `Message-ID`: it was sent,
//! it was not, or the mailbox cannot tell.

use serde_json::json;
use superstep::{
    Failure,
    tools::{Lost, Reconciled, ToolError},
};

use super::{
    ADDED, Audience, Draft, DraftForm, TEXT, TO, context::CallContext, forward,
    outcome::OutcomeText,
};
use crate::{
    Address, Letter, Lookup, MailError, NewMail, Outgoing, Recipients, SendError, Warning,
    compose::{forward_subject, reply_subject},
    danger::answers_leave_domain,
    key::key,
    parse::AttachedFile,
    prompt::{answers_elsewhere, gutter, person},
    view::marked,
};

/// From so many on, how many get a reply is worth a look.
const MANY: usize = 5;

/// A mail as it would go out, with what a person might overlook in front.
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
    line(format!("Subject: {}", subject(draft, context)));
    line(format!("\n{}", gutter(&draft.text)));
    if let DraftForm::Forward { .. } = draft.form {
        line(format!("\n{}", forward::below(&context.input.mail)));
    }
    text
}

fn recipients(draft: &Draft, context: &CallContext) -> Recipients {
    let owner = context.services.mailbox.owner();
    let mail = &context.input.mail;
    match &draft.form {
        DraftForm::Reply {
            audience,
            added,
            dropped,
        } => match audience {
            Audience::All => Recipients::of(mail, owner, added),
            Audience::Sender => Recipients::of_sender(mail, owner, added),
        }
        .without(dropped),
        DraftForm::Forward { to } => Recipients::named(to, &[]),
        DraftForm::New { to, cc } => Recipients::named(to, cc),
    }
}

fn subject(draft: &Draft, context: &CallContext) -> String {
    let given = draft.subject.clone();
    let subject = &context.input.mail.subject;
    given.unwrap_or_else(|| match draft.form {
        DraftForm::Forward { .. } => forward_subject(subject),
        DraftForm::Reply { .. } | DraftForm::New { .. } => reply_subject(subject),
    })
}

/// The recipients of a reply that only the call adds.
fn added(draft: &Draft, context: &CallContext) -> Vec<Address> {
    if !matches!(draft.form, DraftForm::Reply { .. }) {
        return Vec::new();
    }
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
    let is_reply = matches!(draft.form, DraftForm::Reply { .. });
    let mut all = context.warnings();
    let added = added(draft, context);
    for one in to.all() {
        let is_added = added.iter().any(|it| it.is_same(one));
        let text = match (context.is_known(one), is_added) {
            (true, true) => format!("Added by the assistant: {}", person(one)),
            (true, false) => continue,
            (false, true) => format!(
                "Not in this thread so far: {} (added by the assistant)",
                person(one)
            ),
            (false, false) => format!("Not in this thread so far: {}", person(one)),
        };
        all.push(Warning::about(one, text));
    }
    let count = to.all().count();
    if count > MANY {
        all.push(Warning::new(format!("It goes to {count} people.")));
    }
    let from = input.mail.from.as_ref();
    if is_reply && from.is_some_and(|from| from.is_same(owner)) {
        all.push(Warning::new(
            "The mail says that it is from yourself; the reply goes to those it was for.",
        ));
    }
    if is_reply && !answers_leave_domain(&input.mail) {
        all.extend(answers_elsewhere(&input.mail).into_iter().map(Warning::new));
    }
    all
}

/// The letter as data.
pub(super) fn letter(draft: &Draft, context: &CallContext) -> Letter {
    let Recipients { to, cc } = recipients(draft, context);
    let named = || to.iter().map(|one| one.email.clone()).collect();
    let (text_arg, added_arg, added) = match draft.form {
        DraftForm::Reply { .. } => {
            let added = added(draft, context).into_iter();
            (TEXT, ADDED, added.map(|one| one.email).collect())
        }
        DraftForm::Forward { .. } | DraftForm::New { .. } => ("text", TO, named()),
    };
    Letter {
        subject: subject(draft, context),
        text_arg: text_arg.into(),
        added_arg: added_arg.into(),
        added,
        below: match draft.form {
            DraftForm::Forward { .. } => Some(forward::below(&context.input.mail)),
            _ => None,
        },
        to,
        cc,
    }
}

fn people(addresses: &[Address]) -> String {
    let all: Vec<String> = addresses.iter().map(person).collect();
    all.join(", ")
}

pub(super) fn preview(draft: &Draft, context: &CallContext) -> Result<String, String> {
    let mail = composed(draft, context, "", &[]).map_err(|error| format!("not sent: {error}"))?;
    let to = emails(mail.recipients.iter());
    Ok(format!("nothing was sent; it would have gone to {to}"))
}

/// The mail, equal on every attempt of a call with this key.
fn composed(
    draft: &Draft,
    context: &CallContext,
    call: &str,
    files: &[AttachedFile],
) -> Result<Outgoing, MailError> {
    let services = &context.services;
    let input = &context.input;
    let (answers, thread, text) = match draft.form {
        DraftForm::Reply { .. } => (Some(&input.mail), Some(&input.thread), draft.text.clone()),
        DraftForm::Forward { .. } => {
            let text = forward::text(&draft.text, &input.mail, &services.zone);
            (None, None, text)
        }
        DraftForm::New { .. } => (None, None, draft.text.clone()),
    };
    NewMail {
        from: services.mailbox.owner(),
        recipients: &recipients(draft, context),
        subject: &subject(draft, context),
        text: &text,
        answers,
        files,
        key: &key(&["send", call]),
        date: context.at,
        zone: &services.zone.zone,
        thread,
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
    let files = match draft.form {
        DraftForm::Forward { .. } => forward::files(context).await.map_err(|error| {
            match error.is_transient() || matches!(error, MailError::Auth { .. }) {
                true => ToolError::Stopped(error.failure()),
                false => not_sent(error),
            }
        })?,
        DraftForm::Reply { .. } | DraftForm::New { .. } => Vec::new(),
    };
    let mail = composed(draft, context, call, &files).map_err(not_sent)?;
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
    // Its headers are what it is found by.
    let mail = match composed(draft, context, call, &[]) {
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
    let (id, to) = match composed(draft, context, &lost.key, &[]) {
        Ok(mail) => (mail.message_id, emails(mail.recipients.iter())),
        // A mail that cannot be composed is never attempted.
        Err(_) => (String::new(), String::new()),
    };
    OutcomeText {
        title: "Was this mail sent?",
        args: json!({"message_id": id, "to": to}),
        text: format!(
            "It is not known whether a mail to {to} was sent: {}.\
             \n\nIts Message-ID is <{id}>: look among the sent mails for it.\n\n\
             accept: it was not sent, send it now\n\
             ignore: leave it as it is, nothing is sent\n\
             response: leave it, and tell the assistant what you found\n",
            lost.known()
        ),
    }
}
