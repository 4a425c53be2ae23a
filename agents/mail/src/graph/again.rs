//! An approval in a run of another mode: nothing is done, and the person is asked again.
//!
//! A person who accepts in a dry run has been told that nothing will be sent, and one who accepts for
//! real expects it to be sent. Whoever resumes the thread may have chosen the other mode. Then the
//! call is withheld, which is journaled with its attempt, so that every later attempt of the task
//! finds the same question and its answer, whatever mode it runs in.

use superstep::{Ctx, NodeError, model::ToolCall};

use super::perform::Performed;
use crate::{
    Mode,
    inbox::{ALL, Act, Action, Allowed, Decision, Item, decide},
};

/// What a run may do about an approved call.
pub(super) enum Permitted {
    /// Make it.
    Make,
    /// Say what it would do.
    Describe,
    /// Nothing.
    Nothing,
}

/// What a run may do about a call that was approved in a mode.
pub(super) fn permitted(approved: Mode, run: Mode) -> Permitted {
    match (approved, run) {
        (Mode::Send, Mode::Send) => Permitted::Make,
        (Mode::Dry, Mode::Dry) => Permitted::Describe,
        (Mode::Dry, Mode::Send) | (Mode::Send, Mode::Dry) => Permitted::Nothing,
    }
}

/// Do it, or leave it. Arguments are no longer changed: they were decided on.
pub(super) const AGAIN: Allowed = Allowed {
    allow_edit: false,
    ..ALL
};

/// Asks about a call that a run of a mode withheld. `doubt` says why an earlier attempt may have
/// succeeded.
pub(super) fn asked_again(
    ctx: &Ctx,
    call: &ToolCall,
    run: Mode,
    about: &str,
    doubt: Option<&str>,
) -> Result<Decision, NodeError> {
    let (heading, why) = match run {
        Mode::Send => (
            "Accepted in a dry run: do it for real?",
            "You accepted this in a dry run, so nothing was done. The run that continues is for real.",
        ),
        Mode::Dry => (
            "Accepted for real, but not done",
            "You accepted this for real. The run that continues is a dry run, so it does nothing.",
        ),
    };
    let doubt = doubt.map(|why| format!(" An earlier attempt may have succeeded: {why}."));
    let doubt = doubt.unwrap_or_default();
    let about = format!(
        "{about}\n---\n\n{why}{doubt}\n\n\
         accept: do it; in a dry run only say what would be done\n\
         ignore: do not do it\n\
         response: do not do it, and tell the assistant something\n"
    );
    let item = Item {
        action_request: Action {
            action: format!("{}: asked again", call.name),
            args: call.args.clone(),
        },
        config: AGAIN,
        description: run.describe(heading, &about),
    };
    decide(ctx, item, run, |_| Ok(()))
}

/// What the model is told when a person who is asked again does not want it.
pub(super) fn declined(act: &Act, doubt: Option<&str>) -> Performed {
    let known = match doubt {
        Some(why) => format!("it is not known whether this happened ({why})"),
        None => "not done".into(),
    };
    Performed::Failed(match act {
        Act::Response(text) => format!("{known}; the user says: {text}"),
        _ => format!("{known}; the user wants it left so. Do not try again."),
    })
}

/// What the model is told when a dry run describes an approved call.
pub(super) fn described(what: &str, doubt: Option<&str>) -> Performed {
    match doubt {
        None => Performed::Told(format!("dry run: {what}")),
        Some(why) => Performed::Failed(format!(
            "dry run: {what}. It is not known whether an earlier attempt succeeded: {why}"
        )),
    }
}
