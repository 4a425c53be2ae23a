//! Graphs that a task runs: what they did is not done again by another attempt of the task, and each
//! question below has one graph that it belongs to.

use serde_json::json;
use superstep_core::{
    Value,
    error::Failure,
    plan::Persist,
    policy::RetryPolicy,
    reducer::Reducer,
    run::{EffectError, Halt},
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions, Status, input,
    memory::MemorySaver,
};

use crate::fixture::{Count, saved};

fn retried() -> DynNodeOptions {
    let retry = RetryPolicy {
        initial: std::time::Duration::ZERO,
        jitter: std::time::Duration::ZERO,
        ..RetryPolicy::default()
    };
    DynNodeOptions {
        retry: vec![retry],
        ..DynNodeOptions::default()
    }
}

fn unlucky() -> Halt {
    Halt::from(Failure::new("ConnectionError", "no luck"))
}

/// A graph whose first node pays, and whose second fails so often.
fn pays(paid: &Count, steps: &Count, failures: usize) -> DynGraph {
    let (paid, steps, tries) = (paid.clone(), steps.clone(), Count::default());
    DynGraphBuilder::new()
        .last_value("receipt")
        .node("pay", move |ctx: DynCtx| {
            let (paid, steps) = (paid.clone(), steps.clone());
            async move {
                steps.up();
                let pay = || async move { Ok::<_, EffectError>(paid.up()) };
                let receipt = ctx.once("pay", pay).await?;
                Ok::<_, Halt>(json!({ "receipt": receipt }))
            }
        })
        .node("report", move |_: DynCtx| {
            let fails = tries.up() <= failures;
            async move { if fails { Err(unlucky()) } else { Ok(json!({})) } }
        })
        .edge("__start__", "pay")
        .edge("pay", "report")
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_retry_continues_the_graphs_that_an_attempt_ran_and_repeats_nothing_of_them() {
    // The graph fails; and the task fails after the graph has ended.
    for (below, above) in [(2, 0), (0, 2), (1, 1)] {
        let (paid, steps, tries) = (Count::default(), Count::default(), Count::default());
        let inner = pays(&paid, &steps, below);
        let graph = DynGraphBuilder::new()
            .last_value("receipts")
            .node_with(
                "shop",
                move |ctx: DynCtx| {
                    let (inner, tries) = (inner.clone(), tries.clone());
                    async move {
                        let first = ctx.run_graph(&inner, json!({})).await?;
                        let second = ctx.run_graph(&inner, json!({})).await?;
                        if tries.up() <= above {
                            return Err(unlucky());
                        }
                        let receipts = [first, second].map(|out| {
                            let out = out.unwrap_or_default();
                            out.get("receipt").cloned().unwrap_or_default()
                        });
                        Ok(Value::map([("receipts", Value::list(receipts))]))
                    }
                },
                retried(),
            )
            .edge("__start__", "shop")
            .backends(saved())
            .build()
            .unwrap();
        let options = RunOptions::on("t");
        let outcome = graph.invoke(json!({ "receipts": [] }), &options).await;
        let output = outcome.unwrap().output.unwrap().to_json();
        assert_eq!(output, json!({ "receipts": [1, 2] }), "{below} {above}");
        assert_eq!((paid.get(), steps.get()), (2, 2), "{below} {above}");
    }
}

#[tokio::test]
async fn what_a_graph_did_in_a_second_attempt_is_known_after_the_run_was_cut_short() {
    let saver = MemorySaver::new();
    let (paid, tries) = (Count::default(), Count::default());
    let graph = {
        let (paid, tries) = (paid.clone(), tries.clone());
        let inner = DynGraphBuilder::new()
            .last_value("receipt")
            .node("pay", move |ctx: DynCtx| {
                let (paid, tries) = (paid.clone(), tries.clone());
                async move {
                    let attempt = tries.up();
                    if attempt == 1 {
                        return Err(unlucky());
                    }
                    let pay = || async move { Ok::<_, EffectError>(paid.up()) };
                    let receipt = ctx.once("pay", pay).await?;
                    if attempt == 2 {
                        std::future::pending::<()>().await;
                    }
                    Ok(json!({ "receipt": receipt }))
                }
            })
            .edge("__start__", "pay")
            .build()
            .unwrap();
        DynGraphBuilder::new()
            .last_value("receipt")
            .subgraph("shop", inner, retried())
            .edge("__start__", "shop")
            .backends(Backends::on(saver))
            .build()
            .unwrap()
    };
    let options = RunOptions::on("t");
    let running = graph
        .start(json!({ "receipt": 0 }), &options)
        .await
        .unwrap();
    while paid.get() == 0 {
        tokio::task::yield_now().await;
    }
    running.cancel("a deploy");
    assert_eq!(running.await.unwrap_err().code(), "SS1113");
    let outcome = graph.invoke(input::go_on(), &options).await.unwrap();
    assert_eq!(outcome.output.unwrap().to_json(), json!({ "receipt": 1 }));
    assert_eq!(paid.get(), 1);
}

/// A graph that asks, and has one history in its thread.
fn remembers() -> DynGraph {
    DynGraphBuilder::new()
        .reduce("said", Reducer::Add, json!([]))
        .node("asks", |ctx: DynCtx| async move {
            let said = ctx.ask("what?")?;
            Ok::<_, Halt>(Value::map([("said", Value::list([said]))]))
        })
        .edge("__start__", "asks")
        .persist(Persist::PerThread)
        .build()
        .unwrap()
}

fn around(below: usize, node: impl Fn(DynCtx) -> Work + Send + Sync + 'static) -> DynGraph {
    use superstep_core::command::{Command, Goto, Send};

    DynGraphBuilder::new()
        .reduce("said", Reducer::Add, json!([]))
        .node("fan", move |_: DynCtx| async move {
            let sends = (0..below).map(|n| Goto::Send(Send::new("work", json!(n))));
            Ok::<_, Halt>(Command {
                goto: sends.collect(),
                ..Command::default()
            })
        })
        .node("work", node)
        .edge("__start__", "fan")
        .backends(saved())
        .build()
        .unwrap()
}

type Work = std::pin::Pin<Box<dyn Future<Output = Result<serde_json::Value, Halt>> + Send>>;

#[tokio::test]
async fn one_history_is_not_continued_by_two_tasks_of_a_step_or_twice_by_one() {
    // As a second run of the task, below a graph that the task runs twice, and in tasks that were sent.
    let twice = around(1, |ctx| {
        Box::pin(async move {
            ctx.run_graph(&remembers(), json!({})).await?;
            ctx.run_graph(&remembers(), json!({})).await?;
            Ok(json!({}))
        })
    });
    let below = around(1, |ctx| {
        let middle = DynGraphBuilder::new()
            .reduce("said", Reducer::Add, json!([]))
            .subgraph("inner", remembers(), DynNodeOptions::default())
            .edge("__start__", "inner")
            .build()
            .unwrap();
        Box::pin(async move {
            ctx.run_graph(&middle, json!({})).await?;
            ctx.run_graph(&middle, json!({})).await?;
            Ok(json!({}))
        })
    });
    for graph in [twice, below] {
        let options = RunOptions::on("t");
        let outcome = graph.invoke(json!({}), &options).await.unwrap();
        assert_eq!(outcome.status, Status::Waiting);
        let error = graph.invoke(input::resume("one"), &options).await;
        assert_eq!(error.unwrap_err().code(), "SS3052");
    }
    let sent = |below| {
        around(below, |ctx| {
            Box::pin(async move {
                let said = ctx.run_graph(&remembers(), json!({})).await?;
                Ok(said.unwrap_or_default().to_json())
            })
        })
    };
    let error = sent(2).invoke(json!({}), &RunOptions::on("t")).await;
    assert_eq!(error.unwrap_err().code(), "SS3052");
    // One at a time continues what was said before.
    let (alone, options) = (sent(1), RunOptions::on("t"));
    for (answer, all) in [
        ("one", json!(["one"])),
        ("two", json!(["one", "one", "two"])),
    ] {
        let outcome = alone.invoke(json!({}), &options).await.unwrap();
        assert_eq!(outcome.status, Status::Waiting);
        let outcome = alone.invoke(input::resume(answer), &options).await.unwrap();
        assert_eq!(outcome.output.unwrap().to_json(), json!({ "said": all }));
    }
}

#[tokio::test]
async fn an_effect_of_a_graph_that_stores_nothing_is_refused() {
    let made = Count::default();
    let inner = {
        let made = made.clone();
        DynGraphBuilder::new()
            .last_value("x")
            .node("pay", move |ctx: DynCtx| {
                let made = made.clone();
                async move {
                    let pay = || async move { Ok::<_, EffectError>(made.up()) };
                    let receipt = ctx.once("pay", pay).await?;
                    Ok::<_, Halt>(json!({ "x": receipt }))
                }
            })
            .edge("__start__", "pay")
            .persist(Persist::Off)
            .build()
            .unwrap()
    };
    let graph = |backends| {
        DynGraphBuilder::new()
            .last_value("x")
            .subgraph("shop", inner.clone(), DynNodeOptions::default())
            .edge("__start__", "shop")
            .backends(backends)
            .build()
            .unwrap()
    };
    let (stored, thread) = (graph(saved()), RunOptions::on("t"));
    let error = stored.invoke(json!({ "x": 0 }), &thread).await;
    assert_eq!(error.unwrap_err().code(), "SS3053");
    assert_eq!(made.get(), 0);
    // Nothing resumes where nothing is stored.
    let unsaved = graph(Backends::default());
    let outcome = unsaved
        .invoke(json!({ "x": 0 }), &RunOptions::default())
        .await;
    let output = outcome.unwrap().output.unwrap();
    assert_eq!(output.to_json(), json!({ "x": 1 }));
}
