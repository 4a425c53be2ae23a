//! A graph as a node of another.

use super::{
    builder::GraphBuilder, command::IntoCommand, ctx::Ctx, graph::Graph, nodes::Nodes,
    options::NodeOptions, snap::Snap, state::State,
};

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    /// Runs another graph as one node. `input` makes the child's input of this graph's state;
    /// `output` makes an update or command of this graph of the finished child, which is also how
    /// a child hands control over.
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
        self.add(node, run, options, Some((child.inner.clone(), wants_store)))
    }
}
