//! The contract: an agent as front ends know it.

use std::sync::Arc;

use superstep::{
    Backends,
    model::{Model, NodeModels, config::Config},
};

use crate::{
    card::Card, failure::AgentError, no_model::NoModel, open::OpenAgent, plain_agent::PlainAgent,
};

/// Reason of a reader for refusing a call.
pub const READ_ONLY: &str = "the thread was opened read-only";

/// The parts that an agent is opened with.
pub struct Site {
    /// Where threads and long-term memory are stored.
    pub backends: Backends,
    /// The models that the user chose: one for all nodes, and others for some of [`Card::model_nodes`].
    pub models: NodeModels,
}

impl Site {
    /// A place without a model. Calls are refused with this reason.
    pub fn without_model(backends: Backends, why: &str) -> Self {
        Self {
            backends,
            models: NodeModels::new(Arc::new(NoModel::new(why))),
        }
    }

    /// The model of every node that has none of its own.
    pub fn model(&self) -> Arc<dyn Model> {
        Arc::clone(self.models.usual())
    }
}

/// An agent as front ends know it.
pub trait Agent: Send + Sync + 'static {
    /// Facts about it.
    fn card(&self) -> &Card;

    /// The agent, ready to run.
    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, AgentError>;

    /// The agent without a model and without accounts, for reading and drawing threads. Its runs are refused.
    fn reader(&self, backends: Backends) -> Result<Box<dyn OpenAgent>, AgentError> {
        self.open(Site::without_model(backends, READ_ONLY))
    }

    /// Refuses settings that it refuses when it is opened.
    fn check_settings(&self, _: &Config) -> Result<(), AgentError> {
        Ok(())
    }
}

/// A graph as an agent: a card, and a function that builds the graph.
///
/// ```
/// use superstep::{Graph, Nodes, Snap, State};
/// use superstep_agent::{AgentError, Card, GraphAgent, PlainAgent, Site};
/// # use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// struct Greeting {
///     name: String,
///     text: String,
/// }
///
/// #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// enum Node {
///     Greet,
/// }
///
/// fn greeter(site: Site) -> Result<PlainAgent, AgentError> {
///     let greet = |state: Snap<Greeting>| async move {
///         Greeting::update().text(format!("Hello {}", state.name))
///     };
///     let graph = Graph::<Greeting, Node>::builder()
///         .name("greeter")
///         .backends(site.backends)
///         .node(Node::Greet, greet)
///         .start(Node::Greet)
///         .finish(Node::Greet)
///         .build()?;
///     Ok(graph.into())
/// }
///
/// let agent = GraphAgent::new(Card::new("greeter", "Greets people").taking("name"), greeter);
/// ```
pub struct GraphAgent<F> {
    card: Card,
    build: F,
}

impl<F> GraphAgent<F>
where
    F: Fn(Site) -> Result<PlainAgent, AgentError> + Send + Sync + 'static,
{
    /// An agent whose graph is built by a function.
    pub fn new(card: Card, build: F) -> Self {
        Self { card, build }
    }
}

impl<F> Agent for GraphAgent<F>
where
    F: Fn(Site) -> Result<PlainAgent, AgentError> + Send + Sync + 'static,
{
    fn card(&self) -> &Card {
        &self.card
    }

    fn open(&self, site: Site) -> Result<Box<dyn OpenAgent>, AgentError> {
        Ok(Box::new((self.build)(site)?))
    }
}
