//! Approval questions about calls, and answers that are bound to one of them by a digest.
//!
//! An answer names the [`Digest`] of the question it answers: which kind of question, after which
//! attempt, about which tool, arguments, thread and task. An answer to an older question, to another
//! call or to other arguments is refused, and the question stays open: a client that repeats its
//! request repeats nothing. Answers come from whoever runs the graph; no text of a model or a tool is
//! one.
//!
//! As data a question has the shape that inboxes know: `action_request`, `config`, `description`.

mod repeat;
mod scope;
mod terms;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};
use superstep_core::id::TaskId;
use superstep_derive::Ask;
use superstep_engine::typed::Ask;
use superstep_model::ToolCall;
use superstep_text::hex;

use crate::access::Capabilities;

pub use repeat::{is_for, rebound, repeats};
pub use scope::Scope;
pub use terms::{Mode, Terms, Withheld};

/// Marks digests that name the kind of question and the attempt. Digests without it were made before
/// they did, and fit no question.
const SCHEME: &str = "q2:";

/// What an answer is for: the hash of the kind of question, attempt, tool, arguments, scope and task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// The digest of a question of the kind `Q` about a call in a scope, by a task. `attempt` is how
    /// often the call was attempted before the question.
    pub fn of<Q: Ask>(call: &ToolCall, scope: Option<&Scope>, task: TaskId, attempt: u32) -> Self {
        let hash = sha256([
            Q::KIND.to_owned(),
            attempt.to_string(),
            scope.map(Scope::text).unwrap_or_default(),
            task.to_string(),
            call.id.clone(),
            call.name.clone(),
            canonical(&Json::Object(call.args.clone())),
        ]);
        Self(format!("{SCHEME}{hash}"))
    }

    /// The digest of the same question with remarks: an answer to it without them, or with others, is for another one.
    #[must_use]
    pub fn with_remarks(self, remarks: &[String]) -> Self {
        if remarks.is_empty() {
            return self;
        }
        let hash = sha256([self.0, canonical(&Json::from(remarks))]);
        Self(format!("{SCHEME}{hash}"))
    }

    fn is_outdated(&self) -> bool {
        !self.0.starts_with(SCHEME)
    }

    /// Whether this digest of an answer is that of the question.
    pub fn matches(&self, asked: &Self) -> Result<(), String> {
        if self == asked {
            return Ok(());
        }
        if self.is_outdated() {
            return Err(format!(
                "the answer is for `{self}`, a question of an earlier version that did not say \
                 which attempt it was about; it is asked again as `{asked}`: read it and answer \
                 that one"
            ));
        }
        Err(format!(
            "the answer is for `{self}`, the question is `{asked}`: read it again"
        ))
    }
}

/// The hash of parts, in hexadecimal digits. Each part is counted, so that no two lists of parts
/// give the same bytes.
pub(crate) fn sha256<const N: usize>(parts: [String; N]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// JSON text that is equal for equal data, whatever order its keys came in.
pub(crate) fn canonical(json: &Json) -> String {
    match json {
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries: Vec<_> = entries
                .into_iter()
                .map(|(key, value)| {
                    let key = Json::String(key.clone());
                    format!("{key}:{}", canonical(value))
                })
                .collect();
            format!("{{{}}}", entries.join(","))
        }
        Json::Array(items) => {
            let items: Vec<_> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        plain => plain.to_string(),
    }
}

/// May this call be made?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ask)]
#[ask(answer = ApprovalAnswer, kind = "tool_approval", about = self.action_request)]
#[non_exhaustive]
pub struct Approval {
    /// The call.
    pub action_request: Action,
    /// How it can be answered.
    pub config: Allowed,
    /// Why it is asked.
    pub description: String,
    /// What the tool can do.
    #[serde(rename = "can")]
    pub capabilities: Capabilities,
    /// What an answer must name.
    pub digest: Digest,
}

/// A call as a person sees it: exactly what would be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The tool.
    pub action: String,
    /// Its arguments.
    pub args: Map<String, Json>,
}

impl From<&ToolCall> for Action {
    fn from(call: &ToolCall) -> Self {
        Self {
            action: call.name.clone(),
            args: call.args.clone(),
        }
    }
}

/// How a question about a call can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "it is the shape that inboxes know"
)]
pub struct Allowed {
    /// Make it.
    pub allow_accept: bool,
    /// Make it with other arguments.
    pub allow_edit: bool,
    /// Do not make it, and let the model read something instead.
    pub allow_respond: bool,
    /// Do not make it.
    pub allow_ignore: bool,
}

impl Allowed {
    /// Every answer.
    pub const ALL: Self = Self {
        allow_accept: true,
        allow_edit: true,
        allow_respond: true,
        allow_ignore: true,
    };

    /// Make it or leave it: the arguments were decided on before.
    pub const AGAIN: Self = Self {
        allow_edit: false,
        ..Self::ALL
    };
}

impl Default for Allowed {
    fn default() -> Self {
        Self::ALL
    }
}

impl Approval {
    /// The answer that makes the call.
    pub fn accept(&self) -> ApprovalAnswer {
        self.answer(Verdict::Accept)
    }

    /// An answer to this question and no other one.
    pub fn answer(&self, verdict: Verdict) -> ApprovalAnswer {
        ApprovalAnswer {
            digest: self.digest.clone(),
            verdict,
        }
    }
}

/// An answer to [`Approval`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalAnswer {
    /// The question's digest.
    pub digest: Digest,
    /// What the person says.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// What a person says about a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "args", rename_all = "lowercase")]
pub enum Verdict {
    /// Make it as it is.
    Accept,
    /// Make it with these arguments.
    Edit(Action),
    /// Do not make it; the model reads this.
    Response(String),
    /// Do not make it.
    Ignore,
}

impl Verdict {
    /// What it decides about the request that was asked about, or why it is no answer to that: its
    /// type is not allowed, or it is an edit of another tool. Edited arguments are not checked here.
    pub fn decision(self, asked: &Action, allowed: Allowed) -> Result<Decision, String> {
        let (is_allowed, name) = match self {
            Self::Accept => (allowed.allow_accept, "accept"),
            Self::Edit(_) => (allowed.allow_edit, "edit"),
            Self::Response(_) => (allowed.allow_respond, "response"),
            Self::Ignore => (allowed.allow_ignore, "ignore"),
        };
        let tool = &asked.action;
        if !is_allowed {
            return Err(format!("`{name}` is not allowed for `{tool}`"));
        }
        match self {
            Self::Accept => Ok(Decision::Accept),
            Self::Edit(edited) if edited.action != *tool => {
                Err(format!("the call is of `{tool}`, not another tool"))
            }
            Self::Edit(edited) => Ok(Decision::Edit(edited.args)),
            Self::Response(text) => Ok(Decision::Response(text)),
            Self::Ignore => Ok(Decision::Ignore),
        }
    }
}

/// What was decided about a call, as a graph stores it that decides first and acts later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "args", rename_all = "snake_case")]
pub enum Decision {
    /// Make it: nobody has to be asked.
    Direct,
    /// Do not make it: the policy denies it, for this reason.
    Denied(String),
    /// Make it as it is.
    Accept,
    /// Make it with these arguments.
    Edit(Map<String, Json>),
    /// Do not make it.
    Ignore,
    /// Do not make it; the model reads this.
    Response(String),
}

impl Decision {
    /// The call with the arguments that a person gave it; nothing if none were given.
    pub fn edited(&self, call: &ToolCall) -> Option<ToolCall> {
        match self {
            Self::Edit(args) => Some(ToolCall {
                args: args.clone(),
                ..call.clone()
            }),
            _ => None,
        }
    }

    /// What the model reads about a call that is not to be made; nothing if it is to be made.
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Direct | Self::Accept | Self::Edit(_) => None,
            Self::Denied(why) => Some(why.clone()),
            Self::Ignore => Some("the user decided against this call; it was not made".into()),
            Self::Response(text) => Some(format!("this call was not made; the user says: {text}")),
        }
    }
}

/// Did this call happen? Asked when a crash or a broken connection left it unknown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ask)]
#[ask(answer = OutcomeAnswer, kind = "unknown_outcome", about = self.action_request)]
#[non_exhaustive]
pub struct OutcomeQuestion {
    /// The call.
    pub action_request: Action,
    /// What is known.
    pub description: String,
    /// The key under which its target may know it.
    pub key: String,
    /// What an answer must name.
    pub digest: Digest,
}

/// An answer to [`OutcomeQuestion`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeAnswer {
    /// The question's digest.
    pub digest: Digest,
    /// What a person found out.
    #[serde(flatten)]
    pub resolution: Resolution,
}

/// What a person found out about a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "args", rename_all = "snake_case")]
pub enum Resolution {
    /// It happened, with this result.
    Happened(String),
    /// It did not happen: make it now.
    Repeat,
    /// It did not happen, and shall not.
    Abandon,
    /// It stays unknown; the model reads that.
    StillUnknown,
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use superstep_core::id::GraphPath;

    use super::*;

    fn call(name: &str, args: Json) -> ToolCall {
        ToolCall {
            id: "c".into(),
            name: name.into(),
            args: args.as_object().cloned().unwrap_or_default(),
        }
    }

    fn scope(thread: &str, mark: Option<&str>) -> Scope {
        Scope {
            thread: thread.into(),
            import: mark.map(str::to_owned),
            is_imported: false,
        }
    }

    #[test]
    fn a_digest_is_of_everything_that_matters_and_nothing_else() {
        let Ok(checkpoint) = "1ef4f797-8335-6428-8001-8a1503f9b875".parse() else {
            unreachable!("it is an id");
        };
        let task = TaskId::of(checkpoint, &GraphPath::default(), 1, "path");
        let of = |call: &ToolCall, thread: &str| {
            Digest::of::<Approval>(call, Some(&scope(thread, None)), task, 0)
        };
        let one = of(&call("t", json!({"a": 1, "b": [2, {"x": 1, "y": 2}]})), "1");
        let same = of(&call("t", json!({"b": [2, {"y": 2, "x": 1}], "a": 1})), "1");
        assert_eq!(one, same);
        let plain = call("t", json!({"a": 1, "b": [2, {"x": 1, "y": 2}]}));
        for other in [
            of(&call("t", json!({"a": 1, "b": [2, {"x": 1, "y": 3}]})), "1"),
            of(&call("u", json!({"a": 1, "b": [2, {"x": 1, "y": 2}]})), "1"),
            of(&call("t", json!({"a": 1, "b": [2, {"x": 1, "y": 2}]})), "2"),
            Digest::of::<Approval>(&plain, Some(&scope("1", None)), task, 1),
            Digest::of::<Approval>(&plain, Some(&scope("1", Some("mark"))), task, 0),
            Digest::of::<OutcomeQuestion>(&plain, Some(&scope("1", None)), task, 0),
            one.clone().with_remarks(&["done elsewhere".into()]),
        ] {
            assert_ne!(one, other);
        }
        assert_eq!(one.clone().with_remarks(&[]), one);
    }

    #[test]
    fn answers_have_the_shape_that_inboxes_send() {
        let accept: Result<ApprovalAnswer, _> =
            serde_json::from_value(json!({"type": "accept", "args": null, "digest": "d"}));
        assert_eq!(accept.map(|it| it.verdict).ok(), Some(Verdict::Accept));
        let edit = json!({"type": "edit", "digest": "d",
            "args": {"action": "t", "args": {"a": 1}}});
        let edit: Result<ApprovalAnswer, _> = serde_json::from_value(edit);
        assert!(matches!(edit.map(|it| it.verdict), Ok(Verdict::Edit(_))));
    }
}
