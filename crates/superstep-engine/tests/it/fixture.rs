//! Small parts the other tests are made of.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use superstep_core::{Value, run::Halt, value::Map};
use superstep_engine::{Backends, DynCtx, DynGraphBuilder, Node, memory::MemorySaver};

/// Counts how often something really ran.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicUsize>);

impl Count {
    pub(crate) fn up(&self) -> usize {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Backends with a fresh memory saver.
pub(crate) fn saved() -> Backends {
    Backends {
        saver: Some(Arc::new(MemorySaver::new())),
        ..Backends::default()
    }
}

/// A node that writes fixed values.
pub(crate) fn writes(update: Value) -> impl Node {
    move |_: DynCtx| {
        let update = update.clone();
        async move { Ok::<_, Halt>(update) }
    }
}

/// An object from JSON.
pub(crate) fn object(json: serde_json::Value) -> Value {
    Value::from(json)
}

/// One step from the start to `a`.
pub(crate) fn one(node: impl Node) -> DynGraphBuilder {
    DynGraphBuilder::new()
        .last_value("x")
        .node("a", node)
        .edge("__start__", "a")
}

/// The keys of an object.
pub(crate) fn keys(value: &Value) -> Vec<String> {
    let map: Option<&Map> = value.as_map();
    map.into_iter()
        .flat_map(|map| map.keys().map(ToString::to_string))
        .collect()
}
