//! Runs that are started, followed, cut short and taken up again.

use std::{future::pending, sync::Arc};

use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::json;
use superstep_core::{
    Value,
    error::Failure,
    event::{Ending, EventKind, Modes},
    id::{AskId, RunId},
    run::Halt,
    runs::{RunQuery, RunStatus},
};
use superstep_engine::{Backends, DynCtx, DynFollow, DynGraph, LogItem, RunOptions, Status, input};
use tokio::sync::Notify;

use crate::fixture::{Count, object, one, saved, writes};

/// Hangs in its first attempt, after it has said that it is there.
fn hangs_once(backends: Backends) -> (DynGraph, Arc<Notify>) {
    let (there, runs) = (Arc::new(Notify::new()), Count::default());
    let t = there.clone();
    let graph = one(move |_: DynCtx| {
        let (there, run) = (t.clone(), runs.up());
        async move {
            if run == 1 {
                there.notify_one();
                pending::<()>().await;
            }
            Ok::<_, Halt>(json!({ "x": run }))
        }
    })
    .backends(backends)
    .build()
    .unwrap();
    (graph, there)
}

fn logging() -> RunOptions {
    RunOptions {
        log: Modes::UPDATES,
        ..RunOptions::on("t")
    }
}

async fn items(mut reader: DynFollow) -> Vec<LogItem> {
    let mut seen = Vec::new();
    while let Some((_, item)) = reader.next().await.unwrap() {
        seen.push(item);
    }
    seen
}

#[tokio::test]
async fn a_started_run_shows_its_events_and_its_outcome() {
    let graph = one(writes(object(json!({ "x": 1 }))))
        .backends(saved())
        .build()
        .unwrap();
    let mut running = graph
        .start(json!({ "x": 0 }), &RunOptions::on("t"))
        .await
        .unwrap();
    let record = graph.find_run(running.id).await.unwrap().unwrap();
    assert_eq!(record.thread, "t".into());
    let events: Vec<_> = running.events.by_ref().collect().await;
    assert!(matches!(&events[..], [event] if matches!(event.kind, EventKind::Update { .. })));
    let id = running.id;
    assert_eq!(running.await.unwrap().status, Status::Done);
    let record = graph.find_run(id).await.unwrap().unwrap();
    assert_eq!((record.status(), record.attempt), (RunStatus::Done, 1));
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Done);
}

#[tokio::test]
async fn a_run_goes_on_when_nobody_holds_it_and_can_be_followed_by_its_id() {
    let (there, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (t, g) = (there.clone(), go.clone());
    let graph = one(move |ctx: DynCtx| {
        let (there, go) = (t.clone(), g.clone());
        async move {
            there.notify_one();
            go.notified().await;
            Ok::<_, Halt>(json!({ "x": ctx.run_id().map(|id| id.to_string()) }))
        }
    })
    .backends(saved())
    .build()
    .unwrap();
    let id = graph.start(json!({}), &logging()).await.unwrap().id;
    there.notified().await;
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Running);
    let mut reader = graph.follow_run(id, None, Modes::UPDATES);
    assert!(matches!(
        reader.next().await.unwrap(),
        Some((_, LogItem::Started { .. }))
    ));
    assert!(reader.next().now_or_never().is_none(), "it waits");
    go.notify_one();
    let rest = items(reader).await;
    assert!(matches!(
        &rest[..],
        [LogItem::Event(_), LogItem::Ended(Ending::Done)]
    ));
    let state = graph
        .state(&"t".into(), None, Default::default())
        .await
        .unwrap();
    assert_eq!(state.values.to_json(), json!({ "x": id.to_string() }));
}

#[tokio::test]
async fn what_cannot_run_is_refused_before_there_is_a_run() {
    let (graph, there) = hangs_once(saved());
    let running = graph.start(json!({}), &RunOptions::on("t")).await.unwrap();
    there.notified().await;
    let busy = graph
        .start(json!({}), &RunOptions::on("t"))
        .await
        .unwrap_err();
    assert_eq!(busy.code(), "SS2001");
    running.cancel("make room");
    assert_eq!(running.await.unwrap_err().code(), "SS1113");
    let nothing = graph.start(input::go_on(), &RunOptions::on("new")).await;
    assert_eq!(nothing.unwrap_err().code(), "SS1101");
    let strict = RunOptions {
        strict_resume: true,
        ..RunOptions::on("t")
    };
    let unasked = input::answers([(AskId(1), true.into())]);
    assert_eq!(
        graph.start(unasked, &strict).await.unwrap_err().code(),
        "SS1105"
    );
    let runs = graph.runs("t", &RunQuery::default()).await.unwrap();
    assert_eq!(runs.len(), 1, "refused ones leave no record");
    assert!(
        graph
            .runs("new", &RunQuery::default())
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_run_that_logs_nothing_has_an_ending_for_its_readers() {
    let graph =
        one(|_: DynCtx| async { Err::<Value, _>(Halt::from(Failure::new("Broken", "no"))) })
            .backends(saved())
            .build()
            .unwrap();
    let running = graph.start(json!({}), &RunOptions::on("t")).await.unwrap();
    let seen = items(graph.follow_run(running.id, None, Modes::ALL)).await;
    assert!(
        matches!(&seen[..], [LogItem::Ended(Ending::Failed { code, .. })] if code == "SS1001"),
        "{seen:?}"
    );
    assert_eq!(running.await.unwrap_err().code(), "SS1001");
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Failed);
}

#[tokio::test]
async fn an_unknown_run_is_an_error_for_its_reader_and_its_canceller() {
    let (graph, _) = hangs_once(saved());
    let mut reader = graph.follow_run(RunId(7), None, Modes::ALL);
    assert_eq!(reader.next().await.unwrap_err().code(), "SS2018");
    assert_eq!(
        graph.cancel(RunId(7), "").await.unwrap_err().code(),
        "SS2018"
    );
    assert_eq!(graph.status("never").await.unwrap_err().code(), "SS2003");
}

#[tokio::test]
async fn readers_of_a_run_that_was_dropped_get_its_ending() {
    let (graph, there) = hangs_once(saved());
    let options = logging();
    let run = tokio::spawn({
        let (graph, options) = (graph.clone(), options.clone());
        async move { graph.invoke(json!({}), &options).await }
    });
    there.notified().await;
    let by_thread = tokio::spawn(items(graph.follow("t", None, Modes::UPDATES)));
    let id = graph.runs("t", &RunQuery::default()).await.unwrap()[0].id;
    let by_run = tokio::spawn(items(graph.follow_run(id, None, Modes::UPDATES)));
    tokio::task::yield_now().await;
    run.abort();
    let cut = [Some("started"), Some("interrupted")];
    for seen in [by_thread.await.unwrap(), by_run.await.unwrap()] {
        let words: Vec<_> = seen
            .iter()
            .map(|item| match item {
                LogItem::Started { .. } => Some("started"),
                LogItem::Ended(Ending::Interrupted) => Some("interrupted"),
                _ => None,
            })
            .collect();
        assert_eq!(words, cut);
    }
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Interrupted);
}

#[tokio::test]
async fn what_was_cut_short_is_found_and_continued() {
    let (graph, there) = hangs_once(saved());
    {
        let options = RunOptions {
            metadata: Value::map([("user", "ann".into())]),
            ..logging()
        };
        let run = graph.invoke(json!({}), &options);
        tokio::select! {
            _ = run => panic!("it hangs"),
            () = there.notified() => {}
        }
    }
    assert_eq!(graph.interrupted_threads().await.unwrap(), ["t".into()]);
    let mut recovery = graph.resume_interrupted(&logging()).await.unwrap();
    assert!(recovery.failed.is_empty());
    let running = recovery.started.pop().unwrap();
    assert!(recovery.started.is_empty());
    let id = running.id;
    assert_eq!(running.await.unwrap().status, Status::Done);
    let record = graph.find_run(id).await.unwrap().unwrap();
    assert_eq!(record.metadata.to_json(), json!({ "user": "ann" }));
    assert!(graph.interrupted_threads().await.unwrap().is_empty());
    assert!(
        graph
            .resume_interrupted(&logging())
            .await
            .unwrap()
            .started
            .is_empty()
    );
    // A reader of the thread is told of both endings, also when it comes later.
    let endings: Vec<_> = items(graph.follow("t", None, Modes::UPDATES))
        .await
        .into_iter()
        .filter_map(|item| match item {
            LogItem::Ended(ending) => Some(ending),
            _ => None,
        })
        .collect();
    assert_eq!(endings, [Ending::Interrupted, Ending::Done]);
}

#[tokio::test]
async fn a_reader_that_comes_back_after_the_ending_of_a_cut_run_gets_no_second_one() {
    let (graph, there) = hangs_once(saved());
    {
        let options = logging();
        let run = graph.invoke(json!({}), &options);
        tokio::select! {
            _ = run => panic!("it hangs"),
            () = there.notified() => {}
        }
    }
    let id = graph.runs("t", &RunQuery::default()).await.unwrap()[0].id;
    let mut reader = graph.follow_run(id, None, Modes::UPDATES);
    let mut last = None;
    while let Some((cursor, _)) = reader.next().await.unwrap() {
        last = Some(cursor);
    }
    assert!(
        items(graph.follow_run(id, last, Modes::UPDATES))
            .await
            .is_empty()
    );
    assert!(
        items(graph.follow("t", last, Modes::UPDATES))
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_reader_that_comes_between_two_runs_is_not_told_that_all_is_over() {
    let (there, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (t, g, runs) = (there.clone(), go.clone(), Count::default());
    let graph = one(move |_: DynCtx| {
        let (there, go, run) = (t.clone(), g.clone(), runs.up());
        async move {
            if run == 2 {
                there.notify_one();
                go.notified().await;
            }
            Ok::<_, Halt>(json!({ "x": run }))
        }
    })
    .backends(saved())
    .build()
    .unwrap();
    graph.invoke(json!({}), &logging()).await.unwrap();
    let mut first = graph.follow("t", None, Modes::UPDATES);
    let mut last = None;
    while let Some((cursor, _)) = first.next().await.unwrap() {
        last = Some(cursor);
    }
    let running = graph.start(json!({}), &logging()).await.unwrap();
    there.notified().await;
    let mut second = graph.follow("t", last, Modes::UPDATES);
    let next = second.next().await.unwrap().map(|(_, item)| item);
    assert!(matches!(next, Some(LogItem::Started { .. })), "{next:?}");
    go.notify_one();
    running.await.unwrap();
    let rest = items(second).await;
    assert!(matches!(rest.last(), Some(LogItem::Ended(Ending::Done))));
}

#[tokio::test]
async fn a_graph_without_a_saver_can_be_started_too() {
    let graph = one(writes(object(json!({ "x": 1 })))).build().unwrap();
    let running = graph
        .start(json!({}), &RunOptions::default())
        .await
        .unwrap();
    let outcome = running.await.unwrap();
    assert_eq!(outcome.output.unwrap().to_json(), json!({ "x": 1 }));
}

#[tokio::test]
async fn a_run_has_the_id_that_its_caller_chose() {
    let graph = one(writes(object(json!({ "x": 1 }))))
        .backends(saved())
        .build()
        .unwrap();
    let options = RunOptions {
        run: Some(RunId(42)),
        ..RunOptions::on("t")
    };
    let running = graph.start(json!({}), &options).await.unwrap();
    assert_eq!(running.id, RunId(42));
    running.await.unwrap();
    let again = graph.start(json!({}), &options).await.unwrap_err();
    assert_eq!(again.code(), "SS2019", "an id names one run");
}
