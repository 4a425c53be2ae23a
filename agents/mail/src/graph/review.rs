//! Review of approved calls: the mode and the thread they were approved in, and attempts whose outcome
//! is unknown.
//!
//! A person who accepts in a dry run has been told that nothing will be sent, and one who accepts for
//! real expects it to be sent. Whoever resumes the thread may have chosen the other mode. Then the
//! call is withheld, which is journaled with its attempt, so that every later attempt of the task
//! finds the same question and its answer, whatever mode it runs in.
//!
//! A copy of a thread brings along what was approved in the thread it was made of, which may have made
//! the call, or may still make it. So an approval of another thread is withheld in the same way.
//!
//! No attempt is made silently while an earlier one may have succeeded: a person is asked first.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use superstep::{
    Ctx, NodeError,
    model::ToolCall,
    tools::{
        CallEnd, Decision, Digest, Gate, Lost, Next, ParsedCall as _, Reviewer, approval::Action,
    },
};

use crate::{
    Mode,
    inbox::{ALL, Allowed, Asked, Item, decide},
    scope::ApprovalScope,
    tools::MailCall,
};

/// Do it, or leave it. Arguments are no longer changed: they were decided on.
const AGAIN: Allowed = Allowed {
    allow_edit: false,
    ..ALL
};

/// Lets a call be made only if it was approved for real in this thread and the run is for real.
pub(super) struct ApprovalReviewer<'a> {
    pub(super) call: &'a MailCall,
    pub(super) run: Mode,
    /// The scope of the run.
    pub(super) here: Option<ApprovalScope>,
    pub(super) approved: Mode,
    pub(super) approved_in: Option<ApprovalScope>,
    /// Whether a person who was asked again left the call.
    pub(super) is_left: bool,
}

/// Why an attempt was withheld, as it is journaled.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Withheld {
    /// The mode of the run was not the one it was approved in.
    Mode(Mode),
    /// It was approved in another thread, or nobody knows in which.
    Scope {
        run: Mode,
        approved_in: Option<ApprovalScope>,
    },
}

impl Withheld {
    /// The mode of the run that withheld it, which need not be this one.
    fn run(&self) -> Mode {
        match self {
            Self::Mode(run) | Self::Scope { run, .. } => *run,
        }
    }

    /// The heading of the question, and why it is asked again.
    fn explanation(&self) -> (&'static str, String) {
        match self {
            Self::Mode(Mode::Send) => (
                "Accepted in a dry run: do it for real?",
                "You accepted this in a dry run, so nothing was done. The run that continues is for real."
                    .into(),
            ),
            Self::Mode(Mode::Dry) => (
                "Accepted for real, but not done",
                "You accepted this for real. The run that continues is a dry run, so it does nothing."
                    .into(),
            ),
            Self::Scope { approved_in, .. } => (
                "Accepted in another thread: do it here too?",
                match approved_in {
                    Some(scope) => format!(
                        "This was accepted in the thread `{}`, of which this one is a copy, or in an archive. An approval \
                         is for one thread, so nothing was done here. The other thread may have done \
                         it, or may still do it.",
                        scope.name()
                    ),
                    None => "This was accepted by an earlier version, which did not store in which \
                             thread. An approval is for one thread, so nothing was done here."
                        .into(),
                },
            ),
        }
    }
}

impl ApprovalReviewer<'_> {
    fn digest(&self, ctx: &Ctx, call: &ToolCall, attempt: u32) -> Digest {
        ApprovalScope::digest::<Asked>(self.here.as_ref(), ctx, call, attempt)
    }

    /// Asks, and continues in the mode of an answer that accepts, which is given in this thread.
    fn ask(
        &mut self,
        ctx: &Ctx,
        item: Item,
        asked_in: Mode,
        declined: impl FnOnce(&Decision) -> CallEnd,
    ) -> Result<Next, NodeError> {
        let (decision, mode) = decide(ctx, item, self.here.as_ref(), asked_in, |_| Ok(()))?;
        // Accepted in a dry run it is left as well.
        self.is_left = decision != Decision::Accept || mode == Mode::Dry;
        if decision != Decision::Accept {
            return Ok(Next::End(declined(&decision)));
        }
        self.approved = mode;
        self.approved_in = self.here.clone();
        Ok(Next::Attempt)
    }
}

impl Reviewer for ApprovalReviewer<'_> {
    fn gate(&self, doubt: Option<&str>) -> Gate {
        if !self.call.access.capabilities.changes() {
            return Gate::Open;
        }
        let withhold = |why: Withheld| Gate::Withhold(json!(why));
        if self.approved_in != self.here {
            return withhold(Withheld::Scope {
                run: self.run,
                approved_in: self.approved_in.clone(),
            });
        }
        match (self.approved, self.run) {
            (Mode::Send, Mode::Send) => Gate::Open,
            (Mode::Dry, Mode::Dry) => Gate::End(match self.call.preview() {
                Ok(what) => described(&what, doubt),
                Err(why) => CallEnd::Failed(why),
            }),
            (Mode::Dry, Mode::Send) | (Mode::Send, Mode::Dry) => withhold(Withheld::Mode(self.run)),
        }
    }

    fn withheld(
        &mut self,
        ctx: &Ctx,
        call: &ToolCall,
        attempt: u32,
        data: &Json,
        doubt: Option<&str>,
    ) -> Result<Next, NodeError> {
        let withheld: Withheld = serde_json::from_value(data.clone())?;
        let (run, (heading, why)) = (withheld.run(), withheld.explanation());
        let about = self.call.describe().unwrap_or_default();
        let doubtful = doubt.map(|why| format!(" An earlier attempt may have succeeded: {why}."));
        let mut view = self.call.view(heading);
        let why = format!("{why}{}", doubtful.unwrap_or_default());
        view.text = Some(why.clone());
        let about = format!(
            "{about}\n---\n\n{why}\n\n\
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
            mode: Some(run),
            digest: Some(self.digest(ctx, call, attempt)),
            view: Some(Box::new(view)),
        };
        self.ask(ctx, item, run, |decision| declined(decision, doubt))
    }

    fn lost(&mut self, ctx: &Ctx, call: &ToolCall, lost: &Lost) -> Result<Next, NodeError> {
        let text = self.call.outcome(lost);
        let item = Item {
            action_request: Action {
                action: format!("{}: outcome unknown", call.name),
                args: text.args.as_object().cloned().unwrap_or_default(),
            },
            config: AGAIN,
            description: text.description,
            mode: None,
            digest: Some(self.digest(ctx, call, lost.attempt)),
            view: None,
        };
        // An answer that names no mode continues in the one that it was approved in.
        self.ask(ctx, item, self.approved, |decision| {
            CallEnd::Unknown(match decision {
                Decision::Response(text) => {
                    format!("it is not known whether this happened; the user says: {text}")
                }
                _ => "it is not known whether this happened; the user leaves it so. Do not try \
                      again."
                    .into(),
            })
        })
    }
}

/// What the model reads when a person who is asked again does not want it.
fn declined(decision: &Decision, doubt: Option<&str>) -> CallEnd {
    let known = match doubt {
        Some(why) => format!("it is not known whether this happened ({why})"),
        None => "not done".into(),
    };
    let text = match decision {
        Decision::Response(text) => format!("{known}; the user says: {text}"),
        _ => format!("{known}; the user wants it left so. Do not try again."),
    };
    match doubt {
        Some(_) => CallEnd::Unknown(text),
        None => CallEnd::NotMade(text),
    }
}

/// What the model reads when a dry run describes an approved call.
fn described(what: &str, doubt: Option<&str>) -> CallEnd {
    match doubt {
        None => CallEnd::Output(format!("dry run: {what}").into()),
        Some(why) => CallEnd::Unknown(format!(
            "dry run: {what}. It is not known whether an earlier attempt succeeded: {why}"
        )),
    }
}
