//! Building a graph of the dynamic layer.
//!
//! ```
//! use superstep_engine::{DynCtx, DynGraphBuilder, RunOptions};
//! use superstep_core::{Value, run::Halt};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let graph = DynGraphBuilder::new()
//!     .last_value("n")
//!     .node("double", |ctx: DynCtx| async move {
//!         let n = ctx.get("n").as_i64().unwrap_or(0);
//!         Ok::<_, Halt>(Value::map([("n", Value::from(n * 2))]))
//!     })
//!     .edge("__start__", "double")
//!     .build()?;
//! let outcome = graph.invoke(Value::map([("n", Value::from(21))]), &RunOptions::default()).await?;
//! assert_eq!(outcome.output, Some(Value::map([("n", Value::from(42))])));
//! # Ok(()) }
//! ```

use std::{collections::HashMap, sync::Arc};

use superstep_core::{
    channel::{ChannelKind, ChannelSpec},
    plan::{
        Blueprint, BuildErrors, Edge, IntoDestinations, Managed, NodeDef, Pauses, Persist, Plan,
        RouteView, RouterDef, blueprint::ROOT,
    },
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{ReadEffects, TaskNote},
    reducer::Reducer,
    table::{NodeIx, Table},
    value::Value,
};

use crate::{
    graph::{Backends, DynGraph, NodeFunction, TypedParts},
    node::Node,
    placement::Placement,
    run::SubgraphNode,
};

/// Builds a graph of the dynamic layer.
///
/// ```
/// # use serde_json::{Value as Json, json};
/// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
/// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
/// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
/// # }
/// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let graph = DynGraphBuilder::new()
///     .last_value("n")
///     .node("count", count)
///     .edge(START, "count")
///     .build()?;
/// let outcome = graph.invoke(json!({"n": 41}), &RunOptions::default()).await?;
/// assert_eq!(outcome.output.map(|state| state.to_json()), Some(json!({"n": 42})));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct DynGraphBuilder {
    pub(crate) blueprint: Blueprint,
    pub(crate) functions: HashMap<Arc<str>, NodeFunction>,
    handlers: HashMap<Arc<str>, Arc<dyn Node>>,
    default_handler: Option<Arc<dyn Node>>,
    defaults: DynNodeOptions,
    backends: Backends,
    persist: Persist,
    pub(crate) effects: Option<ReadEffects>,
    pub(crate) typed: TypedParts,
}

/// How a node is run.
///
/// ```
/// use superstep_engine::DynNodeOptions;
///
/// let last = DynNodeOptions { defer: true, ..DynNodeOptions::default() };
/// assert!(last.defer);
/// ```
#[derive(Clone, Default)]
pub struct DynNodeOptions {
    /// What it reads; all channels that are not private by default.
    pub input: Option<Vec<Arc<str>>>,
    /// It waits until nothing else would run.
    pub defer: bool,
    /// Where its commands may go.
    pub destinations: Vec<Arc<str>>,
    /// Retries; the graph's default if empty.
    pub retry: Vec<RetryPolicy>,
    /// Result cache; the graph's default if none.
    pub cache: Option<CachePolicy>,
    /// Limits; the graph's default if none.
    pub timeouts: Timeouts,
    /// How many tasks of it run at once; any number by default.
    pub max_concurrency: Option<usize>,
    /// Runs when it has failed for good. Its update and destinations take the place of the
    /// node's; the node's own edges, joins and routers do not fire.
    pub on_error: Option<Arc<dyn Node>>,
    /// Where its attempts run.
    pub placement: Placement,
    /// A graph its function calls.
    pub calls: Option<DynGraph>,
}

impl DynGraphBuilder {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the graph. Its threads belong to that name: another graph refuses them.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.blueprint.name = Some(name.into());
        self
    }

    /// A name that the graph had before: threads of that name are its own.
    #[must_use]
    pub fn formerly(mut self, name: impl Into<Arc<str>>) -> Self {
        self.blueprint.former_names.push(name.into());
        self
    }

    /// Makes names that the graph does not have errors (SS1120), in inputs and in results of nodes:
    /// channels and nodes. By default they are ignored, as in LangGraph.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.blueprint.strict = true;
        self
    }

    /// Adds a channel.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::dynamic::{ChannelKind, ChannelSpec, Guard};
    ///
    /// let graph = DynGraphBuilder::new()
    ///     .channel(ChannelSpec {
    ///         name: "alert".into(),
    ///         kind: ChannelKind::Ephemeral(Guard::Any), // visible for one step
    ///         private: false,
    ///     })
    ///     .node("check", nothing)
    ///     .edge(START, "check")
    ///     .build()?;
    /// # graph.invoke(json!({"alert": "fire"}), &RunOptions::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn channel(mut self, channel: ChannelSpec) -> Self {
        self.blueprint.channels.push(channel);
        self
    }

    /// Adds a channel that keeps the last value.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n") // two writers in one step are an error
    ///     .node("count", count)
    ///     .edge(START, "count")
    ///     .build()?;
    /// # graph.invoke(json!({"n": 41}), &RunOptions::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn last_value(self, name: impl Into<Arc<str>>) -> Self {
        self.channel(ChannelSpec::last(name))
    }

    /// Adds a channel that combines writes, starting with `init`.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::dynamic::DynReducer;
    ///
    /// let graph = DynGraphBuilder::new()
    ///     .reduce("n", DynReducer::Add, 0)
    ///     .node("a", count)
    ///     .node("b", count)
    ///     .edge(START, "a")
    ///     .edge(START, "b")
    ///     .build()?;
    /// let outcome = graph.invoke(json!({"n": 10}), &RunOptions::default()).await?;
    /// assert_eq!(outcome.output.map(|state| state.to_json()), Some(json!({"n": 32}))); // 10 + 11 + 11
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn reduce(
        self,
        name: impl Into<Arc<str>>,
        reducer: Reducer,
        init: impl Into<Value>,
    ) -> Self {
        let kind = ChannelKind::Reduce {
            reducer,
            init: Some(init.into()),
            delta: None,
        };
        self.channel(ChannelSpec {
            name: name.into(),
            kind,
            private: false,
        })
    }

    /// Makes the whole state one bare value.
    #[must_use]
    pub fn root(mut self, kind: ChannelKind) -> Self {
        self.blueprint.root = true;
        self.channel(ChannelSpec {
            name: ROOT.into(),
            kind,
            private: false,
        })
    }

    /// Adds a computed key.
    #[must_use]
    pub fn managed(mut self, name: impl Into<Arc<str>>, value: Managed) -> Self {
        self.blueprint.managed.push((name.into(), value));
        self
    }

    /// Limits what the input may write.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .last_value("notes")
    ///     .input_schema(vec!["n".into()]) // `notes` of an input are ignored
    ///     .node("count", count)
    ///     .edge(START, "count")
    ///     .build()?;
    /// # graph.invoke(json!({"n": 1}), &RunOptions::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn input_schema(mut self, keys: Vec<Arc<str>>) -> Self {
        self.blueprint.input = Some(keys);
        self
    }

    /// Limits what a run returns.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .last_value("notes")
    ///     .output_schema(vec!["n".into()])
    ///     .node("count", count)
    ///     .edge(START, "count")
    ///     .build()?;
    /// let outcome = graph.invoke(json!({"n": 1, "notes": "long"}), &RunOptions::default()).await?;
    /// assert_eq!(outcome.output.map(|state| state.to_json()), Some(json!({"n": 2})));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn output_schema(mut self, keys: Vec<Arc<str>>) -> Self {
        self.blueprint.output = Some(keys);
        self
    }

    /// What nodes use that do not say otherwise.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::{RetryPolicy, dynamic::DynNodeOptions};
    ///
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .defaults(DynNodeOptions { retry: vec![RetryPolicy::default()], ..DynNodeOptions::default() })
    ///     .node("count", count) // retried
    ///     .edge(START, "count")
    ///     .build()?;
    /// # graph.invoke(json!({"n": 1}), &RunOptions::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn defaults(mut self, options: DynNodeOptions) -> Self {
        self.default_handler = options.on_error.clone();
        self.blueprint.default_handler = self.default_handler.is_some();
        self.defaults = options;
        self
    }

    /// Adds a node.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// async fn double(ctx: DynCtx) -> Result<Json, Halt> {
    ///     let n: i64 = ctx.read("n")?;
    ///     Ok(json!({"n": n * 2}))
    /// }
    ///
    /// let graph = DynGraphBuilder::new().last_value("n").node("double", double).edge(START, "double").build()?;
    /// let outcome = graph.invoke(json!({"n": 21}), &RunOptions::default()).await?;
    /// assert_eq!(outcome.output.map(|state| state.to_json()), Some(json!({"n": 42})));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn node(self, name: impl Into<Arc<str>>, run: impl Node) -> Self {
        self.node_with(name, run, DynNodeOptions::default())
    }

    /// Adds a node with options.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::dynamic::DynNodeOptions;
    ///
    /// let last = DynNodeOptions { defer: true, ..DynNodeOptions::default() };
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .node("count", count)
    ///     .node_with("report", nothing, last)
    ///     .edge(START, "count")
    ///     .edge(START, "report") // due at once, runs when nothing else is due
    ///     .build()?;
    /// # graph.invoke(json!({"n": 1}), &RunOptions::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn node_with(
        self,
        name: impl Into<Arc<str>>,
        run: impl Node,
        options: DynNodeOptions,
    ) -> Self {
        let graph = options.calls.clone();
        self.entry(
            name.into(),
            NodeFunction {
                run: Arc::new(run),
                graph,
            },
            options,
        )
    }

    /// Adds a graph as a node: its output is the node's update.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::dynamic::DynNodeOptions;
    ///
    /// let inner = DynGraphBuilder::new().last_value("n").node("count", count).edge(START, "count").build()?;
    /// let outer = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .subgraph("inner", inner, DynNodeOptions::default())
    ///     .edge(START, "inner")
    ///     .build()?;
    /// let outcome = outer.invoke(json!({"n": 1}), &RunOptions::default()).await?;
    /// assert_eq!(outcome.output.map(|state| state.to_json()), Some(json!({"n": 2})));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn subgraph(
        self,
        name: impl Into<Arc<str>>,
        graph: DynGraph,
        options: DynNodeOptions,
    ) -> Self {
        let run = Arc::new(SubgraphNode(graph.clone()));
        self.entry(
            name.into(),
            NodeFunction {
                run,
                graph: Some(graph),
            },
            options,
        )
    }

    pub(crate) fn entry(
        mut self,
        name: Arc<str>,
        entry: NodeFunction,
        options: DynNodeOptions,
    ) -> Self {
        let DynNodeOptions {
            input,
            defer,
            destinations,
            retry,
            cache,
            timeouts,
            max_concurrency,
            on_error,
            placement,
            ..
        } = options;
        let entry = NodeFunction {
            run: placement.place(entry.run),
            ..entry
        };
        let default = &self.defaults;
        let limits = timeouts.run.is_some() || timeouts.idle.is_some();
        self.blueprint.nodes.push(NodeDef {
            name: name.clone(),
            input,
            defer,
            destinations,
            retry: if retry.is_empty() {
                default.retry.clone()
            } else {
                retry
            },
            cache: cache.or_else(|| default.cache.clone()),
            timeouts: if limits { timeouts } else { default.timeouts },
            max_concurrency,
            handler: on_error.is_some(),
            subgraph: entry.graph.as_ref().map(DynGraph::persist),
        });
        if let Some(handler) = on_error {
            self.handlers
                .insert(format!("__error_handler__{name}").into(), handler);
        }
        self.functions.entry(name).or_insert(entry);
        self
    }

    /// Adds an edge.
    #[must_use]
    pub fn edge(mut self, from: impl Into<Arc<str>>, to: impl Into<Arc<str>>) -> Self {
        self.blueprint
            .edges
            .push(Edge::Plain(from.into(), to.into()));
        self
    }

    /// Adds an edge that waits for all sources.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .node("a", nothing)
    ///     .node("b", nothing)
    ///     .node("count", count)
    ///     .edge(START, "a")
    ///     .edge(START, "b")
    ///     .join(["a", "b"], "count") // once, after both
    ///     .build()?;
    /// # graph.invoke(json!({"n": 1}), &RunOptions::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn join<S: Into<Arc<str>>>(
        mut self,
        from: impl IntoIterator<Item = S>,
        to: impl Into<Arc<str>>,
    ) -> Self {
        let sources = from.into_iter().map(Into::into).collect();
        self.blueprint.edges.push(Edge::Join(sources, to.into()));
        self
    }

    /// Adds a conditional edge: the function sees the state with its node's writes and returns where
    /// to go next.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::{Failure, dynamic::END};
    ///
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .node("count", count)
    ///     .edge(START, "count")
    ///     .route("count", |state| {
    ///         let again = state.get("n")?.as_i64() < Some(10);
    ///         Ok::<_, Failure>(if again { "count" } else { END })
    ///     })
    ///     .build()?;
    /// let outcome = graph.invoke(json!({"n": 1}), &RunOptions::default()).await?;
    /// assert_eq!(outcome.output.map(|state| state.to_json()), Some(json!({"n": 10})));
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn route<R: IntoDestinations>(
        self,
        from: impl Into<Arc<str>>,
        route: impl Fn(&RouteView<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        self.router(from, None, None, route)
    }

    /// Adds a conditional edge whose results are translated to nodes.
    #[must_use]
    pub fn route_map<R: IntoDestinations, K: Into<Value>, N: Into<Arc<str>>>(
        self,
        from: impl Into<Arc<str>>,
        map: impl IntoIterator<Item = (K, N)>,
        route: impl Fn(&RouteView<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        let map = map.into_iter().map(|(key, node)| (key.into(), node.into()));
        self.router(from, None, Some(map.collect()), route)
    }

    /// Adds a conditional edge with a name and, if given, a map from results to nodes.
    #[must_use]
    pub fn router<R: IntoDestinations>(
        mut self,
        from: impl Into<Arc<str>>,
        name: Option<Arc<str>>,
        map: Option<Vec<(Value, Arc<str>)>>,
        route: impl Fn(&RouteView<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        let route = Arc::new(move |view: &RouteView<'_>| route(view).into_destinations());
        self.blueprint.routers.push(RouterDef {
            from: from.into(),
            name,
            route,
            map,
        });
        self
    }

    /// Pauses before nodes.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::{Backends, MemorySaver, dynamic::{Pauses, Status, input}};
    ///
    /// let graph = DynGraphBuilder::new()
    ///     .last_value("n")
    ///     .node("count", count)
    ///     .edge(START, "count")
    ///     .pause_before(Pauses::Nodes(vec!["count".into()]))
    ///     .backends(Backends::on(MemorySaver::default()))
    ///     .build()?;
    /// let thread = RunOptions::on("t");
    /// assert_eq!(graph.invoke(json!({"n": 1}), &thread).await?.status, Status::Paused);
    /// assert_eq!(graph.invoke(input::go_on(), &thread).await?.status, Status::Done);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn pause_before(mut self, at: Pauses) -> Self {
        self.blueprint.pause_before = at;
        self
    }

    /// Pauses after nodes.
    #[must_use]
    pub fn pause_after(mut self, at: Pauses) -> Self {
        self.blueprint.pause_after = at;
        self
    }

    /// What it runs on, when it is a root.
    #[must_use]
    pub fn backends(mut self, backends: Backends) -> Self {
        self.backends = backends;
        self
    }

    /// How long its state lives, when it is a subgraph.
    #[must_use]
    pub fn persist(mut self, persist: Persist) -> Self {
        self.persist = persist;
        self
    }

    /// How the journals of its tasks are read for effects that happened or may have, which no run from an
    /// earlier checkpoint repeats unasked (SS1205); by default every effect that was started counts.
    #[must_use]
    pub fn effects(mut self, read: ReadEffects) -> Self {
        self.effects = Some(read);
        self
    }

    /// Checks the graph and builds it, or reports every mistake.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let errors = DynGraphBuilder::new().node("count", count).edge("cuont", "count").build().err();
    /// assert!(errors.is_some_and(|errors| errors.0.len() > 1)); // every mistake at once
    /// # Ok(()) }
    /// ```
    pub fn build(self) -> Result<DynGraph, BuildErrors> {
        let plan = self.blueprint.compile()?;
        let nodes = self.functions(&plan);
        Ok(DynGraph::new(
            plan,
            nodes,
            self.backends,
            self.persist,
            (self.effects.unwrap_or(TaskNote::past_effects), self.typed),
        ))
    }

    /// A functional entrypoint: one function from input to output, with `previous` over runs.
    ///
    /// ```
    /// # use serde_json::{Value as Json, json};
    /// # use superstep::{RunOptions, dynamic::{DynCtx, DynGraphBuilder, Halt, START}};
    /// # async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    /// #     Ok(json!({"n": ctx.get("n").as_i64().unwrap_or(0) + 1}))
    /// # }
    /// # async fn nothing(_: DynCtx) -> Result<(), Halt> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::{Backends, MemorySaver, Value, dynamic::{DynNodeOptions, Output}};
    ///
    /// async fn add(ctx: DynCtx) -> Result<Output, Halt> {
    ///     let sum = ctx.previous().as_i64().unwrap_or(0) + ctx.input().as_i64().unwrap_or(0);
    ///     Ok(Output::Final { value: sum.into(), save: sum.into() })
    /// }
    ///
    /// let backends = Backends::on(MemorySaver::default());
    /// let graph = DynGraphBuilder::entrypoint("add", add, DynNodeOptions::default(), backends)?;
    /// let thread = RunOptions::on("t");
    /// graph.invoke(Value::from(40), &thread).await?;
    /// let outcome = graph.invoke(Value::from(2), &thread).await?;
    /// assert_eq!(outcome.output, Some(Value::from(42)));
    /// # Ok(()) }
    /// ```
    pub fn entrypoint<N: Node>(
        name: impl Into<Arc<str>>,
        run: N,
        options: DynNodeOptions,
        backends: Backends,
    ) -> Result<DynGraph, BuildErrors> {
        let name = name.into();
        let calls = options.calls.clone();
        let entry = NodeFunction {
            run: Arc::new(run),
            graph: calls,
        };
        let builder = Self {
            backends,
            ..Self::new()
        }
        .entry(name, entry, options);
        let Some(node) = builder.blueprint.nodes.first().cloned() else {
            return Err(BuildErrors(Vec::new()));
        };
        let plan = Blueprint::entrypoint(node)?;
        let nodes = builder.functions(&plan);
        Ok(DynGraph::new(
            plan,
            nodes,
            builder.backends,
            Persist::PerCall,
            (TaskNote::past_effects, TypedParts::default()),
        ))
    }

    fn functions(&self, plan: &Plan) -> Table<NodeIx, Option<NodeFunction>> {
        let handler = |name| self.handlers.get(name).or(self.default_handler.as_ref());
        plan.nodes
            .iter()
            .map(|spec| match spec.role {
                superstep_core::plan::Role::Handler => {
                    handler(&spec.name).map(|run| NodeFunction {
                        run: run.clone(),
                        graph: None,
                    })
                }
                _ => self.functions.get(&spec.name).cloned(),
            })
            .collect()
    }
}
