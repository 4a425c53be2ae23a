//! What a running call has besides its arguments: for whom it works, and the durable side of its task.

use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    sync::Arc,
};

use serde::{Serialize, de::DeserializeOwned};
use superstep_core::{
    caller::Caller,
    id::{RunId, ThreadId},
};
use superstep_engine::typed::{Ask, Context, Ctx, Graph, Nodes, Res, Snap, State, Store};
use superstep_text::Redactor;

use super::error::ToolError;

/// Something that a tool takes of its agent.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    kind: Kind,
    /// Its type's name.
    pub name: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Service(TypeId),
    Store,
}

impl Need {
    /// A service of that type.
    pub fn of<T: 'static>() -> Self {
        Self {
            kind: Kind::Service(TypeId::of::<T>()),
            name: type_name::<T>(),
        }
    }

    /// The long-term store of the graph.
    pub fn store() -> Self {
        Self {
            kind: Kind::Store,
            name: "Store",
        }
    }

    /// Whether it is the long-term store.
    pub fn is_store(&self) -> bool {
        self.kind == Kind::Store
    }
}

/// Services by type; never stored.
#[derive(Clone, Default)]
pub(crate) struct Services(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Services {
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, service: Arc<T>) {
        self.0.insert(TypeId::of::<T>(), service);
    }

    /// Whether a tool gets what it needs, as far as that is known before there is a graph.
    pub(crate) fn has(&self, need: Need) -> bool {
        match need.kind {
            Kind::Service(id) => self.0.contains_key(&id),
            Kind::Store => true,
        }
    }
}

/// What a running call has besides its arguments; cheap to clone.
///
/// A `#[tool]` function takes it as an argument, or takes parts of it: `Res<T>`, `Context<T>`,
/// `Caller`, `Store`, `Snap<T>`, and an `Option` of what may be absent.
#[derive(Clone)]
pub struct ToolCtx {
    key: String,
    task: Ctx,
    changes: bool,
    services: Arc<Services>,
    redactor: Arc<Redactor>,
}

impl ToolCtx {
    pub(crate) fn new(
        key: String,
        task: Ctx,
        changes: bool,
        services: Arc<Services>,
        redactor: Arc<Redactor>,
    ) -> Self {
        Self {
            key,
            task,
            changes,
            services,
            redactor,
        }
    }

    /// A key for the outside world that is equal on every attempt of this call and differs from
    /// every other call's.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The thread the call is made in, if the run has one.
    pub fn thread(&self) -> Option<&ThreadId> {
        self.task.thread()
    }

    /// Which attempt of its task this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.task.attempt()
    }

    /// Tells that the call is alive: the idle timeout of its node begins again.
    pub fn heartbeat(&self) {
        self.task.heartbeat();
    }

    /// Ready once the run was cancelled or its deadline has passed. A tool that waits for it has a
    /// little time to stop what it began; another one is dropped where it waits.
    pub async fn cancelled(&self) {
        self.task.cancelled().await;
    }

    /// Whether the run was cancelled or its deadline has passed.
    pub fn is_cancelled(&self) -> bool {
        self.task.is_cancelled()
    }

    /// The run the call is made in, if it is recorded.
    pub fn run_id(&self) -> Option<RunId> {
        self.task.run_id()
    }

    /// Passes data to readers of the run's events, without secrets.
    pub async fn emit<T: Serialize + Send + Sync + 'static>(&self, data: T) {
        match serde_json::to_value(&data) {
            Ok(json) => {
                let clean = self.redactor.value(&json.into());
                self.task.emit(clean).await;
            }
            // What does not serialize cannot be read either: readers get that error.
            Err(_) => self.task.emit(data).await,
        }
    }

    /// A service, by its type.
    pub fn service<T: Send + Sync + 'static>(&self) -> Result<Res<T>, ToolError> {
        self.find_service().ok_or_else(|| {
            let name = type_name::<T>();
            ToolError::mistake(format!("the agent has no service `{name}`"))
        })
    }

    /// A service, by its type, if the agent has it.
    pub fn find_service<T: Send + Sync + 'static>(&self) -> Option<Res<T>> {
        let found = self.services.0.get(&TypeId::of::<T>()).cloned();
        found.and_then(|service| service.downcast().ok()).map(Res)
    }

    /// The caller of the run, whom the program that started it has authenticated. It says for whom the
    /// call is made: neither a client nor a model can name another.
    pub fn caller(&self) -> &Caller {
        self.task.caller()
    }

    /// The context of the run: settings that its caller gave. Behind a server the client sends it, so
    /// it is no proof of who calls ([`ToolCtx::caller`]). If it is of another type, the run stops.
    pub fn context<T>(&self) -> Result<Context<T>, ToolError>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        let context = self.task.context().map(Context);
        context.map_err(ToolError::Ended)
    }

    /// The context of the run, if it was given one. If it is of another type, the run stops.
    pub fn find_context<T>(&self) -> Result<Option<Context<T>>, ToolError>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        let found = self.task.find_context().map_err(ToolError::Ended)?;
        Ok(found.map(Context))
    }

    /// The long-term store. Without one the run stops.
    pub fn store(&self) -> Result<Store, ToolError> {
        let found = self.find_store();
        found.ok_or_else(|| ToolError::mistake("the graph has no store"))
    }

    /// The long-term store, if the graph has one.
    pub fn find_store(&self) -> Option<Store> {
        self.task.store().map(Store)
    }

    /// The state of the graph that makes the call, as its step began. If it is of another type, the
    /// run stops.
    pub fn state<S: State>(&self) -> Result<Snap<S>, ToolError> {
        self.task.state().ok_or_else(|| {
            let name = type_name::<S>();
            ToolError::mistake(format!("the state of the graph is no `{name}`"))
        })
    }

    /// Asks a person. Returns the answer once there is one; until then the error ends the task (pass
    /// it on with `?`), and the tool runs again from its top when the answer comes.
    ///
    /// Only a tool that changes nothing may ask: the effect of another would be in doubt. What needs
    /// a person's word before it changes something is asked for by the agent's policy.
    pub fn ask<Q: Ask>(&self, question: Q) -> Result<Q::Answer, ToolError> {
        self.changes_nothing("ask")?;
        self.task.ask(question).map_err(ToolError::Ended)
    }

    /// Runs another graph inside the call, and gives its state at the end. Its questions are the
    /// run's. Only a tool that changes nothing may: the graph has effects of its own.
    pub async fn run<S: State, N: Nodes>(
        &self,
        graph: &Graph<S, N>,
        input: impl Into<S::Update>,
    ) -> Result<Snap<S>, ToolError> {
        self.changes_nothing("run a graph")?;
        let ended = self.task.run(graph, input).await;
        ended.map_err(ToolError::Ended)
    }

    fn changes_nothing(&self, what: &str) -> Result<(), ToolError> {
        match self.changes {
            false => Ok(()),
            true => Err(ToolError::mistake(format!(
                "a tool that can change something may not {what} while it runs"
            ))),
        }
    }
}
