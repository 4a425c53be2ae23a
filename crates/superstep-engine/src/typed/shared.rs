//! A graph as a node of another, whose states share fields.

use std::sync::Arc;

use superstep_core::{error::ErrorKind, plan::BuildError, record::Change, value::DecodeError};

use super::{
    builder::GraphBuilder,
    command::{Command, IntoCommand},
    ctx::Ctx,
    error::NodeError,
    graph::Graph,
    nodes::Nodes,
    options::NodeOptions,
    snap::Snap,
    state::{State, Update},
};

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    /// Runs another graph as one node on the fields that both states have by the same name. The child starts
    /// with the values that they have here; what it did to them is the update of the node, through the
    /// reducers of this graph: what it appended is appended, what it added is added. Fields that it did not
    /// change are not written.
    ///
    /// Fields of one name have one type, and there is at least one; otherwise that is a mistake (SS4023).
    ///
    #[doc = include_str!("docs/builder/subgraph_shared.md")]
    #[must_use]
    pub fn subgraph_shared<C: State, M: Nodes>(self, node: N, child: &Graph<C, M>) -> Self {
        self.subgraph_shared_with(node, child, NodeOptions::default())
    }

    /// [`GraphBuilder::subgraph_shared`] with options.
    #[must_use]
    pub fn subgraph_shared_with<C: State, M: Nodes>(
        mut self,
        node: N,
        child: &Graph<C, M>,
        options: NodeOptions<S, N>,
    ) -> Self {
        let fields: Vec<(usize, usize)> = shared::<S, C>().collect();
        for (own, other) in &fields {
            let (Some(own), Some(other)) = (S::SHAPES.get(*own), C::SHAPES.get(*other)) else {
                continue;
            };
            if own.ty != other.ty {
                self.mistakes.push(BuildError::NotShared {
                    node: node.name().into(),
                    why: format!("the field `{}` has another type in it", own.name),
                });
            }
        }
        if fields.is_empty() {
            self.mistakes.push(BuildError::NotShared {
                node: node.name().into(),
                why: "no field has a name that both states have".to_owned(),
            });
        }
        let graph_and_fields = Arc::new((child.clone(), fields));
        let run = move |state: Snap<S>, ctx: Ctx| {
            let graph_and_fields = Arc::clone(&graph_and_fields);
            async move {
                let (graph, fields) = &*graph_and_fields;
                let input = given::<S, C>(&state, fields).map_err(undecodable)?;
                let child = ctx.run(graph, input).await?;
                let update = done::<S, C>(&state, &child, fields).map_err(undecodable)?;
                Command::<S, N>::update(update).into_command()
            }
        };
        let wants_store = child.inherits_store;
        self.add(node, run, options, Some((child.inner.clone(), wants_store)))
    }
}

/// Positions of the fields that both have.
fn shared<S: State, C: State>() -> impl Iterator<Item = (usize, usize)> {
    S::FIELDS.iter().enumerate().filter_map(|(own, (name, _))| {
        let other = C::FIELDS.iter().position(|(other, _)| other == name)?;
        Some((own, other))
    })
}

/// The values of the shared fields, as the child's input.
fn given<S: State, C: State>(
    state: &S,
    fields: &[(usize, usize)],
) -> Result<C::Update, DecodeError> {
    let mut child = C::default();
    for (own, other) in fields {
        if let Some(value) = state.get(*own) {
            child.restore(*other, &Change::Set(value))?;
        }
    }
    let shared = |field: &usize| fields.iter().any(|(_, other)| other == field);
    let mut update = C::Update::default();
    for (field, write) in C::Update::from(child).into_writes() {
        if shared(&field) {
            update.read_write(field, write)?;
        }
    }
    Ok(update)
}

/// What the child did to the shared fields, as an update of this graph.
fn done<S: State, C: State>(
    before: &S,
    after: &C,
    fields: &[(usize, usize)],
) -> Result<S::Update, DecodeError> {
    let mut update = S::Update::default();
    for (own, other) in fields {
        let Some(value) = after.get(*other) else {
            continue;
        };
        if let Some(write) = before.lead(*own, value)? {
            update.read_write(*own, write)?;
        }
    }
    Ok(update)
}

fn undecodable(error: DecodeError) -> NodeError {
    let what = "a field that a subgraph shares".to_owned();
    let why = error.to_string();
    NodeError::halt(ErrorKind::Decode { what, why }.into())
}
