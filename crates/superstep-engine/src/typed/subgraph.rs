//! A graph as a node of another.

use super::{
    builder::GraphBuilder, command::IntoCommand, ctx::Ctx, graph::Graph, handler::AnyHandler,
    nodes::Nodes, options::NodeOptions, snap::Snap, state::State,
};

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    /// Runs another graph as one node. `input` makes the child's input of this graph's state;
    /// `output` makes an update or command of this graph of the finished child, which is also how
    /// a child hands control over.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// struct Research {
    ///     question: String,
    ///     facts: String,
    /// }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Inner { Read }
    /// let research = Graph::<Research, Inner>::builder()
    ///     .nested()
    ///     .node(Inner::Read, |research: Snap<Research>| async move {
    ///         Research::update().facts(format!("about {}", research.question))
    ///     })
    ///     .start(Inner::Read)
    ///     .finish(Inner::Read)
    ///     .build()?;
    /// let graph = Graph::<Mail, Node>::builder()
    ///     .subgraph(
    ///         Node::Draft,
    ///         &research,
    ///         |mail| Research::update().question(mail.subject.clone()),
    ///         |research| Mail::update().reply(research.facts.clone()),
    ///     )
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send).finish(Node::Send)
    ///     .build()?;
    /// let outcome = graph.run("t", Mail::update().subject("rain")).await?;
    /// assert_eq!(outcome.state().reply, "about rain");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn subgraph<C, M, I, O>(
        self,
        node: N,
        child: &Graph<C, M>,
        input: impl Fn(&S) -> I + Clone + Send + Sync + 'static,
        output: impl Fn(&C) -> O + Clone + Send + Sync + 'static,
    ) -> Self
    where
        C: State,
        M: Nodes,
        I: Into<C::Update> + Send + 'static,
        O: IntoCommand<S, N> + 'static,
    {
        self.subgraph_with(node, child, input, output, NodeOptions::default())
    }

    /// [`GraphBuilder::subgraph`] with options.
    #[must_use]
    pub fn subgraph_with<C, M, I, O>(
        self,
        node: N,
        child: &Graph<C, M>,
        input: impl Fn(&S) -> I + Clone + Send + Sync + 'static,
        output: impl Fn(&C) -> O + Clone + Send + Sync + 'static,
        options: NodeOptions<S, N>,
    ) -> Self
    where
        C: State,
        M: Nodes,
        I: Into<C::Update> + Send + 'static,
        O: IntoCommand<S, N> + 'static,
    {
        let graph = child.clone();
        let run = move |state: Snap<S>, ctx: Ctx| {
            let (graph, output) = (graph.clone(), output.clone());
            let input: C::Update = input(&state).into();
            drop(state);
            async move {
                let child = ctx.run(&graph, input).await?;
                output(&child).into_command()
            }
        };
        let wants_store = child.inherits_store;
        let child = Some((child.inner.clone(), wants_store));
        self.add(node, AnyHandler::new(run), options, child)
    }
}
