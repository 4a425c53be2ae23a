//! Caches that answer later, or not at all.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use superstep_core::{
    Value, error::SaverError, future::MaybeReady, policy::CachePolicy, record::Write, run::Halt,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions,
    cache::{Cache, CacheKey},
    memory::MemoryCache,
};

use crate::fixture::Count;

/// A cache elsewhere: each answer takes a turn of the runtime, and fails when it is gone.
#[derive(Default)]
struct Remote {
    kept: MemoryCache,
    asked: Count,
    is_gone: AtomicBool,
}

impl Remote {
    fn later<'a, T>(&self, answer: MaybeReady<'a, T>) -> MaybeReady<'a, T>
    where
        T: Send + Unpin + 'a,
    {
        let is_gone = self.is_gone.load(Ordering::SeqCst);
        MaybeReady::Later(Box::pin(async move {
            tokio::task::yield_now().await;
            match is_gone {
                true => Err(SaverError::Io("no connection".to_owned())),
                false => answer.await,
            }
        }))
    }
}

impl Cache for Remote {
    fn get(&self, keys: Vec<CacheKey>) -> MaybeReady<'_, Vec<Option<Vec<Write>>>> {
        self.asked.up();
        self.later(self.kept.get(keys))
    }

    fn put(&self, key: CacheKey, writes: Vec<Write>, ttl: Option<Duration>) -> MaybeReady<'_, ()> {
        self.later(self.kept.put(key, writes, ttl))
    }

    fn clear(&self, owners: Option<&[Arc<str>]>) -> MaybeReady<'_, ()> {
        self.later(self.kept.clear(owners))
    }
}

/// Three nodes of one step whose results are kept.
fn graph(cache: &Arc<Remote>, runs: &Count) -> DynGraph {
    let options = DynNodeOptions {
        cache: Some(CachePolicy::default()),
        ..DynNodeOptions::default()
    };
    let mut builder = DynGraphBuilder::new().last_value("n");
    for name in ["a", "b", "c"] {
        let runs = runs.clone();
        let node = move |ctx: DynCtx| {
            runs.up();
            async move {
                let n: i64 = ctx.read("n")?;
                Ok::<_, Halt>(json!({ name: n + 1 }))
            }
        };
        builder = builder
            .last_value(name)
            .node_with(name, node, options.clone())
            .edge("__start__", name);
    }
    let backends = Backends {
        cache: Some(cache.clone()),
        ..Backends::default()
    };
    builder.backends(backends).build().unwrap()
}

async fn run(graph: &DynGraph, n: i64) -> Value {
    let given = json!({ "n": n });
    let outcome = graph.invoke(given, &RunOptions::default()).await;
    outcome.unwrap().output.unwrap()
}

#[tokio::test]
async fn a_cache_is_asked_once_for_all_tasks_of_a_step() {
    let (cache, runs) = (Arc::new(Remote::default()), Count::default());
    let graph = graph(&cache, &runs);
    let first = run(&graph, 1).await;
    assert_eq!((cache.asked.get(), runs.get()), (1, 3));
    assert_eq!(run(&graph, 1).await, first);
    assert_eq!((cache.asked.get(), runs.get()), (2, 3));
    graph.clear_cache(None).await.unwrap();
    assert_eq!(run(&graph, 1).await, first);
    assert_eq!(runs.get(), 6);
}

#[tokio::test]
async fn a_cache_that_fails_costs_nodes_another_run_and_no_run_its_result() {
    let (cache, runs) = (Arc::new(Remote::default()), Count::default());
    let graph = graph(&cache, &runs);
    let first = run(&graph, 1).await;
    cache.is_gone.store(true, Ordering::SeqCst);
    assert_eq!(run(&graph, 1).await, first);
    assert_eq!(runs.get(), 6);
    assert!(graph.clear_cache(None).await.is_err());
}
