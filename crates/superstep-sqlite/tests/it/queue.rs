//! A queue and a schedule that two handles on one file share, as two processes do.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Backends, RunOptions, RunStatus, Saver, Value,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, Halt, START, Worker, state::Depth},
    runs::{QueuedInput, RunQuery},
    saver::ThreadQuery,
    schedules::CronSchedule,
};
use superstep_sqlite::Database;

use crate::env::{Folder, tamper};

/// A graph that appends its input to a log.
fn graph(database: &Database) -> DynGraph {
    let keep = |ctx: DynCtx| async move {
        let x = ctx.get("x");
        tokio::task::yield_now().await;
        Ok::<_, Halt>(Value::map([("log", Value::list([x]))]))
    };
    DynGraphBuilder::new()
        .name("keeps")
        .last_value("x")
        .reduce("log", DynReducer::Add, json!([]))
        .node("keep", keep)
        .edge(START, "keep")
        .backends(Backends::on(database.saver()))
        .build()
        .unwrap()
}

/// Works until nothing is left to do anywhere, and returns how many runs it had.
async fn work(graph: DynGraph) -> usize {
    let worker = Worker::new([graph.clone()], RunOptions::default()).unwrap();
    let mut worked = 0;
    loop {
        match worker.work_once().await.unwrap() {
            Some(done) => {
                if done.outcome.is_ok() {
                    worked += 1;
                }
            }
            None if is_idle(&graph).await => return worked,
            None => tokio::task::yield_now().await,
        }
    }
}

async fn is_idle(graph: &DynGraph) -> bool {
    let all = RunQuery::default();
    for thread in 0..5 {
        let runs = graph.runs(format!("t{thread}"), &all).await.unwrap();
        if runs.iter().any(|run| !run.status().has_ended()) {
            return false;
        }
    }
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_handles_share_a_queue_and_run_each_run_once_in_order() {
    let folder = Folder::new();
    let (one, two) = (folder.open(), folder.open());
    let graphs = [graph(&one), graph(&two)];
    for n in 0..30 {
        let input = QueuedInput::Value(json!({ "x": n }).into());
        let by = &graphs[n % 2];
        let queued = by.queued(format!("t{}", n % 5), input);
        by.enqueue(queued).await.unwrap();
    }
    let [a, b] = graphs.clone().map(|graph| tokio::spawn(work(graph)));
    let (a, b) = (a.await.unwrap(), b.await.unwrap());
    assert_eq!(a + b, 30, "{a} and {b}");
    for thread in 0..5 {
        let name = format!("t{thread}");
        let id = name.as_str().into();
        let state = graphs[0].state(&id, None, Depth::Here).await.unwrap();
        let log = state.values.get("log").cloned();
        let wanted: Vec<usize> = (0..30).filter(|n| n % 5 == thread).collect();
        assert_eq!(log, Some(json!(wanted).into()), "{name}");
        let all = RunQuery::default();
        let runs = graphs[1].runs(name.as_str(), &all).await.unwrap();
        assert!(runs.iter().all(|run| run.status() == RunStatus::Done));
        assert!(runs.iter().all(|run| run.attempt == 1));
    }
}

#[tokio::test]
async fn two_handles_fire_a_schedule_once_and_a_third_finds_it_after_a_restart() {
    let folder = Folder::new();
    let (one, two) = (folder.open(), folder.open());
    let graphs = [graph(&one), graph(&two)];
    let schedule = CronSchedule {
        thread: Some("t0".into()),
        input: QueuedInput::Value(json!({ "x": 7 }).into()),
        ..CronSchedule::new("yearly", "0 0 1 1 *")
    };
    let stored = graphs[0].schedule(schedule).await.unwrap();
    let next = stored.next;
    // As if it had been stored long ago.
    let overdue = CronSchedule {
        next: Some(1),
        ..stored
    };
    let saver: Arc<dyn Saver> = Arc::new(one.saver());
    saver.schedules().put_schedule(overdue).await.unwrap();
    let (a, b) = tokio::join!(work(graphs[0].clone()), work(graphs[1].clone()));
    assert_eq!(a + b, 1);
    drop((graphs, saver, one, two));
    let third = folder.open();
    let graph = graph(&third);
    let found = graph.schedules().await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].next, next);
    let last = found[0].last.as_ref().unwrap();
    let run = graph.find_run(last.run.unwrap()).await.unwrap().unwrap();
    assert_eq!((last.due, run.status()), (1, RunStatus::Done));
    let report = third.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    assert_eq!(report.schedules, 1);
    let other = Folder::new();
    let copy = other.open();
    let copied = third.copy_into(&copy).await.unwrap();
    assert_eq!((copied.schedules, copied.runs), (1, report.runs));
    let there = copy.saver().schedules().list_schedules().await.unwrap();
    assert_eq!(there, found);
    let by_status = ThreadQuery {
        status: vec![RunStatus::Done],
        ..ThreadQuery::default()
    };
    let page = copy.saver().find_threads(&by_status).await.unwrap();
    assert!(page.threads.iter().any(|info| info.id.as_str() == "t0"));
}

#[tokio::test]
async fn a_damaged_thread_fails_its_own_run_and_holds_up_no_other() {
    let folder = Folder::new();
    {
        let database = folder.open();
        let graph = graph(&database);
        for thread in ["a", "b", "c"] {
            let options = RunOptions::on(thread);
            graph.invoke(json!({ "x": 0 }), &options).await.unwrap();
            let queued = graph.queued(thread, QueuedInput::Value(json!({ "x": 1 }).into()));
            graph.enqueue(queued).await.unwrap();
        }
    }
    let damage = "UPDATE log SET body = zeroblob(20) WHERE graph =
                  (SELECT graph FROM graphs JOIN threads USING (thread) WHERE threads.name = 'b')";
    tamper(&folder.path(), damage);
    let graph = graph(&folder.open());
    let worked = graph.wake_due(&RunOptions::default()).await.unwrap();
    let ends = worked
        .iter()
        .map(|it| (it.thread.as_str(), it.outcome.is_ok()));
    assert_eq!(
        ends.collect::<Vec<_>>(),
        [("a", true), ("b", false), ("c", true)]
    );
    let failed = worked[1].outcome.as_ref().unwrap_err();
    assert_eq!(failed.code(), "SS2005");
}

#[tokio::test]
async fn a_damaged_run_in_the_queue_holds_up_no_other_thread() {
    let folder = Folder::new();
    {
        let database = folder.open();
        let graph = graph(&database);
        for thread in ["a", "b", "c"] {
            let queued = graph.queued(thread, QueuedInput::Value(json!({ "x": 1 }).into()));
            graph.enqueue(queued).await.unwrap();
        }
    }
    // One is damaged while it waits, another one looks as if its process had been killed.
    tamper(
        &folder.path(),
        "UPDATE runs SET body = zeroblob(20) WHERE seq <= 2",
    );
    tamper(&folder.path(), "UPDATE runs SET state = 1 WHERE seq = 1");
    let graph = graph(&folder.open());
    let worked = graph.wake_due(&RunOptions::default()).await.unwrap();
    let threads = worked.iter().map(|it| it.thread.as_str());
    assert_eq!(threads.collect::<Vec<_>>(), ["c"]);
}
