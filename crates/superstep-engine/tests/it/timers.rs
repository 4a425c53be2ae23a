//! Durable timers, on a clock that the tests own.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::json;
use superstep_core::{
    Value,
    clock::{Clock, UnixMillis},
    error::Failure,
    policy::{Durability, RetryPolicy, Timeouts},
    run::Halt,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions, input,
    memory::MemorySaver,
};
use tokio::{
    sync::Notify,
    time::{Instant, advance, timeout},
};

use crate::fixture::{Count, one};

const HOUR: Duration = Duration::from_secs(3600);

/// The clock of a runtime whose time is paused: it continues when all tasks wait.
struct TestClock(Instant);

impl Clock for TestClock {
    fn now(&self) -> UnixMillis {
        1_000_000 + i64::try_from(self.0.elapsed().as_millis()).unwrap()
    }
}

fn backends() -> Backends {
    Backends {
        saver: Some(Arc::new(MemorySaver::new())),
        clock: Some(Arc::new(TestClock(Instant::now()))),
        ..Backends::default()
    }
}

/// Waits for an hour, and says how often it began to.
fn waiter(began: &Arc<Notify>, wait: DynNodeOptions) -> (DynGraph, Count) {
    let (b, runs) = (began.clone(), Count::default());
    let r = runs.clone();
    let node = move |ctx: DynCtx| {
        let began = b.clone();
        r.up();
        async move {
            began.notify_one();
            ctx.sleep(HOUR).await?;
            Ok::<_, Halt>(json!({ "x": "awake" }))
        }
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node_with("a", node, wait)
        .edge("__start__", "a")
        .backends(backends())
        .build()
        .unwrap();
    (graph, runs)
}

#[tokio::test(start_paused = true)]
async fn a_task_that_runs_again_waits_for_the_rest_only() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let began = Arc::new(Notify::new());
        let (graph, runs) = waiter(&began, DynNodeOptions::default());
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        let start = Instant::now();
        let cut = timeout(HOUR / 3, graph.invoke(json!({}), &options)).await;
        assert!(cut.is_err(), "it waits for an hour");
        advance(HOUR / 3).await;
        graph.invoke(input::go_on(), &options).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), HOUR.as_secs(), "{durability:?}");
        assert_eq!(runs.get(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_time_that_came_while_nobody_ran_is_not_waited_for() {
    let began = Arc::new(Notify::new());
    let (graph, _) = waiter(&began, DynNodeOptions::default());
    let options = RunOptions::on("t");
    let mut running = graph.start(json!({}), &options).await.unwrap();
    began.notified().await;
    let early = timeout(Duration::from_secs(1), &mut running.outcome).await;
    assert!(early.is_err(), "it sleeps");
    running.cancel("restart");
    assert_eq!(running.await.unwrap_err().code(), "SS1113");
    advance(2 * HOUR).await;
    let resumed = Instant::now();
    graph.invoke(input::go_on(), &options).await.unwrap();
    assert!(resumed.elapsed().is_zero(), "the paused clock did not move");
}

#[tokio::test(start_paused = true)]
async fn each_wait_of_a_task_is_a_timer_of_its_own_and_a_retry_keeps_them() {
    let runs = Count::default();
    let r = runs.clone();
    let node = move |ctx: DynCtx| {
        let run = r.up();
        async move {
            ctx.sleep(HOUR).await?;
            ctx.sleep(HOUR).await?;
            if run == 1 {
                return Err(Failure::new("Flaky", "try again").into());
            }
            ctx.sleep(HOUR).await?;
            Ok::<_, Halt>(Value::Null)
        }
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node_with(
            "a",
            node,
            DynNodeOptions {
                retry: vec![RetryPolicy {
                    initial: Duration::ZERO,
                    jitter: Duration::ZERO,
                    ..RetryPolicy::default()
                }],
                ..DynNodeOptions::default()
            },
        )
        .edge("__start__", "a")
        .backends(backends())
        .build()
        .unwrap();
    let start = Instant::now();
    graph.invoke(json!({}), &RunOptions::on("t")).await.unwrap();
    assert_eq!(runs.get(), 2);
    assert_eq!(start.elapsed().as_secs(), 3 * HOUR.as_secs());
}

#[tokio::test(start_paused = true)]
async fn being_silent_while_it_sleeps_is_no_idle_timeout_but_the_run_timeout_counts() {
    let began = Arc::new(Notify::new());
    let timed = |timeouts| DynNodeOptions {
        timeouts,
        ..DynNodeOptions::default()
    };
    let idle = Timeouts {
        idle: Some(Duration::from_secs(5)),
        ..Timeouts::default()
    };
    let (graph, _) = waiter(&began, timed(idle));
    graph.invoke(json!({}), &RunOptions::on("t")).await.unwrap();
    let run = Timeouts {
        run: Some(HOUR / 2),
        ..Timeouts::default()
    };
    let (graph, _) = waiter(&began, timed(run));
    let error = graph.invoke(json!({}), &RunOptions::on("t")).await;
    assert_eq!(error.unwrap_err().code(), "SS1003");
}

#[tokio::test(start_paused = true)]
async fn a_task_of_a_subgraph_finds_its_timer_again() {
    let node = |ctx: DynCtx| async move {
        let wake = UNIX_EPOCH + Duration::from_secs(1000) + HOUR;
        ctx.sleep_until(wake).await?;
        ctx.sleep_until(SystemTime::UNIX_EPOCH).await?;
        Ok::<_, Halt>(json!({ "x": 1 }))
    };
    for durability in [Durability::Sync, Durability::Exit] {
        let child = one(node).build().unwrap();
        let graph = DynGraphBuilder::new()
            .last_value("x")
            .subgraph("sub", child, DynNodeOptions::default())
            .edge("__start__", "sub")
            .backends(backends())
            .build()
            .unwrap();
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        let start = Instant::now();
        let cut = timeout(HOUR / 2, graph.invoke(json!({}), &options)).await;
        assert!(cut.is_err(), "it waits");
        graph.invoke(input::go_on(), &options).await.unwrap();
        assert_eq!(start.elapsed().as_secs(), HOUR.as_secs(), "{durability:?}");
    }
}
