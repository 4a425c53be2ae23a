//! Questions and answers on the wire, in the shape of inboxes for LangGraph.
//!
//! A question is a list of one [`Item`]: `action_request`, `config`, `description`. An answer is a list
//! of one [`Answer`]: `type` and `args`. An answer of a type that `config` does not allow, for other
//! arguments than were asked about, or that is no list of one, is given back, and the question stays
//! open. A question belongs to one task, so an answer is for exactly one call.
//!
//! A question about a call has a `digest` of the call, its task and its attempt. An answer that names
//! a digest fits no other question; [`Item::answered`] adds it. Inboxes of others name none: their
//! answers are bound by the id of the question alone, and refused where another thread may have made the call.
//!
//! An answer also has the mode it was given in (`mode`: `dry` or `send`), stored with it, so that an
//! approval of a dry run stays one when another process carries it out. One without it, as inboxes of
//! others send them, has the mode that the question named.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
pub use superstep::tools::approval::{Action, Allowed};
use superstep::{
    Ask, AskId, Ctx, NodeError, OpenAsk,
    tools::{Decision, Digest, Mode, Verdict},
};

use crate::{
    View, markdown,
    mode::renamed,
    tools::{EffectKind, STRANGER},
};

/// A question as it is asked: a list of one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Ask)]
#[ask(answer = Vec<Answer>, kind = "email_assistant", about = self.decided())]
#[serde(transparent)]
pub struct Asked(pub Vec<Item>);

/// What a person is to decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// What would be done, exactly.
    pub action_request: Action,
    /// How it can be answered.
    pub config: Allowed,
    /// What it is about: Markdown on the wire, in which what others wrote stands as text; text in an [`InboxItem`].
    pub description: String,
    /// The mode that the description names; absent if an answer has no effect in the world, and in
    /// questions of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// What an answer may name, so that it fits no other question; absent if it is about no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The same as data; absent in questions of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<Box<View>>,
}

impl Asked {
    /// What is decided, without the words around it: they name the mode and what has happened since. For which
    /// thread an answer is, its digest says.
    fn decided(&self) -> Vec<&Action> {
        self.0.iter().map(|item| &item.action_request).collect()
    }
}

impl Item {
    /// The item of an open question; nothing if it is none of this assistant.
    pub(crate) fn of(ask: &OpenAsk) -> Option<Self> {
        let Asked(items) = ask.question().ok()?;
        items.into_iter().next()
    }

    /// An answer to this question and no other.
    #[must_use]
    pub fn answered(&self, answer: Answer) -> Answer {
        let digest = self.digest.clone();
        Answer { digest, ..answer }
    }
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
    /// The digest of the question it answers; any question if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
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
    /// It was read, and nothing is to be done or learnt: for a mail that is shown.
    Read,
}

impl Answer {
    fn new(kind: AnswerKind, args: Json) -> Self {
        Self {
            kind,
            args,
            mode: None,
            digest: None,
        }
    }

    /// Do it as it is.
    pub fn accept() -> Self {
        Self::new(AnswerKind::Accept, Json::Null)
    }

    /// Do it with other arguments.
    pub fn edit(action: impl Into<String>, args: Map<String, Json>) -> Self {
        let action = action.into();
        let args = serde_json::json!({"action": action, "args": args});
        Self::new(AnswerKind::Edit, args)
    }

    /// Do not do it, and leave the mail.
    pub fn ignore() -> Self {
        Self::new(AnswerKind::Ignore, Json::Null)
    }

    /// Do not do it; the model is told something instead.
    pub fn response(text: impl Into<String>) -> Self {
        Self::new(AnswerKind::Response, Json::String(text.into()))
    }

    /// It was read, and nothing is to be done or learnt.
    pub fn read() -> Self {
        Self::new(AnswerKind::Read, Json::Null)
    }

    /// The answer as it is given in a mode: it allows no more than that.
    pub(crate) fn within(self, mode: Mode) -> Self {
        Self {
            mode: Some(self.mode.unwrap_or(mode).min(mode)),
            ..self
        }
    }

    /// What it says about what was asked.
    fn verdict(&self, asked: &Action) -> Result<Verdict, String> {
        let action = || {
            let action = serde_json::from_value::<Action>(self.args.clone());
            action.map_err(|error| format!("`args` is the changed request: {error}"))
        };
        match self.kind {
            // Inboxes send the request back; another one was never asked about.
            AnswerKind::Accept if !self.args.is_null() && action()? != *asked => {
                Err("other arguments than were asked about: that is an edit".into())
            }
            AnswerKind::Accept => Ok(Verdict::Accept),
            AnswerKind::Edit => Ok(Verdict::Edit(action()?)),
            AnswerKind::Ignore => Ok(Verdict::Ignore),
            AnswerKind::Read => Err("only a mail that is shown can be marked as read".into()),
            AnswerKind::Response => match self.args.as_str().map(str::trim) {
                None | Some("") => Err("a response has a text as its `args`".into()),
                Some(text) => Ok(Verdict::Response(text.to_owned())),
            },
        }
    }

    /// Whether it says that a mail was read, in the form of its own or as one of the answers to choose from.
    fn says_read(&self) -> bool {
        let chosen = self.kind == AnswerKind::Response && self.args.as_str() == Some(READ);
        self.kind == AnswerKind::Read || chosen
    }

    /// Whether it is for the question with this digest.
    fn is_for(&self, asked: Option<&Digest>) -> Result<(), String> {
        match (&self.digest, asked) {
            (None, _) => Ok(()),
            (Some(given), Some(asked)) => given.matches(asked),
            (Some(given), None) => Err(format!(
                "the answer is for `{given}`, and this question has no digest: read it again"
            )),
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
        let mut item = Item::of(ask)?;
        item.description = markdown::plain(&item.description);
        // No text of a model is taken for a mode: only questions about effects name one.
        if EffectKind::of(&item.action_request.action).is_some() {
            item.description = renamed(mode, &item.description);
            item.mode = item.mode.map(|_| mode);
        }
        Some(Self {
            thread: thread.to_owned(),
            ask: ask.id,
            item,
        })
    }
}

/// The question that shows a mail.
pub(crate) const NOTIFY: &str = "notify";

/// The answer that a mail was read, as inboxes show it that offer answers to choose from.
pub(crate) const READ: &str = "Mark as read";

/// For questions where there is nothing to be done as it is.
pub(crate) const WORDS: Allowed = Allowed {
    allow_accept: false,
    allow_edit: false,
    ..Allowed::ALL
};

/// Asks, and gives what was decided and in which mode. An answer that names no mode has that of the
/// question, `asked_in`. An answer must name its question if `must_name` says why ([`superstep::tools::Scope::must_name`]).
/// Every decision must pass `check`.
pub(crate) fn decide(
    ctx: &Ctx,
    item: Item,
    must_name: Option<&'static str>,
    asked_in: Mode,
    check: impl FnOnce(&Decision) -> Result<(), String>,
) -> Result<(Decision, Mode), NodeError> {
    let warnings = item.view.iter().flat_map(|view| &view.warnings);
    let warnings = warnings.map(|warning| warning.text.as_str());
    let strong: Vec<&str> = warnings.chain([STRANGER]).collect();
    let item = Item {
        description: markdown::escaped(&item.description, &strong),
        ..item
    };
    let asked = item.clone();
    let mut decided = (Decision::Ignore, Mode::Dry);
    ctx.ask_checked(Asked(vec![item]), |answers| {
        let [answer] = answers.as_slice() else {
            return Err("the answer is a list of exactly one answer".into());
        };
        if let Some(why) = must_name.filter(|_| answer.digest.is_none()) {
            return Err(why.into());
        }
        answer.is_for(asked.digest.as_ref())?;
        let action = &asked.action_request;
        let decision = match action.action == NOTIFY && answer.says_read() {
            true => Decision::Accept,
            false => answer.verdict(action)?.decision(action, asked.config)?,
        };
        check(&decision)?;
        decided = (decision, answer.mode.unwrap_or(asked_in));
        Ok(())
    })?;
    Ok(decided)
}
