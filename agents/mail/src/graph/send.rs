//! An approved reply, sent once.
//!
//! Before an attempt it is on record that it was started, and after it how it ended. When an attempt
//! broke off, the mailbox is asked for the mail's own `Message-ID`, which is equal on every attempt: it
//! was sent, it was not, or the mailbox cannot tell. A person is asked when it cannot, and also when
//! the mail was handed over and is not found. No attempt is made silently while an earlier one may
//! have succeeded.
//!
//! An attempt is made only if the mail was approved for real and the run is for real (`again`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use superstep::{Ctx, EffectError, NodeError};

use super::{
    EmailInput, Job, Office,
    again::{AGAIN, Permitted, asked_again, declined, described, permitted},
    decide::reply,
    failed, is_unknown,
    perform::Performed,
};
use crate::{
    Lookup, MailError, Mode, Outgoing, Reply, SendError,
    inbox::{Act, Action, Decision, Item, decide},
    key::key,
    tools::Letter,
};

/// How often a mail that the mailbox says was not sent is tried again at once.
const ATTEMPTS: u32 = 3;

/// How an attempt ended, as it is journaled.
#[derive(Serialize, Deserialize)]
enum Tried {
    Sent,
    NotSent(String),
    Unknown(String),
    /// Approved in a dry run, which this was.
    Dry,
    /// Approved in another mode than that of the run, which is this one.
    Withheld(Mode),
    /// The process ended; never journaled, because nobody was there to do it.
    Interrupted,
}

/// What the mailbox says about an attempt that broke off, as it is journaled.
#[derive(Serialize, Deserialize)]
enum Found {
    Sent,
    NotSent,
    Unsure(String),
}

pub(super) async fn send(
    ctx: &Ctx,
    office: &Office,
    input: &EmailInput,
    letter: &Letter,
    job: &Job,
) -> Result<Performed, NodeError> {
    let composed = Reply {
        from: office.mailbox.owner(),
        to: &input.mail,
        added: &letter.added,
        text: &letter.text,
        key: &key(&["send", &ctx.key("send")]),
        date: job.at,
        zone: &office.zone.zone,
        thread: &input.thread,
    }
    .compose();
    let mail = match composed {
        Ok(mail) => mail,
        Err(error) => return Ok(Performed::Failed(format!("not sent: {error}"))),
    };
    let to: Vec<&str> = mail.recipients.iter().map(|it| it.email.as_str()).collect();
    let to = to.join(", ");
    let (mut attempt, mut tries) = (0, 0);
    let mut approved = job.mode;
    let mut doubt: Option<String> = None;
    loop {
        let (why, is_handed_over) = match tried(ctx, office, &mail, attempt, approved).await? {
            Tried::Sent => return Ok(Performed::Told(format!("sent to {to}"))),
            Tried::NotSent(why) => return Ok(Performed::Failed(format!("not sent: {why}"))),
            Tried::Dry => {
                let what = format!("nothing was sent; it would have gone to {to}");
                return Ok(described(&what, doubt.as_deref()));
            }
            Tried::Withheld(run) => {
                let about = reply(letter, input, office);
                let decision = asked_again(ctx, &job.call, run, &about, doubt.as_deref())?;
                let Act::Accept = decision.act else {
                    return Ok(declined(&decision.act, doubt.as_deref()));
                };
                (approved, attempt, tries) = (decision.mode, attempt + 1, 0);
                continue;
            }
            Tried::Unknown(why) => (why, true),
            Tried::Interrupted => {
                let why = "the process ended while the mail was under way";
                (why.to_owned(), false)
            }
        };
        let unsure = match found(ctx, office, &mail, &format!("look {attempt}")).await? {
            Found::Sent => return Ok(Performed::Told(format!("sent to {to}"))),
            // It never came as far as the mailbox, which is certain of it.
            Found::NotSent if !is_handed_over && tries + 1 < ATTEMPTS => {
                (attempt, tries) = (attempt + 1, tries + 1);
                continue;
            }
            Found::NotSent => "the mailbox says it was not sent".to_owned(),
            Found::Unsure(unsure) => unsure,
        };
        let decision = asked(ctx, &mail, &to, &why, &unsure, approved)?;
        let Act::Accept = decision.act else {
            return Ok(settled(&decision.act));
        };
        // It may have shown up while the question was open.
        if let Found::Sent = found(ctx, office, &mail, &format!("look again {attempt}")).await? {
            return Ok(Performed::Told(format!("sent to {to}")));
        }
        (approved, tries) = (decision.mode, 0);
        doubt = Some(format!("{why}. {unsure}"));
        attempt += 1;
    }
}

async fn tried(
    ctx: &Ctx,
    office: &Office,
    mail: &Outgoing,
    attempt: u32,
    approved: Mode,
) -> Result<Tried, NodeError> {
    let run = office.settings.mode();
    let send = || async {
        match permitted(approved, run) {
            Permitted::Make => {}
            Permitted::Describe => return Ok(Tried::Dry),
            Permitted::Nothing => return Ok(Tried::Withheld(run)),
        }
        match office.mailbox.send(mail).await {
            Ok(_) => Ok(Tried::Sent),
            // What may pass, or what a new sign-in mends, is tried again when the run goes on.
            Err(SendError::NotSent(error))
                if error.may_pass() || matches!(error, MailError::Auth { .. }) =>
            {
                Err(EffectError::not_done(failed(&error)))
            }
            Err(SendError::NotSent(error)) => Ok(Tried::NotSent(error.to_string())),
            Err(error) => Ok(Tried::Unknown(error.to_string())),
        }
    };
    match ctx.once(&format!("send {attempt}"), send).await {
        Err(error) if is_unknown(&error) => Ok(Tried::Interrupted),
        tried => tried,
    }
}

async fn found(ctx: &Ctx, office: &Office, mail: &Outgoing, key: &str) -> Result<Found, NodeError> {
    let look = |_| async {
        match office.mailbox.look_up(mail).await {
            Ok(Lookup::Sent(_)) => Ok(Found::Sent),
            Ok(Lookup::NotSent) => Ok(Found::NotSent),
            Ok(Lookup::Unsure { why }) => Ok(Found::Unsure(why)),
            Err(error) => Err(failed(&error).into()),
        }
    };
    // Looking is harmless, so a look that broke off is repeated; its result stays, so that answers
    // belong to the same questions when the task runs again.
    ctx.once_by_key(key, look).await
}

/// May it be sent again, or is it settled?
fn asked(
    ctx: &Ctx,
    mail: &Outgoing,
    to: &str,
    why: &str,
    unsure: &str,
    approved: Mode,
) -> Result<Decision, NodeError> {
    let description = format!(
        "# Was this mail sent?\n\nIt is not known whether a mail to {to} was sent: {why}. {unsure}.\
         \n\nIts Message-ID is <{}>: look among the sent mails for it.\n\n\
         accept: it was not sent, send it now\n\
         ignore: leave it as it is, nothing is sent\n\
         response: leave it, and tell the assistant what you found\n",
        mail.message_id
    );
    unknown(
        ctx,
        "send_email_tool: outcome unknown",
        json!({"message_id": mail.message_id, "to": to}),
        description,
        approved,
    )
}

/// Asks about something that may have happened. An answer that names no mode goes on in the one that it
/// was approved in.
pub(super) fn unknown(
    ctx: &Ctx,
    action: &str,
    args: serde_json::Value,
    description: String,
    approved: Mode,
) -> Result<Decision, NodeError> {
    let item = Item {
        action_request: Action {
            action: action.into(),
            args: args.as_object().cloned().unwrap_or_else(Map::new),
        },
        config: AGAIN,
        description,
    };
    decide(ctx, item, approved, |_| Ok(()))
}

/// What the model is told when a person does not want another attempt.
pub(super) fn settled(act: &Act) -> Performed {
    Performed::Failed(match act {
        Act::Response(text) => {
            format!("it is not known whether this happened; the user says: {text}")
        }
        _ => {
            "it is not known whether this happened; the user leaves it so. Do not try again.".into()
        }
    })
}
