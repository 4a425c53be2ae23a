//! The agents, as far as commands that read threads need them: one file per agent with its [`AgentKind`] and its read-only instance.
//! What commands that run them need is in `running`, likewise one file per agent.
//!
//! Which agent a thread belongs to its newest checkpoint says, and its runs, whatever it is called: one that a server
//! made is called by a UUID. A new one is called `AGENT-…` if nobody names it. Reading a thread needs no
//! model and no account: a read-only agent has a model (`absent`), a mailbox and a calendar
//! (`no_account`) that refuse every call. So has one that is served without them.

mod absent;
pub(crate) mod archie;
pub(crate) mod atris;
pub(crate) mod docs;
pub(crate) mod mail;
pub(crate) mod no_account;
mod rehearsed;
pub(crate) mod sheets;

use crate::error::Error;
use clap::ValueEnum;
use serde_json::Value as Json;
use superstep::{
    Backends, RunQuery, Saver, ThreadId,
    dynamic::{DynGraph, GraphPath},
    model::{config::Config, did_you_mean},
    saver::{At, ThreadInfo},
    text::{reveal_name, single_line},
};

pub(crate) use rehearsed::Rehearsed;

/// What is known of an agent without opening it.
pub(crate) struct AgentKind {
    /// Its name: in commands, in settings, and what names of its threads begin with.
    name: &'static str,
    /// What its graph is called: in itself, on a server, in a queue.
    graphs: &'static [&'static str],
    /// Its graph, for reading threads and drawing.
    graph: fn(Backends) -> Result<DynGraph, Error>,
    /// What the title of a thread is made of.
    title: fn(&Json) -> Option<&Json>,
    /// Where its state names paths that a command reads or writes, each behind a verb.
    paths: &'static [(&'static str, &'static str)],
}

/// An agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Talks about a folder of documents
    Archie,
    /// Answers questions about Audius
    Atris,
    /// Documents a code base
    Docs,
    /// Reads mail, and asks before it acts
    #[value(alias = "email_assistant")]
    Mail,
    /// Works on spreadsheets
    Sheets,
}

impl Agent {
    fn kind(self) -> &'static AgentKind {
        match self {
            Self::Archie => &archie::KIND,
            Self::Atris => &atris::KIND,
            Self::Docs => &docs::KIND,
            Self::Mail => &mail::KIND,
            Self::Sheets => &sheets::KIND,
        }
    }

    pub(crate) fn all() -> &'static [Self] {
        Self::value_variants()
    }

    pub(crate) fn name(self) -> &'static str {
        self.kind().name
    }

    /// The agent a thread belongs to: that of its graph. Of a thread whose graph cannot be read, the name says it.
    pub(crate) async fn of(saver: &dyn Saver, thread: &ThreadId) -> Option<Self> {
        let root = GraphPath::default();
        let newest = saver.load(thread, &root, At::Latest).await.ok().flatten();
        let last = RunQuery {
            limit: Some(1),
            ..RunQuery::default()
        };
        let runs = saver.runs().load_runs(thread, &last).await;
        let info = ThreadInfo::of(thread.clone(), newest.as_ref(), &runs.unwrap_or_default());
        match info.graph {
            Some(graph) => Self::of_graph(&graph),
            None => Self::of_name(thread.as_str()),
        }
    }

    /// The agent of a graph, by what the graph is called in it, on a server, or in a queue for an owner.
    fn of_graph(graph: &str) -> Option<Self> {
        let (graph, _) = graph.split_once('@').unwrap_or((graph, ""));
        let mut all = Self::all().iter();
        all.find(|agent| agent.kind().graphs.contains(&graph))
            .copied()
    }

    /// The agent that the name of a thread begins with.
    fn of_name(thread: &str) -> Option<Self> {
        let (name, _) = thread.split_once('-')?;
        let mut all = Self::all().iter();
        all.find(|agent| agent.name() == name).copied()
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
        (self.kind().graph)(backends)
    }

    /// Title of a thread, on one line.
    pub(crate) fn title(self, state: &Json) -> String {
        let text = (self.kind().title)(state).and_then(Json::as_str);
        single_line(text.unwrap_or_default())
    }

    /// The paths that a thread names, each behind a verb.
    pub(crate) fn paths(self, state: &Json) -> Vec<(&'static str, &str)> {
        let named = self.kind().paths.iter();
        let named = named.map(|(does, at)| (*does, state.pointer(at).and_then(Json::as_str)));
        named
            .filter_map(|(does, path)| Some((does, path?)))
            .collect()
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

/// Why a call of a read-only agent is refused.
const READ_ONLY: &str = "the thread was opened read-only";

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
    use std::sync::Arc;

    use super::*;

    #[test]
    fn the_graph_of_a_thread_tells_its_agent() {
        for agent in Agent::all() {
            let backends = Backends {
                store: Some(Arc::new(superstep::MemoryStore::default())),
                ..Backends::on(superstep::MemorySaver::default())
            };
            let graph = agent.graph(backends).unwrap();
            assert_eq!(Agent::of_graph(&graph.plan().name), Some(*agent));
            assert_eq!(Agent::of_graph(agent.name()), Some(*agent));
            let name = format!("{}-7f3k2m", agent.name());
            assert_eq!(Agent::of_name(&name), Some(*agent));
        }
        assert_eq!(Agent::of_graph("email_assistant@ann"), Some(Agent::Mail));
        assert_eq!(Agent::of_name("archie"), None);
        assert_eq!(Agent::of_name("thread-1"), None);
    }

    #[test]
    fn a_name_may_be_anything_that_is_no_other_agents() {
        assert!(Agent::Atris.check_name("music").is_ok());
        assert!(Agent::Atris.check_name("atris-1").is_ok());
        assert!(Agent::Atris.check_name("mail-1").is_err());
        assert!(Agent::Atris.check_name("").is_err());
        assert!(Agent::Atris.check_name("mu\u{200b}sic").is_err());
    }

    #[test]
    fn short_ids_differ() {
        let ids: std::collections::BTreeSet<_> = (0..100).map(|_| short_id()).collect();
        assert!(ids.len() > 90, "{ids:?}");
        assert!(ids.iter().all(|id| id.len() == 6));
    }
}
