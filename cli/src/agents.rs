//! The registry of agents, for every command that reads or runs threads.
//!
//! The newest checkpoint and the runs of a thread say which agent it belongs to, whatever its name: a server names
//! threads by UUID. A new thread is called `AGENT-…` unless the user names it. Commands that run agents find the rest in
//! `running`.

mod rehearsed;

use std::{fmt, sync::OnceLock};

use clap::{ValueEnum, builder::PossibleValue};
use serde_json::Value as Json;
use superstep::{
    Backends, RunQuery, Saver, ThreadId,
    dynamic::{DynGraph, GraphPath},
    model::{config::Config, did_you_mean},
    saver::{At, ThreadInfo},
    text::{reveal_name, single_line},
};
use superstep_agent::{Card, OpenAgent, Site};

use crate::error::Error;

pub(crate) use rehearsed::Rehearsed;

/// An agent of the registry.
#[derive(Clone, Copy)]
pub(crate) struct Agent(&'static dyn superstep_agent::Agent);

/// The registry.
static ALL: OnceLock<Vec<Agent>> = OnceLock::new();

impl PartialEq for Agent {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Agent {}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ValueEnum for Agent {
    fn value_variants<'a>() -> &'a [Self] {
        Self::all()
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let card = self.card();
        let aliases = card.graphs.iter().map(String::as_str);
        let value = PossibleValue::new(&*card.name).help(&*card.about);
        Some(value.aliases(aliases))
    }
}

impl Agent {
    pub(crate) const ARCHIE: Self = Self(&superstep_archie::ArchieAgent);
    pub(crate) const ATRIS: Self = Self(&superstep_atris::AtrisAgent);
    pub(crate) const DOCS: Self = Self(&superstep_docgen::DocsAgent);
    pub(crate) const MAIL: Self = Self(&superstep_mail::MailContract);
    pub(crate) const SHEETS: Self = Self(&superstep_sheets::SheetsAgent);

    /// The agents that every program has.
    const BUILT_IN: [Self; 5] = [
        Self::ARCHIE,
        Self::ATRIS,
        Self::DOCS,
        Self::MAIL,
        Self::SHEETS,
    ];

    /// An agent of a program, which is there until the process ends.
    pub(crate) fn new(agent: impl superstep_agent::Agent) -> Self {
        Self(Box::leak(Box::new(agent)))
    }

    /// Fills the registry; only the first call counts.
    pub(crate) fn register(own: Vec<Self>) {
        ALL.get_or_init(|| Self::BUILT_IN.into_iter().chain(own).collect());
    }

    /// All agents.
    pub(crate) fn all() -> &'static [Self] {
        ALL.get_or_init(|| Self::BUILT_IN.into())
    }

    /// The agents that the program added.
    pub(crate) fn own() -> impl Iterator<Item = Self> {
        Self::all().iter().skip(Self::BUILT_IN.len()).copied()
    }

    /// Whether every program has it.
    pub(crate) fn is_built_in(self) -> bool {
        Self::BUILT_IN.contains(&self)
    }

    /// The agent without a model, for reading threads.
    pub(crate) fn reader(self, backends: Backends) -> Result<Box<dyn OpenAgent>, Error> {
        Ok(self.0.reader(backends)?)
    }

    /// The agent, ready to run.
    pub(crate) fn open(self, site: Site) -> Result<Box<dyn OpenAgent>, Error> {
        Ok(self.0.open(site)?)
    }

    /// Refuses settings that it refuses when it is opened.
    pub(crate) fn check_settings(self, config: &Config) -> Result<(), Error> {
        Ok(self.0.check_settings(config)?)
    }

    pub(crate) fn card(self) -> &'static Card {
        self.0.card()
    }

    pub(crate) fn name(self) -> &'static str {
        &self.card().name
    }

    /// The agent a thread belongs to: that of its graph. Of a thread whose graph cannot be read, the name says it.
    pub(crate) async fn of(saver: &dyn Saver, thread: &ThreadId) -> Option<Self> {
        match Self::info(saver, thread).await.graph {
            Some(graph) => Self::of_graph(&graph),
            None => Self::of_name(thread.as_str()),
        }
    }

    /// The facts on record about a thread, whatever its agent.
    pub(crate) async fn info(saver: &dyn Saver, thread: &ThreadId) -> ThreadInfo {
        let root = GraphPath::default();
        let newest = saver.load(thread, &root, At::Latest).await.ok().flatten();
        let last = RunQuery {
            limit: Some(1),
            ..RunQuery::default()
        };
        let runs = saver.runs().load_runs(thread, &last).await;
        ThreadInfo::of(thread.clone(), newest.as_ref(), &runs.unwrap_or_default())
    }

    /// The agent of a graph, by what the graph is called in it, on a server, or in a queue for an owner.
    fn of_graph(graph: &str) -> Option<Self> {
        let (graph, _) = graph.split_once('@').unwrap_or((graph, ""));
        let mut all = Self::all().iter();
        all.find(|agent| agent.card().has_graph(graph)).copied()
    }

    /// The agent that the name of a thread begins with; the longest name counts.
    pub(crate) fn of_name(thread: &str) -> Option<Self> {
        let rest = |agent: &&Self| {
            let rest = thread.strip_prefix(agent.name());
            rest.is_some_and(|rest| rest.starts_with('-'))
        };
        let named = Self::all().iter().filter(rest);
        named.max_by_key(|agent| agent.name().len()).copied()
    }

    /// Refuses an agent whose name or graph would be mistaken for another one.
    fn check(self, before: &[Self]) -> Result<(), Error> {
        let name = self.name();
        if name.is_empty() || reveal_name(name) != name || name.contains(char::is_whitespace) {
            let name = reveal_name(name);
            return Err(Error::Usage(format!("`{name}` is no name for an agent")));
        }
        if let Some(other) = before.iter().find(|it| it.card().has_graph(name)) {
            return Err(Error::Usage(format!(
                "an agent cannot be called `{name}`: `{}` goes by that name",
                other.name()
            )));
        }
        let backends = Backends::in_memory();
        let graph = self.graph(backends)?.plan().name.to_string();
        match self.card().has_graph(&graph) {
            true => Ok(()),
            false => Err(Error::Usage(format!(
                "the graph of `{name}` is called `{graph}`, so its threads would not be found: \
                 build it with `.name(\"{name}\")`, or list its name in `Card::graphs`"
            ))),
        }
    }

    /// Refuses agents of a program that cannot be told apart.
    pub(crate) fn check_own() -> Result<(), Error> {
        let all = Self::all();
        (Self::BUILT_IN.len()..all.len()).try_for_each(|place| match all.split_at_checked(place) {
            Some((before, [agent, ..])) => agent.check(before),
            _ => Ok(()),
        })
    }

    /// Refuses a name for a new thread of the agent that somebody could take for another one, or for one of another agent.
    pub(crate) fn check_name(self, name: &str) -> Result<(), Error> {
        if let Some(other) = Self::of_name(name).filter(|other| *other != self) {
            return Err(Error::Usage(format!(
                "`{}` is no name for a thread of {}: it looks like one of {}",
                reveal_name(name),
                self.name(),
                other.name()
            )));
        }
        match reveal_name(name) == name && !name.is_empty() {
            true => Ok(()),
            false => Err(Error::Usage(format!(
                "`{}` is no name for a thread: it has characters that nobody sees, or that look like others",
                reveal_name(name)
            ))),
        }
    }

    /// Its graph, for reading threads and drawing.
    pub(crate) fn graph(self, backends: Backends) -> Result<DynGraph, Error> {
        Ok(self.reader(backends)?.graph().clone())
    }

    /// Title of a thread, on one line.
    pub(crate) fn title(self, state: &Json) -> String {
        single_line(self.card().title(state).unwrap_or_default())
    }

    /// The paths that a thread names, each behind a verb.
    pub(crate) fn paths(self, state: &Json) -> Vec<(&str, &str)> {
        self.card().paths_in(state)
    }

    /// A name for a new thread that no other has.
    pub(crate) async fn new_thread(self, saver: &dyn Saver) -> Result<String, Error> {
        let taken = saver.threads().await?;
        loop {
            let name = format!("{}-{}", self.name(), short_id());
            if taken.iter().all(|thread| thread.as_str() != name) {
                return Ok(name);
            }
        }
    }
}

/// Refuses tables of `[agents]` that belong to no agent.
pub(crate) fn check_names(config: &Config) -> Result<(), Error> {
    let known = Agent::all().iter().map(|agent| agent.name());
    let known: Vec<&str> = known.collect();
    for file in &config.files {
        let unknown = file
            .agents
            .keys()
            .find(|name| !known.contains(&name.as_str()));
        if let Some(name) = unknown {
            let hint = did_you_mean::hint(name, known.iter().copied());
            return Err(Error::Usage(format!(
                "{}: there is no agent `{name}`{hint}; there are {}",
                file.path.display(),
                known.join(", ")
            )));
        }
    }
    Ok(())
}

/// Six characters of an alphabet without look-alikes.
fn short_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    const SIGNS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let random = RandomState::new().hash_one(std::process::id());
    let sign = |n: u32| SIGNS.get((random >> (5 * n)) as usize & 31);
    (0..6)
        .filter_map(sign)
        .map(|sign| char::from(*sign))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graph_of_a_thread_tells_its_agent() {
        for agent in Agent::all() {
            let backends = Backends::in_memory();
            let graph = agent.graph(backends).unwrap();
            assert_eq!(Agent::of_graph(&graph.plan().name), Some(*agent));
            assert_eq!(Agent::of_graph(agent.name()), Some(*agent));
            let name = format!("{}-7f3k2m", agent.name());
            assert_eq!(Agent::of_name(&name), Some(*agent));
        }
        assert_eq!(Agent::of_graph("email_assistant@ann"), Some(Agent::MAIL));
        assert_eq!(Agent::of_name("archie"), None);
        assert_eq!(Agent::of_name("thread-1"), None);
    }

    #[test]
    fn the_forms_and_examples_of_agents_fit_their_graphs() {
        for agent in Agent::all() {
            let backends = Backends::in_memory();
            let graph = agent.graph(backends).unwrap();
            let card = agent.card();
            let example = card.example.clone().unwrap();
            let input = superstep::runs::QueuedInput::Value(example.into());
            graph.check_fields(&input).unwrap();
            let fields = card.input_schema.as_ref().unwrap()["properties"]
                .as_object()
                .unwrap();
            for name in fields.keys() {
                assert!(
                    graph.plan().channel(name).is_some(),
                    "{}: {name}",
                    agent.name()
                );
            }
        }
    }

    #[test]
    fn a_name_may_be_anything_that_is_no_other_agents() {
        assert!(Agent::ATRIS.check_name("music").is_ok());
        assert!(Agent::ATRIS.check_name("atris-1").is_ok());
        assert!(Agent::ATRIS.check_name("mail-1").is_err());
        assert!(Agent::ATRIS.check_name("").is_err());
        assert!(Agent::ATRIS.check_name("mu\u{200b}sic").is_err());
    }

    #[test]
    fn short_ids_differ() {
        let ids: std::collections::BTreeSet<_> = (0..100).map(|_| short_id()).collect();
        assert!(ids.len() > 90, "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == 6));
    }
}
