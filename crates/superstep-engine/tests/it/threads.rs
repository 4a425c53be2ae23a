//! One writer per thread.

use std::sync::Arc;

use serde_json::json;
use superstep_core::{Value, run::Halt};
use superstep_engine::{DynCtx, RunOptions, input};
use tokio::sync::Notify;

use crate::fixture::{Count, object, one, saved};

#[tokio::test]
async fn a_second_run_of_a_busy_thread_is_refused_and_runs_nothing() {
    let (entered, leave, runs) = (
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
        Count::default(),
    );
    let (e, l, r) = (entered.clone(), leave.clone(), runs.clone());
    let graph = one(move |_: DynCtx| {
        let (entered, leave, runs) = (e.clone(), l.clone(), r.clone());
        async move {
            runs.up();
            entered.notify_one();
            leave.notified().await;
            Ok::<_, Halt>(object(json!({ "x": 1 })))
        }
    })
    .backends(saved())
    .build()
    .expect("it builds");
    let first = {
        let graph = graph.clone();
        tokio::spawn(async move { graph.invoke(object(json!({})), &RunOptions::on("t")).await })
    };
    entered.notified().await;
    let error = graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .expect_err("busy");
    assert_eq!(error.code(), "SS2001");
    leave.notify_one();
    first.await.expect("it ends").expect("and well");
    assert_eq!(runs.get(), 1);
}

#[tokio::test]
async fn of_many_resumers_of_one_question_one_wins() {
    let effects = Count::default();
    let done = effects.clone();
    let graph = one(move |ctx: DynCtx| {
        let done = done.clone();
        async move {
            let answer = ctx.ask("send?")?;
            tokio::task::yield_now().await;
            done.up();
            Ok::<_, Halt>(Value::map([("x", answer)]))
        }
    })
    .backends(saved())
    .build()
    .expect("it builds");
    let asked = graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .expect("it asks");
    let id = asked.asks.first().expect("a question").id;
    let mut resumers = tokio::task::JoinSet::new();
    for n in 0..64 {
        let graph = graph.clone();
        resumers.spawn(async move {
            let options = RunOptions {
                strict_resume: true,
                ..RunOptions::on("t")
            };
            graph
                .invoke(input::answers([(id, Value::from(n))]), &options)
                .await
        });
    }
    let results = resumers.join_all().await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        assert!(["SS2001", "SS1105"].contains(&error.code()), "{error}");
    }
    assert_eq!(effects.get(), 1);
}
