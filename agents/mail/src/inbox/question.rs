//! Open questions, and the answers they allow.

use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value as Json};
use superstep::{AskId, text::single_line};

use super::error::InboxError;
use crate::{
    AgentError, Answer, AnswerKind, InboxItem, Item, MailAgent, Mode, UnreadableThread, Urgency,
    tools::{self, EffectKind},
    without_mode,
};

/// Letters of an id in lists: enough to tell the questions of an inbox apart.
const LETTERS: usize = 8;

/// An open question, with what its mail is about.
#[derive(Clone, Debug)]
pub struct Question {
    /// The thread.
    pub thread: String,
    /// The question in its thread.
    pub ask: AskId,
    /// What is to be decided.
    pub item: Item,
    /// The sender of its mail, on one line.
    pub sender: String,
    /// The subject of its mail, on one line.
    pub subject: String,
    /// When its mail was written, as it says.
    pub date: Option<Timestamp>,
    /// How soon its mail needs its owner.
    pub urgency: Urgency,
    /// The zone of the owner.
    pub zone: TimeZone,
    /// The arguments as a person changed them in a dry run: what is accepted is this. The description has them.
    pub edit: Option<Map<String, Json>>,
}

/// A question among all: a thread and its copies share the ids of their questions.
pub type QuestionKey = (String, AskId);

/// Which questions are shown.
#[derive(Clone, Debug)]
pub enum Shown {
    /// Those of all threads.
    All,
    /// Those of one thread.
    Thread(String),
}

async fn with_mail(agent: &MailAgent, items: Vec<InboxItem>) -> Result<Vec<Question>, AgentError> {
    let mut questions = Vec::new();
    for item in items {
        let state = agent.graph().state(item.thread.as_str()).await?.state;
        let mail = state.email_input.as_ref().map(|input| &input.mail);
        let from = mail.and_then(|mail| mail.from.as_ref());
        let sender = from.map(ToString::to_string);
        let kept = agent.kept_edit(&item).await?;
        let (edit, edited) = kept.map_or((None, None), |it| (Some(it.args), it.description));
        // The mode is that of whoever answers, so it is not shown here.
        let description = edited.unwrap_or_else(|| without_mode(&item.item.description));
        questions.push(Question {
            edit,
            thread: item.thread,
            ask: item.ask,
            item: Item {
                description,
                mode: None,
                ..item.item
            },
            sender: single_line(&sender.unwrap_or_else(|| "(nobody)".into())),
            subject: subject(mail.map_or("", |mail| &mail.subject)),
            date: mail.and_then(|mail| mail.date),
            urgency: state
                .judgement
                .as_ref()
                .map(|it| it.urgency)
                .unwrap_or_default(),
            zone: agent.services.zone.zone.clone(),
        });
    }
    // What needs its owner soonest comes first, then what was written first. Those without a date come last; what arrived
    // at the same time keeps its order.
    questions.sort_by_key(|question| (question.urgency, question.date.is_none(), question.date));
    Ok(questions)
}

/// A subject on one line.
fn subject(text: &str) -> String {
    match single_line(text) {
        empty if empty.trim().is_empty() => "(no subject)".into(),
        text => text,
    }
}

impl Question {
    /// The open questions, in the order in which their mail was written.
    pub async fn open(agent: &MailAgent, shown: &Shown) -> Result<Vec<Self>, AgentError> {
        match shown {
            Shown::All => Ok(Self::inbox(agent).await?.0),
            Shown::Thread(thread) => with_mail(agent, agent.open(thread).await?).await,
        }
    }

    /// The open questions of all threads, and the threads that cannot be read.
    pub async fn inbox(
        agent: &MailAgent,
    ) -> Result<(Vec<Self>, Vec<UnreadableThread>), AgentError> {
        let inbox = agent.inbox().await?;
        Ok((with_mail(agent, inbox.items).await?, inbox.unreadable))
    }

    /// Whether an answer changes nothing: in a dry run an accepted action is shown, and its question stays open
    /// until it is accepted for real. A rehearsal continues as if it were.
    pub fn stays_open(&self, kind: AnswerKind, mode: Mode, is_rehearsed: bool) -> bool {
        let is_accepted = matches!(kind, AnswerKind::Accept | AnswerKind::Edit);
        is_accepted && mode == Mode::Dry && !is_rehearsed && self.is_effect()
    }

    /// The arguments as they would be accepted.
    pub fn args(&self) -> &Map<String, Json> {
        self.edit.as_ref().unwrap_or(&self.item.action_request.args)
    }

    /// The answer that accepts it, as it was changed if it was.
    pub fn accepted(&self) -> Answer {
        match &self.edit {
            Some(args) => Answer::edit(&self.item.action_request.action, args.clone()),
            None => Answer::accept(),
        }
    }

    /// The arguments of an answer that changes them.
    pub fn edit_of(&self, answer: &Answer) -> Option<Map<String, Json>> {
        let args = answer.args.get("args").and_then(Json::as_object);
        args.filter(|_| answer.kind == AnswerKind::Edit).cloned()
    }

    /// The question as it reads with changed arguments, which are refused if an answer cannot have them.
    pub async fn with_edit(
        &self,
        agent: &MailAgent,
        args: &Map<String, Json>,
    ) -> Result<Self, AgentError> {
        let described = agent.describe_edit(&self.thread, &self.item, args);
        let item = Item {
            description: described.await?,
            ..self.item.clone()
        };
        Ok(Self {
            item,
            edit: Some(args.clone()),
            ..self.clone()
        })
    }

    /// Keeps changed arguments with the question until it is answered. As it was asked there is nothing to keep.
    pub async fn keep_edit(
        &self,
        agent: &MailAgent,
        args: &Map<String, Json>,
    ) -> Result<bool, AgentError> {
        let is_changed = *args != self.item.action_request.args;
        match is_changed {
            true => {
                agent
                    .keep_edit(&self.thread, self.ask, &self.item, args)
                    .await?
            }
            false => agent.drop_edit(&self.thread, self.ask).await?,
        }
        Ok(is_changed)
    }

    /// Whether it is about something that leaves: a mail, an invitation.
    pub fn is_effect(&self) -> bool {
        EffectKind::of(&self.item.action_request.action).is_some()
    }

    /// When its mail was written, in a few letters: the time of today, else the day.
    pub fn when(&self) -> String {
        let Some(date) = self.date else {
            return String::new();
        };
        let today = Timestamp::now().to_zoned(self.zone.clone());
        let date = date.to_zoned(self.zone.clone());
        match (date.date() == today.date(), date.year() == today.year()) {
            (true, _) => date.strftime("%H:%M").to_string(),
            (false, true) => date.strftime("%b %d").to_string(),
            (false, false) => date.strftime("%Y-%m-%d").to_string(),
        }
    }

    /// Its key among all questions.
    pub fn key(&self) -> QuestionKey {
        (self.thread.clone(), self.ask)
    }

    /// Its id as text.
    pub fn id(&self) -> String {
        self.ask.to_string()
    }

    /// The beginning of its id, which is rarely ambiguous.
    pub fn short_id(&self) -> String {
        self.id().chars().take(LETTERS).collect()
    }

    /// Whether its sender, subject or text has some words, given in lower case.
    pub fn has_words(&self, words: &str) -> bool {
        let texts = [&self.sender, &self.subject, &self.item.description];
        let has = |word: &str| texts.iter().any(|it| it.to_lowercase().contains(word));
        words.split_whitespace().all(has)
    }

    /// What is asked, in a few words.
    pub fn asks(&self) -> String {
        match self.item.action_request.action.as_str() {
            tools::SEND => "send reply".into(),
            tools::FORWARD => "forward".into(),
            tools::NEW_MAIL => "send mail".into(),
            tools::SCHEDULE => "schedule meeting".into(),
            tools::MOVE => "move meeting".into(),
            tools::CANCEL => "cancel meeting".into(),
            tools::QUESTION => "question".into(),
            "notify" => "FYI".into(),
            other => single_line(other),
        }
    }

    /// Whether it allows a kind of answer.
    pub fn allows(&self, kind: AnswerKind) -> bool {
        let config = self.item.config;
        match kind {
            AnswerKind::Accept => config.allow_accept,
            AnswerKind::Edit => config.allow_edit,
            AnswerKind::Ignore => config.allow_ignore,
            AnswerKind::Response => config.allow_respond,
            AnswerKind::Read => self.item.action_request.action == "notify",
        }
    }

    /// Refuses a kind of answer that the question does not allow; it stays open.
    pub fn takes(&self, kind: AnswerKind) -> Result<(), InboxError> {
        if self.allows(kind) {
            return Ok(());
        }
        let all = [
            (AnswerKind::Accept, "accept"),
            (AnswerKind::Edit, "edit"),
            (AnswerKind::Response, "respond"),
            (AnswerKind::Read, "read"),
            (AnswerKind::Ignore, "ignore"),
        ];
        let name = |wanted: AnswerKind| all.iter().find(|(it, _)| *it == wanted);
        let can: Vec<&str> = all
            .iter()
            .filter(|(kind, _)| self.allows(*kind))
            .map(|(_, name)| *name)
            .collect();
        Err(InboxError::NotAllowed {
            asks: self.asks(),
            kind: name(kind).map_or("", |(_, name)| name),
            allowed: can.join(" or "),
        })
    }
}
