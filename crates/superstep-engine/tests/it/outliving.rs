//! Contexts, effects and graphs that outlive their task.

use std::sync::{Arc, Mutex};

use serde_json::json;

use superstep_core::{
    Failure, Value,
    event::{Entry, Modes},
    run::Halt,
};
use superstep_engine::{CallTask, DynCtx, DynGraphBuilder, RunOptions, input};
use tokio::sync::Notify;

use crate::{
    effects::retried,
    fixture::{Count, object, one, saved},
};

/// What a context says that is used after its task has ended.
async fn after_the_end(ctx: &DynCtx, paid: &Count) -> Vec<&'static str> {
    let code = |halt: Halt| match halt {
        Halt::Error(error) => error.code(),
        other => panic!("{other:?}"),
    };
    let task = CallTask::new("called", |_, _| async { Ok(Value::Null) });
    let child = one(|_: DynCtx| async { Ok::<_, Halt>(Value::Null) });
    let child = child.build().expect("the child builds");
    ctx.emit("not heard").await;
    let pay = || async { Ok(paid.up()) };
    vec![
        code(ctx.once("pay", pay).await.expect_err("once")),
        code(ctx.ask("who?").expect_err("ask")),
        code(ctx.call(&task, Vec::new()).await.expect_err("call")),
        code(ctx.run_graph(&child, json!({})).await.expect_err("graph")),
    ]
}

#[tokio::test]
async fn a_context_that_outlives_its_task_can_do_nothing_in_the_place_of_another() {
    let (wake, leaked) = (Arc::new(Notify::new()), Arc::new(Mutex::new(None)));
    let (paid_by_a, paid_by_b) = (Count::default(), Count::default());
    let a = {
        let (wake, leaked, paid) = (wake.clone(), leaked.clone(), paid_by_a.clone());
        move |ctx: DynCtx| {
            let (wake, paid) = (wake.clone(), paid.clone());
            let outlives = tokio::spawn(async move {
                wake.notified().await;
                after_the_end(&ctx, &paid).await
            });
            *leaked.lock().expect("unpoisoned") = Some(outlives);
            async { Ok::<_, Halt>(Value::Null) }
        }
    };
    let b = {
        let paid = paid_by_b.clone();
        move |ctx: DynCtx| {
            let (wake, leaked, paid) = (wake.clone(), leaked.clone(), paid.clone());
            async move {
                wake.notify_one();
                let outlives = leaked.lock().expect("unpoisoned").take();
                let codes = outlives.expect("it runs").await.expect("no panic");
                assert_eq!(codes, ["SS3051"; 4]);
                let receipt: usize = ctx.once("pay", || async { Ok(paid.up()) }).await?;
                Ok::<_, Halt>(object(json!({ "x": receipt })))
            }
        }
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node("a", a)
        .node("b", b)
        .edge("__start__", "a")
        .edge("a", "b")
        .backends(saved())
        .build()
        .expect("it builds");
    let options = RunOptions {
        log: Modes::CUSTOM,
        ..RunOptions::on("t")
    };
    let outcome = graph.invoke(json!({}), &options).await;
    let output = outcome.expect("b pays").output.expect("output");
    assert_eq!(output.to_json(), json!({ "x": 1 }));
    assert_eq!((paid_by_a.get(), paid_by_b.get()), (0, 1));
    let log = graph.whole_log("t").await.expect("the log");
    let message = log.iter().filter(|it| matches!(it.entry, Entry::Event(_)));
    assert_eq!(message.count(), 0, "{log:?}");
}

#[tokio::test]
async fn a_context_of_an_attempt_that_failed_is_not_one_of_the_next_attempt() {
    let (first, tries) = (Arc::new(Mutex::new(None)), Count::default());
    let paid = Count::default();
    let (f, t, p) = (first.clone(), tries.clone(), paid.clone());
    let graph = retried(move |ctx: DynCtx| {
        let (first, tries, paid) = (f.clone(), t.clone(), p.clone());
        async move {
            if tries.up() == 1 {
                *first.lock().expect("unpoisoned") = Some(ctx);
                return Err(Failure::new("Network", "gone").into());
            }
            let old = first.lock().expect("unpoisoned").take().expect("kept");
            assert_eq!(after_the_end(&old, &paid).await, ["SS3051"; 4]);
            let n: usize = ctx.once("pay", || async { Ok(paid.up()) }).await?;
            Ok::<_, Halt>(object(json!({ "x": n })))
        }
    })
    .build()
    .expect("it builds");
    let outcome = graph.invoke(json!({}), &RunOptions::on("t")).await;
    let output = outcome.expect("the second attempt pays").output;
    assert_eq!(output.expect("output").to_json(), json!({ "x": 1 }));
}

#[tokio::test]
async fn an_effect_that_ends_after_its_task_is_left_as_started() {
    let (paying, pay) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (leaked, tries) = (Arc::new(Mutex::new(None)), Count::default());
    let (p, go, l, t) = (paying, pay.clone(), leaked.clone(), tries.clone());
    let graph = one(move |ctx: DynCtx| {
        let (paying, pay, leaked, tries) = (p.clone(), go.clone(), l.clone(), t.clone());
        async move {
            if tries.up() > 1 {
                ctx.once("pay", || async { Ok(2) }).await?;
                return Ok(Value::Null);
            }
            let began = paying.clone();
            let outlives = tokio::spawn(async move {
                let effect = || async {
                    began.notify_one();
                    pay.notified().await;
                    Ok(1)
                };
                ctx.once("pay", effect).await
            });
            paying.notified().await;
            *leaked.lock().expect("unpoisoned") = Some(outlives);
            Err::<Value, _>(Halt::from(Failure::new("Network", "gone").permanent()))
        }
    });
    let graph = graph.backends(saved()).build().expect("it builds");
    let options = RunOptions::on("t");
    let error = graph.invoke(json!({}), &options).await.expect_err("gone");
    assert_eq!(error.code(), "SS1001");
    pay.notify_one();
    let outlives = leaked.lock().expect("unpoisoned").take().expect("it runs");
    let late: Result<i64, Halt> = outlives.await.expect("no panic");
    assert!(matches!(late, Err(Halt::Error(error)) if error.code() == "SS3051"));
    let error = graph.invoke(input::go_on(), &options).await;
    assert_eq!(error.expect_err("nobody knows").code(), "SS1202");
}

#[tokio::test]
async fn a_graph_that_outlives_the_task_that_runs_it_has_no_effects() {
    let (go, leaked, paid) = (
        Arc::new(Notify::new()),
        Arc::new(Mutex::new(None)),
        Count::default(),
    );
    let (begun, g, p) = (Arc::new(Notify::new()), go.clone(), paid.clone());
    let b = begun.clone();
    let child = one(move |ctx: DynCtx| {
        let (begun, go, paid) = (b.clone(), g.clone(), p.clone());
        async move {
            begun.notify_one();
            go.notified().await;
            ctx.once("pay", || async move { Ok(paid.up()) }).await?;
            Ok::<_, Halt>(Value::Null)
        }
    });
    let child = child.build().expect("the child builds");
    let l = leaked.clone();
    let a = move |ctx: DynCtx| {
        let (child, leaked, begun) = (child.clone(), l.clone(), begun.clone());
        async move {
            let outlives =
                tokio::spawn(async move { ctx.run_graph(&child, json!({ "x": 1 })).await });
            begun.notified().await;
            *leaked.lock().expect("unpoisoned") = Some(outlives);
            Ok::<_, Halt>(Value::Null)
        }
    };
    let b = move |_: DynCtx| {
        let (go, leaked) = (go.clone(), leaked.clone());
        async move {
            go.notify_one();
            let outlives = leaked.lock().expect("unpoisoned").take();
            let ended = outlives.expect("it runs").await.expect("no panic");
            let Err(Halt::Error(error)) = ended else {
                panic!("{ended:?}")
            };
            assert_eq!(error.code(), "SS3051");
            Ok::<_, Halt>(object(json!({ "x": 2 })))
        }
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node("a", a)
        .node("b", b)
        .edge("__start__", "a")
        .edge("a", "b")
        .backends(saved())
        .build()
        .expect("it builds");
    let done = graph.invoke(json!({}), &RunOptions::on("t")).await;
    done.expect("the graph goes on without it");
    assert_eq!(paid.get(), 0);
}
