//! Durable timers on paused time: short waits stay, long ones end the run until storage wakes it.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::json;
use superstep_core::{
    Value,
    clock::Clock as _,
    error::Failure,
    event::{Ending, Modes},
    policy::{Durability, RetryPolicy, Timeouts},
    run::{Drain, Halt},
    runs::{Cancel, EnqueueRun, OnBusy, QueuedInput, RunQuery, RunStatus},
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, DynOutcome, LogItem, RunOptions,
    Status, Worker, clock::SystemClock, input, memory::MemorySaver, state::Depth,
};
use tokio::{
    sync::{Notify, oneshot},
    time::{Instant, advance},
};

use crate::fixture::{Count, one, saved};

const HOUR: Duration = Duration::from_secs(3600);

/// Waits for so long, and counts how often it began to.
fn waiter(wait: Duration, options: DynNodeOptions) -> (DynGraph, Count) {
    let runs = Count::default();
    let counted = runs.clone();
    let node = move |ctx: DynCtx| {
        counted.up();
        async move {
            ctx.sleep(wait).await?;
            Ok::<_, Halt>(json!({ "x": "awake" }))
        }
    };
    let graph = DynGraphBuilder::new()
        .name("naps")
        .last_value("x")
        .node_with("a", node, options)
        .edge("__start__", "a")
        .backends(saved())
        .build()
        .unwrap();
    (graph, runs)
}

async fn start(graph: &DynGraph, options: &RunOptions) -> DynOutcome {
    graph.invoke(json!({}), options).await.unwrap()
}

async fn wake(graph: &DynGraph) -> Vec<DynOutcome> {
    let worked = graph.wake_due(&RunOptions::default()).await.unwrap();
    worked.into_iter().map(|it| it.outcome.unwrap()).collect()
}

async fn statuses(graph: &DynGraph) -> Vec<RunStatus> {
    let runs = graph.runs("t", &RunQuery::default()).await.unwrap();
    runs.iter().map(|run| run.status()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_short_wait_keeps_its_task() {
    let (graph, runs) = waiter(Duration::from_secs(5), DynNodeOptions::default());
    let begun = Instant::now();
    let outcome = start(&graph, &RunOptions::on("t")).await;
    assert_eq!((outcome.status, runs.get()), (Status::Done, 1));
    assert_eq!(begun.elapsed().as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn a_long_wait_ends_the_run_as_sleeping_until_it_is_woken() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (graph, runs) = waiter(HOUR, DynNodeOptions::default());
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        let begun = Instant::now();
        let outcome = start(&graph, &options).await;
        assert_eq!(outcome.status, Status::Sleeping, "{durability:?}");
        assert!(begun.elapsed().is_zero(), "nobody waited");
        let until = outcome.until.unwrap();
        assert_eq!(until, SystemClock.now() + 3_600_000);
        let [asleep] = &graph.runs("t", &RunQuery::default()).await.unwrap()[..] else {
            panic!("one run");
        };
        assert_eq!(asleep.status(), RunStatus::Sleeping);
        assert_eq!(asleep.sleeping().unwrap().until, until);
        advance(HOUR / 2).await;
        assert!(wake(&graph).await.is_empty(), "it is too early");
        advance(HOUR / 2).await;
        let woken = wake(&graph).await;
        assert_eq!(woken[0].output, Some(json!({ "x": "awake" }).into()));
        assert_eq!(
            graph.runs("t", &RunQuery::default()).await.unwrap()[0].id,
            asleep.id
        );
        assert_eq!(statuses(&graph).await, [RunStatus::Done]);
        assert_eq!(runs.get(), 2);
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_has_room_for_others_while_runs_sleep_and_sleeping_counts_no_attempt() {
    const THREADS: usize = 200;
    let saver = MemorySaver::new();
    let node = |ctx: DynCtx| async move {
        for _ in 0..3 {
            ctx.sleep(HOUR).await?;
        }
        Ok::<_, Halt>(json!({ "x": "awake" }))
    };
    let graph = one(node).name("naps").backends(Backends::on(saver)).build();
    let graph = graph.unwrap();
    for n in 0..THREADS {
        let run = graph.queued(format!("t {n}"), QueuedInput::Value(json!({}).into()));
        graph
            .enqueue(EnqueueRun { attempts: 1, ..run })
            .await
            .unwrap();
    }
    let worker = Worker::new([graph.clone()], RunOptions::default()).unwrap();
    let worker = Arc::new(worker.at_once(2));
    let alive = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    let before = alive();
    let ended = |status: Status| {
        let (worker, stop) = (worker.clone(), Drain::default());
        async move {
            let (mut count, mut most) = (0, 0);
            let stopping = stop.clone();
            let run = worker.run(&stop, |worked| {
                let outcome = worked.outcome.unwrap();
                count += usize::from(outcome.status == status);
                most = most.max(alive());
                if count == THREADS {
                    stopping.request("all of them");
                }
            });
            run.await.unwrap();
            most
        }
    };
    for _ in 0..3 {
        let most = ended(Status::Sleeping).await;
        assert!(most <= before + 8, "{most} tasks, {before} before");
        assert_eq!(alive(), before, "who sleeps is no task");
        advance(HOUR).await;
    }
    ended(Status::Done).await;
    let runs = graph.runs("t 7", &RunQuery::default()).await.unwrap();
    assert_eq!(runs[0].status(), RunStatus::Done);
}

#[tokio::test(start_paused = true)]
async fn new_input_takes_the_place_of_what_slept() {
    let (graph, _) = waiter(HOUR, DynNodeOptions::default());
    start(&graph, &RunOptions::on("t")).await;
    advance(HOUR / 2).await;
    // Whether it comes at once or by the queue, even if it wants a thread that is not busy.
    let queued = graph.queued("t", QueuedInput::Value(json!({ "x": 2 }).into()));
    let on_busy = OnBusy::Reject;
    graph
        .enqueue(EnqueueRun { on_busy, ..queued })
        .await
        .unwrap();
    assert_eq!(wake(&graph).await[0].status, Status::Sleeping);
    let found = [RunStatus::Sleeping, RunStatus::Cancelled];
    assert_eq!(statuses(&graph).await, found);
    start(&graph, &RunOptions::on("t")).await;
    advance(HOUR / 2).await;
    assert!(wake(&graph).await.is_empty(), "its hour began anew");
    advance(HOUR / 2).await;
    assert_eq!(wake(&graph).await[0].status, Status::Done);
}

#[tokio::test(start_paused = true)]
async fn input_that_was_queued_in_time_comes_before_a_timer_that_is_due() {
    let (graph, _) = waiter(HOUR, DynNodeOptions::default());
    start(&graph, &RunOptions::on("t")).await;
    let queued = graph.queued("t", QueuedInput::Value(json!({ "x": 2 }).into()));
    graph.enqueue(queued).await.unwrap();
    advance(2 * HOUR).await;
    let worked = graph.wake_due(&RunOptions::default()).await.unwrap();
    let last = worked.into_iter().filter_map(|it| it.outcome.ok()).next();
    assert_eq!(last.unwrap().status, Status::Sleeping);
    let found = [RunStatus::Sleeping, RunStatus::Cancelled];
    assert_eq!(statuses(&graph).await, found);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_sleeps_is_cancelled_at_once() {
    let (graph, _) = waiter(HOUR, DynNodeOptions::default());
    start(&graph, &RunOptions::on("t")).await;
    let run = graph.runs("t", &RunQuery::default()).await.unwrap()[0].id;
    assert!(graph.cancel(run, "enough").await.unwrap());
    assert_eq!(statuses(&graph).await, [RunStatus::Cancelled]);
    advance(2 * HOUR).await;
    assert!(wake(&graph).await.is_empty());
    // Whoever continues the thread finds its timer, which is over.
    let outcome = graph.invoke(input::go_on(), &RunOptions::on("t")).await;
    assert_eq!(outcome.unwrap().status, Status::Done);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_sleeps_is_rolled_back_at_once() {
    let (graph, _) = waiter(HOUR, DynNodeOptions::default());
    let options = RunOptions::on("u");
    let other = graph.invoke(json!({ "x": "before" }), &options).await;
    assert_eq!(other.unwrap().status, Status::Sleeping);
    let run = graph.runs("u", &RunQuery::default()).await.unwrap()[0].id;
    let undone = graph.cancel_with(run, Cancel::Rollback, "never mind").await;
    assert!(undone.unwrap());
    let state = graph.state(&"u".into(), None, Depth::Here).await.unwrap();
    assert_eq!(state.checkpoint, None);
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_time_comes_while_others_run_goes_on_beside_them() {
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .last_value("y")
        .node("naps", |ctx: DynCtx| async move {
            ctx.sleep(HOUR / 4).await?;
            Ok::<_, Halt>(json!({ "x": 1 }))
        })
        .node("works", |_: DynCtx| async {
            let work = std::future::pending::<()>();
            let _over = tokio::time::timeout(HOUR, work).await;
            Ok::<_, Halt>(json!({ "y": 1 }))
        })
        .edge("__start__", "naps")
        .edge("__start__", "works")
        .backends(saved())
        .build()
        .unwrap();
    let begun = Instant::now();
    let outcome = start(&graph, &RunOptions::on("t")).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(begun.elapsed(), HOUR);
}

#[tokio::test(start_paused = true)]
async fn a_wait_beside_other_work_is_not_ended() {
    let (send, receive) = oneshot::channel();
    let (began, seen) = (Arc::new(Notify::new()), Count::default());
    let receive = std::sync::Mutex::new(Some(receive));
    let (begins, counts) = (began.clone(), seen.clone());
    let node = move |ctx: DynCtx| {
        let receive = receive.lock().unwrap().take();
        let began = begins.clone();
        counts.up();
        async move {
            let work = async move {
                began.notify_one();
                receive.unwrap().await.unwrap()
            };
            let found = tokio::select! {
                slept = ctx.sleep(HOUR) => { slept?; "time" }
                word = work => word,
            };
            Ok::<_, Halt>(json!({ "x": found }))
        }
    };
    let graph = one(node).backends(saved()).build().unwrap();
    let running = graph.start(json!({}), &RunOptions::on("t")).await.unwrap();
    began.notified().await;
    advance(HOUR / 2).await;
    send.send("work").unwrap();
    let outcome = running.await.unwrap();
    assert_eq!(outcome.output, Some(json!({ "x": "work" }).into()));
    assert_eq!(seen.get(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_the_first_of_several_times_or_a_cancellation_ends_as_well() {
    let node = |ctx: DynCtx| async move {
        let first = tokio::select! {
            biased;
            slept = ctx.sleep(2 * HOUR) => { slept?; "two hours" }
            slept = ctx.sleep(HOUR) => { slept?; "an hour" }
            () = ctx.cancelled() => "cancelled",
        };
        Ok::<_, Halt>(json!({ "x": first }))
    };
    let timeouts = Timeouts {
        idle: Some(Duration::from_secs(5)),
        run: Some(HOUR / 2),
        ..Timeouts::default()
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node_with(
            "a",
            node,
            DynNodeOptions {
                timeouts,
                ..DynNodeOptions::default()
            },
        )
        .edge("__start__", "a")
        .backends(saved())
        .build()
        .unwrap();
    assert_eq!(
        start(&graph, &RunOptions::on("t")).await.status,
        Status::Sleeping
    );
    advance(HOUR).await;
    let woken = wake(&graph).await;
    assert_eq!(woken[0].output, Some(json!({ "x": "an hour" }).into()));
}

#[tokio::test(start_paused = true)]
async fn each_wait_of_a_task_is_a_timer_of_its_own_and_a_retry_keeps_them() {
    let runs = Count::default();
    let counted = runs.clone();
    let node = move |ctx: DynCtx| {
        let run = counted.up();
        async move {
            ctx.sleep(HOUR).await?;
            ctx.sleep(Duration::from_secs(1)).await?;
            if run == 2 {
                return Err(Failure::new("Flaky", "try again").into());
            }
            ctx.sleep(HOUR).await?;
            Ok::<_, Halt>(Value::Null)
        }
    };
    let options = DynNodeOptions {
        retry: vec![RetryPolicy {
            initial: Duration::ZERO,
            jitter: Duration::ZERO,
            ..RetryPolicy::default()
        }],
        ..DynNodeOptions::default()
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node_with("a", node, options)
        .edge("__start__", "a")
        .backends(saved())
        .build()
        .unwrap();
    let begun = Instant::now();
    start(&graph, &RunOptions::on("t")).await;
    advance(HOUR).await;
    assert_eq!(wake(&graph).await[0].status, Status::Sleeping);
    assert_eq!(begun.elapsed().as_secs(), HOUR.as_secs() + 1);
    advance(HOUR).await;
    assert_eq!(wake(&graph).await[0].status, Status::Done);
    assert_eq!(runs.get(), 4);
}

#[tokio::test(start_paused = true)]
async fn where_storage_could_not_wake_a_task_it_waits_in_its_process() {
    let timed = |timeouts| DynNodeOptions {
        timeouts,
        ..DynNodeOptions::default()
    };
    let unsaved = |timeouts| {
        let node = |ctx: DynCtx| async move { ctx.sleep(HOUR).await.map(|()| Value::Null) };
        let builder = DynGraphBuilder::new().last_value("x");
        let builder = builder.node_with("a", node, timed(timeouts));
        builder.edge("__start__", "a").build().unwrap()
    };
    let idle = Timeouts {
        idle: Some(Duration::from_secs(5)),
        ..Timeouts::default()
    };
    let outcome = unsaved(idle)
        .invoke(json!({}), &RunOptions::default())
        .await;
    assert_eq!(outcome.unwrap().status, Status::Done);
    let run = Timeouts {
        run: Some(HOUR / 2),
        ..Timeouts::default()
    };
    let error = unsaved(run).invoke(json!({}), &RunOptions::default()).await;
    assert_eq!(error.unwrap_err().code(), "SS1003");
}

#[tokio::test(start_paused = true)]
async fn a_wait_inside_an_effect_does_not_end_it() {
    let node = |ctx: DynCtx| async move {
        let inner = ctx.clone();
        let paid = || async move {
            inner.sleep(HOUR).await?;
            Ok(7)
        };
        let paid: u64 = ctx.once("pay", paid).await?;
        Ok::<_, Halt>(json!({ "x": paid }))
    };
    let graph = one(node).backends(saved()).build().unwrap();
    let outcome = start(&graph, &RunOptions::on("t")).await;
    assert_eq!(outcome.output, Some(json!({ "x": 7 }).into()));
}

#[tokio::test(start_paused = true)]
async fn a_task_of_a_subgraph_finds_its_timer_again() {
    for durability in [Durability::Sync, Durability::Exit] {
        let wake_at = SystemTime::UNIX_EPOCH
            + Duration::from_millis(u64::try_from(SystemClock.now()).unwrap())
            + HOUR;
        let node = move |ctx: DynCtx| async move {
            ctx.sleep_until(wake_at).await?;
            ctx.sleep_until(SystemTime::UNIX_EPOCH).await?;
            Ok::<_, Halt>(json!({ "x": 1 }))
        };
        let child = one(node).build().unwrap();
        let graph = DynGraphBuilder::new()
            .last_value("x")
            .subgraph("sub", child, DynNodeOptions::default())
            .edge("__start__", "sub")
            .backends(saved())
            .build()
            .unwrap();
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        assert_eq!(start(&graph, &options).await.status, Status::Sleeping);
        // Whoever continues it before does not wait less.
        advance(HOUR / 2).await;
        let early = graph.invoke(input::go_on(), &options).await.unwrap();
        assert_eq!(early.status, Status::Sleeping);
        advance(HOUR / 2).await;
        let woken = wake(&graph).await;
        assert_eq!(woken[0].output, Some(json!({ "x": 1 }).into()));
    }
}

#[tokio::test(start_paused = true)]
async fn who_follows_a_run_reads_on_over_its_sleep() {
    let (graph, _) = waiter(HOUR, DynNodeOptions::default());
    let options = RunOptions {
        log: Modes::UPDATES,
        ..RunOptions::on("t")
    };
    start(&graph, &options).await;
    let run = graph.runs("t", &RunQuery::default()).await.unwrap()[0].id;
    let mut reader = graph.follow_run(run, None, Modes::UPDATES);
    let first = reader.next().await.unwrap().map(|(_, item)| item);
    assert!(matches!(first, Some(LogItem::Started { .. })));
    advance(HOUR).await;
    let (_, read) = tokio::join!(wake(&graph), async {
        let mut read = Vec::new();
        while let Some((_, item)) = reader.next().await.unwrap() {
            read.push(item);
        }
        read
    });
    let [
        LogItem::Started { .. },
        LogItem::Event(_),
        LogItem::Ended(Ending::Done),
    ] = &read[..]
    else {
        panic!("{read:?}");
    };
}
