//! Workers: runs from a queue, one after the other on a thread, and over the end of a worker.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use superstep_core::{
    Value,
    command::Command,
    event::Ending,
    plan::Pauses,
    run::{Drain, Halt},
    runs::{EnqueueRun, OnBusy, QueuedInput, RunStatus},
    saver::Saver as _,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, RunOptions, Status, Worker, memory::MemorySaver,
    state::Depth,
};
use tokio::sync::Notify;

use crate::kit::object;

/// A graph that appends its input to a log and waits at a gate, if it has one.
fn graph(saver: &MemorySaver, gate: Option<Arc<Notify>>) -> DynGraph {
    let keep = |ctx: DynCtx| async move {
        let mut log: Vec<Value> = ctx.get("log").as_list().unwrap_or_default().to_vec();
        log.push(ctx.get("x"));
        Ok::<_, Halt>(Value::map([("log", Value::list(log))]))
    };
    let wait = move |_: DynCtx| {
        let gate = gate.clone();
        async move {
            if let Some(gate) = gate {
                gate.notified().await;
            }
            Ok::<_, Halt>(Value::map::<&str>([]))
        }
    };
    DynGraphBuilder::new()
        .name("keeps")
        .last_value("x")
        .last_value("log")
        .node("keep", keep)
        .node("wait", wait)
        .edge("__start__", "keep")
        .edge("keep", "wait")
        .backends(Backends::on(saver.clone()))
        .build()
        .unwrap()
}

fn x(n: i64) -> QueuedInput {
    QueuedInput::Value(object(json!({ "x": n })))
}

async fn log(graph: &DynGraph) -> Value {
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    state.values.get("log").cloned().unwrap_or_default()
}

fn worker(graph: &DynGraph) -> Worker {
    Worker::new([graph.clone()], RunOptions::default()).unwrap()
}

#[tokio::test]
async fn runs_of_a_thread_go_one_after_the_other_and_all_are_told() {
    let graph = graph(&MemorySaver::new(), None);
    for n in 1..=3 {
        graph.enqueue(graph.queued("t", x(n))).await.unwrap();
    }
    graph.enqueue(graph.queued("other", x(9))).await.unwrap();
    let (stop, told) = (Drain::default(), AtomicUsize::new(0));
    let worker = Arc::new(worker(&graph));
    let count = |worked: superstep_engine::Worked| {
        worked.outcome.unwrap();
        if told.fetch_add(1, Ordering::Relaxed) == 3 {
            stop.request("enough");
        }
    };
    worker.run(&stop, count).await.unwrap();
    assert_eq!(log(&graph).await, Value::from(json!([1, 2, 3])));
    assert_eq!(graph.status("other").await.unwrap(), RunStatus::Done);
}

#[tokio::test]
async fn what_a_worker_left_behind_is_continued_and_not_fed_again() {
    let (saver, gate) = (MemorySaver::new(), Arc::new(Notify::new()));
    let stuck = graph(&saver, Some(gate));
    let queued = stuck.enqueue(stuck.queued("t", x(1))).await.unwrap();
    let lost = tokio::spawn({
        let worker = worker(&stuck);
        async move { worker.work_once().await }
    });
    while log(&stuck).await == Value::Null {
        tokio::task::yield_now().await;
    }
    lost.abort();
    assert!(lost.await.unwrap_err().is_cancelled());
    let after = graph(&saver, None);
    let worked = worker(&after).work_once().await.unwrap().unwrap();
    assert_eq!(worked.run, queued.id);
    worked.outcome.unwrap();
    assert_eq!(log(&after).await, Value::from(json!([1])));
    let record = after.find_run(queued.id).await.unwrap().unwrap();
    assert_eq!((record.attempt, record.status()), (2, RunStatus::Done));
}

#[tokio::test]
async fn a_worker_has_runs_by_the_names_it_is_given_and_each_its_own_options() {
    let saver = MemorySaver::new();
    let graph = graph(&saver, None);
    let queued = EnqueueRun {
        graph: "another name".into(),
        metadata: json!({ "pause": true }).into(),
        ..graph.queued("t", x(1))
    };
    let run = saver.run_queue().enqueue(queued).await.unwrap().id;
    assert!(worker(&graph).work_once().await.unwrap().is_none());
    let names = [("another name".into(), graph.clone())];
    let worker = Worker::named(names, RunOptions::default()).unwrap();
    let worker = worker.per_run(|record, options| {
        let pauses = record.metadata.get("pause").is_some();
        Ok(RunOptions {
            pause_after: if pauses { Pauses::All } else { Pauses::None },
            ..options
        })
    });
    let worked = worker.work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap().status, Status::Paused);
    let record = graph.find_run(run).await.unwrap().unwrap();
    assert_eq!(&*record.graph, "another name");
}

#[tokio::test]
async fn a_run_that_cannot_begin_ends_and_those_behind_it_go_on() {
    let graph = graph(&MemorySaver::new(), None);
    let nothing = QueuedInput::Command(Command::default(), None);
    let wrong = EnqueueRun {
        input: QueuedInput::Nothing,
        ..graph.queued("t", nothing)
    };
    let wrong = graph.enqueue(wrong).await.unwrap();
    graph.enqueue(graph.queued("t", x(1))).await.unwrap();
    let worker = worker(&graph);
    let worked = worker.work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap_err().code(), "SS1101");
    let record = graph.find_run(wrong.id).await.unwrap().unwrap();
    let Some(Ending::Failed { code, .. }) = record.ending else {
        panic!("{record:?}");
    };
    assert_eq!(code, "SS1101");
    worker.work_once().await.unwrap().unwrap().outcome.unwrap();
    assert_eq!(log(&graph).await, Value::from(json!([1])));
}

#[tokio::test]
async fn a_run_in_place_of_another_goes_on_from_where_it_was_or_from_where_that_began() {
    for (on_busy, wanted) in [
        (OnBusy::Interrupt, json!([1, 2, 3])),
        (OnBusy::Rollback, json!([1, 3])),
    ] {
        let (saver, gate) = (MemorySaver::new(), Arc::new(Notify::new()));
        let free = graph(&saver, None);
        free.enqueue(free.queued("t", x(1))).await.unwrap();
        worker(&free).work_once().await.unwrap().unwrap();
        let stuck = graph(&saver, Some(gate));
        let second = stuck.enqueue(stuck.queued("t", x(2))).await.unwrap();
        let running = tokio::spawn({
            let worker = worker(&stuck);
            async move { worker.work_once().await }
        });
        while log(&stuck).await != Value::from(json!([1, 2])) {
            tokio::task::yield_now().await;
        }
        let third = EnqueueRun {
            on_busy,
            ..free.queued("t", x(3))
        };
        free.enqueue(third).await.unwrap();
        let cancelled = running.await.unwrap().unwrap().unwrap();
        assert_eq!(cancelled.run, second.id);
        assert_eq!(cancelled.outcome.unwrap_err().code(), "SS1113");
        let worked = worker(&free).work_once().await.unwrap().unwrap();
        worked.outcome.unwrap();
        assert_eq!(log(&free).await, Value::from(wanted));
    }
}
