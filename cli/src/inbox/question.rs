//! Open questions, and the answers they allow.

use superstep::{AskId, text::single_line};
use superstep_mail::{
    AnswerKind, InboxItem, Item, MailAgent, UnreadableThread, tools, without_mode,
};

use crate::error::Error;

/// An open question, with what its mail is about.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) thread: String,
    pub(super) ask: AskId,
    pub(super) item: Item,
    pub(super) sender: String,
    pub(super) subject: String,
}

/// A question among all: a thread and its copies share the ids of their questions.
pub(super) type QuestionKey = (String, AskId);

/// Which questions are shown.
#[derive(Clone, Debug)]
pub(super) enum Shown {
    All,
    /// Those of one thread.
    Thread(String),
}

/// The open questions, in the order in which their mail came.
pub(super) async fn all(agent: &MailAgent, shown: &Shown) -> Result<Vec<Question>, Error> {
    match shown {
        Shown::All => Ok(inbox(agent).await?.0),
        Shown::Thread(thread) => with_mail(agent, agent.open(thread).await?).await,
    }
}

/// The open questions of all threads, and the threads that cannot be read.
pub(super) async fn inbox(
    agent: &MailAgent,
) -> Result<(Vec<Question>, Vec<UnreadableThread>), Error> {
    let inbox = agent.inbox().await?;
    Ok((with_mail(agent, inbox.items).await?, inbox.unreadable))
}

async fn with_mail(agent: &MailAgent, items: Vec<InboxItem>) -> Result<Vec<Question>, Error> {
    let mut questions = Vec::new();
    for item in items {
        let state = agent.graph().state(item.thread.as_str()).await?.state;
        let mail = state.email_input.as_ref().map(|input| &input.mail);
        let from = mail.and_then(|mail| mail.from.as_ref());
        // The mode is that of whoever answers, so it is not shown here.
        let description = without_mode(&item.item.description);
        let sender = from.map(ToString::to_string);
        questions.push(Question {
            thread: item.thread,
            ask: item.ask,
            item: Item {
                description,
                mode: None,
                ..item.item
            },
            sender: single_line(&sender.unwrap_or_else(|| "(nobody)".into())),
            subject: single_line(mail.map_or("", |mail| &mail.subject)),
        });
    }
    Ok(questions)
}

impl Question {
    pub(super) fn key(&self) -> QuestionKey {
        (self.thread.clone(), self.ask)
    }

    pub(super) fn id(&self) -> String {
        self.ask.to_string()
    }

    /// What is asked, in a few words.
    pub(super) fn asks(&self) -> String {
        match self.item.action_request.action.as_str() {
            tools::SEND => "send a reply".into(),
            tools::SCHEDULE => "make a meeting".into(),
            tools::QUESTION => "a question to you".into(),
            "notify" => "worth knowing".into(),
            other => single_line(other),
        }
    }

    pub(super) fn allows(&self, kind: AnswerKind) -> bool {
        let config = self.item.config;
        match kind {
            AnswerKind::Accept => config.allow_accept,
            AnswerKind::Edit => config.allow_edit,
            AnswerKind::Ignore => config.allow_ignore,
            AnswerKind::Response => config.allow_respond,
        }
    }

    /// Refuses a kind of answer that the question does not allow; it stays open.
    pub(super) fn takes(&self, kind: AnswerKind) -> Result<(), Error> {
        if self.allows(kind) {
            return Ok(());
        }
        let all = [
            (AnswerKind::Accept, "accept"),
            (AnswerKind::Edit, "edit"),
            (AnswerKind::Response, "respond"),
            (AnswerKind::Ignore, "ignore"),
        ];
        let name = |wanted: AnswerKind| all.iter().find(|(it, _)| *it == wanted);
        let can: Vec<&str> = all
            .iter()
            .filter(|(kind, _)| self.allows(*kind))
            .map(|(_, name)| *name)
            .collect();
        Err(Error::Usage(format!(
            "`{}` is no answer to this question ({}); it takes: {}",
            name(kind).map_or("", |(_, name)| name),
            self.asks(),
            can.join(", ")
        )))
    }
}
