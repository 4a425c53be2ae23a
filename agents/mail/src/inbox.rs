//! Questions and answers in the shape that inboxes know.
//!
//! A question is a list of one [`Item`]: `action_request`, `config`, `description`. An answer is a list
//! of one [`Answer`]: `type` and `args`. An answer of a type that `config` does not allow, for other
//! arguments than were asked about, or that is no list of one, is given back, and the question stays
//! open. A question belongs to one task, so an answer is for exactly one call.
//!
//! An answer also has the mode it was given in (`mode`: `dry` or `send`), stored with it, so that an
//! approval of a dry run stays one when another process carries it out. One without it, as inboxes of
//! others send them, has the mode that the question named.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
pub use superstep::tools::approval::{Action, Allowed};
use superstep::{Ask, AskId, Ctx, NodeError, OpenAsk};

use crate::Mode;

/// A question as it is asked: a list of one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ask)]
#[ask(answer = Vec<Answer>, kind = "email_assistant")]
#[serde(transparent)]
pub struct Asked(pub Vec<Item>);

/// What a person is to decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What would be done, exactly.
    pub action_request: Action,
    /// How it can be answered.
    pub config: Allowed,
    /// What it is about, as text.
    pub description: String,
}

/// What a person says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// In which way.
    #[serde(rename = "type")]
    pub kind: AnswerKind,
    /// For `edit` the changed request, for `response` a text.
    #[serde(default)]
    pub args: Json,
    /// In which mode; that of the question if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// In which way a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerKind {
    /// Do it as it is.
    Accept,
    /// Do it with other arguments.
    Edit,
    /// Do not do it, and leave the mail.
    Ignore,
    /// Do not do it; the model is told something instead.
    Response,
}

impl Answer {
    /// Do it as it is.
    pub fn accept() -> Self {
        Self {
            kind: AnswerKind::Accept,
            args: Json::Null,
            mode: None,
        }
    }

    /// Do it with other arguments.
    pub fn edit(action: impl Into<String>, args: Map<String, Json>) -> Self {
        let action = action.into();
        Self {
            kind: AnswerKind::Edit,
            args: serde_json::json!({"action": action, "args": args}),
            mode: None,
        }
    }

    /// Do not do it, and leave the mail.
    pub fn ignore() -> Self {
        Self {
            kind: AnswerKind::Ignore,
            args: Json::Null,
            mode: None,
        }
    }

    /// Do not do it; the model is told something instead.
    pub fn response(text: impl Into<String>) -> Self {
        Self {
            kind: AnswerKind::Response,
            args: Json::String(text.into()),
            mode: None,
        }
    }

    /// The answer as it is given in a mode: it allows no more than that.
    pub(crate) fn within(self, mode: Mode) -> Self {
        Self {
            mode: Some(self.mode.unwrap_or(mode).min(mode)),
            ..self
        }
    }
}

/// An open question of a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxItem {
    /// The thread.
    pub thread: String,
    /// The question; answer by it.
    pub ask: AskId,
    /// What is to be decided.
    pub item: Item,
}

impl InboxItem {
    /// Reads an open question that is to be answered in a mode; nothing if it is none of this
    /// assistant.
    pub(crate) fn of(thread: &str, ask: &OpenAsk, mode: Mode) -> Option<Self> {
        let Asked(items) = ask.question().ok()?;
        let mut item = items.into_iter().next()?;
        item.description = mode.renamed(&item.description);
        Some(Self {
            thread: thread.to_owned(),
            ask: ask.id,
            item,
        })
    }
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "args", rename_all = "snake_case")]
pub(crate) enum Act {
    /// Nobody had to be asked.
    Direct,
    Accept,
    Edit(Map<String, Json>),
    Ignore,
    Response(String),
}

/// What was decided, and in which mode.
pub(crate) struct Decision {
    pub(crate) act: Act,
    pub(crate) mode: Mode,
}

/// Which answers make sense for a question.
pub(crate) const ALL: Allowed = Allowed {
    allow_accept: true,
    allow_edit: true,
    allow_respond: true,
    allow_ignore: true,
};

/// For questions where there is nothing to be done as it is.
pub(crate) const WORDS: Allowed = Allowed {
    allow_accept: false,
    allow_edit: false,
    ..ALL
};

/// Asks, and gives what was decided. An answer that names no mode has that of the question, `asked_in`.
/// Edited arguments must pass `check`.
pub(crate) fn decide(
    ctx: &Ctx,
    item: Item,
    asked_in: Mode,
    check: impl Fn(&Map<String, Json>) -> Result<(), String>,
) -> Result<Decision, NodeError> {
    let asked = item.clone();
    let read = |answers: &Vec<Answer>| {
        let act = act(answers, &asked)?;
        if let Act::Edit(args) = &act {
            check(args)?;
        }
        Ok(act)
    };
    let answers = ctx.ask_checked(Asked(vec![item]), |answers| read(answers).map(|_| ()))?;
    Ok(Decision {
        act: read(&answers).map_err(NodeError::msg)?,
        mode: answers.first().and_then(|it| it.mode).unwrap_or(asked_in),
    })
}

fn act(answers: &[Answer], item: &Item) -> Result<Act, String> {
    let [answer] = answers else {
        return Err("the answer is a list of exactly one answer".into());
    };
    let (allowed, asked) = (item.config, &item.action_request);
    let (is_allowed, name) = match answer.kind {
        AnswerKind::Accept => (allowed.allow_accept, "accept"),
        AnswerKind::Edit => (allowed.allow_edit, "edit"),
        AnswerKind::Ignore => (allowed.allow_ignore, "ignore"),
        AnswerKind::Response => (allowed.allow_respond, "response"),
    };
    if !is_allowed {
        return Err(format!("`{name}` is not allowed for `{}`", asked.action));
    }
    let action = || {
        let action: Action = serde_json::from_value(answer.args.clone())
            .map_err(|error| format!("`args` is the changed request: {error}"))?;
        match action.action == asked.action {
            true => Ok(action),
            false => Err(format!(
                "the call is of `{}`, not another tool",
                asked.action
            )),
        }
    };
    match answer.kind {
        // Inboxes send the request back; another one was never asked about.
        AnswerKind::Accept if !answer.args.is_null() => match action()?.args == asked.args {
            true => Ok(Act::Accept),
            false => Err("other arguments than were asked about: that is an edit".into()),
        },
        AnswerKind::Accept => Ok(Act::Accept),
        AnswerKind::Edit => Ok(Act::Edit(action()?.args)),
        AnswerKind::Ignore => Ok(Act::Ignore),
        AnswerKind::Response => match answer.args.as_str().map(str::trim) {
            None | Some("") => Err("a response has a text as its `args`".into()),
            Some(text) => Ok(Act::Response(text.to_owned())),
        },
    }
}
