//! Runs that are ended before their time, and what becomes of their tasks and effects.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, SystemTime},
};

use serde_json::json;
use superstep_core::{
    Value,
    event::{Ending, Modes},
    policy::Durability,
    run::{EffectError, Halt},
    runs::{Cancel, RunStatus},
    saver::{MaybeReady, Notes, Saver, SaverLayer},
};
use superstep_engine::{
    Backends, CallTask, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, LogItem, RunOptions,
    Status, input, memory::MemorySaver, state::Depth,
};
use tokio::sync::Notify;

use crate::fixture::{Count, object, one, saved, writes};

#[derive(Clone, Default)]
struct Dropped(Arc<AtomicUsize>);

struct Held(Dropped);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Dropped {
    fn held(&self) -> Held {
        Held(self.clone())
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn on() -> RunOptions {
    RunOptions {
        log: Modes::UPDATES,
        ..RunOptions::on("t")
    }
}

/// `first` writes, then `hang` waits for ever in its first attempt.
fn hanging(dropped: &Dropped, there: &Arc<Notify>) -> DynGraph {
    let (d, t, runs) = (dropped.clone(), there.clone(), Count::default());
    DynGraphBuilder::new()
        .last_value("x")
        .node("first", writes(object(json!({ "x": 1 }))))
        .node("hang", move |_: DynCtx| {
            let (held, there, run) = (d.held(), t.clone(), runs.up());
            async move {
                let _held = held;
                if run == 1 {
                    there.notify_one();
                    pending::<()>().await;
                }
                Ok::<_, Halt>(json!({ "x": 2 }))
            }
        })
        .edge("__start__", "first")
        .edge("first", "hang")
        .backends(saved())
        .build()
        .unwrap()
}

/// Starts a run, and cancels it when a task says that it is there.
async fn cancelled_once_there(graph: &DynGraph, there: &Notify) {
    let running = graph.start(json!({}), &on()).await.unwrap();
    there.notified().await;
    running.cancel("enough");
    assert_eq!(running.await.unwrap_err().code(), "SS1113");
}

#[tokio::test]
async fn a_cancelled_run_drops_its_tasks_says_so_and_can_be_resumed() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let (dropped, there) = (Dropped::default(), Arc::new(Notify::new()));
        let graph = hanging(&dropped, &there);
        let options = RunOptions { durability, ..on() };
        let running = graph.start(json!({}), &options).await.unwrap();
        there.notified().await;
        let id = running.id;
        running.cancel("the user left");
        let error = running.await.unwrap_err();
        assert_eq!(error.code(), "SS1113");
        assert!(error.to_string().contains("the user left"));
        assert_eq!(dropped.count(), 1);
        let record = graph.find_run(id).await.unwrap().unwrap();
        let reason = "the user left".to_owned();
        assert_eq!(record.ending, Some(Ending::Cancelled { reason }));
        assert_eq!(graph.status("t").await.unwrap(), RunStatus::Cancelled);
        let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
        assert_eq!(state.values.to_json(), json!({ "x": 1 }), "{durability:?}");
        assert_eq!(state.next, ["hang".into()]);
        assert!(
            state.tasks[0].error.is_none(),
            "being cancelled is no failure of a task"
        );
        let outcome = graph.invoke(input::go_on(), &options).await.unwrap();
        assert_eq!(outcome.status, Status::Done);
    }
}

#[tokio::test]
async fn a_run_is_cancelled_by_its_id() {
    let (dropped, there) = (Dropped::default(), Arc::new(Notify::new()));
    let graph = hanging(&dropped, &there);
    let plain = tokio::spawn({
        let graph = graph.clone();
        async move { graph.invoke(json!({}), &on()).await }
    });
    there.notified().await;
    let run = graph.runs("t", &Default::default()).await.unwrap()[0].id;
    assert!(graph.cancel(run, "enough").await.unwrap());
    assert_eq!(plain.await.unwrap().unwrap_err().code(), "SS1113");
    assert!(!graph.cancel(run, "again").await.unwrap(), "it is over");
    let mut reader = graph.follow_run(run, None, Modes::UPDATES);
    let mut last = None;
    while let Some((_, item)) = reader.next().await.unwrap() {
        last = Some(item);
    }
    let reason = "enough".to_owned();
    assert_eq!(last, Some(LogItem::Ended(Ending::Cancelled { reason })));
}

#[tokio::test]
async fn a_run_is_drained_by_its_id_and_others_that_share_its_options_are_not() {
    let (there, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (t, g) = (there.clone(), go.clone());
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node("slow", move |_: DynCtx| {
            let (there, go) = (t.clone(), g.clone());
            async move {
                there.notify_one();
                go.notified().await;
                Ok::<_, Halt>(json!({ "x": 1 }))
            }
        })
        .node("next", writes(object(json!({ "x": 2 }))))
        .edge("__start__", "slow")
        .edge("slow", "next")
        .backends(saved())
        .build()
        .unwrap();
    let shared = RunOptions::default();
    let thread = |name: &str| RunOptions {
        thread: Some(name.into()),
        ..shared.clone()
    };
    let one = graph.start(json!({}), &thread("one")).await.unwrap();
    there.notified().await;
    let two = graph.start(json!({}), &thread("two")).await.unwrap();
    there.notified().await;
    one.canceller().drain("maintenance");
    go.notify_waiters();
    assert_eq!(one.await.unwrap_err().code(), "SS1103");
    assert_eq!(two.await.unwrap().status, Status::Done);
    assert_eq!(graph.status("one").await.unwrap(), RunStatus::Drained);
    let three = graph.start(input::go_on(), &thread("one")).await.unwrap();
    assert!(
        graph
            .cancel_with(three.id, Cancel::Drain, "later")
            .await
            .is_ok()
    );
    assert_eq!(three.await.unwrap().status, Status::Done, "no step follows");
}

#[tokio::test]
async fn a_task_that_looks_out_for_it_cleans_up_and_its_result_is_kept() {
    let there = Arc::new(Notify::new());
    let (t, runs) = (there.clone(), Count::default());
    let r = runs.clone();
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .last_value("y")
        .node("careful", move |ctx: DynCtx| {
            let there = t.clone();
            r.up();
            async move {
                there.notify_one();
                ctx.cancelled().await;
                assert!(ctx.is_cancelled());
                // It still has time for what takes some.
                tokio::task::yield_now().await;
                Ok::<_, Halt>(json!({ "x": "tidied" }))
            }
        })
        .node("hang", |_: DynCtx| async {
            pending::<()>().await;
            Ok::<_, Halt>(Value::Null)
        })
        .edge("__start__", "careful")
        .edge("__start__", "hang")
        .backends(saved())
        .build()
        .unwrap();
    cancelled_once_there(&graph, &there).await;
    let state = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
    assert_eq!(state.next, ["hang".into()], "the other one has its result");
    assert_eq!(runs.get(), 1);
}

#[tokio::test]
async fn what_a_task_fails_with_because_it_was_cancelled_is_no_failure() {
    let (there, handled) = (Arc::new(Notify::new()), Count::default());
    let (t, runs, h) = (there.clone(), Count::default(), handled.clone());
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node_with(
            "careful",
            move |ctx: DynCtx| {
                let (there, run) = (t.clone(), runs.up());
                async move {
                    if run > 1 {
                        return Ok(json!({ "x": run }));
                    }
                    there.notify_one();
                    ctx.cancelled().await;
                    Err(Halt::from(std::io::Error::other("given up")))
                }
            },
            DynNodeOptions {
                retry: vec![Default::default()],
                on_error: Some(Arc::new(move |_: DynCtx| {
                    h.up();
                    async { Ok::<_, Halt>(Value::Null) }
                })),
                ..DynNodeOptions::default()
            },
        )
        .edge("__start__", "careful")
        .backends(saved())
        .build()
        .unwrap();
    cancelled_once_there(&graph, &there).await;
    assert_eq!(handled.get(), 0);
    let outcome = graph.invoke(input::go_on(), &on()).await.unwrap();
    assert_eq!(outcome.output.unwrap().to_json(), json!({ "x": 2 }));
}

#[tokio::test]
async fn an_effect_that_has_begun_may_end_so_that_its_outcome_is_known() {
    let (there, go, done) = (
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
        Count::default(),
    );
    let (t, g, d) = (there.clone(), go.clone(), done.clone());
    let graph = one(move |ctx: DynCtx| {
        let (there, go, done) = (t.clone(), g.clone(), d.clone());
        async move {
            let paid: usize = ctx
                .once("pay", || async {
                    there.notify_one();
                    go.notified().await;
                    Ok::<_, EffectError>(done.up())
                })
                .await?;
            if !ctx.is_cancelled() {
                return Ok::<_, Halt>(json!({ "x": paid }));
            }
            pending().await
        }
    })
    .backends(saved())
    .build()
    .unwrap();
    let options = RunOptions {
        grace: Duration::from_millis(300),
        ..on()
    };
    let running = graph.start(json!({}), &options).await.unwrap();
    there.notified().await;
    running.cancel("enough");
    tokio::task::yield_now().await;
    go.notify_one();
    assert_eq!(running.await.unwrap_err().code(), "SS1113");
    let outcome = graph.invoke(input::go_on(), &options).await.unwrap();
    assert_eq!(outcome.output.unwrap().to_json(), json!({ "x": 1 }));
    assert_eq!(done.get(), 1, "it happened once, and the next run knows");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_does_not_end_in_time_is_dropped_in_a_subgraph_too() {
    for nested in [false, true] {
        let (dropped, there) = (Dropped::default(), Arc::new(Notify::new()));
        let (d, t) = (dropped.clone(), there.clone());
        let stubborn = move |ctx: DynCtx| {
            let (held, there) = (d.held(), t.clone());
            async move {
                let _held = held;
                there.notify_one();
                ctx.cancelled().await;
                pending::<()>().await;
                Ok::<_, Halt>(Value::Null)
            }
        };
        let builder = DynGraphBuilder::new().last_value("x");
        let graph = if nested {
            let child = one(stubborn).build().unwrap();
            builder.subgraph("a", child, DynNodeOptions::default())
        } else {
            builder.node("a", stubborn)
        };
        let graph = graph
            .edge("__start__", "a")
            .backends(saved())
            .build()
            .unwrap();
        let running = graph.start(json!({}), &on()).await.unwrap();
        there.notified().await;
        running.cancel("enough");
        assert_eq!(
            running.await.unwrap_err().code(),
            "SS1113",
            "nested: {nested}"
        );
        assert_eq!(dropped.count(), 1);
    }
}

#[tokio::test]
async fn tasks_that_tasks_call_are_cancelled_with_them() {
    let (dropped, there) = (Dropped::default(), Arc::new(Notify::new()));
    let (d, t) = (dropped.clone(), there.clone());
    let called = CallTask::new("called", move |_: DynCtx, _| {
        let (held, there) = (d.held(), t.clone());
        async move {
            let _held = held;
            there.notify_one();
            pending::<()>().await;
            Ok(Value::Null)
        }
    });
    let graph = one(move |ctx: DynCtx| {
        let called = called.clone();
        async move { ctx.call(&called, Vec::new()).await }
    })
    .backends(saved())
    .build()
    .unwrap();
    cancelled_once_there(&graph, &there).await;
    assert_eq!(dropped.count(), 1);
}

#[tokio::test]
async fn a_run_that_is_over_before_it_is_cancelled_is_done() {
    let graph = one(writes(object(json!({ "x": 1 }))))
        .backends(saved())
        .build()
        .unwrap();
    let running = graph.start(json!({}), &on()).await.unwrap();
    let canceller = running.canceller();
    assert_eq!(running.await.unwrap().status, Status::Done);
    canceller.cancel("too late");
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Done);
}

#[tokio::test]
async fn a_run_that_has_not_ended_at_its_deadline_fails_and_can_be_resumed() {
    let (dropped, there) = (Dropped::default(), Arc::new(Notify::new()));
    let graph = hanging(&dropped, &there);
    let options = RunOptions {
        deadline: Some(SystemTime::now() + Duration::from_millis(30)),
        ..on()
    };
    let error = graph.invoke(json!({}), &options).await.unwrap_err();
    assert_eq!(error.code(), "SS1114");
    assert_eq!(dropped.count(), 1);
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Failed);
    let outcome = graph.invoke(input::go_on(), &on()).await.unwrap();
    assert_eq!(outcome.status, Status::Done);
}

#[tokio::test]
async fn a_deadline_that_has_passed_ends_a_run_before_its_first_task() {
    let ran = Count::default();
    let r = ran.clone();
    let graph = one(move |_: DynCtx| {
        r.up();
        async {
            tokio::task::yield_now().await;
            Ok::<_, Halt>(Value::Null)
        }
    })
    .backends(saved())
    .build()
    .unwrap();
    let options = RunOptions {
        deadline: Some(SystemTime::UNIX_EPOCH),
        ..on()
    };
    assert_eq!(
        graph.invoke(json!({}), &options).await.unwrap_err().code(),
        "SS1114"
    );
    assert_eq!(ran.get(), 0);
}

/// Holds back the first note that has an effect.
struct SlowJournal {
    inner: MemorySaver,
    armed: AtomicBool,
    there: Arc<Notify>,
    go: Arc<Notify>,
}

impl SaverLayer for SlowJournal {
    fn inner(&self) -> &dyn Saver {
        &self.inner
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        let has_effect = notes
            .notes
            .iter()
            .any(|note| !note.extras.effects.is_empty());
        if !has_effect || !self.armed.swap(false, Ordering::SeqCst) {
            return self.inner.note(notes);
        }
        MaybeReady::Later(Box::pin(async move {
            self.there.notify_one();
            self.go.notified().await;
            self.inner.note(notes).await
        }))
    }
}

#[tokio::test]
async fn an_effect_whose_start_is_being_stored_does_not_begin_and_is_not_in_doubt() {
    let (there, go, done) = (
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
        Count::default(),
    );
    let saver = SlowJournal {
        inner: MemorySaver::new(),
        armed: AtomicBool::new(true),
        there: there.clone(),
        go: go.clone(),
    };
    let d = done.clone();
    let graph = one(move |ctx: DynCtx| {
        let done = d.clone();
        async move {
            let pay = || async { Ok::<_, EffectError>(done.up()) };
            let paid: usize = ctx.once("pay", pay).await?;
            Ok::<_, Halt>(json!({ "x": paid }))
        }
    })
    .backends(Backends::on(saver))
    .build()
    .unwrap();
    let starting = tokio::spawn({
        let graph = graph.clone();
        // In a tuple: a run that has begun is a future itself, to be awaited later.
        async move { (graph.start(json!({}), &on()).await.unwrap(),) }
    });
    there.notified().await;
    let (running,) = starting.await.unwrap();
    running.cancel("enough");
    go.notify_one();
    assert_eq!(running.await.unwrap_err().code(), "SS1113");
    assert_eq!(done.get(), 0);
    let outcome = graph.invoke(input::go_on(), &on()).await.unwrap();
    assert_eq!(outcome.output.unwrap().to_json(), json!({ "x": 1 }));
}
