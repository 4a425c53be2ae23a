//! Workers: runs from a queue, one after the other on a thread, and over the end of a worker.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use serde_json::json;
use superstep_core::{
    Value,
    ask::Resume,
    clock::ManualClock,
    command::Command,
    event::{Ending, Modes},
    plan::Pauses,
    policy::Durability,
    run::{Drain, Halt, RunInput},
    runs::{EnqueueRun, OnBusy, QueuedInput, QueuedOptions, RunQuery, RunStatus},
    saver::Saver as _,
    schedules::CronSchedule,
};
use superstep_engine::{
    Backends, CheckpointRef, DynCtx, DynGraph, DynGraphBuilder, RunOptions, Status, Worker,
    memory::MemorySaver, state::Depth,
};
use tokio::sync::Notify;

use crate::fixture::object;

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
    let (stop, message) = (Drain::default(), AtomicUsize::new(0));
    let worker = Arc::new(worker(&graph));
    let count = |worked: superstep_engine::Worked| {
        worked.outcome.unwrap();
        if message.fetch_add(1, Ordering::Relaxed) == 3 {
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
async fn a_worker_has_runs_by_the_names_it_is_given_and_tells_which_it_begins() {
    let saver = MemorySaver::new();
    let graph = graph(&saver, None);
    let queued = EnqueueRun {
        graph: "another name".into(),
        options: QueuedOptions {
            pause_after: Some(Pauses::All),
            ..QueuedOptions::default()
        },
        ..graph.queued("t", x(1))
    };
    let run = saver.run_queue().enqueue(queued).await.unwrap().id;
    assert!(worker(&graph).work_once().await.unwrap().is_none());
    let names = [("another name".into(), graph.clone())];
    let worker = Worker::named(names, RunOptions::default()).unwrap();
    let begun = Arc::new(Mutex::new(Vec::new()));
    let worker = worker.on_begin({
        let begun = begun.clone();
        move |record| begun.lock().unwrap().push(record.id)
    });
    let worked = worker.work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap().status, Status::Paused);
    let record = graph.find_run(run).await.unwrap().unwrap();
    assert_eq!(&*record.graph, "another name");
    assert_eq!(*begun.lock().unwrap(), [run]);
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

#[tokio::test]
async fn a_first_run_that_is_rolled_back_leaves_nothing() {
    let (saver, gate) = (MemorySaver::new(), Arc::new(Notify::new()));
    let (free, stuck) = (graph(&saver, None), graph(&saver, Some(gate)));
    let first = stuck.enqueue(stuck.queued("t", x(1))).await.unwrap();
    let running = tokio::spawn({
        let worker = worker(&stuck);
        async move { worker.work_once().await }
    });
    while log(&stuck).await != Value::from(json!([1])) {
        tokio::task::yield_now().await;
    }
    // Between them waits one that never begins.
    let waits = free.enqueue(free.queued("t", x(2))).await.unwrap();
    let instead = EnqueueRun {
        on_busy: OnBusy::Rollback,
        ..free.queued("t", x(3))
    };
    free.enqueue(instead).await.unwrap();
    running.await.unwrap().unwrap().unwrap();
    assert_eq!(log(&free).await, Value::Null);
    assert!(free.threads().await.unwrap().is_empty());
    for run in [first.id, waits.id] {
        let record = free.find_run(run).await.unwrap().unwrap();
        assert_eq!(record.status(), RunStatus::Cancelled);
    }
    let worked = worker(&free).work_once().await.unwrap().unwrap();
    worked.outcome.unwrap();
    assert_eq!(log(&free).await, Value::from(json!([3])));
}

#[tokio::test]
async fn a_rolled_back_run_whose_process_was_killed_is_undone_before_the_next() {
    for first in [None, Some(1)] {
        let (saver, gate) = (MemorySaver::new(), Arc::new(Notify::new()));
        let (free, stuck) = (graph(&saver, None), graph(&saver, Some(gate)));
        if let Some(first) = first {
            free.enqueue(free.queued("t", x(first))).await.unwrap();
            worker(&free).work_once().await.unwrap().unwrap();
        }
        let before = log(&free).await;
        stuck.enqueue(stuck.queued("t", x(2))).await.unwrap();
        let lost = tokio::spawn({
            let worker = worker(&stuck);
            async move { worker.work_once().await }
        });
        while log(&stuck).await == before {
            tokio::task::yield_now().await;
        }
        let instead = EnqueueRun {
            on_busy: OnBusy::Rollback,
            ..free.queued("t", x(3))
        };
        free.enqueue(instead).await.unwrap();
        lost.abort();
        assert!(lost.await.unwrap_err().is_cancelled());
        let worked = worker(&free).work_once().await.unwrap().unwrap();
        worked.outcome.unwrap();
        let wanted: Vec<i64> = first.into_iter().chain([3]).collect();
        assert_eq!(log(&free).await, Value::from(json!(wanted)));
    }
}

#[tokio::test]
async fn a_queued_run_is_run_with_the_options_it_was_queued_with() {
    let graph = graph(&MemorySaver::new(), None);
    let options = RunOptions {
        pause_before: Pauses::Nodes(vec!["wait".into()]),
        log: Modes::UPDATES,
        durability: Durability::Normal,
        metadata: json!({ "user": "ann" }).into(),
        deadline: Some(SystemTime::now() + Duration::from_secs(60)),
        ..RunOptions::on("t")
    };
    let run = graph.to_queue(json!({ "x": 1 }), &options).unwrap();
    let queued = graph.enqueue(run).await.unwrap();
    let worked = worker(&graph).work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap().status, Status::Paused);
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    assert_eq!(state.durability, Some(Durability::Normal));
    let record = graph.find_run(queued.id).await.unwrap().unwrap();
    assert_eq!(record.metadata, json!({ "user": "ann" }).into());
    assert!(record.deadline.is_some());
    let mut events = graph.follow_run(queued.id, None, Modes::UPDATES);
    assert!(events.next().await.unwrap().is_some());
    // Another run of the same worker has its own: one step is not enough.
    let options = RunOptions {
        limit: 1,
        ..RunOptions::on("u")
    };
    let run = graph.to_queue(json!({ "x": 1 }), &options).unwrap();
    graph.enqueue(run).await.unwrap();
    let worked = worker(&graph).work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap_err().code(), "SS1102");
    let none = RunOptions {
        limit: 0,
        ..RunOptions::on("u")
    };
    assert!(graph.to_queue(json!({ "x": 1 }), &none).is_err());
    assert!(
        graph
            .to_queue(json!({ "x": 1 }), &RunOptions::default())
            .is_err()
    );
}

#[tokio::test]
async fn a_queued_run_can_begin_at_an_old_checkpoint() {
    let graph = graph(&MemorySaver::new(), None);
    for n in [1, 2] {
        graph.enqueue(graph.queued("t", x(n))).await.unwrap();
        worker(&graph).work_once().await.unwrap().unwrap();
    }
    let first = graph.runs("t", &RunQuery::default()).await.unwrap();
    let made = first.last().unwrap().checkpoint.unwrap();
    let by = graph.run_of("t", made).await.unwrap();
    assert_eq!(by.map(|run| run.id), first.last().map(|run| run.id));
    let at = Some(CheckpointRef::root(made));
    let options = RunOptions {
        at,
        ..RunOptions::on("t")
    };
    let run = graph.to_queue(json!({ "x": 3 }), &options).unwrap();
    graph.enqueue(run).await.unwrap();
    let worked = worker(&graph).work_once().await.unwrap().unwrap();
    worked.outcome.unwrap();
    assert_eq!(log(&graph).await, Value::from(json!([1, 3])));
}

/// A graph whose node asks twice, and waits at a gate in between, if it has one.
fn asks_twice(saver: &MemorySaver, gate: Option<Arc<Notify>>) -> DynGraph {
    let ask = move |ctx: DynCtx| {
        let gate = gate.clone();
        async move {
            let first = ctx.ask(json!("first?"))?;
            if let Some(gate) = gate {
                ctx.emit(json!("waits")).await;
                gate.notified().await;
            }
            let second = ctx.ask(json!("second?"))?;
            Ok::<_, Halt>(Value::map([("log", Value::list([first, second]))]))
        }
    };
    DynGraphBuilder::new()
        .name("asks")
        .last_value("x")
        .last_value("log")
        .node("ask", ask)
        .edge("__start__", "ask")
        .backends(Backends::on(saver.clone()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_answer_reaches_one_question_also_when_its_worker_is_killed() {
    let (saver, gate) = (MemorySaver::new(), Arc::new(Notify::new()));
    let (free, stuck) = (asks_twice(&saver, None), asks_twice(&saver, Some(gate)));
    let options = RunOptions::on("t");
    let run = free.to_queue(json!({ "x": 0 }), &options).unwrap();
    free.enqueue(run).await.unwrap();
    let worked = worker(&free).work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap().status, Status::Waiting);
    let answer = RunInput::Command(Box::default(), Some(Resume::Next("one".into())));
    let logged = RunOptions {
        log: Modes::CUSTOM,
        ..options.clone()
    };
    let run = stuck.to_queue(answer, &logged).unwrap();
    let queued = stuck.enqueue(run).await.unwrap();
    let mut follow = stuck.follow("t", None, Modes::CUSTOM);
    let lost = tokio::spawn({
        let worker = worker(&stuck);
        async move { worker.work_once().await }
    });
    // The first question has its answer, and the node waits.
    follow.next().await.unwrap();
    lost.abort();
    assert!(lost.await.unwrap_err().is_cancelled());
    let worked = worker(&free).work_once().await.unwrap().unwrap();
    assert_eq!(worked.run, queued.id);
    assert_eq!(worked.outcome.unwrap().status, Status::Waiting);
    let answer = RunInput::Command(Box::default(), Some(Resume::Next("two".into())));
    free.enqueue(free.to_queue(answer, &options).unwrap())
        .await
        .unwrap();
    let worked = worker(&free).work_once().await.unwrap().unwrap();
    worked.outcome.unwrap();
    assert_eq!(log(&free).await, Value::from(json!(["one", "two"])));
}

#[tokio::test]
async fn a_schedule_runs_when_it_is_due_and_once_with_two_workers() {
    let clock = Arc::new(ManualClock::at(1_000));
    let graph = graph(&MemorySaver::on_clock(clock.clone()), None);
    let graph = graph.with_backends(Backends {
        clock: Some(clock.clone()),
        ..graph.backends().clone()
    });
    let minutely = CronSchedule {
        thread: Some("t".into()),
        input: x(7),
        ..CronSchedule::new("minutely", "* * * * *")
    };
    let stored = graph.schedule(minutely).await.unwrap();
    assert_eq!(stored.next, Some(60_000));
    let workers = [worker(&graph), worker(&graph)];
    for worker in &workers {
        assert!(worker.work_once().await.unwrap().is_none());
    }
    clock.advance(Duration::from_secs(59));
    let (one, two) = tokio::join!(workers[0].work_once(), workers[1].work_once());
    let worked: Vec<_> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
    assert_eq!(worked.len(), 1);
    assert_eq!(log(&graph).await, Value::from(json!([7])));
    // Nobody was there for an hour: one run for all of it.
    clock.advance(Duration::from_secs(3600));
    assert!(workers[0].work_once().await.unwrap().is_some());
    assert!(workers[1].work_once().await.unwrap().is_none());
    assert_eq!(log(&graph).await, Value::from(json!([7, 7])));
    let stored = graph.schedules().await.unwrap();
    assert_eq!(stored[0].next, Some(3_720_000));
    assert!(graph.unschedule("minutely").await.unwrap());
    clock.advance(Duration::from_secs(3600));
    assert!(workers[0].work_once().await.unwrap().is_none());
}

#[tokio::test]
async fn runs_of_a_worker_that_stops_go_back_to_the_queue_and_count_no_attempt() {
    const STEPS: i64 = 50;
    let (saver, stop) = (MemorySaver::new(), Drain::default());
    let deploy = stop.clone();
    let step = move |ctx: DynCtx| {
        deploy.request("a deploy");
        async move {
            tokio::task::yield_now().await;
            let n: i64 = ctx.read("n")?;
            Ok::<_, Halt>(json!({ "n": n + 1 }))
        }
    };
    let graph = DynGraphBuilder::new()
        .name("counts")
        .last_value("n")
        .node("step", step)
        .edge("__start__", "step")
        .route_map(
            "step",
            [("step", "step"), ("__end__", "__end__")],
            |state| {
                let n = state.get("n")?.as_i64().unwrap_or_default();
                Ok::<_, superstep_core::error::Failure>(if n < STEPS { "step" } else { "__end__" })
            },
        )
        .backends(Backends::on(saver))
        .build()
        .unwrap();
    let input = QueuedInput::Value(json!({ "n": 0 }).into());
    let once = EnqueueRun {
        attempts: 1,
        ..graph.queued("t", input)
    };
    graph.enqueue(once).await.unwrap();
    let worker = Arc::new(worker(&graph));
    let mut deploys = 0;
    while graph.status("t").await.unwrap() != RunStatus::Done {
        assert_eq!(graph.status("t").await.unwrap(), RunStatus::Queued);
        worker.run(&stop, |_| ()).await.unwrap();
        stop.clear();
        deploys += 1;
    }
    assert!(deploys > 1, "{deploys}");
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    assert_eq!(state.values.to_json()["n"], STEPS);
}

/// A graph that asks two questions.
fn asking_twice(saver: &MemorySaver) -> DynGraph {
    DynGraphBuilder::new()
        .name("asks")
        .last_value("said")
        .node("ask", |ctx: DynCtx| async move {
            let said = [ctx.ask("first")?, ctx.ask("second")?];
            Ok::<_, Halt>(Value::map([("said", Value::list(said))]))
        })
        .edge("__start__", "ask")
        .backends(Backends::on(saver.clone()))
        .build()
        .unwrap()
}

fn plain(answer: &str) -> QueuedInput {
    QueuedInput::Command(Command::default(), Some(Resume::Next(answer.into())))
}

#[tokio::test]
async fn a_plain_answer_in_the_queue_is_for_the_question_that_was_open_when_it_was_given() {
    let graph = asking_twice(&MemorySaver::new());
    let options = RunOptions::on("t");
    graph.invoke(json!({}), &options).await.unwrap();
    for _ in 0..2 {
        graph
            .enqueue(graph.queued("t", plain("yes")))
            .await
            .unwrap();
    }
    let worker = worker(&graph);
    let first = worker.work_once().await.unwrap().unwrap();
    let asked = first.outcome.unwrap().asks;
    assert_eq!(asked[0].value, Value::from("second"));
    let late = worker.work_once().await.unwrap().unwrap();
    assert_eq!(late.outcome.unwrap_err().code(), "SS1105");
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    let open: Vec<_> = state.asks().map(|ask| ask.value.clone()).collect();
    assert_eq!(open, [Value::from("second")]);
}

#[tokio::test]
async fn a_plain_answer_to_nothing_does_not_wait_for_a_question() {
    let graph = asking_twice(&MemorySaver::new());
    let begins = QueuedInput::Value(object(json!({})));
    graph.enqueue(graph.queued("t", begins)).await.unwrap();
    let refused = graph.enqueue(graph.queued("t", plain("yes"))).await;
    assert_eq!(refused.unwrap_err().code(), "SS1105");
    let worked = worker(&graph).work_once().await.unwrap().unwrap();
    assert_eq!(worked.outcome.unwrap().status, Status::Waiting);
    assert!(worker(&graph).work_once().await.unwrap().is_none());
    // A thread that is not done, and asks nothing.
    let options = RunOptions {
        pause_before: Pauses::All,
        ..RunOptions::on("paused")
    };
    let paused = graph.invoke(json!({}), &options).await.unwrap();
    assert_eq!(paused.status, Status::Paused);
    let refused = graph.enqueue(graph.queued("paused", plain("yes"))).await;
    assert_eq!(refused.unwrap_err().code(), "SS1105");
}
