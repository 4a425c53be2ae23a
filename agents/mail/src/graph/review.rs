//! Review of approved calls: the terms they were approved on, and attempts whose outcome is unknown.
//!
//! A run on other terms withholds the call ([`Withheld`]). That is journaled with its attempt, so that every later
//! attempt of the task finds the same question and its answer, whatever mode it runs in.
//!
//! No attempt is made silently while an earlier one may have succeeded: a person is asked first.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use superstep::{
    Ctx, NodeError,
    model::ToolCall,
    tools::{
        CallEnd, Decision, Digest, Gate, Lost, Mode, Next, ParsedCall as _, Reviewer, Scope, Terms,
        approval::{Action, Allowed, Withheld},
    },
};

use crate::{
    View, Warning,
    mode::describe,
    tools::MailCall,
    view::marked,
    wire::{Asked, Item, decide},
};

/// Lets a call be made only if it was approved for real in this thread and the run is for real.
pub(super) struct ApprovalReviewer<'a> {
    pub(super) call: &'a MailCall,
    pub(super) run: Terms,
    pub(super) approved: Terms,
    /// What is at the time of the meeting now, and was not when it was approved.
    pub(super) conflicts: Vec<String>,
    /// What triage says of the mail.
    pub(super) judged: Vec<Warning>,
    /// Whether a person who was asked again left the call.
    pub(super) is_left: bool,
}

/// Why a call that was approved is asked about again.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Reason {
    /// The time of its meeting was taken meanwhile.
    Taken { conflicts: Vec<String> },
    /// It was approved on other terms.
    Terms(Withheld),
}

impl ApprovalReviewer<'_> {
    fn digest(&self, ctx: &Ctx, call: &ToolCall, attempt: u32) -> Digest {
        let digest = Digest::of::<Asked>(call, self.run.scope.as_ref(), ctx.task_id(), attempt);
        digest.with_remarks(&self.call.remarks())
    }

    /// Asks, and continues in the mode of an answer that accepts, which is given in this thread.
    fn ask(
        &mut self,
        ctx: &Ctx,
        item: Item,
        asked_in: Mode,
        declined: impl FnOnce(&Decision) -> CallEnd,
    ) -> Result<Next, NodeError> {
        let here = &self.run.scope;
        let must_name = Scope::must_name(here.as_ref(), &self.call.remarks());
        let (decision, mode) = decide(ctx, item, must_name, asked_in, |_| Ok(()))?;
        // Accepted in a dry run it is left as well.
        self.is_left = decision != Decision::Accept || mode == Mode::Dry;
        if decision != Decision::Accept {
            return Ok(Next::End(declined(&decision)));
        }
        let scope = here.clone();
        self.approved = Terms { mode, scope };
        self.conflicts.clear();
        Ok(Next::Attempt)
    }
}

impl Reviewer for ApprovalReviewer<'_> {
    fn gate(&self, doubt: Option<&str>) -> Gate {
        if !self.call.access.capabilities.changes() {
            return Gate::Open;
        }
        match (self.approved.withheld_by(&self.run), self.run.mode) {
            (Some(why), _) => Gate::Withhold(json!(why)),
            (None, Mode::Send) if !self.conflicts.is_empty() => {
                let conflicts = self.conflicts.clone();
                Gate::Withhold(json!(Reason::Taken { conflicts }))
            }
            (None, Mode::Send) => Gate::Open,
            (None, Mode::Dry) => Gate::End(match self.call.preview() {
                Ok(what) => described(&what, doubt),
                Err(why) => CallEnd::Failed(why),
            }),
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
        let reason: Reason = serde_json::from_value(data.clone())?;
        let (run, (heading, why), conflicts) = match reason {
            Reason::Terms(withheld) => (withheld.mode(), withheld.explanation(), Vec::new()),
            Reason::Taken { conflicts } => {
                let why = "Since you were asked, this time was taken.".into();
                (Mode::Send, ("The time was taken meanwhile", why), conflicts)
            }
        };
        let conflicts = conflicts
            .iter()
            .map(|it| Warning::new(format!("Conflict: {it}")));
        let cautions: Vec<Warning> = self.judged.iter().cloned().chain(conflicts).collect();
        let about = self.call.describe().unwrap_or_default();
        let doubtful = doubt.map(|why| format!(" An earlier attempt may have succeeded: {why}."));
        let mut view = self.call.view(heading);
        let why = format!("{why}{}", doubtful.unwrap_or_default());
        view.text = Some(why.clone());
        let marks = marked(&cautions);
        view.warnings.splice(0..0, cautions);
        let about = format!(
            "{marks}{about}\n---\n\n{why}\n\n\
             accept: do it; in a dry run only say what would be done\n\
             ignore: do not do it\n\
             response: do not do it, and tell the assistant something\n"
        );
        let item = Item {
            action_request: Action {
                action: format!("{}: asked again", call.name),
                args: call.args.clone(),
            },
            config: Allowed::AGAIN,
            description: describe(run, heading, &about),
            mode: Some(run),
            digest: Some(self.digest(ctx, call, attempt)),
            view: Some(Box::new(view)),
        };
        self.ask(ctx, item, run, |decision| declined(decision, doubt))
    }

    fn lost(&mut self, ctx: &Ctx, call: &ToolCall, lost: &Lost) -> Result<Next, NodeError> {
        let (asked, mut warnings) = self.call.outcome(lost);
        let zone = self.call.view(asked.title).time_zone;
        warnings.splice(0..0, self.judged.iter().cloned());
        let (title, marks) = (asked.title, marked(&warnings));
        let item = Item {
            action_request: Action {
                action: format!("{}: outcome unknown", call.name),
                args: asked.args.as_object().cloned().unwrap_or_default(),
            },
            config: Allowed::AGAIN,
            description: format!("# {title}\n\n{marks}{}", asked.text),
            mode: None,
            digest: Some(self.digest(ctx, call, lost.attempt)),
            view: Some(Box::new(View {
                title: title.to_owned(),
                warnings,
                text: Some(asked.text),
                time_zone: zone,
                ..View::default()
            })),
        };
        // An answer that names no mode continues in the one that it was approved in.
        self.ask(ctx, item, self.approved.mode, |decision| {
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
