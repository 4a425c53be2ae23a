//! Extractors of parts that a task may lack: `Option<T>` as an argument of a node.

use serde::de::DeserializeOwned;

use super::{
    error::NodeError,
    extract::{Context, Failed, FromTask, Input, Needs, Res, Store, TaskCtx},
    nodes::Nodes,
    state::State,
};

/// An argument that a node may take as `Option<T>`: `None` where the task has none. One that is there and
/// cannot be read is an error, as without the `Option`.
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
/// struct Signature(&'static str);
///
/// async fn draft(signature: Option<Res<Signature>>) -> MailUpdate {
///     let name = signature.map_or("a friend", |signature| signature.0.0);
///     Mail::update().reply(format!("Yours, {name}"))
/// }
///
/// let graph = Graph::<Mail, Node>::builder() // it has no `Signature`, and builds
///     .node(Node::Draft, draft)
/// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
/// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send).finish(Node::Send)
///     .build()?;
/// let outcome = graph.run("t", Mail::default()).await?;
/// assert_eq!(outcome.state().reply, "Yours, a friend");
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`Option<{Self}>` cannot be an argument of a node of a graph over `{S}`",
    label = "not an extractor that a task may lack",
    note = "a node may take Option<Res<Service>>, Option<Input<Payload>>, Option<Context<T>>, Option<Store> and Option<Failed<{N}>>; Snap<{S}>, Ctx and Caller are always there"
)]
pub trait OptionalFromTask<S: State, N: Nodes>: Sized + Send {
    /// Takes it out of the task, if the task has it.
    fn find(task: &TaskCtx<S, N>) -> Result<Option<Self>, NodeError>;

    /// Declares what it needs although it may be absent.
    fn declare_optional(needs: &mut Needs) {
        let _ = needs;
    }
}

impl<S: State, N: Nodes, T: OptionalFromTask<S, N>> FromTask<S, N> for Option<T> {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        T::find(task)
    }

    fn declare(needs: &mut Needs) {
        T::declare_optional(needs);
    }
}

impl<S: State, N: Nodes, T: ?Sized + Send + Sync + 'static> OptionalFromTask<S, N> for Res<T> {
    fn find(task: &TaskCtx<S, N>) -> Result<Option<Self>, NodeError> {
        Ok(task.resource().map(Self))
    }
}

/// Absent in a task that an edge started.
impl<S: State, N: Nodes, T> OptionalFromTask<S, N> for Input<T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    fn find(task: &TaskCtx<S, N>) -> Result<Option<Self>, NodeError> {
        Ok(task.payload()?.map(Self))
    }

    fn declare_optional(needs: &mut Needs) {
        needs.optional_input::<T>();
    }
}

/// Absent in a run that was given none.
impl<S: State, N: Nodes, T> OptionalFromTask<S, N> for Context<T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    fn find(task: &TaskCtx<S, N>) -> Result<Option<Self>, NodeError> {
        Ok(task.ctx().find_context()?.map(Self))
    }

    fn declare_optional(needs: &mut Needs) {
        needs.context::<T>();
    }
}

impl<S: State, N: Nodes> OptionalFromTask<S, N> for Store {
    fn find(task: &TaskCtx<S, N>) -> Result<Option<Self>, NodeError> {
        Ok(task.store())
    }
}

/// Absent in a task that is no error handler.
impl<S: State, N: Nodes> OptionalFromTask<S, N> for Failed<N> {
    fn find(task: &TaskCtx<S, N>) -> Result<Option<Self>, NodeError> {
        task.failed()
    }
}
