//! Nodes that fail, panic or take too long.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use superstep::{ErrorKind, Failed, Failure, Reduced, Reducer, RetryOn, prelude::*};

use crate::{plain::saver, support::finished};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Log {
    #[reduce(Append)]
    lines: Vec<String>,
    #[reduce(Sum)]
    sum: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Two {
    First,
    Second,
}

fn graph<Args>(
    first: impl superstep::Handler<Log, Two, Args>,
    options: NodeOptions<Log, Two>,
) -> Graph<Log, Two> {
    Graph::<Log, Two>::builder()
        .saver(saver())
        .resource(AtomicU32::new(0))
        .node_with(Two::First, first, options)
        .node(Two::Second, || async {
            Log::update().lines(["second".to_owned()])
        })
        .start(Two::First)
        .edge(Two::First, Two::Second)
        .finish(Two::Second)
        .build()
        .unwrap()
}

fn at_once() -> RetryPolicy {
    RetryPolicy {
        initial: Duration::ZERO,
        jitter: Duration::ZERO,
        ..RetryPolicy::default()
    }
}

#[tokio::test]
async fn a_panicking_node_is_an_error_of_that_node() {
    async fn bad(log: Snap<Log>) -> LogUpdate {
        panic!("{} lines are too few", log.lines.len())
    }
    let graph = graph(bad, NodeOptions::default());
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert!(
        matches!(&*error.kind, ErrorKind::Panicked { message } if message == "0 lines are too few")
    );
    assert_eq!(error.place.node.as_deref(), Some("first"));
    assert_eq!(graph.state("t").await.unwrap().next, [Two::First]);
}

#[tokio::test]
async fn a_panicking_router_is_an_error_of_the_run() {
    let graph = Graph::<Log, Two>::builder()
        .node(Two::First, || async {
            Log::update().lines(["first".to_owned()])
        })
        .node(Two::Second, || async {})
        .start(Two::First)
        .route(Two::First, &[Two::Second], |log| {
            panic!("{}", log.lines.len())
        })
        .finish(Two::Second)
        .build()
        .unwrap();
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert!(matches!(&*error.kind, ErrorKind::Failed(failure) if failure.message == "1"));
}

/// Has no sum of numbers that are too large.
struct Checked;

impl Reducer<u8> for Checked {
    type Write = u8;

    fn reduce(current: &mut u8, write: u8) -> Result<Reduced, Failure> {
        let sum = current.checked_add(write);
        *current = sum.unwrap_or_else(|| panic!("the sum is too large"));
        Ok(Reduced::Replaced)
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Sum {
    #[reduce(Checked)]
    sum: u8,
}

#[tokio::test]
async fn a_reducer_that_panics_while_a_router_looks_ahead_is_an_error_of_the_run() {
    let graph = Graph::<Sum, Two>::builder()
        .saver(saver())
        .node(Two::First, || async { Sum::update().sum(200) })
        .node(Two::Second, || async {})
        .start(Two::First)
        .route(Two::First, &[Two::Second], |sum| {
            (sum.sum > 0).then_some(Two::Second)
        })
        .finish(Two::Second)
        .build()
        .unwrap();
    let error = graph.run("t", Sum::update().sum(100)).await.unwrap_err();
    assert!(
        matches!(&*error.kind, ErrorKind::Failed(failure) if failure.message.contains("too large"))
    );
    let state = graph.state("t").await.unwrap();
    assert_eq!((state.next, state.state.sum), (vec![Two::First], 100));
}

#[tokio::test]
async fn a_transient_failure_is_tried_again() {
    async fn flaky(ctx: Ctx) -> Result<LogUpdate, NodeError> {
        match ctx.attempt() {
            3 => Ok(Log::update().lines(["third time".to_owned()])),
            _ => Err(std::io::Error::other("busy"))?,
        }
    }
    let done = graph(flaky, NodeOptions::default().retry(at_once()));
    let done = finished(&done, "t", Log::update()).await;
    assert_eq!(done.lines, ["third time", "second"]);
}

#[tokio::test]
async fn a_permanent_failure_is_not_tried_again() {
    async fn bad(tries: Res<AtomicU32>) -> Result<(), NodeError> {
        let n = tries.fetch_add(1, Ordering::SeqCst);
        Err(NodeError::msg(format!("attempt {n}")).permanent())
    }
    let graph = graph(bad, NodeOptions::default().retry(at_once()));
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert!(error.to_string().contains("attempt 0"), "{error}");
}

#[tokio::test]
async fn an_error_handler_runs_in_place_of_the_node() {
    async fn bad() -> Result<(), NodeError> {
        Err(NodeError::msg("no"))
    }
    async fn handle(failed: Failed<Two>, log: Snap<Log>) -> LogUpdate {
        let (node, lines) = (failed.node, log.lines.len());
        Log::update().lines([format!("{node:?} said {} at {lines}", failed.error.message)])
    }
    let graph = graph(bad, NodeOptions::default().on_error(handle));
    let done = finished(&graph, "t", Log::update()).await;
    assert_eq!(done.lines[0], "First said no at 0");
}

#[tokio::test(start_paused = true)]
async fn a_node_that_takes_too_long_is_stopped() {
    let options = NodeOptions::default().timeouts(Timeouts {
        run: Some(Duration::from_secs(60)),
        ..Timeouts::default()
    });
    let graph = graph(|| async { std::future::pending::<()>().await }, options);
    let error = graph.run("t", Log::update()).await.unwrap_err();
    assert!(matches!(&*error.kind, ErrorKind::TimedOut { .. }));
}

#[tokio::test]
async fn a_sum_that_does_not_fit_is_an_error() {
    let graph = graph(|| async { Log::update().sum(200) }, NodeOptions::default());
    let error = graph.run("t", Log::update().sum(100)).await.unwrap_err();
    assert!(matches!(&*error.kind, ErrorKind::Reduce { channel, .. } if &**channel == "sum"));
}

#[tokio::test]
async fn a_cached_node_runs_once_for_equal_inputs() {
    async fn count(runs: Res<AtomicU32>) -> LogUpdate {
        let n = runs.fetch_add(1, Ordering::SeqCst);
        Log::update().lines([format!("run {n}")])
    }
    let options = NodeOptions::default().cache(superstep::CachePolicy::default());
    let graph = graph(count, options);
    let graph = graph.with_backends(superstep::Backends {
        cache: Some(Arc::new(superstep::MemoryCache::default())),
        ..graph.backends().clone()
    });
    for thread in ["a", "b"] {
        let done = graph
            .run(thread, Log::update().sum(1))
            .await
            .unwrap()
            .done()
            .unwrap();
        assert_eq!(done.lines[0], "run 0");
    }
    let other = finished(&graph, "c", Log::update().sum(2)).await;
    assert_eq!(other.lines[0], "run 1");
}

#[tokio::test]
async fn a_retry_policy_may_cover_every_error() {
    async fn flaky(ctx: Ctx) -> LogUpdate {
        assert_eq!(ctx.attempt(), 2);
        Log::update().lines(["second attempt".to_owned()])
    }
    let policy = RetryPolicy {
        on: RetryOn::Any,
        ..at_once()
    };
    let graph = graph(flaky, NodeOptions::default().retry(policy));
    let done = finished(&graph, "t", Log::update()).await;
    assert_eq!(done.lines[0], "second attempt");
}
