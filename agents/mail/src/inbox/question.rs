//! Questions of the assistant as an inbox lists and shows them.

use serde_json::{Map, Value as Json};
use superstep::{
    OpenAsk,
    dynamic::{SubState, state::Depth},
    text::single_line,
};
use superstep_agent::{Choices, InboxEffect, InboxQuestion, Verb, bad};

use super::{
    description::Description,
    editable::{completed, editable},
};
use crate::{
    AgentError, InboxItem, Item, MailAgent,
    contract::NAME,
    graph::order::refused_beside,
    settings::Zone,
    tools::{self, EffectKind},
    wire::NOTIFY,
    without_mode,
};

/// Letters of an id in lists: enough to tell the questions of an inbox apart.
const LETTERS: usize = 8;

/// Arguments that are lists, also where a call left them out.
const LISTS: &[&str] = &["additional_recipients", "attendees", "drop"];

impl MailAgent {
    /// The open questions of a thread, as an inbox shows them.
    pub async fn inbox_questions(&self, thread: &str) -> Result<Vec<InboxQuestion>, AgentError> {
        let mut questions = Vec::new();
        for ask in self.graph().state(thread).await?.asks {
            questions.extend(self.asked(thread, &ask).await?);
        }
        Ok(questions)
    }

    /// An open question as an inbox shows it, with the edit that is kept for it; nothing if it is none of this assistant.
    pub(super) async fn asked(
        &self,
        thread: &str,
        ask: &OpenAsk,
    ) -> Result<Option<InboxQuestion>, AgentError> {
        let Some(asked) = InboxItem::of(thread, ask, self.mode()) else {
            return Ok(None);
        };
        let kept = self.kept_edit(&asked).await?;
        let mut item = without_its_mode(asked.item);
        let refused = self.refused_beside(thread, &item).await?;
        let mut edit = None;
        if let Some(kept) = kept {
            let described = match kept.description {
                Some(text) => Ok(text),
                None => self.describe_edit(thread, &item, &kept.args).await,
            };
            // An edit that the question does not take any more is none.
            if let Ok(description) = described {
                item.description = description;
                edit = Some(editable(&item, &kept.args));
            }
        }
        if let (Some(why), Some((heading, rest))) = (refused, item.description.split_once("\n\n")) {
            item.description = format!("{heading}\n\n**{why}**\n{rest}");
        }
        Ok(Some(self.listed(thread, ask, item, edit).await?))
    }

    /// What the person who is asked about a mail refused already of its turn.
    async fn refused_beside(
        &self,
        thread: &str,
        item: &Item,
    ) -> Result<Option<String>, AgentError> {
        let action = item.action_request.action.as_str();
        // A question that is asked again is about a call that is made already, so all others are decided.
        if EffectKind::of(action) != Some(EffectKind::Mail) || action.contains(':') {
            return Ok(None);
        }
        let graph = self.graph().dynamic();
        let found = graph.state(&thread.into(), None, Depth::Subgraphs).await?;
        let mut steps = found.tasks.iter().filter_map(|task| match &task.state {
            Some(SubState::Snapshot(inner)) => Some(inner),
            _ => None,
        });
        Ok(steps.find_map(|step| refused_beside(action, step)))
    }

    /// The item that a question asks about. Its mode is that of the person who answers, so it is not shown.
    pub(super) fn item_of(&self, question: &InboxQuestion) -> Result<Item, AgentError> {
        let (thread, ask) = (&question.thread, &question.ask);
        let asked = InboxItem::of(thread, ask, self.mode());
        let asked = asked.ok_or(AgentError::NotOpen { ask: ask.id })?;
        Ok(without_its_mode(asked.item))
    }

    /// A question with what its mail is about. `item` describes it with the edited arguments, if it was edited.
    pub(super) async fn listed(
        &self,
        thread: &str,
        ask: &OpenAsk,
        item: Item,
        edit: Option<Map<String, Json>>,
    ) -> Result<InboxQuestion, AgentError> {
        let state = self.graph().state(thread).await?.state;
        let mail = state.email_input.as_ref().map(|input| &input.mail);
        let sender = mail.and_then(|mail| mail.from.as_ref());
        let sender = sender.map_or_else(|| "(nobody)".to_owned(), ToString::to_string);
        let subject = subject(mail.map_or("", |mail| &mail.subject));
        let action = &item.action_request;
        let kind = EffectKind::of(&action.action);
        // A reader without the account does not know the zone of its owner.
        let zone = item
            .view
            .as_ref()
            .and_then(|view| view.time_zone.as_deref());
        let zone = zone.and_then(|name| Some(Zone::find(name)?.zone));
        let urgency = state.judgement.as_ref().map(|it| it.urgency);
        let call = edit.as_ref().map(|args| completed(&item, args));
        let description = Description {
            item: &item,
            edit: call.as_ref(),
        };
        let (mut lines, mut warnings) = description.lines();
        if let Err(error) = self.services.check_account(state.account.as_deref()) {
            let warning = error.to_string();
            lines.insert(0, vec![bad(format!("! {warning}"))]);
            warnings.insert(0, warning);
        }
        let effect = kind.map(|kind| {
            let (verb, noun) = match kind {
                EffectKind::Mail if action.action.starts_with(tools::SEND) => {
                    ("Send", ["reply", "replies"])
                }
                EffectKind::Mail => ("Send", ["mail", "mails"]),
                EffectKind::Calendar => ("Schedule", ["meeting", "meetings"]),
            };
            let people = description.recipients();
            let to = match (description.when(), people) {
                (Some(when), Some(people)) => format!("{when}, {people}"),
                (when, people) => when.or(people).unwrap_or_else(|| subject.clone()),
            };
            InboxEffect { verb, noun, to }
        });
        Ok(InboxQuestion {
            thread: thread.to_owned(),
            short_id: ask.id.to_string().chars().take(LETTERS).collect(),
            agent: NAME.to_owned(),
            is_of_desk: true,
            sender: single_line(&sender),
            asks: asks(&action.action),
            date: mail.and_then(|mail| mail.date),
            zone: zone.unwrap_or_else(|| self.services.zone.zone.clone()),
            urgency: urgency.unwrap_or_default() as u8,
            brief: description.brief(&lines),
            lines,
            warnings,
            takes: takes(&item),
            choices: Choices::default(),
            effect,
            asked: editable(&item, &action.args),
            lists: LISTS,
            interrupt: serde_json::to_value(&item).unwrap_or_default(),
            subject,
            edit,
            ask: ask.clone(),
        })
    }
}

/// An item whose description names no mode.
fn without_its_mode(item: Item) -> Item {
    Item {
        description: without_mode(&item.description),
        mode: None,
        ..item
    }
}

/// A subject on one line.
fn subject(text: &str) -> String {
    match single_line(text) {
        empty if empty.trim().is_empty() => "(no subject)".into(),
        text => text,
    }
}

/// A question in a few words.
fn asks(action: &str) -> String {
    match action {
        tools::SEND => "send reply".into(),
        tools::FORWARD => "forward".into(),
        tools::NEW_MAIL => "send mail".into(),
        tools::SCHEDULE => "schedule meeting".into(),
        tools::MOVE => "move meeting".into(),
        tools::CANCEL => "cancel meeting".into(),
        tools::QUESTION => "question".into(),
        NOTIFY => "FYI".into(),
        other => single_line(other),
    }
}

fn takes(item: &Item) -> Vec<Verb> {
    let config = item.config;
    let all = [
        (config.allow_accept, Verb::Accept),
        (config.allow_edit, Verb::Edit),
        (config.allow_respond, Verb::Respond),
        (item.action_request.action == NOTIFY, Verb::Read),
        (config.allow_ignore, Verb::Ignore),
    ];
    let taken = all.into_iter().filter(|(is_allowed, _)| *is_allowed);
    taken.map(|(_, verb)| verb).collect()
}
