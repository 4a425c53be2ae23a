//! The graphs that a server hosts. Each has one assistant, whose id follows from the graph's.

use std::{collections::HashMap, sync::Arc};

use superstep::{Schemas, dynamic::DynGraph};
use superstep_agent::{Card, OpenAgent, PlainAgent};
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use crate::{
    error::ServerError,
    readiness::Standing,
    refusal::Refusal,
    time::{self, Micros},
};

/// The namespace of assistant ids, as clients know it.
const ASSISTANTS: Uuid = Uuid::from_u128(0x6ba7_b821_9dad_11d1_80b4_00c0_4fd4_30c8);

/// What graphs are called that were given no name. Such a graph goes by its id.
const UNNAMED: &str = "graph";

/// A graph that a server hosts.
pub(crate) struct Hosted {
    pub(crate) id: String,
    pub(crate) graph: DynGraph,
    pub(crate) schemas: Schemas,
    pub(crate) assistant: Uuid,
    pub(crate) since: Micros,
    /// What it does, an input to try it with, and the templates of its inputs.
    pub(crate) card: Card,
    /// The agent that presents its threads.
    agent: Mutex<Box<dyn OpenAgent>>,
    /// Whether it can be run, and what it lacks.
    pub(crate) standing: Standing,
    /// The field of its state that names what it made.
    pub(crate) result_field: Option<String>,
    /// Whether owners neither see nor run it.
    pub(crate) is_whole: bool,
}

impl Hosted {
    /// A graph that is presented like any other.
    pub(crate) fn new(id: String, graph: DynGraph, schemas: Schemas) -> Self {
        let card = Card::new(&*id, "");
        let agent = PlainAgent::from(graph.clone());
        Self::presented(id, graph, schemas, card, Box::new(agent))
    }

    /// A graph whose threads an agent presents.
    pub(crate) fn presented(
        id: String,
        graph: DynGraph,
        schemas: Schemas,
        card: Card,
        agent: Box<dyn OpenAgent>,
    ) -> Self {
        Self {
            assistant: Uuid::new_v5(&ASSISTANTS, id.as_bytes()),
            id,
            graph,
            schemas,
            since: time::now(),
            card,
            agent: Mutex::new(agent),
            standing: Standing::default(),
            result_field: None,
            is_whole: false,
        }
    }

    /// The agent that presents its threads, one caller at a time.
    pub(crate) async fn agent(&self) -> MutexGuard<'_, Box<dyn OpenAgent>> {
        self.agent.lock().await
    }

    /// What it does, in a line.
    pub(crate) fn description(&self) -> Option<String> {
        Some(self.card.about.clone()).filter(|about| !about.is_empty())
    }

    /// Whether a caller may run it, by their name if they are an owner.
    pub(crate) fn is_for(&self, owner: Option<&str>) -> bool {
        owner.is_none() || !self.is_whole
    }

    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        match &*self.graph.plan().name {
            UNNAMED => &self.id,
            name => name,
        }
    }
}

/// The graphs of a server, in order of registration.
pub(crate) struct Registry {
    graphs: Vec<Hosted>,
    /// Other names, and the ids of the graphs that go by them.
    aliases: HashMap<String, String>,
}

impl Registry {
    pub(crate) fn new(
        graphs: Vec<Hosted>,
        aliases: HashMap<String, String>,
    ) -> Result<Self, ServerError> {
        for (n, hosted) in graphs.iter().enumerate() {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            let again = graphs.iter().take(n).any(|other| other.id == hosted.id);
            let why = match () {
                () if hosted.id.is_empty() => "it is empty",
                () if !hosted.id.chars().all(is_plain) => "it has other characters",
                () if again => "another graph has it",
                () => continue,
            };
            let id = hosted.id.clone();
            return Err(ServerError::GraphId { id, why });
        }
        let has = |id: &String| graphs.iter().any(|hosted| hosted.id == *id);
        if let Some((id, _)) = aliases.iter().find(|(name, id)| has(name) || !has(id)) {
            let why = "another name must be new, and for a graph that there is";
            return Err(ServerError::GraphId {
                id: id.clone(),
                why,
            });
        }
        Ok(Self { graphs, aliases })
    }

    pub(crate) fn all(&self) -> &[Hosted] {
        &self.graphs
    }

    /// The graph with an id.
    pub(crate) fn graph(&self, id: &str) -> Result<&Hosted, Refusal> {
        self.graph_for(id, None)
    }

    /// The graph with an id, if a caller may use it: an owner by their name.
    pub(crate) fn graph_for(&self, id: &str, owner: Option<&str>) -> Result<&Hosted, Refusal> {
        let graphs = || self.graphs.iter().filter(|hosted| hosted.is_for(owner));
        let missing = || {
            let known: Vec<&str> = graphs().map(|hosted| &*hosted.id).collect();
            let known = known.join(", ");
            Refusal::missing(format!("Graph '{id}' not found. Expected one of: {known}"))
        };
        let id = self.aliases.get(id).map_or(id, |id| id);
        graphs().find(|hosted| hosted.id == id).ok_or_else(missing)
    }

    /// The graph that goes by a name, or was built with it.
    pub(crate) fn of_name(&self, name: &str) -> Option<&Hosted> {
        let built = |hosted: &&Hosted| name != UNNAMED && &*hosted.graph.plan().name == name;
        let by_id = self.graph(name).ok();
        by_id.or_else(|| self.graphs.iter().find(built))
    }

    /// All names that [`Self::of_name`] finds a graph by.
    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        let names = self.graphs.iter().flat_map(|hosted| {
            let built = hosted.graph.plan().name.clone();
            let built = Some(built).filter(|name| **name != *UNNAMED);
            [Some(Arc::from(&*hosted.id)), built]
        });
        let mut names: Vec<Arc<str>> = names.flatten().collect();
        names.sort();
        names.dedup();
        names
    }

    /// The graph that a run names: by its id, or by that of its assistant.
    pub(crate) fn named(&self, name: &str) -> Result<&Hosted, Refusal> {
        if Uuid::parse_str(name).is_ok() {
            return self.of_assistant(name);
        }
        let unknown = |_| {
            let known: Vec<&str> = self.graphs.iter().map(|hosted| &*hosted.id).collect();
            let known = known.join(", ");
            Refusal::invalid(format!(
                "Invalid assistant: '{name}'. It must be the UUID of an assistant or one of the graphs: {known}"
            ))
        };
        self.graph(name).map_err(unknown)
    }

    /// The graph of an assistant, by the assistant's id.
    pub(crate) fn of_assistant(&self, id: &str) -> Result<&Hosted, Refusal> {
        let wrong = |_| Refusal::invalid("Invalid assistant ID: must be a UUID");
        let id = Uuid::parse_str(id).map_err(wrong)?;
        let found = self.graphs.iter().find(|hosted| hosted.assistant == id);
        found.ok_or_else(|| Refusal::missing(format!("Assistant with ID {id} not found")))
    }
}
