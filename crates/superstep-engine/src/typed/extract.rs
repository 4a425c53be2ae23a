//! What a node may take: extractors, and what each needs of its graph.

use std::{any::TypeId, any::type_name, marker::PhantomData, ops::Deref, sync::Arc};

use serde::de::DeserializeOwned;
use superstep_core::{
    error::{ErrorKind, Failure},
    record::StoredError,
    run::TaskInput,
    value::Value,
};

use super::{
    board::TypedBoard, ctx::Ctx, error::NodeError, nodes::Nodes, resources::Resources, snap::Snap,
    state::State,
};
use crate::{ctx, store};

/// One running task, as extractors see it.
pub struct TaskCtx<S, N> {
    pub(crate) ctx: ctx::Ctx,
    pub(crate) resources: Arc<Resources>,
    pub(crate) graph: PhantomData<fn() -> (S, N)>,
}

impl<S: State, N: Nodes> TaskCtx<S, N> {
    /// The state when the step began.
    pub fn state(&self) -> Result<Snap<S>, NodeError> {
        let board = self.ctx.board().as_any().downcast_ref::<TypedBoard<S>>();
        let board = board.ok_or_else(|| broken("a task of another graph"))?;
        Ok(Snap(board.state()))
    }

    /// The task's node; its error handler's for a handler.
    pub fn node(&self) -> Option<N> {
        match self.ctx.error() {
            Some((node, _)) => N::parse(node),
            None => N::parse(self.ctx.node()),
        }
    }

    /// A service of the graph.
    pub fn resource<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.resources.get()
    }

    /// The durable side of the task.
    pub fn ctx(&self) -> Ctx {
        Ctx(self.ctx.clone())
    }
}

fn broken(what: &str) -> NodeError {
    NodeError::failed(Failure::new("Extractor", what).permanent())
}

/// What a node needs of its graph; checked when the graph is built.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    pub(crate) resources: Vec<(TypeId, &'static str)>,
    pub(crate) input: Option<&'static str>,
    pub(crate) store: bool,
}

impl Needs {
    /// Needs a service.
    pub fn resource<T: 'static>(&mut self) {
        self.resources.push((TypeId::of::<T>(), type_name::<T>()));
    }

    /// Needs the payload of a send.
    pub fn input<T>(&mut self) {
        self.input = Some(type_name::<T>());
    }

    /// Needs the long-term store.
    pub fn store(&mut self) {
        self.store = true;
    }
}

/// An argument a node may take.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a node of a graph over `{S}`",
    label = "not an extractor",
    note = "a node may take Snap<{S}>, Ctx, Res<Service>, Input<Payload>, Context<T>, Store and Failed<{N}>"
)]
pub trait FromTask<S: State, N: Nodes>: Sized + Send {
    /// Takes it out of the task.
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError>;

    /// Says what it needs.
    fn declare(needs: &mut Needs) {
        let _ = needs;
    }
}

impl<S: State, N: Nodes> FromTask<S, N> for Snap<S> {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        task.state()
    }
}

impl<S: State, N: Nodes> FromTask<S, N> for Ctx {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        Ok(task.ctx())
    }
}

/// A service of the graph (a model, a mailbox, a client); never stored.
#[derive(Debug)]
pub struct Res<T>(pub Arc<T>);

impl<T> Deref for Res<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Res<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: State, N: Nodes, T: Send + Sync + 'static> FromTask<S, N> for Res<T> {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        let found = task.resource().map(Self);
        found.ok_or_else(|| broken(&format!("the graph has no resource `{}`", type_name::<T>())))
    }

    fn declare(needs: &mut Needs) {
        needs.resource::<T>();
    }
}

/// The payload of the send that started the task.
#[derive(Clone, Debug)]
pub struct Input<T>(pub T);

impl<S: State, N: Nodes, T> FromTask<S, N> for Input<T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        let mut input = &task.ctx.0.input;
        while let TaskInput::Failed(inner, ..) = input {
            input = inner;
        }
        let TaskInput::Arg(payload) = input else {
            return Err(broken(
                "the node takes an input but was not started by a send",
            ));
        };
        decode(payload.clone(), "the payload of a send").map(Self)
    }

    fn declare(needs: &mut Needs) {
        needs.input::<T>();
    }
}

fn decode<T>(value: Value, what: &str) -> Result<T, NodeError>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    value.take().map_err(|error| {
        let kind = ErrorKind::Decode {
            what: what.to_owned(),
            why: error.to_string(),
        };
        NodeError::halt(kind.into())
    })
}

/// What the caller of the run gave all its nodes; never stored.
#[derive(Clone, Debug)]
pub struct Context<T>(pub T);

impl<T> Deref for Context<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<S: State, N: Nodes, T> FromTask<S, N> for Context<T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        decode(task.ctx.context().clone(), "the context of the run").map(Self)
    }
}

/// The long-term store.
#[derive(Clone)]
pub struct Store(pub Arc<dyn store::Store>);

impl Deref for Store {
    type Target = dyn store::Store;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl<S: State, N: Nodes> FromTask<S, N> for Store {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        let store = task.ctx.store().cloned().map(Self);
        store.ok_or_else(|| broken("the graph has no store"))
    }

    fn declare(needs: &mut Needs) {
        needs.store();
    }
}

/// In an error handler: the node that failed, and why.
#[derive(Clone, Debug)]
pub struct Failed<N> {
    /// The node.
    pub node: N,
    /// Its error.
    pub error: StoredError,
}

impl<S: State, N: Nodes> FromTask<S, N> for Failed<N> {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        let failed = task.ctx.error().and_then(|(node, error)| {
            Some(Self {
                node: N::parse(node)?,
                error: error.clone(),
            })
        });
        failed.ok_or_else(|| broken("no node failed: this is not an error handler"))
    }
}
