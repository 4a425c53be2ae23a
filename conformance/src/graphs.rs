//! Builds the graphs of a case on the engine.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Weak},
    time::Duration,
};

use serde_json::Value as Json;
use superstep_core::{
    channel::{ChannelKind, ChannelSpec, Guard},
    command::Output,
    error::Failure,
    message::Unknown,
    plan::{BuildErrors, Managed, Pauses, Persist, RouteView, blueprint::ROOT},
    policy::{CachePolicy, Refresh, RetryOn, RetryPolicy, Timeouts},
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{
    Backends, CallTask, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, Node,
};

use crate::{
    case::{
        channel::{ChannelDef, ChannelKind as Kind, ManagedValue, ReducerOp},
        graph::{BranchMap, EdgeStart, EntrypointDef, GraphDef, NodeSet, Shape, StateDef},
        node::{CacheDef, NodeBody, Policies, RefreshOn, RetryDef, TaskDef, TimeoutDef},
    },
    convert, errors,
    expr::{self, Env, ExprError},
    external_state::ExternalState,
    host::{Callables, TaskHost, raised},
    program::Ended,
    value::Val,
};

/// Why a graph of a case cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    /// The graph is refused, as some cases expect.
    #[error("{0}")]
    Build(#[from] BuildErrors),
    /// The case itself is wrong.
    #[error("no graph `{0}`")]
    Missing(String),
}

/// Builds graphs, each once.
pub struct Graphs {
    defs: BTreeMap<String, GraphDef>,
    roots: BTreeSet<String>,
    backends: Backends,
    external: ExternalState,
    built: BTreeMap<String, DynGraph>,
}

impl Graphs {
    /// Graphs of a case; `roots` get the backends.
    pub fn new(
        defs: BTreeMap<String, GraphDef>,
        roots: BTreeSet<String>,
        backends: Backends,
        external: ExternalState,
    ) -> Self {
        Self {
            defs,
            roots,
            backends,
            external,
            built: BTreeMap::new(),
        }
    }

    /// Forgets what is built and takes some definitions from others.
    pub fn rebuild(&mut self, replace: &BTreeMap<String, String>) {
        let taken: Vec<(String, GraphDef)> = replace
            .iter()
            .filter_map(|(name, from)| Some((name.clone(), self.defs.get(from)?.clone())))
            .collect();
        self.defs.extend(taken);
        self.built.clear();
    }

    /// The definition of a graph.
    pub fn def(&self, name: &str) -> Option<&GraphDef> {
        self.defs.get(name)
    }

    /// The graph, built.
    pub fn get(&mut self, name: &str) -> Result<DynGraph, GraphError> {
        if let Some(graph) = self.built.get(name) {
            return Ok(graph.clone());
        }
        let Some(def) = self.defs.get(name).cloned() else {
            return Err(GraphError::Missing(name.to_owned()));
        };
        let graph = match &def {
            GraphDef::State(def) => self.state_graph(name, def)?,
            GraphDef::Entrypoint(def) => self.entrypoint(name, def)?,
        };
        self.built.insert(name.to_owned(), graph.clone());
        Ok(graph)
    }

    fn backends_of(&self, name: &str) -> Backends {
        if self.roots.contains(name) {
            self.backends.clone()
        } else {
            Backends::default()
        }
    }

    fn callables(
        &mut self,
        tasks: &[TaskDef],
        programs: &[&[Json]],
    ) -> Result<Arc<Callables>, GraphError> {
        let mut callables = Callables::default();
        for name in programs.iter().flat_map(|program| called(program)) {
            let graph = self.get(&name)?;
            callables.graphs.insert(name, graph);
        }
        // Tasks may call all tasks of their graph, themselves too, through the table they are in.
        Ok(Arc::new_cyclic(|table| {
            let task = |def: &TaskDef| (def.name.clone(), self.task(def, table.clone()));
            callables.tasks = tasks.iter().map(task).collect();
            callables
        }))
    }

    fn task(&self, def: &TaskDef, table: Weak<Callables>) -> CallTask {
        let external = self.external.clone();
        let (params, program) = (def.params.clone(), Arc::new(def.program.clone()));
        let mut task = CallTask::new(def.name.as_str(), move |ctx: DynCtx, args: Vec<Value>| {
            let mut env = base_env(&ctx);
            let args: Vec<Val> = args.iter().map(convert::to_val).collect();
            env.extend(params.iter().cloned().zip(args.iter().cloned()));
            env.insert("args".into(), Val::List(args));
            let callables = table.upgrade().unwrap_or_default();
            let host = TaskHost::new(ctx, external.clone(), callables);
            let program = program.clone();
            async move {
                match host.run(&program, env).await? {
                    Ended::Returned(value) | Ended::Final { value, .. } => {
                        Ok(convert::to_value(&value))
                    }
                }
            }
        });
        task.retry = retries(def.retry.as_deref());
        task.cache = def.cache.as_ref().map(|cache| self.cache(cache));
        task.timeouts = timeouts(def.timeout.as_ref());
        task
    }

    fn entrypoint(&mut self, name: &str, def: &EntrypointDef) -> Result<DynGraph, GraphError> {
        let callables = self.callables(&def.tasks, &[&def.program])?;
        let calls = callables.graphs.values().next().cloned();
        let (external, program) = (self.external.clone(), Arc::new(def.program.clone()));
        let run = move |ctx: DynCtx| {
            let mut env = base_env(&ctx);
            env.insert("input".into(), convert::to_val(&ctx.input()));
            env.insert("previous".into(), convert::to_val(&ctx.previous()));
            let host = TaskHost::new(ctx, external.clone(), callables.clone());
            let program = program.clone();
            async move {
                Ok::<_, Halt>(match host.run(&program, env).await? {
                    Ended::Returned(value) => {
                        let value = convert::to_value(&value);
                        Output::Final {
                            value: value.clone(),
                            save: value,
                        }
                    }
                    Ended::Final { value, save } => Output::Final {
                        value: convert::to_value(&value),
                        save: convert::to_value(&save),
                    },
                })
            }
        };
        let options = DynNodeOptions {
            retry: retries(def.retry.as_deref()),
            calls,
            ..DynNodeOptions::default()
        };
        let backends = self.backends_of(name);
        Ok(DynGraphBuilder::entrypoint(
            def.name.as_str(),
            run,
            options,
            backends,
        )?)
    }

    fn state_graph(&mut self, name: &str, def: &StateDef) -> Result<DynGraph, GraphError> {
        let programs: Vec<&[Json]> = def
            .nodes
            .iter()
            .filter_map(|node| match &node.body {
                NodeBody::Program(program) => Some(program.as_slice()),
                NodeBody::Subgraph(_) => None,
            })
            .collect();
        let callables = self.callables(&def.tasks, &programs)?;
        let mut builder = self.shape(DynGraphBuilder::new().name(name), def);
        builder = builder.defaults(self.policies(&def.defaults, &callables));
        let root = matches!(def.shape, Shape::Root(_)).then_some(ROOT);
        for node in &def.nodes {
            let mut options = self.policies(&node.policies, &callables);
            options.input = node.input.as_ref().map(|keys| shared(keys));
            options.defer = node.defer;
            options.destinations = shared(node.destinations.as_deref().unwrap_or_default());
            builder = match &node.body {
                NodeBody::Subgraph(graph) => {
                    let graph = self.get(graph)?;
                    builder.subgraph(node.name.as_str(), graph, options)
                }
                NodeBody::Program(program) => {
                    let graph = called(program).into_iter().next();
                    options.calls = graph.and_then(|name| callables.graphs.get(&name).cloned());
                    let run = self.program(program, &callables, root);
                    builder.node_with(node.name.as_str(), run, options)
                }
            };
        }
        for edge in &def.edges {
            builder = match &edge.from {
                EdgeStart::Node(from) => builder.edge(from.as_str(), edge.to.as_str()),
                EdgeStart::All(from) => {
                    builder.join(from.iter().map(String::as_str), edge.to.as_str())
                }
            };
        }
        for branch in &def.branches {
            let (external, path) = (self.external.clone(), branch.path.clone());
            let map = branch.map.as_ref().map(|map| match map {
                BranchMap::Table(table) => table
                    .iter()
                    .map(|(k, v)| (Value::from(k.as_str()), v.as_str().into()))
                    .collect(),
                BranchMap::Names(names) => names
                    .iter()
                    .map(|n| (Value::from(n.as_str()), n.as_str().into()))
                    .collect(),
            });
            let name = branch.name.as_deref().map(Into::into);
            builder = builder.router(
                branch.from.as_str(),
                name,
                map,
                move |view: &RouteView<'_>| {
                    let state = convert::to_val(&view.value()?);
                    let env = Env::from([("state".to_owned(), state)]);
                    match expr::eval(&path, &env, &external) {
                        Ok(result) => Ok(convert::destinations(&result)),
                        Err(ExprError::Raised { kind, message }) => Err(raised(&kind, message)),
                        Err(ExprError::CaseBug(why)) => {
                            Err(Failure::new("CaseBug", why).permanent())
                        }
                    }
                },
            );
        }
        Ok(builder
            .pause_before(pauses(def.interrupt_before.as_ref()))
            .pause_after(pauses(def.interrupt_after.as_ref()))
            .persist(match def.checkpointer {
                None => Persist::PerCall,
                Some(true) => Persist::PerThread,
                Some(false) => Persist::Off,
            })
            .backends(self.backends_of(name))
            .build()?)
    }

    fn shape(&self, builder: DynGraphBuilder, def: &StateDef) -> DynGraphBuilder {
        let mut builder = match &def.shape {
            Shape::Root(channel) => match kind(&channel.kind) {
                Channel::Kept(kind) => builder.root(kind),
                Channel::Managed(_) => builder,
            },
            Shape::Channels(channels) => {
                channels.iter().fold(builder, |builder, (name, channel)| {
                    add(builder, name, channel)
                })
            }
        };
        if let Some(keys) = &def.input {
            builder = builder.input_schema(shared(keys));
        }
        if let Some(keys) = &def.output {
            builder = builder.output_schema(shared(keys));
        }
        builder
    }

    fn policies(&self, policies: &Policies, callables: &Arc<Callables>) -> DynNodeOptions {
        let handler = policies
            .on_error
            .as_ref()
            .map(|program| -> Arc<dyn Node> { Arc::new(self.program(program, callables, None)) });
        DynNodeOptions {
            retry: retries(policies.retry.as_deref()),
            cache: policies.cache.as_ref().map(|cache| self.cache(cache)),
            timeouts: timeouts(policies.timeout.as_ref()),
            on_error: handler,
            ..DynNodeOptions::default()
        }
    }

    fn cache(&self, def: &CacheDef) -> CachePolicy {
        let external = self.external.clone();
        CachePolicy {
            ttl: def.ttl_s.map(Duration::from_secs),
            key: def
                .key
                .clone()
                .map(|key| -> superstep_core::policy::CacheKeyFn {
                    Arc::new(move |input| {
                        let input = convert::to_val(input);
                        let args = match &input {
                            Val::List(args) => args.clone(),
                            one => vec![one.clone()],
                        };
                        let env = Env::from([
                            ("state".to_owned(), input),
                            ("args".to_owned(), Val::List(args)),
                        ]);
                        let key = expr::eval(&key, &env, &external)
                            .map_err(|error| Failure::new("CaseBug", error.to_string()))?;
                        Ok(Value::from(key.text()))
                    })
                }),
        }
    }

    fn program(
        &self,
        program: &[Json],
        callables: &Arc<Callables>,
        root: Option<&'static str>,
    ) -> impl Node {
        let (external, callables) = (self.external.clone(), callables.clone());
        let program = Arc::new(program.to_vec());
        move |ctx: DynCtx| {
            let mut env = base_env(&ctx);
            env.insert("state".into(), convert::to_val(&ctx.input()));
            if let Some((node, error)) = ctx.error() {
                let mut seen = errors::render_stored(error);
                if let Some(map) = seen.as_object_mut() {
                    map.insert("node".into(), (&**node).into());
                }
                env.insert("error".into(), Val::from(seen));
            }
            let host = TaskHost::new(ctx, external.clone(), callables.clone());
            let program = program.clone();
            async move {
                match host.run(&program, env).await? {
                    Ended::Returned(value) => Ok::<_, Halt>(convert::output(&value, root)),
                    Ended::Final { value, .. } => Ok(convert::output(&value, root)),
                }
            }
        }
    }
}

fn base_env(ctx: &DynCtx) -> Env {
    Env::from([
        ("ctx".to_owned(), convert::to_val(ctx.context())),
        ("attempt".to_owned(), Val::from(i64::from(ctx.attempt()))),
    ])
}

fn shared(names: &[String]) -> Vec<Arc<str>> {
    names.iter().map(|name| name.as_str().into()).collect()
}

fn pauses(set: Option<&NodeSet>) -> Pauses {
    match set {
        None => Pauses::None,
        Some(NodeSet::All) => Pauses::All,
        Some(NodeSet::Named(names)) => Pauses::Nodes(shared(names)),
    }
}

/// Names of graphs a program calls, in order.
fn called(program: &[Json]) -> Vec<String> {
    let mut found = Vec::new();
    for stmt in program {
        let Json::Object(parts) = stmt else { continue };
        if let (Some(Json::String(graph)), true) = (parts.get("call"), parts.contains_key("input"))
        {
            found.push(graph.clone());
        }
        for part in parts.values() {
            if let Json::Array(inner) = part {
                found.extend(called(inner));
            }
        }
    }
    found
}

enum Channel {
    Kept(ChannelKind),
    Managed(Managed),
}

fn add(builder: DynGraphBuilder, name: &str, def: &ChannelDef) -> DynGraphBuilder {
    match kind(&def.kind) {
        Channel::Kept(kind) => builder.channel(ChannelSpec {
            name: name.into(),
            kind,
            private: def.private,
        }),
        Channel::Managed(managed) => builder.managed(name, managed),
    }
}

fn kind(kind: &Kind) -> Channel {
    let guard = |guard: bool| if guard { Guard::One } else { Guard::Any };
    let init = |init: &Option<Json>| init.clone().map(Value::from);
    Channel::Kept(match kind {
        Kind::LastValue => ChannelKind::Last,
        Kind::Reducer { op, init: first } => ChannelKind::Reduce {
            reducer: reducer(*op),
            init: init(first),
            delta: None,
        },
        Kind::Delta {
            op,
            init: first,
            snapshot_every,
        } => {
            let every = snapshot_every.unwrap_or(100);
            let delta = Some(u32::try_from(every).unwrap_or(u32::MAX));
            ChannelKind::Reduce {
                reducer: reducer(*op),
                init: init(first),
                delta,
            }
        }
        Kind::Ephemeral { guard: one } => ChannelKind::Ephemeral(guard(*one)),
        Kind::Untracked { guard: one } => ChannelKind::Untracked(guard(*one)),
        Kind::Topic { accumulate: false } => ChannelKind::Topic,
        Kind::Topic { accumulate: true } => ChannelKind::Log,
        Kind::AnyValue => ChannelKind::Any,
        Kind::Managed(ManagedValue::RemainingSteps) => {
            return Channel::Managed(Managed::RemainingSteps);
        }
        Kind::Managed(ManagedValue::IsLastStep) => return Channel::Managed(Managed::IsLastStep),
    })
}

fn reducer(op: ReducerOp) -> Reducer {
    let add = |left: Value, right: Value| match (left, right) {
        (Value::List(mut list), Value::List(items)) => {
            Arc::make_mut(&mut list).extend(items.iter().cloned());
            Ok(Value::List(list))
        }
        (Value::Int(a), Value::Int(b)) => Ok(Value::Int(a + b)),
        (left, right) => Err(Failure::new(
            "TypeError",
            format!("cannot add {} and {}", left.kind(), right.kind()),
        )),
    };
    match op {
        ReducerOp::Add => Reducer::Add,
        ReducerOp::Append => Reducer::Append,
        ReducerOp::Max => Reducer::Max,
        ReducerOp::Min => Reducer::Min,
        ReducerOp::Merge => Reducer::Merge,
        ReducerOp::Union => Reducer::Union,
        ReducerOp::AddMessages => Reducer::Messages(Unknown::Refuse),
        ReducerOp::Messages => Reducer::Messages(Unknown::Ignore),
        ReducerOp::KeepFirst => Reducer::custom(|left, _| Ok(left)),
        ReducerOp::Replace => Reducer::custom(|_, right| Ok(right)),
        ReducerOp::AddOrReset => Reducer::custom(move |left, right| {
            if right.is_null() {
                Ok(Value::list([]))
            } else {
                add(left, right)
            }
        }),
        ReducerOp::CheckedAdd => Reducer::custom(move |left, right| {
            if right.as_i64().is_some_and(|n| n < 0) {
                return Err(raised("ValueError", "negative".into()));
            }
            add(left, right)
        }),
        ReducerOp::Sub => Reducer::custom(|left, right| match (left, right) {
            (Value::Int(a), Value::Int(b)) => Ok(Value::Int(a - b)),
            _ => Err(Failure::new("TypeError", "cannot subtract")),
        }),
    }
}

fn retries(defs: Option<&[RetryDef]>) -> Vec<RetryPolicy> {
    let millis = |ms: f64| Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default();
    let policy = |def: &RetryDef| {
        let on = def.retry_on.clone();
        RetryPolicy {
            max_attempts: def.max_attempts,
            initial: millis(def.initial_ms),
            backoff: def.backoff,
            max_wait: millis(def.max_ms),
            jitter: Duration::ZERO,
            on: RetryOn::Custom(Arc::new(move |error| on.covers(errors::kind(&error.kind)))),
        }
    };
    defs.into_iter().flatten().map(policy).collect()
}

fn timeouts(def: Option<&TimeoutDef>) -> Timeouts {
    let Some(def) = def else {
        return Timeouts::default();
    };
    Timeouts {
        run: def.run_ms.map(Duration::from_millis),
        idle: def.idle_ms.map(Duration::from_millis),
        refresh: match def.refresh_on {
            RefreshOn::Auto => Refresh::Auto,
            RefreshOn::Heartbeat => Refresh::Heartbeat,
        },
    }
}
