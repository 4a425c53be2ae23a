//! Questions with what they mean, and whether an agent reads them so: how well rules or a model do.
//!
//! A file of them is a JSON array. `tests/fixtures` has those that `docs/atris.md` reports about.
//! `check` reads them with an agent of its own.

mod check;

use serde::Deserialize;
use serde_json::Value as Json;
use superstep::{Error as RunError, Outcome};

pub use check::{CheckedQuestion, LabelCheck, score_notice};

use crate::{
    catalogue::{Catalogue, EntityType, Parameters},
    graph::Atris,
    question::{Reference, wants_write},
    state::AtrisState,
};

/// A question and what it means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labeled {
    /// The question.
    pub question: String,
    /// The operation that answers it; nothing if none does.
    pub operation: Option<String>,
    /// What the question says for parameters, defaults aside.
    #[serde(default)]
    pub parameters: Parameters,
    /// What it is about, and its name in the question.
    #[serde(default)]
    pub entity: Option<(EntityType, String)>,
    /// What that is compared with.
    #[serde(default)]
    pub second: Option<(EntityType, String)>,
    /// What is worked out from the reply, such as `count` or `most duration`.
    #[serde(default)]
    pub computes: Option<String>,
    /// How many of those that are compared are shown.
    #[serde(default)]
    pub first: Option<u64>,
    /// How it ends: the status of the answer, or `asked` if a person is asked.
    #[serde(default)]
    pub status: Option<String>,
}

/// How a question was read: what the state says before a call is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QuestionReading {
    /// The operation.
    pub operation: Option<String>,
    /// Its parameters, with defaults.
    pub parameters: Parameters,
    /// What is named, at most two.
    pub names: Vec<String>,
    /// What is worked out.
    pub computes: Option<String>,
    /// How many of those that are compared are shown.
    pub first: Option<u64>,
    /// How it ended: the status of the answer, or `asked`.
    pub status: String,
    /// Why there is no operation, or what is wrong with the parameters.
    pub error: Option<String>,
    /// What is told with the answer about how the question was read.
    pub told: Vec<String>,
}

/// How well a question was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it was meant.
    Right,
    /// Not at all, and it says so.
    Refused,
    /// As another question, with a remark on what was left out or taken for what.
    Told,
    /// As another question, without a remark.
    Silent,
}

impl Labeled {
    /// Whether it must be asked with writes switched on: it is an order.
    pub fn is_order(&self) -> bool {
        wants_write(&self.question)
    }
}

/// How an agent reads a question. It is asked in a thread of its own, which is left behind.
pub async fn read(
    agent: &Atris,
    thread: &str,
    question: &str,
) -> Result<QuestionReading, RunError> {
    let graph = agent.graph();
    let outcome = graph.run(thread, agent.ask(question, None)).await?;
    let status = match &outcome {
        Outcome::Done(state) => state.last().map(|answer| answer.status),
        _ => None,
    };
    let status = status.map(|status| serde_json::to_value(status).unwrap_or_default());
    let status = status.as_ref().and_then(Json::as_str).unwrap_or("asked");
    let history = graph.history(thread).await?;
    // The newest first: in the last of these all is known that the question says, in the first also what
    // its names were found to be, which may make another operation of it.
    let is_read = |state: &AtrisState| state.parameters.is_some() || state.error.is_some();
    let mut states = history.iter().map(|it| &*it.state);
    let found = states.find(|state| is_read(state));
    let mut states = history.iter().rev().map(|it| &*it.state);
    let read = states.find(|state| is_read(state));
    Ok(match (read, found) {
        (Some(read), Some(found)) => QuestionReading {
            status: status.to_owned(),
            ..QuestionReading::of(read, found)
        },
        _ => QuestionReading::default(),
    })
}

/// Whether a question was found to be none that Audius answers when its names were looked up.
fn is_refused(state: &AtrisState) -> bool {
    state.error.as_ref().is_some_and(|it| it.code == "SS8015")
}

impl QuestionReading {
    fn of(state: &AtrisState, found: &AtrisState) -> Self {
        let second = state.secondary_api.as_ref();
        let second = second.map(|second| &second.entity_name);
        let names = state.entity_name.iter().chain(second);
        // An id that is looked up first is what the call is about.
        let mut parameters = state.parameters.clone().unwrap_or_default();
        let api = found.best_api.as_ref();
        let operation = api.and_then(|api| Catalogue::get().ok()?.operation(&api.id));
        if let (Some(Reference::Id(id)), Some((_, name))) =
            (&state.entity_name, operation.and_then(|it| it.entity()))
        {
            let given = parameters.entry(name.to_owned());
            given.or_insert_with(|| id.clone().into());
        }
        Self {
            // What was refused before it was read whole has none.
            operation: match state.parameters {
                Some(_) if !is_refused(found) => found.best_api.as_ref().map(|api| api.id.clone()),
                _ => None,
            },
            parameters,
            names: names.map(|name| name.text().to_owned()).collect(),
            computes: state.computation.map(|it| it.name()),
            first: state.first,
            status: String::new(),
            error: found.error.as_ref().map(|error| error.message.clone()),
            told: found.reading.clone().unwrap_or_default(),
        }
    }

    /// How well it is as labeled.
    pub fn verdict(&self, label: &Labeled) -> Verdict {
        match (self.faults(label).is_empty(), &self.operation) {
            (true, _) => Verdict::Right,
            (false, None) => Verdict::Refused,
            (false, Some(_)) if !self.told.is_empty() => Verdict::Told,
            (false, Some(_)) => Verdict::Silent,
        }
    }

    /// Everything that is not as labeled.
    pub fn faults(&self, label: &Labeled) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(wanted) = label.status.as_ref().filter(|it| **it != self.status) {
            faults.push(format!("it ends {} instead of {wanted}", self.status));
        }
        if label.status.is_some() && label.operation.is_some() && self.first != label.first {
            faults.push(format!(
                "shows {:?} instead of {:?}",
                self.first, label.first
            ));
        }
        if self.operation != label.operation {
            let name = |it: &Option<String>| it.clone().unwrap_or_else(|| "none".into());
            let why = self.error.as_ref().map(|why| format!(" ({why})"));
            faults.push(format!(
                "operation {} instead of {}{}",
                name(&self.operation),
                name(&label.operation),
                why.unwrap_or_default()
            ));
            return faults;
        }
        let Some(id) = &label.operation else {
            return faults;
        };
        let operation = Catalogue::get().ok().and_then(|it| it.operation(id));
        let entity = operation.and_then(|it| it.entity());
        // As it would go to the wire: `jazz` is `Jazz`, and one value of a list is a list.
        let plain = |name: &str, value: &Json| {
            let parameter = operation.and_then(|it| it.parameter(name));
            let checked = parameter.and_then(|it| it.check(value).ok());
            checked.unwrap_or_else(|| value.clone())
        };
        for (name, wanted) in &label.parameters {
            match self.parameters.get(name) {
                Some(found) if plain(name, found) == plain(name, wanted) => {}
                Some(found) => faults.push(format!("{name} {found} instead of {wanted}")),
                None => faults.push(format!("no {name}, which is {wanted}")),
            }
        }
        let more = self.parameters.iter().filter(|(name, value)| {
            let default = operation.and_then(|it| it.parameter(name)?.default_value());
            let is_looked_up = entity.is_some_and(|(_, own)| own == *name);
            let is_all = *name == "limit" && self.computes.is_some();
            let is_usual = default.as_ref() == Some(value);
            !label.parameters.contains_key(*name) && !is_looked_up && !is_all && !is_usual
        });
        faults.extend(more.map(|(name, value)| format!("{name} {value}, which it does not say")));
        // A handle or a link is a parameter already.
        let wanted = label.entity.iter().chain(&label.second);
        let wanted: Vec<String> = wanted.map(|(_, name)| name.to_lowercase()).collect();
        let found: Vec<String> = self.names.iter().map(|name| name.to_lowercase()).collect();
        if label.entity.is_some() && found != wanted {
            faults.push(format!("names {found:?} instead of {wanted:?}"));
        }
        if self.computes != label.computes {
            faults.push(format!(
                "works out {:?} instead of {:?}",
                self.computes, label.computes
            ));
        }
        faults
    }
}
