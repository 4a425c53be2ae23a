//! Limits on attempts, retries and handlers. The clock is paused: waiting costs no time.

use std::{future::pending, sync::Arc, time::Duration};

use serde_json::json;
use superstep_core::{
    Failure, Value,
    policy::{Refresh, RetryPolicy, Timeouts},
    run::Halt,
};
use superstep_engine::{DynCtx, DynGraphBuilder, DynNodeOptions, Node, RunOptions};

use crate::fixture::{Count, object};

fn graph(node: impl Node, options: DynNodeOptions) -> superstep_engine::DynGraph {
    DynGraphBuilder::new()
        .last_value("x")
        .node_with("a", node, options)
        .edge("__start__", "a")
        .build()
        .expect("it builds")
}

async fn run(
    graph: &superstep_engine::DynGraph,
) -> Result<serde_json::Value, superstep_core::Error> {
    let outcome = graph
        .invoke(object(json!({ "x": 0 })), &RunOptions::default())
        .await?;
    Ok(outcome.output.unwrap_or_default().to_json())
}

fn limits(run: Option<u64>, idle: Option<u64>, refresh: Refresh) -> DynNodeOptions {
    let timeouts = Timeouts {
        run: run.map(Duration::from_secs),
        idle: idle.map(Duration::from_secs),
        refresh,
    };
    DynNodeOptions {
        timeouts,
        ..DynNodeOptions::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_hangs_is_ended_by_its_run_limit() {
    let hangs = |_: DynCtx| async {
        pending::<()>().await;
        Ok::<_, Halt>(Value::Null)
    };
    let error = run(&graph(hangs, limits(Some(30), None, Refresh::Auto))).await;
    let error = error.expect_err("it takes too long");
    assert_eq!(error.code(), "SS1003");
    assert!(
        error.to_string().contains("ran longer than 30s (node `a`"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn signs_of_life_keep_a_slow_node_alive_and_silence_ends_it() {
    let slow = |beats: bool| {
        move |ctx: DynCtx| async move {
            let mut second = tokio::time::interval(Duration::from_secs(2));
            for _ in 0..10 {
                second.tick().await;
                if beats {
                    ctx.heartbeat();
                }
            }
            Ok::<_, Halt>(object(json!({ "x": "done" })))
        }
    };
    let idle = || limits(None, Some(5), Refresh::Heartbeat);
    assert_eq!(
        run(&graph(slow(true), idle())).await.expect("alive"),
        json!({ "x": "done" })
    );
    let error = run(&graph(slow(false), idle())).await.expect_err("silent");
    assert!(error.to_string().contains("was silent for 5s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn emitting_is_a_sign_of_life_unless_only_heartbeats_count() {
    let chatty = |ctx: DynCtx| async move {
        let mut second = tokio::time::interval(Duration::from_secs(2));
        for n in 0..10 {
            second.tick().await;
            ctx.emit(n).await;
        }
        Ok::<_, Halt>(object(json!({ "x": "done" })))
    };
    let alive = run(&graph(chatty, limits(None, Some(5), Refresh::Auto))).await;
    assert_eq!(alive.expect("alive"), json!({ "x": "done" }));
    let silent = run(&graph(chatty, limits(None, Some(5), Refresh::Heartbeat))).await;
    assert_eq!(silent.expect_err("silent").code(), "SS1003");
}

#[tokio::test(start_paused = true)]
async fn retries_wait_longer_each_time_and_the_last_error_is_the_one_reported() {
    let tries = Count::default();
    let t = tries.clone();
    let flaky = move |_: DynCtx| {
        let n = t.up();
        async move { Err::<Value, Halt>(Failure::new("Flaky", format!("try {n}")).into()) }
    };
    let retry = RetryPolicy {
        max_attempts: 4,
        initial: Duration::from_secs(1),
        jitter: Duration::ZERO,
        ..RetryPolicy::default()
    };
    let graph = graph(
        flaky,
        DynNodeOptions {
            retry: vec![retry],
            ..DynNodeOptions::default()
        },
    );
    let before = tokio::time::Instant::now();
    let error = run(&graph).await.expect_err("it never works");
    assert_eq!(before.elapsed(), Duration::from_secs(1 + 2 + 4));
    assert!(error.to_string().contains("Flaky: try 4"), "{error}");
    assert_eq!(tries.get(), 4);
}

#[tokio::test]
async fn an_error_handler_runs_in_place_of_the_failed_node() {
    let handler = |ctx: DynCtx| async move {
        let (node, error) = ctx.error().expect("a handler knows what it handles");
        Ok::<_, Halt>(object(json!({ "x": format!("{node}: {}", error.message) })))
    };
    let fails = |_: DynCtx| async {
        Err::<Value, Halt>(Failure::new("Broken", "no luck").permanent().into())
    };
    let options = DynNodeOptions {
        on_error: Some(Arc::new(handler)),
        ..DynNodeOptions::default()
    };
    assert_eq!(
        run(&graph(fails, options)).await.expect("handled"),
        json!({ "x": "a: no luck" })
    );
}
