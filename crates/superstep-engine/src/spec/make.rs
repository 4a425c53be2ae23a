//! From a [`GraphSpec`] and a [`Registry`] to a graph.

use std::{sync::Arc, time::Duration};

use superstep_core::{
    channel::{ChannelKind, ChannelSpec, Guard},
    command::{END, START},
    plan::{BuildError, BuildErrors, Pauses, RouterDef},
    policy::{RetryPolicy, Timeouts},
    value::Value,
};

use super::{
    ChannelEntry, ChannelEntryKind, GraphSpec, NodeEntry, Registry, RouteEntry, Sources, SpecError,
    SpecErrorKind, SpecErrors, read::below,
};
use crate::{
    builder::{DynGraphBuilder, DynNodeOptions},
    graph::{Backends, DynGraph, NodeFunction},
    run::SubgraphNode,
};

impl GraphSpec {
    /// Checks the spec and builds the graph, or reports every mistake with its place.
    pub fn build(&self, registry: &Registry, backends: Backends) -> Result<DynGraph, SpecErrors> {
        let mut errors = Vec::new();
        let builder = self.builder(registry, "", &mut errors);
        if !errors.is_empty() {
            return Err(SpecErrors(errors));
        }
        let built = builder.backends(backends).build();
        built.map_err(|mistakes| SpecErrors(of_graph("", mistakes)))
    }

    fn builder(
        &self,
        registry: &Registry,
        at: &str,
        errors: &mut Vec<SpecError>,
    ) -> DynGraphBuilder {
        let names = |list: &[String]| -> Vec<Arc<str>> {
            list.iter().map(|name| name.as_str().into()).collect()
        };
        let mut builder = DynGraphBuilder::new()
            .pause_before(pauses(names(&self.pause_before)))
            .pause_after(pauses(names(&self.pause_after)));
        if let Some(name) = &self.name {
            builder = builder.name(name.as_str());
        }
        if !self.lax {
            builder = builder.strict();
        }
        if let Some(input) = &self.input {
            builder = builder.input_schema(names(input));
        }
        if let Some(output) = &self.output {
            builder = builder.output_schema(names(output));
        }
        for (n, entry) in self.channels.iter().enumerate() {
            let at = below(at, &format!("channels[{n}]"));
            match channel(entry, registry, &at) {
                Ok(channel) => builder = builder.channel(channel),
                Err(error) => errors.push(error),
            }
        }
        for (n, entry) in self.nodes.iter().enumerate() {
            let at = below(at, &format!("nodes[{n}]"));
            if let Some(made) = node(entry, registry, &at, errors) {
                builder = builder.entry(entry.name.as_str().into(), made, options(entry));
            }
        }
        let known = |name: &str| self.nodes.iter().any(|node| node.name == name);
        let mut refuse = |at: String, error: BuildError| {
            let kind = SpecErrorKind::Graph(error);
            errors.push(SpecError { at, kind });
        };
        for (n, edge) in self.edges.iter().enumerate() {
            let at = |end: &str| below(at, &format!("edges[{n}].{end}"));
            let from: &[String] = match &edge.from {
                Sources::One(from) => std::slice::from_ref(from),
                Sources::All(from) => from,
            };
            for from in from.iter().filter(|from| !known(from) && *from != START) {
                refuse(at("from"), BuildError::UnknownSource(from.as_str().into()));
            }
            if !known(&edge.to) && edge.to != END {
                refuse(at("to"), BuildError::UnknownTarget(edge.to.as_str().into()));
            }
            builder = match &edge.from {
                Sources::One(from) => builder.edge(from.as_str(), edge.to.as_str()),
                Sources::All(from) => {
                    builder.join(from.iter().map(String::as_str), edge.to.as_str())
                }
            };
        }
        for (n, entry) in self.routes.iter().enumerate() {
            let at = below(at, &format!("routes[{n}]"));
            if !known(&entry.from) && entry.from != START {
                let from = entry.from.as_str().into();
                errors.push(SpecError {
                    at: below(&at, "from"),
                    kind: SpecErrorKind::Graph(BuildError::UnknownSource(from)),
                });
            }
            for (key, target) in entry.map.iter().flatten() {
                if !known(target) && target != END {
                    errors.push(SpecError {
                        at: below(&at, &format!("map.{key}")),
                        kind: SpecErrorKind::Graph(BuildError::UnknownTarget(
                            target.as_str().into(),
                        )),
                    });
                }
            }
            match route(entry, registry, &at) {
                Ok(router) => builder.blueprint.routers.push(router),
                Err(error) => errors.push(error),
            }
        }
        builder
    }
}

fn pauses(names: Vec<Arc<str>>) -> Pauses {
    match names.is_empty() {
        true => Pauses::None,
        false => Pauses::Nodes(names),
    }
}

fn of_graph(at: &str, BuildErrors(mistakes): BuildErrors) -> Vec<SpecError> {
    let error = |mistake| SpecError {
        at: at.to_owned(),
        kind: SpecErrorKind::Graph(mistake),
    };
    mistakes.into_iter().map(error).collect()
}

fn unknown<'a>(
    at: String,
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a String>,
) -> SpecError {
    SpecError {
        at,
        kind: SpecErrorKind::UnknownKind {
            what,
            name: name.to_owned(),
            known: known.cloned().collect(),
        },
    }
}

fn form(at: &str, why: &str) -> SpecError {
    SpecError {
        at: at.to_owned(),
        kind: SpecErrorKind::Form(why.to_owned()),
    }
}

fn channel(entry: &ChannelEntry, registry: &Registry, at: &str) -> Result<ChannelSpec, SpecError> {
    let reduces = entry.reducer.is_some();
    if reduces && entry.kind != ChannelEntryKind::Last {
        let why = "only a channel of kind `last` has a reducer";
        return Err(form(&below(at, "reducer"), why));
    }
    if entry.default.is_some() && !reduces {
        let why = "only a channel with a reducer has a default";
        return Err(form(&below(at, "default"), why));
    }
    let kind = match (&entry.reducer, entry.kind) {
        (Some(name), _) => {
            let found = registry.reducers.get(name);
            let reducer = found.ok_or_else(|| {
                let at = below(at, "reducer");
                unknown(at, "reducer", name, registry.reducers.keys())
            })?;
            ChannelKind::Reduce {
                reducer: reducer.clone(),
                init: entry.default.as_ref().map(Value::from),
                delta: None,
            }
        }
        (None, ChannelEntryKind::Last) => ChannelKind::Last,
        (None, ChannelEntryKind::Ephemeral) => ChannelKind::Ephemeral(Guard::Any),
        (None, ChannelEntryKind::Topic) => ChannelKind::Topic,
        (None, ChannelEntryKind::Log) => ChannelKind::Log,
        (None, ChannelEntryKind::Any) => ChannelKind::Any,
        (None, ChannelEntryKind::Untracked) => ChannelKind::Untracked(Guard::Any),
    };
    Ok(ChannelSpec {
        name: entry.name.as_str().into(),
        kind,
        private: entry.private,
    })
}

fn node(
    entry: &NodeEntry,
    registry: &Registry,
    at: &str,
    errors: &mut Vec<SpecError>,
) -> Option<NodeFunction> {
    let kind = match (&entry.kind, &entry.graph) {
        (Some(kind), None) => kind,
        (None, Some(graph)) => {
            let at = below(at, "graph");
            let before = errors.len();
            let builder = graph.builder(registry, &at, errors);
            if errors.len() > before {
                return None;
            }
            return match builder.build() {
                Ok(graph) => Some(NodeFunction {
                    run: Arc::new(SubgraphNode(graph.clone())),
                    graph: Some(graph),
                }),
                Err(mistakes) => {
                    errors.extend(of_graph(&at, mistakes));
                    None
                }
            };
        }
        _ => {
            errors.push(form(at, "a node has either a `kind` or a `graph`"));
            return None;
        }
    };
    let Some(make) = registry.nodes.get(kind) else {
        let known = registry.nodes.keys();
        errors.push(unknown(below(at, "kind"), "kind of node", kind, known));
        return None;
    };
    match make(&entry.config) {
        Ok(run) => Some(NodeFunction { run, graph: None }),
        Err(why) => {
            errors.push(SpecError {
                at: below(at, "config"),
                kind: SpecErrorKind::Config(why),
            });
            None
        }
    }
}

fn options(entry: &NodeEntry) -> DynNodeOptions {
    let names = |list: &[String]| -> Vec<Arc<str>> {
        list.iter().map(|name| name.as_str().into()).collect()
    };
    DynNodeOptions {
        input: entry.input.as_deref().map(names),
        defer: entry.defer,
        destinations: names(&entry.goto),
        retry: match entry.attempts {
            Some(max_attempts) => vec![RetryPolicy {
                max_attempts,
                ..RetryPolicy::default()
            }],
            None => Vec::new(),
        },
        timeouts: Timeouts {
            run: entry.timeout_ms.map(Duration::from_millis),
            ..Timeouts::default()
        },
        max_concurrency: entry.max_concurrency,
        ..DynNodeOptions::default()
    }
}

fn route(entry: &RouteEntry, registry: &Registry, at: &str) -> Result<RouterDef, SpecError> {
    let found = registry.routers.get(&entry.kind);
    let make = found.ok_or_else(|| {
        let at = below(at, "kind");
        unknown(at, "router", &entry.kind, registry.routers.keys())
    })?;
    let route = make(&entry.config).map_err(|why| SpecError {
        at: below(at, "config"),
        kind: SpecErrorKind::Config(why),
    })?;
    let map = entry.map.as_ref().map(|map| {
        let pairs = map.iter();
        pairs
            .map(|(key, node)| (Value::from(key.as_str()), node.as_str().into()))
            .collect()
    });
    Ok(RouterDef {
        from: entry.from.as_str().into(),
        name: None,
        route,
        map,
    })
}
