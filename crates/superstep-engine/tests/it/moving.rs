//! Threads that are copied, pruned and moved by the graph they belong to.

use std::time::Duration;

use serde_json::json;
use superstep_core::{
    Value,
    archive::Archive,
    id::ThreadId,
    run::Halt,
    saver::{Keep, Retention},
};
use superstep_engine::{DynCtx, RunOptions, input};

use crate::fixture::{object, one, saved};

fn asks() -> impl superstep_engine::Node {
    |ctx: DynCtx| async move { Ok::<_, Halt>(Value::map([("x", ctx.ask("go?")?)])) }
}

#[tokio::test]
async fn an_exported_thread_is_answered_where_it_was_imported() {
    let here = one(asks()).backends(saved()).build().unwrap();
    let there = here.with_backends(saved());
    let input = object(json!({"x": f64::MIN_POSITIVE / 2.0}));
    let asked = here.invoke(input, &RunOptions::on("t")).await.unwrap();
    let mut file = Vec::new();
    let archive = here.export_thread(&"t".into()).await.unwrap();
    archive.write(&mut file).unwrap();
    let archive = Archive::read(&*file).unwrap();
    let other = ThreadId::from("other");
    there.import_thread(&other, archive.clone()).await.unwrap();
    let again = there.import_thread(&other, archive).await.unwrap_err();
    assert_eq!(again.code(), "SS2004");
    let answer = input::answers([(asked.asks[0].id, Value::from(7))]);
    let done = there
        .invoke(answer, &RunOptions::on("other"))
        .await
        .unwrap();
    assert_eq!(done.output, Some(object(json!({"x": 7}))));
    // The original still waits.
    let waiting = here.invoke(input::go_on(), &RunOptions::on("t")).await;
    assert_eq!(waiting.unwrap().asks.len(), 1);
    let missing = here.export_thread(&"none".into()).await.unwrap_err();
    assert_eq!(missing.code(), "SS2003");
}

#[tokio::test]
async fn a_thread_that_was_started_anew_elsewhere_has_ids_that_still_grow() {
    let here = one(asks()).backends(saved()).build().unwrap();
    here.invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .unwrap();
    let archive = here.export_thread(&"t".into()).await.unwrap();
    // A graph of its own, with its own source of ids.
    let there = one(asks()).backends(saved()).build().unwrap();
    there.import_thread(&"t".into(), archive).await.unwrap();
    let done = there.invoke(input::resume(1), &RunOptions::on("t")).await;
    assert_eq!(done.unwrap().output, Some(object(json!({"x": 1}))));
}

#[tokio::test]
async fn copies_prunes_and_retention_are_at_hand() {
    let graph = one(asks()).backends(saved()).build().unwrap();
    graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .unwrap();
    let (t, copy) = (ThreadId::from("t"), ThreadId::from("copy"));
    graph.copy_thread(&t, &copy).await.unwrap();
    assert_eq!(graph.threads().await.unwrap(), [copy.clone(), t.clone()]);
    graph.prune_thread(&t, Keep::Latest).await.unwrap();
    assert_eq!(graph.export_thread(&t).await.unwrap().len(), 1);
    let keep = Retention {
        idle: Some(Duration::from_secs(3600)),
        keep: Some(Keep::Last(1)),
    };
    let kept = graph.retain_threads(&keep).await.unwrap();
    assert_eq!((kept.deleted.len(), kept.pruned), (0, 1));
    let all = Retention {
        idle: Some(Duration::ZERO),
        keep: None,
    };
    let gone = graph.retain_threads(&all).await.unwrap();
    assert_eq!(gone.deleted, [copy, t]);
}

#[tokio::test]
async fn without_a_saver_there_are_no_threads_to_move() {
    let graph = one(asks()).build().unwrap();
    let error = graph.export_thread(&"t".into()).await.unwrap_err();
    assert_eq!(error.code(), "SS1107");
}
