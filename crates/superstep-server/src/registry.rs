//! The graphs that a server hosts. Each has one assistant, whose id follows from the graph's.

use superstep::{Schemas, dynamic::Graph};
use uuid::Uuid;

use crate::{
    error::ServerError,
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
    pub(crate) graph: Graph,
    pub(crate) schemas: Schemas,
    pub(crate) assistant: Uuid,
    pub(crate) since: Micros,
}

impl Hosted {
    pub(crate) fn new(id: String, graph: Graph, schemas: Schemas) -> Self {
        Self {
            assistant: Uuid::new_v5(&ASSISTANTS, id.as_bytes()),
            id,
            graph,
            schemas,
            since: time::now(),
        }
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
pub(crate) struct Registry(Vec<Hosted>);

impl Registry {
    pub(crate) fn new(graphs: Vec<Hosted>) -> Result<Self, ServerError> {
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
        Ok(Self(graphs))
    }

    pub(crate) fn all(&self) -> &[Hosted] {
        &self.0
    }

    /// The graph with an id.
    pub(crate) fn graph(&self, id: &str) -> Result<&Hosted, Refusal> {
        let missing = || {
            let known: Vec<&str> = self.0.iter().map(|hosted| &*hosted.id).collect();
            let known = known.join(", ");
            Refusal::missing(format!("Graph '{id}' not found. Expected one of: {known}"))
        };
        let found = self.0.iter().find(|hosted| hosted.id == id);
        found.ok_or_else(missing)
    }

    /// The graph that a run names: by its id, or by that of its assistant.
    pub(crate) fn named(&self, name: &str) -> Result<&Hosted, Refusal> {
        if Uuid::parse_str(name).is_ok() {
            return self.of_assistant(name);
        }
        let unknown = |_| {
            let known: Vec<&str> = self.0.iter().map(|hosted| &*hosted.id).collect();
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
        let found = self.0.iter().find(|hosted| hosted.assistant == id);
        found.ok_or_else(|| Refusal::missing(format!("Assistant with ID {id} not found")))
    }
}
