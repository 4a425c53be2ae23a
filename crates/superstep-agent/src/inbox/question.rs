//! An open question as an inbox lists and shows it.

use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value as Json};
use superstep::{
    AskId, OpenAsk,
    text::single_line,
    tools::{Approval, Mode},
};

use super::answer::{InboxAnswer, Verb};
use crate::{
    block::Block,
    defaults,
    diff::Diff,
    notice::Notice,
    question_id::short_id,
    question_view::{Choices, QuestionKind, QuestionView},
    span::Span,
};

/// Words that are meant to approve a proposal. As an answer in words they would reject it.
const APPROVING: [&str; 7] = ["y", "yes", "ok", "okay", "accept", "approve", "approved"];

/// Rank of a question whose agent says nothing about its urgency.
const USUAL_URGENCY: u8 = 1;

/// A question among those of all threads: a thread and its copies share the ids of their questions.
pub type QuestionKey = (String, AskId);

/// An open question as an inbox lists and shows it.
#[derive(Clone, Debug)]
pub struct InboxQuestion {
    /// The thread.
    pub thread: String,
    /// The question.
    pub ask: OpenAsk,
    /// The id in lists and suggested commands.
    pub short_id: String,
    /// The agent that asks it.
    pub agent: String,
    /// Whether a desk of its agent takes the answer.
    pub is_of_desk: bool,
    /// The person or the agent that it comes from, on one line.
    pub sender: String,
    /// The subject, on one line.
    pub subject: String,
    /// The question in a few words.
    pub asks: String,
    /// When it was asked, or when the mail was written that it is about.
    pub date: Option<Timestamp>,
    /// The zone of the person.
    pub zone: TimeZone,
    /// The rank: questions of lower ranks come first.
    pub urgency: u8,
    /// The whole question.
    pub lines: Vec<Vec<Span>>,
    /// How many of the lines are shown again before an answer takes effect.
    pub brief: usize,
    /// Warnings that a person should not overlook.
    pub warnings: Vec<String>,
    /// The answers that it takes.
    pub takes: Vec<Verb>,
    /// The words to choose from, if it lists some.
    pub choices: Choices,
    /// The effect of accepting it, if it has one outside of the thread.
    pub effect: Option<InboxEffect>,
    /// The arguments that it asks about.
    pub asked: Map<String, Json>,
    /// The arguments as a person changed them: these are accepted.
    pub edit: Option<Map<String, Json>>,
    /// Arguments that are lists of texts, also where the question leaves them out.
    pub lists: &'static [&'static str],
    /// The question in the form of Agent Inbox.
    pub interrupt: Json,
}

/// Effect of an accepted question: a verb, and the noun that counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboxEffect {
    /// The verb, such as `Send`.
    pub verb: &'static str,
    /// The singular and the plural of the noun, such as `reply` and `replies`.
    pub noun: [&'static str; 2],
    /// The recipients, or the name of the tool.
    pub to: String,
}

impl InboxQuestion {
    /// A question of any agent, as it is presented in a conversation.
    pub fn of(
        thread: &str,
        ask: &OpenAsk,
        agent: &str,
        shown: &Notice,
        view: QuestionView,
    ) -> Self {
        let approval = ask.question::<Approval>().ok();
        let mut takes = Vec::new();
        if let Some(approval) = &approval {
            let config = approval.config;
            let both = [
                (config.allow_accept, Verb::Accept),
                (config.allow_ignore, Verb::Ignore),
            ];
            takes.extend(both.iter().filter(|(is, _)| *is).map(|(_, verb)| *verb));
        }
        if approval.as_ref().is_none_or(|it| it.config.allow_respond) {
            takes.push(Verb::Respond);
        }
        let lines: Vec<_> = shown.blocks.iter().flat_map(Block::lines).collect();
        let effect = approval.map(|approval| InboxEffect {
            verb: "Approve",
            noun: ["call", "calls"],
            to: single_line(&approval.action_request.action),
        });
        Self {
            thread: thread.to_owned(),
            short_id: short_id(ask.id),
            agent: agent.to_owned(),
            is_of_desk: false,
            sender: single_line(agent),
            subject: single_line(&view.title),
            asks: match view.kind {
                QuestionKind::Text | QuestionKind::Choice => "question",
                QuestionKind::Changes => "changes",
                _ => "approval",
            }
            .to_owned(),
            date: None,
            zone: TimeZone::system(),
            urgency: USUAL_URGENCY,
            brief: lines.len(),
            lines,
            warnings: view.warnings.into_iter().map(|it| it.text).collect(),
            takes,
            choices: Choices::of(ask),
            effect,
            asked: Map::new(),
            edit: None,
            lists: &[],
            interrupt: ask.body.clone(),
            ask: ask.clone(),
        }
    }

    /// A question in the form that those of any graph have, for desks and for threads whose agent is not there.
    pub fn generic(thread: &str, ask: &OpenAsk, agent: &str) -> Self {
        let shown = defaults::question(ask, thread);
        Self::of(thread, ask, agent, &shown, QuestionView::of(ask))
    }

    /// The key among the questions of all threads.
    pub fn key(&self) -> QuestionKey {
        (self.thread.clone(), self.ask.id)
    }

    /// The whole id as text.
    pub fn id(&self) -> String {
        self.ask.id.to_string()
    }

    /// The order in an inbox: urgent questions first, then the oldest. Those without a date come last.
    pub fn rank(&self) -> (u8, bool, Option<Timestamp>) {
        (self.urgency, self.date.is_none(), self.date)
    }

    /// The arguments as they would be accepted.
    pub fn args(&self) -> &Map<String, Json> {
        self.edit.as_ref().unwrap_or(&self.asked)
    }

    /// The answer that accepts it, with the arguments that a person changed.
    pub fn accepted(&self) -> InboxAnswer {
        match &self.edit {
            Some(args) => InboxAnswer::Edit(args.clone()),
            None => InboxAnswer::Accept,
        }
    }

    /// The tool that it asks about; empty if it asks about none.
    pub fn tool(&self) -> &str {
        let tool = self.interrupt.pointer("/action_request/action");
        tool.and_then(Json::as_str).unwrap_or_default()
    }

    /// The arguments that `args` changes.
    pub fn changes(&self, args: &Map<String, Json>) -> Vec<Diff> {
        let asked = &self.asked;
        let gone = asked.keys().filter(|key| !args.contains_key(*key));
        let changed = args.keys().chain(gone).filter_map(|key| {
            let [old, new] =
                [asked, args].map(|it| it.get(key).map(argument_text).unwrap_or_default());
            (old != new).then(|| Diff::between(key, &old, &new))
        });
        changed.collect()
    }

    /// Whether an answer changes nothing: in a dry run an accepted effect is shown, and its question stays open until it is
    /// accepted for real. A rehearsal continues as if it were.
    pub fn stays_open(&self, verb: Verb, mode: Mode, is_rehearsed: bool) -> bool {
        let is_accepted = matches!(verb, Verb::Accept | Verb::Edit);
        is_accepted && mode == Mode::Dry && !is_rehearsed && self.effect.is_some()
    }

    /// Whether it takes a kind of answer.
    pub fn allows(&self, verb: Verb) -> bool {
        self.takes.contains(&verb)
    }

    /// Refuses a kind of answer that it does not take; it stays open.
    pub fn check(&self, verb: Verb) -> Result<(), String> {
        if self.allows(verb) {
            return Ok(());
        }
        let (asks, name) = (&self.asks, verb.name());
        let takes: Vec<&str> = self.takes.iter().map(|verb| verb.name()).collect();
        let takes = takes.join(" or ");
        Err(format!(
            "this question ({asks}) does not take `{name}`; use {takes}"
        ))
    }

    /// Refuses an answer that it does not take; it stays open.
    pub fn check_answer(&self, answer: &InboxAnswer) -> Result<(), String> {
        self.check(answer.verb())?;
        let InboxAnswer::Respond(words) = answer else {
            return Ok(());
        };
        let word = words.trim().trim_end_matches(['.', '!']).to_lowercase();
        if self.allows(Verb::Accept) && APPROVING.contains(&word.as_str()) {
            let takes = self.takes.iter().map(|verb| verb.name());
            let takes: Vec<&str> = takes.filter(|name| *name != "respond").collect();
            return Err(format!(
                "`{}` is no answer in words to this question ({}); use {}",
                single_line(words),
                self.asks,
                takes.join(" or ")
            ));
        }
        match (self.choices.chosen(words), self.choices.expected()) {
            (None, Some(expected)) => Err(format!(
                "`{}` is not among the answers of this question: {expected}",
                single_line(words)
            )),
            _ => Ok(()),
        }
    }

    /// Whether its sender, subject or text has some words, given in lower case.
    pub fn has_words(&self, words: &str) -> bool {
        let lines = self.lines.iter().flatten().map(Span::text);
        let texts = [&*self.sender, &*self.subject].into_iter().chain(lines);
        let texts: Vec<String> = texts.map(str::to_lowercase).collect();
        let has = |word: &str| texts.iter().any(|text| text.contains(word));
        words.split_whitespace().all(has)
    }

    /// The date in a few letters: the time of today, else the day.
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
}

/// The text of an argument; a list is separated by commas.
fn argument_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(items) => {
            let texts: Vec<String> = items.iter().map(argument_text).collect();
            texts.join(", ")
        }
        other => other.to_string(),
    }
}
