//! Runs the script of a case on the engine.
//!
//! [`run_case`] does so in one go; [`Runner`] takes the operations one by one, as
//! [`crate::restart`] needs it. `names` is how cases name what the engine has types for.

mod names;

use std::{collections::BTreeSet, collections::HashSet, sync::Arc, time::Duration};

use serde_json::{Map, Value as Json, json};
use superstep_core::{
    ask::{Ask, Resume},
    command::{Command, Output},
    edit,
    error::{Error, ErrorKind, Unmatched},
    event::Modes,
    id::{AskId, GraphPath, ThreadId},
    plan::blueprint::ROOT,
    policy::Durability,
    run::{Drain, RunInput},
    saver::{HistoryQuery, Saver},
    snapshot::{Snapshot, SubState},
    value::Value,
};
use superstep_engine::{
    Backends, CheckpointRef, DynGraph, OutputKeys, RunOptions, memory::MemoryCache, state::Depth,
};
use superstep_store::Store;

use self::names::{mode_of, pauses, source};
use crate::{
    backing::Backing,
    case::{
        Case,
        graph::{GraphDef, Shape},
        op::{self, Action, At, Op, Run},
    },
    convert, errors,
    expr::{self, Env},
    external_state::ExternalState,
    graphs::{GraphError, Graphs},
    host::store_do,
    profile::Profile,
    render::{self, Ordinals, Reader, Version},
    value::Val,
};

/// Runs a case and returns the result of each operation.
pub async fn run_case(case: &Case, backing: &Backing, profile: Profile) -> Vec<Json> {
    let mut runner = Runner::new(case, backing, ExternalState::default(), profile);
    let mut results = Vec::with_capacity(case.script.len());
    for op in &case.script {
        results.push(runner.answer(op).await);
    }
    results
}

enum Trouble {
    Error(Error),
    Build(String),
    Bug(String),
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}
impl From<GraphError> for Trouble {
    fn from(error: GraphError) -> Self {
        match error {
            GraphError::Build(errors) => Self::Build(errors.to_string()),
            GraphError::Missing(name) => Self::Bug(format!("no graph `{name}`")),
        }
    }
}
impl From<expr::ExprError> for Trouble {
    fn from(error: expr::ExprError) -> Self {
        Self::Bug(error.to_string())
    }
}

/// The graphs of a case and what they run on, between two operations of its script.
pub struct Runner {
    graphs: Graphs,
    saver: Option<Arc<dyn Saver>>,
    store: Option<Arc<dyn Store>>,
    external: ExternalState,
    profile: Profile,
    /// Options of runs where the script says nothing.
    options: RunOptions,
}

impl Runner {
    /// Makes a case ready for its first operation.
    pub fn new(case: &Case, backing: &Backing, external: ExternalState, profile: Profile) -> Self {
        let saver = case.setup.checkpointer.then(|| backing.saver.clone());
        let store = case.setup.store.then(|| backing.store.clone());
        let backends = Backends {
            saver: saver.clone(),
            store: store.clone(),
            cache: case.setup.cache.then(|| Arc::new(MemoryCache::new()) as _),
            ..Backends::default()
        };
        let roots: BTreeSet<String> = case.roots().into_iter().map(str::to_owned).collect();
        Self {
            graphs: Graphs::new(case.graphs.clone(), roots, backends, external.clone()),
            saver,
            store,
            external,
            profile,
            options: profile.options(case),
        }
    }

    /// Does again what an operation did to the code of the case. Its threads, its memory and its
    /// world are as it left them.
    pub fn redo(&mut self, op: &Op) {
        if let Action::Rebuild { replace } = &op.action {
            self.graphs.rebuild(replace);
        }
    }

    /// Runs an operation and returns its result.
    pub async fn answer(&mut self, op: &Op) -> Json {
        let mut result = match self.run(op).await {
            Ok(result) => result,
            Err(Trouble::Error(error)) => json!({ "error": errors::render(&error) }),
            Err(Trouble::Build(error)) => {
                json!({ "error": { "kind": "ValueError", "engine": true, "_message": error } })
            }
            Err(Trouble::Bug(why)) => json!({ "error": { "kind": "CaseBug", "message": why } }),
        };
        let counters = self.external.counters();
        if let (false, Some(map)) = (counters.is_empty(), result.as_object_mut()) {
            map.insert("counters".into(), json!(counters));
        }
        result
    }

    async fn run(&mut self, op: &Op) -> Result<Json, Trouble> {
        let thread = op.thread.as_deref().map(ThreadId::from);
        match &op.action {
            Action::Build => {
                self.graphs.get(&op.graph)?;
                Ok(json!({ "ok": true }))
            }
            Action::Invoke(run) => self.invoke(op, run).await,
            Action::Stream {
                run,
                modes,
                subgraphs,
            } => self.stream(op, run, modes, *subgraphs).await,
            Action::GetState { subgraphs } => {
                let (graph, thread) = (self.graphs.get(&op.graph)?, self.thread(op)?);
                let at = self.address(op, &graph).await?;
                let depth = if *subgraphs {
                    Depth::Subgraphs
                } else {
                    Depth::Here
                };
                let snapshot = graph
                    .state_like(&thread, at.as_ref(), depth, self.options.fidelity)
                    .await?;
                let ordinals = self.ordinals_of(&thread, &snapshot).await?;
                Ok(json!({ "snapshot": render::snapshot(&snapshot, &ordinals) }))
            }
            Action::History {
                limit,
                before,
                filter,
            } => self.history(op, *limit, *before, filter.as_ref()).await,
            Action::UpdateState(update) => {
                let steps = vec![vec![self.update(op, update)?]];
                self.edit(op, steps).await
            }
            Action::BulkUpdate(steps) => {
                let steps: Result<Vec<Vec<edit::Update>>, Trouble> = steps
                    .iter()
                    .map(|step| step.iter().map(|update| self.update(op, update)).collect())
                    .collect();
                self.edit(op, steps?).await
            }
            Action::DeleteThread => {
                let graph = self.graphs.get(&op.graph)?;
                if let Some(thread) = thread {
                    graph.delete_thread(&thread).await?;
                }
                Ok(json!({ "ok": true }))
            }
            Action::ClearCache { nodes } => {
                let graph = self.graphs.get(&op.graph)?;
                let nodes: Option<Vec<Arc<str>>> = nodes
                    .as_ref()
                    .map(|nodes| nodes.iter().map(|node| node.as_str().into()).collect());
                graph.clear_cache(nodes.as_deref()).await?;
                Ok(json!({ "ok": true }))
            }
            Action::Sleep { ms } => {
                tokio::time::sleep(Duration::from_millis(*ms)).await;
                Ok(json!({ "ok": true }))
            }
            Action::SetFlag { name, value } => {
                self.external.set_flag(name, value.clone());
                Ok(json!({ "ok": true }))
            }
            Action::Rebuild { replace } => {
                self.graphs.rebuild(replace);
                Ok(json!({ "ok": true }))
            }
            Action::Store { verb, fields } => {
                let Some(store) = &self.store else {
                    return Err(Trouble::Bug("the case has no store".into()));
                };
                let result = store_do(&**store, verb, fields)
                    .await
                    .map_err(Trouble::Bug)?;
                Ok(json!({ "result": result }))
            }
            Action::Subgraphs { recurse } => {
                let graph = self.graphs.get(&op.graph)?;
                Ok(json!({ "result": subgraph_names(&graph, *recurse) }))
            }
        }
    }

    fn thread(&self, op: &Op) -> Result<ThreadId, Trouble> {
        let named = op.thread.as_deref().map(ThreadId::from);
        named.ok_or_else(|| Trouble::Bug("this operation needs a thread".into()))
    }

    async fn ids(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
    ) -> Result<Vec<superstep_core::id::CheckpointId>, Trouble> {
        let Some(saver) = &self.saver else {
            return Ok(Vec::new());
        };
        let all = saver
            .history(thread, namespace, &HistoryQuery::default())
            .await;
        let all = all.map_err(Error::from)?;
        Ok(all
            .iter()
            .rev()
            .filter_map(|loaded| Some(loaded.head()?.id))
            .collect())
    }

    async fn ordinals(
        &self,
        thread: Option<&ThreadId>,
        namespaces: impl IntoIterator<Item = GraphPath>,
    ) -> Result<Ordinals, Trouble> {
        let mut ordinals = Ordinals::new();
        let Some(thread) = thread else {
            return Ok(ordinals);
        };
        for namespace in namespaces.into_iter().collect::<HashSet<_>>() {
            let ids = self.ids(thread, &namespace).await?;
            ordinals.insert(namespace, ids);
        }
        Ok(ordinals)
    }

    async fn ordinals_of(
        &self,
        thread: &ThreadId,
        snapshot: &Snapshot,
    ) -> Result<Ordinals, Trouble> {
        let mut namespaces = Vec::new();
        collect_namespaces(snapshot, &mut namespaces);
        self.ordinals(Some(thread), namespaces).await
    }

    async fn address(&self, op: &Op, graph: &DynGraph) -> Result<Option<CheckpointRef>, Trouble> {
        let Some(at) = &op.at else { return Ok(None) };
        let thread = self.thread(op)?;
        let roots = self.ids(&thread, &GraphPath::default()).await?;
        let root = |n: usize| {
            let id = roots.get(n).copied();
            id.map(CheckpointRef::root)
                .ok_or_else(|| Trouble::Bug(format!("no checkpoint {n}")))
        };
        match at {
            At::Root(n) => root(*n).map(Some),
            At::Sub {
                path,
                of,
                ordinal,
                latest,
            } => {
                let of = of.map(root).transpose()?;
                let mut snapshot = graph
                    .state_like(
                        &thread,
                        of.as_ref(),
                        Depth::Subgraphs,
                        self.options.fidelity,
                    )
                    .await?;
                for task in path {
                    let state = snapshot
                        .tasks
                        .get(*task)
                        .and_then(|task| task.state.clone());
                    let Some(SubState::Snapshot(inner)) = state else {
                        return Err(Trouble::Bug("no subgraph there".into()));
                    };
                    snapshot = *inner;
                }
                let mut found = CheckpointRef::from(&snapshot);
                if let Some(n) = ordinal {
                    let namespace = snapshot.namespace.clone();
                    let all = HistoryQuery::default();
                    let history = graph.history(&thread, &namespace, &all).await?;
                    let picked = history.iter().rev().nth(*n).map(CheckpointRef::from);
                    found = picked.ok_or_else(|| Trouble::Bug("no such checkpoint".into()))?;
                }
                if *latest {
                    found = CheckpointRef {
                        namespace: found.namespace,
                        ..CheckpointRef::default()
                    };
                }
                Ok(Some(found))
            }
        }
    }

    async fn prepare(
        &mut self,
        op: &Op,
        run: &Run,
    ) -> Result<(DynGraph, RunInput, RunOptions), Trouble> {
        let graph = self.graphs.get(&op.graph)?;
        let input = self.input(op, run, &graph).await?;
        let options = RunOptions {
            thread: op.thread.as_deref().map(ThreadId::from),
            at: self.address(op, &graph).await?,
            limit: match run.recursion_limit {
                None => self.options.limit,
                Some(limit) => u64::try_from(limit).unwrap_or(0),
            },
            durability: match run.durability {
                None => self.options.durability,
                Some(op::Durability::Sync) => Durability::Sync,
                Some(op::Durability::Async) => Durability::Async,
                Some(op::Durability::Exit) => Durability::Exit,
            },
            context: run.context.clone().map_or(Value::Null, Value::from),
            pause_before: pauses(run.interrupt_before.as_ref()),
            pause_after: pauses(run.interrupt_after.as_ref()),
            output: match &run.output_keys {
                None => OutputKeys::Schema,
                Some(op::OutputKeys::One(name)) => OutputKeys::One(name.as_str().into()),
                Some(op::OutputKeys::Many(names)) => {
                    OutputKeys::Many(names.iter().map(|name| name.as_str().into()).collect())
                }
            },
            strict_resume: run.strict_resume || self.options.strict_resume,
            drain: Drain::default(),
            ..self.options.clone()
        };
        if let Some(reason) = &run.drain_before {
            options.drain.request(reason.clone());
        }
        Ok((graph, input, options))
    }

    fn root_of(&self, op: &Op) -> Option<&'static str> {
        match self.graphs.def(&op.graph) {
            Some(GraphDef::State(def)) if matches!(def.shape, Shape::Root(_)) => Some(ROOT),
            _ => None,
        }
    }

    fn eval(&self, expression: &Json) -> Result<Val, Trouble> {
        Ok(expr::eval(expression, &Env::new(), &self.external)?)
    }

    async fn input(&self, op: &Op, run: &Run, graph: &DynGraph) -> Result<RunInput, Trouble> {
        let def = match &run.input {
            op::RunInput::Nothing => return Ok(RunInput::Nothing),
            op::RunInput::Value(value) => {
                return Ok(RunInput::from(convert::to_value(&self.eval(value)?)));
            }
            op::RunInput::Command(def) => def,
        };
        let mut parts = Map::new();
        for (name, part) in [("update", &def.update), ("goto", &def.goto)] {
            parts.extend(part.clone().map(|part| (name.to_owned(), part)));
        }
        parts.extend(
            def.graph
                .clone()
                .map(|graph| ("graph".to_owned(), graph.into())),
        );
        let command = match self.eval(&json!({ "$command": parts }))? {
            Val::Command(command) => convert::command(&command, self.root_of(op)),
            _ => Command::default(),
        };
        let mut resume = match &def.resume {
            None | Some(Json::Null) => None,
            Some(answer) => Some(Resume::from_wire(convert::to_value(&self.eval(answer)?))),
        };
        if let Some(pairs) = &def.resume_by_value {
            let thread = self.thread(op)?;
            let at = self.address(op, graph).await?;
            let state = graph
                .state_like(&thread, at.as_ref(), Depth::Here, self.options.fidelity)
                .await?;
            let mut map = std::collections::HashMap::new();
            for (asked, answer) in pairs {
                let asked = convert::to_value(&self.eval(asked)?).to_json();
                let hit = |ask: &&Ask| ask.value.to_json() == asked;
                let Some(ask) = state.asks().find(hit) else {
                    return Err(Trouble::Bug(format!("nobody asks {asked}")));
                };
                map.insert(ask.id, convert::to_value(&self.eval(answer)?));
            }
            resume = Some(Resume::ById(map));
        }
        if let Some(answer) = &def.resume_unknown_id {
            let answer = convert::to_value(&self.eval(answer)?);
            resume = Some(Resume::ById([(AskId(0), answer)].into()));
        }
        if let (Some(Resume::Next(answer)), Profile::Typed) = (&resume, self.profile) {
            let id = self.only_ask(&self.thread(op)?, graph).await?;
            resume = Some(Resume::ById([(id, answer.clone())].into()));
        }
        Ok(RunInput::Command(Box::new(command), resume))
    }

    /// The one open question of a thread, as `Graph::answer_only` of the typed layer finds it.
    async fn only_ask(&self, thread: &ThreadId, graph: &DynGraph) -> Result<AskId, Trouble> {
        let state = graph.state(thread, None, Depth::Here).await?;
        let mut pending: Vec<AskId> = Vec::new();
        for ask in state.asks() {
            if !pending.contains(&ask.id) {
                pending.push(ask.id);
            }
        }
        let error = match pending.as_slice() {
            [id] => return Ok(*id),
            [] => {
                let reason = Unmatched::NotPending;
                ErrorKind::UnknownAsk { reason, pending }
            }
            _ => ErrorKind::AmbiguousResume { pending },
        };
        Err(Error::from(error).into())
    }

    async fn invoke(&mut self, op: &Op, run: &Run) -> Result<Json, Trouble> {
        let (graph, input, options) = self.prepare(op, run).await?;
        let outcome = graph.invoke(input, &options).await?;
        let output = outcome.output.as_ref().map_or(Json::Null, render::value);
        let mut result = json!({ "output": output });
        if let (true, Some(map)) = (run.v2 || !outcome.asks.is_empty(), result.as_object_mut()) {
            map.insert("interrupts".into(), render::asks(&outcome.asks));
        }
        Ok(result)
    }

    async fn stream(
        &mut self,
        op: &Op,
        run: &Run,
        modes: &[String],
        subgraphs: bool,
    ) -> Result<Json, Trouble> {
        let (graph, input, mut options) = self.prepare(op, run).await?;
        let thread = options.thread.clone();
        options.subgraphs = subgraphs;
        options.modes = modes
            .iter()
            .fold(Modes::NONE, |all, mode| all.with(mode_of(mode)));
        let mut stream = graph.stream(input, &options);
        let mut events = Vec::new();
        while let Some(event) = stream.next().await {
            events.push(event);
        }
        let failed = match stream.result() {
            Some(Err(error)) => Some(errors::render(error)),
            _ => None,
        };
        let namespaces = events.iter().map(|event| event.namespace.clone());
        let ordinals = self.ordinals(thread.as_ref(), namespaces).await?;
        let version = if run.v2 { Version::V2 } else { Version::V1 };
        let reader = Reader {
            modes,
            version,
            subgraphs,
        };
        let chunks: Vec<Json> = events
            .iter()
            .flat_map(|event| render::chunks(event, &reader, &ordinals))
            .collect();
        let mut result = json!({ "chunks": chunks });
        if let (Some(error), Some(map)) = (failed, result.as_object_mut()) {
            map.insert("error".into(), error);
        }
        Ok(result)
    }

    async fn history(
        &mut self,
        op: &Op,
        limit: Option<usize>,
        before: Option<usize>,
        filter: Option<&Map<String, Json>>,
    ) -> Result<Json, Trouble> {
        let (graph, thread) = (self.graphs.get(&op.graph)?, self.thread(op)?);
        let namespace = self
            .address(op, &graph)
            .await?
            .map(|at| at.namespace)
            .unwrap_or_default();
        let roots = self.ids(&thread, &GraphPath::default()).await?;
        let part = |name: &str| filter.and_then(|filter| filter.get(name));
        let query = HistoryQuery {
            limit,
            before: before.and_then(|n| roots.get(n).copied()),
            source: part("source").and_then(Json::as_str).and_then(source),
            step: part("step").and_then(Json::as_i64),
        };
        let snapshots = graph.history(&thread, &namespace, &query).await?;
        let ordinals = self
            .ordinals(Some(&thread), [graph_namespace(&snapshots, namespace)])
            .await?;
        let rendered: Vec<Json> = snapshots
            .iter()
            .map(|snapshot| render::snapshot(snapshot, &ordinals))
            .collect();
        Ok(json!({ "snapshots": rendered }))
    }

    fn update(&self, op: &Op, update: &op::Update) -> Result<edit::Update, Trouble> {
        let output = match &update.values {
            None | Some(Json::Null) => Output::Nothing,
            Some(values) => convert::output(&self.eval(values)?, self.root_of(op)),
        };
        Ok(edit::Update {
            output,
            as_node: update.as_node.as_deref().map(Into::into),
        })
    }

    async fn edit(&mut self, op: &Op, steps: Vec<Vec<edit::Update>>) -> Result<Json, Trouble> {
        let (graph, thread) = (self.graphs.get(&op.graph)?, self.thread(op)?);
        let at = self.address(op, &graph).await?;
        let new = graph.bulk_update(&thread, at.as_ref(), steps).await?;
        let ids = self.ids(&thread, &new.namespace).await?;
        let place = new
            .id
            .and_then(|id| ids.iter().position(|other| *other == id));
        Ok(json!({ "checkpoint": place }))
    }
}

fn graph_namespace(snapshots: &[Snapshot], asked: GraphPath) -> GraphPath {
    snapshots
        .first()
        .map_or(asked, |snapshot| snapshot.namespace.clone())
}

fn collect_namespaces(snapshot: &Snapshot, into: &mut Vec<GraphPath>) {
    into.push(snapshot.namespace.clone());
    for task in &snapshot.tasks {
        if let Some(SubState::Snapshot(inner)) = &task.state {
            collect_namespaces(inner, into);
        }
    }
}

fn subgraph_names(graph: &DynGraph, recurse: bool) -> Vec<String> {
    let mut names = Vec::new();
    for (name, child) in graph.subgraphs() {
        names.push(name.to_string());
        if recurse {
            names.extend(
                subgraph_names(&child, true)
                    .iter()
                    .map(|n| format!("{name}|{n}")),
            );
        }
    }
    names
}
