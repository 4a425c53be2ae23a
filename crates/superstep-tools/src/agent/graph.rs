//! Agents and teams as graphs.

use superstep_engine::typed::{Graph, GraphBuilder, Needs, NodeOptions};

use super::{
    config::Agent,
    conversation::Conversation,
    state::AgentNode,
    steps::{call_model, call_tool},
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
    // A graph without the store that a tool takes is refused when it is built.
    let mut needs = Needs::default();
    if team.members.iter().any(|it| it.agent.tools.takes_store()) {
        needs.store();
    }
    Graph::builder()
        .name(team.name)
        .effects(past_effects)
        .resource(team)
        .node(AgentNode::Model, call_model::<S>)
        .node_with(
            AgentNode::Tool,
            call_tool::<S>,
            NodeOptions::default().needs(needs),
        )
        .start(AgentNode::Model)
        .may_goto(AgentNode::Model, &[AgentNode::Model])
        .may_send(AgentNode::Model, &[AgentNode::Tool])
        .edge(AgentNode::Tool, AgentNode::Model)
}
