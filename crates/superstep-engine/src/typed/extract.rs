//! What a node may take: extractors, and what each needs of its graph.

use std::{any::TypeId, any::type_name, marker::PhantomData, ops::Deref, sync::Arc};

use serde::de::DeserializeOwned;
use superstep_core::{caller::Caller, error::Failure, record::StoredError, run::TaskInput};

use super::{
    ctx::{Ctx, decode},
    error::NodeError,
    nodes::Nodes,
    resources::Resources,
    snap::Snap,
    state::State,
};
use crate::{ctx, store};

/// One running task, as extractors see it.
pub struct TaskCtx<S, N> {
    pub(crate) ctx: ctx::DynCtx,
    pub(crate) resources: Arc<Resources>,
    pub(crate) graph: PhantomData<fn() -> (S, N)>,
}

impl<S: State, N: Nodes> TaskCtx<S, N> {
    /// The state when the step began.
    pub fn state(&self) -> Result<Snap<S>, NodeError> {
        let state = self.ctx().state();
        state.ok_or_else(|| broken("a task of another graph"))
    }

    /// The task's node; its error handler's for a handler.
    pub fn node(&self) -> Option<N> {
        match self.ctx.error() {
            Some((node, _)) => N::parse(node),
            None => N::parse(self.ctx.node()),
        }
    }

    /// A service of the graph.
    pub fn resource<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.resources.get()
    }

    /// The durable side of the task.
    pub fn ctx(&self) -> Ctx {
        Ctx(self.ctx.clone())
    }

    /// The payload, if a send started the task.
    pub(super) fn payload<T>(&self) -> Result<Option<T>, NodeError>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        let mut input = &self.ctx.0.input;
        while let TaskInput::Failed(inner, ..) = input {
            input = inner;
        }
        match input {
            TaskInput::Arg(payload) => decode(payload.clone(), "the payload of a send").map(Some),
            _ => Ok(None),
        }
    }

    /// The node that failed, and why, if the task handles an error.
    pub(super) fn failed(&self) -> Result<Option<Failed<N>>, NodeError> {
        let Some((name, error)) = self.ctx.error() else {
            return Ok(None);
        };
        let node = N::parse(name)
            .ok_or_else(|| broken(&format!("the failed node `{name}` is of another graph")))?;
        let error = error.clone();
        Ok(Some(Failed { node, error }))
    }

    pub(super) fn store(&self) -> Option<Store> {
        self.ctx.store().cloned().map(Store)
    }
}

fn broken(what: &str) -> NodeError {
    NodeError::failed(Failure::new("Extractor", what).permanent())
}

/// What a node needs of its graph; checked when the graph is built.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    pub(crate) resources: Vec<(TypeId, &'static str)>,
    pub(crate) input: Option<Type>,
    /// It cannot run without the payload.
    pub(crate) payload: bool,
    pub(crate) context: Option<Type>,
    pub(crate) store: bool,
}

/// A type that a node takes or that something is declared to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    id: TypeId,
    pub(crate) name: &'static str,
}

impl Type {
    pub(crate) fn of<T: 'static>() -> Self {
        Self {
            id: TypeId::of::<T>(),
            name: type_name::<T>(),
        }
    }
}

impl Needs {
    /// Needs a service.
    pub fn resource<T: ?Sized + 'static>(&mut self) {
        self.resources.push((TypeId::of::<T>(), type_name::<T>()));
    }

    /// Needs the payload of a send.
    pub fn input<T: 'static>(&mut self) {
        self.optional_input::<T>();
        self.payload = true;
    }

    /// Takes the payload of a send if a send starts it.
    pub fn optional_input<T: 'static>(&mut self) {
        self.input = Some(Type::of::<T>());
    }

    /// Needs the context of the run.
    pub fn context<T: 'static>(&mut self) {
        self.context = Some(Type::of::<T>());
    }

    /// Needs the long-term store.
    pub fn store(&mut self) {
        self.store = true;
    }
}

/// An argument a node may take.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// use superstep::{FromTask, TaskCtx};
///
/// /// An extractor of your own, made of others.
/// struct Words(Vec<String>);
///
/// impl FromTask<Mail, Node> for Words {
///     fn from_task(task: &TaskCtx<Mail, Node>) -> Result<Self, NodeError> {
///         Ok(Self(task.state()?.subject.split(' ').map(str::to_owned).collect()))
///     }
/// }
///
/// async fn draft(Words(words): Words) -> MailUpdate {
///     Mail::update().log(words)
/// }
/// # let _ = draft;
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a node of a graph over `{S}`",
    label = "not an extractor",
    note = "a node may take Snap<{S}>, Ctx, Res<Service>, Input<Payload>, Context<T>, Caller, Store and Failed<{N}>, and an Option of those that may be absent"
)]
pub trait FromTask<S: State, N: Nodes>: Sized + Send {
    /// Takes it out of the task.
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError>;

    /// Declares what it needs.
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
/// struct Signature {
///     name: String,
/// }
///
/// async fn draft(mail: Snap<Mail>, signature: Res<Signature>) -> MailUpdate {
///     Mail::update().reply(format!("re: {}; {}", mail.subject, signature.name))
/// }
///
/// let graph = Graph::<Mail, Node>::builder()
///     .resource(Signature { name: "Ann".to_owned() })
///     .node(Node::Draft, draft)
/// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
/// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send).finish(Node::Send)
///     .build()?; // fails if a resource is missing
/// let outcome = graph.run("t", Mail::update().subject("hi")).await?;
/// assert_eq!(outcome.state().reply, "re: hi; Ann");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Res<T: ?Sized>(pub Arc<T>);

impl<T: ?Sized> Deref for Res<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> Clone for Res<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S: State, N: Nodes, T: ?Sized + Send + Sync + 'static> FromTask<S, N> for Res<T> {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        let found = task.resource().map(Self);
        found.ok_or_else(|| broken(&format!("the graph has no resource `{}`", type_name::<T>())))
    }

    fn declare(needs: &mut Needs) {
        needs.resource::<T>();
    }
}

/// The payload of the send that started the task.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::{Command, Input, prelude::*};
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// #[derive(Clone, Serialize, Deserialize)]
/// struct Recipient {
///     name: String,
/// }
///
/// async fn draft() -> Command<Mail, Node> {
///     Command::send(Node::Send, &Recipient { name: "ann".to_owned() })
/// }
///
/// async fn send(Input(to): Input<Recipient>) -> MailUpdate {
///     Mail::update().log([format!("to {}", to.name)])
/// }
/// # let _ = (draft, send);
/// ```
#[derive(Clone, Debug)]
pub struct Input<T>(pub T);

impl<S: State, N: Nodes, T> FromTask<S, N> for Input<T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        let found = task.payload()?.map(Self);
        found.ok_or_else(|| broken("the node takes an input but was not started by a send"))
    }

    fn declare(needs: &mut Needs) {
        needs.input::<T>();
    }
}

/// What the caller of the run gave all its nodes: settings, a locale, a tenant's name. It is stored with the run,
/// and is no part of the state.
///
/// Behind a server the client sends it, so it proves nothing about who calls: take a [`Caller`] for that.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::{Context, prelude::*};
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// #[derive(Clone, Serialize, Deserialize)]
/// struct User {
///     name: String,
/// }
///
/// async fn draft(user: Context<User>) -> MailUpdate {
///     Mail::update().reply(format!("Dear {}", user.name))
/// }
/// # let _ = draft;
/// # async fn run(graph: &Graph<Mail, Node>) -> Result<(), superstep::Error> {
/// let ann = User { name: "ann".to_owned() };
/// graph.with_context(ann).run("thread 1", Mail::default()).await?;
/// # Ok(()) }
/// # let _ = run;
/// ```
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
        task.ctx().context().map(Self)
    }

    fn declare(needs: &mut Needs) {
        needs.context::<T>();
    }
}

impl<S: State, N: Nodes> FromTask<S, N> for Caller {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        Ok(task.ctx.caller().clone())
    }
}

/// The long-term store.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::{Store, prelude::*};
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// use superstep::store::{Namespace, PutOptions, TtlOnRead};
///
/// async fn draft(store: Store) -> Result<MailUpdate, NodeError> {
///     let names = Namespace::new(["names"])?;
///     store.put(&names, "ann", "Ann Smith".into(), PutOptions::default()).await?;
///     let item = store.get(&names, "ann", TtlOnRead::default()).await?;
///     Ok(Mail::update().reply(item.map(|item| item.value.to_string()).unwrap_or_default()))
/// }
/// # let _ = draft;
/// ```
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
        let found = task.store();
        found.ok_or_else(|| broken("the graph has no store"))
    }

    fn declare(needs: &mut Needs) {
        needs.store();
    }
}

/// In an error handler: the node that failed, and why.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::{Command, Failed, prelude::*};
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// async fn apologize(failed: Failed<Node>) -> Command<Mail, Node> {
///     let why = format!("{:?} failed: {}", failed.node, failed.error.message);
///     Mail::update().log([why]).goto(Node::Send)
/// }
///
/// let options = NodeOptions::<Mail, Node>::default().on_error(apologize);
/// # drop(options);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failed<N> {
    /// The node.
    pub node: N,
    /// Its error.
    pub error: StoredError,
}

impl<S: State, N: Nodes> FromTask<S, N> for Failed<N> {
    fn from_task(task: &TaskCtx<S, N>) -> Result<Self, NodeError> {
        let found = task.failed()?;
        found.ok_or_else(|| broken("no node failed: this is not an error handler"))
    }
}
