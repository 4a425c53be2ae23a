//! A graph as a node of another, whose states share fields.

use std::{any::Any, sync::Arc};

use superstep_core::{
    command::Output,
    error::ErrorKind,
    plan::BuildError,
    table::{ChannelIx, Key},
    value::{DecodeError, Value},
};

use super::{
    builder::GraphBuilder,
    ctx::ended,
    error::NodeError,
    extract::TaskCtx,
    graph::Graph,
    handler::AnyHandler,
    nodes::Nodes,
    options::NodeOptions,
    state::{Keep, State},
};

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    /// Runs another graph as one node on the fields that both states have by the same name. The child starts
    /// with the values that they have here; what it did to them is the update of the node, through the
    /// reducers of this graph: what it appended is appended, what it added is added. Fields that it did not
    /// change are not written.
    ///
    /// What a field's reducer has no write for ([`Reducer::difference`](super::Reducer::difference)), such as a list that became shorter, overwrites
    /// the field: that counts for more than what other tasks of the step write to it, and a second overwrite of
    /// the step is an error (SS1006). A field that the child does not store (ephemeral, untracked) and that has its default there is not written.
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
        let fields: Vec<SharedField> = shared::<S, C>().collect();
        for SharedField { name, own, other } in &fields {
            let (Some(own), Some(other)) = (S::SHAPES.get(*own), C::SHAPES.get(*other)) else {
                continue;
            };
            if own.ty != other.ty {
                self.mistakes.push(BuildError::NotShared {
                    node: node.name().into(),
                    why: format!("the field `{name}` has another type in it"),
                });
            }
        }
        if fields.is_empty() {
            self.mistakes.push(BuildError::NotShared {
                node: node.name().into(),
                why: "no field has a name that both states have".to_owned(),
            });
        }
        let graph_and_fields = Arc::new((child.inner.clone(), fields));
        let run = move |task: TaskCtx<S, N>| {
            let graph_and_fields = Arc::clone(&graph_and_fields);
            async move {
                let (graph, fields) = &*graph_and_fields;
                let before = task.state()?;
                let input = given::<S, C>(&before, fields).map_err(undecodable)?;
                let after = ended::<C>(graph.run_nested(&task.ctx, Some(input)).await)?;
                done::<S, C>(&before, &after, fields).map_err(undecodable)
            }
        };
        let handler = AnyHandler::making(run, |output, _| Ok(output));
        let wants_store = child.inherits_store;
        let child = Some((child.inner.clone(), wants_store));
        self.add(node, handler, options, child)
    }
}

/// A field that both states have.
struct SharedField {
    name: Arc<str>,
    /// Its position in the state of this graph.
    own: usize,
    /// Its position in the state of the child.
    other: usize,
}

fn shared<S: State, C: State>() -> impl Iterator<Item = SharedField> {
    S::FIELDS.iter().enumerate().filter_map(|(own, (name, _))| {
        let other = C::FIELDS.iter().position(|(other, _)| other == name)?;
        let name = Arc::from(*name);
        Some(SharedField { name, own, other })
    })
}

/// The values of the shared fields, as the child's input.
fn given<S: State, C: State>(state: &S, fields: &[SharedField]) -> Result<Value, DecodeError> {
    let mut input = Vec::with_capacity(fields.len());
    for field in fields {
        if let Some(value) = state.field(field.own) {
            input.push((field.name.clone(), C::overwrite(field.other, value)?));
        }
    }
    Ok(Value::map(input))
}

/// What the child did to the shared fields, as an update of this graph.
fn done<S: State, C: State>(
    before: &S,
    after: &C,
    fields: &[SharedField],
) -> Result<Output, DecodeError> {
    let mut writes = Vec::with_capacity(fields.len());
    for field in fields {
        if let Some(value) = after.field(field.other)
            && !is_gone::<C>(field.other, value)?
            && let Some(write) = before.lead(field.own, value)?
        {
            writes.push((ChannelIx::at(field.own), write));
        }
    }
    Ok(writes.into())
}

/// Whether a field that the child does not store has its default, which says nothing about what the child did: an
/// ephemeral value is gone after a step, an untracked one after a pause.
fn is_gone<C: State>(field: usize, value: &dyn Any) -> Result<bool, DecodeError> {
    let keep = C::FIELDS.get(field).map(|(_, keep)| *keep);
    let is_stored = keep.is_none_or(|keep| keep == Keep::Stored);
    Ok(!is_stored && C::default().lead(field, value)?.is_none())
}

fn undecodable(error: DecodeError) -> NodeError {
    let what = "a field that a subgraph shares".to_owned();
    let why = error.to_string();
    NodeError::halt(ErrorKind::Decode { what, why }.into())
}
