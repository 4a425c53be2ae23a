//! The agent of a thread whose graph this program does not have: what is stored says how to read it.

use std::sync::Arc;

use superstep::dynamic::{DynCtx, DynGraphBuilder, Halt, Layout, START};
use superstep_agent::{AgentError, Card, GraphAgent, PlainAgent, Site};

use super::Agent;

/// An agent for reading threads of this layout. Its nodes do not run.
pub(super) fn agent(layout: Arc<Layout>) -> Agent {
    let name = match layout.graph.is_empty() {
        true => "unknown",
        false => &*layout.graph,
    };
    let card = Card::new(name, "An agent that this program does not have");
    Agent::new(GraphAgent::new(card, move |site| graph(&layout, site)))
}

async fn absent(_: DynCtx) -> Result<(), Halt> {
    Ok(())
}

fn graph(layout: &Layout, site: Site) -> Result<PlainAgent, AgentError> {
    let named = DynGraphBuilder::new()
        .name(Arc::clone(&layout.graph))
        .backends(site.backends);
    let channels = layout.channels.iter();
    let named = channels.fold(named, |graph, name| graph.last_value(Arc::clone(name)));
    let nodes = layout.nodes.iter().filter(|name| ***name != *START);
    let whole = nodes.fold(named, |graph, name| {
        graph
            .node(Arc::clone(name), absent)
            .edge(START, Arc::clone(name))
    });
    Ok(whole.build()?.into())
}
