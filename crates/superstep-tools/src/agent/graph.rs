//! Agents and teams as graphs.

use superstep_engine::typed::{Graph, GraphBuilder};

use super::{
    config::Agent,
    conversation::Conversation,
    state::AgentNode,
    steps::{call_model, call_tool, call_tool_with_store},
    team::Team,
};
use crate::{error::ToolsError, happened::past_effects};

impl<S: Conversation> Agent<S> {
    /// The graph, to be given a saver and built. Its input is [`say`](super::say), or messages as data.
    pub fn graph(self) -> GraphBuilder<S, AgentNode> {
        graph(Team::of(self))
    }
}

impl<S: Conversation> Team<S> {
    /// The graph, to be given a saver and built; or what is wrong with names and tools.
    pub fn graph(self) -> Result<GraphBuilder<S, AgentNode>, ToolsError> {
        self.with_offers().map(graph)
    }
}

fn graph<S: Conversation>(team: Team<S>) -> GraphBuilder<S, AgentNode> {
    let takes_store = team.members.iter().any(|it| it.agent.tools.takes_store());
    let graph = Graph::builder()
        .name(team.name)
        .effects(past_effects)
        .resource(team)
        .node(AgentNode::Model, call_model::<S>);
    // A graph without the store that a tool takes is refused when it is built.
    let graph = match takes_store {
        true => graph.node(AgentNode::Tool, call_tool_with_store::<S>),
        false => graph.node(AgentNode::Tool, call_tool::<S>),
    };
    graph
        .start(AgentNode::Model)
        .may_goto(AgentNode::Model, &[AgentNode::Model])
        .may_send(AgentNode::Model, &[AgentNode::Tool])
        .edge(AgentNode::Tool, AgentNode::Model)
}
