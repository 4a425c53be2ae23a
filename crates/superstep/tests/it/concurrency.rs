//! How many tasks run at once, and when their clocks start.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};
use superstep::{Command, Input, Res, prelude::*};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Batch {
    items: u32,
    #[reduce(Sum)]
    done: u32,
    #[reduce(Sum)]
    failed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Split,
    Work,
    Watch,
    Total,
}

/// Counts the tasks that are inside at a time.
#[derive(Default)]
struct Room {
    inside: AtomicUsize,
    most: AtomicUsize,
}

impl Room {
    fn enter(&self) {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
    }

    fn leave(&self) {
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

/// Work that takes so long, on the paused clock.
async fn takes(time: Duration) {
    let _over = tokio::time::timeout(time, std::future::pending::<()>()).await;
}

async fn split(batch: Snap<Batch>) -> Command<Batch, Node> {
    let mut command = Command::goto(Node::Watch);
    for item in 0..batch.items {
        command = command.and_send(Node::Work, &item);
    }
    command
}

async fn work(Input(_item): Input<u32>, room: Res<Arc<Room>>) -> BatchUpdate {
    room.enter();
    takes(Duration::from_millis(100)).await;
    room.leave();
    Batch::update().done(1)
}

fn graph(room: &Arc<Room>, options: NodeOptions<Batch, Node>) -> Graph<Batch, Node> {
    let limits = Timeouts {
        run: Some(Duration::from_secs(1)),
        ..Timeouts::default()
    };
    let options = options
        .timeouts(limits)
        .on_error(|| async { Batch::update().failed(1) });
    Graph::<Batch, Node>::builder()
        .saver(saver())
        .resource(room.clone())
        .node(Node::Split, split)
        .node_with(Node::Work, work, options)
        .node(Node::Watch, || async {})
        .node_with(Node::Total, || async {}, NodeOptions::default())
        .start(Node::Split)
        .may_send(Node::Split, &[Node::Work])
        .may_goto(Node::Split, &[Node::Watch])
        .edge(Node::Work, Node::Total)
        .finish(Node::Watch)
        .finish(Node::Total)
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn tasks_beyond_the_limit_of_a_run_wait_and_their_clocks_start_with_the_attempt() {
    let room = Arc::new(Room::default());
    let graph = graph(&room, NodeOptions::default());
    let limited = graph.with_options(|options| options.max_concurrency = Some(16));
    let outcome = limited
        .run("t", Batch::update().items(1_000))
        .await
        .unwrap();
    let batch = outcome.done().unwrap();
    assert_eq!((batch.done, batch.failed), (1_000, 0));
    assert_eq!(room.most(), 16);
}

#[tokio::test(start_paused = true)]
async fn a_node_has_a_limit_of_its_own() {
    let room = Arc::new(Room::default());
    let graph = graph(&room, NodeOptions::default().max_concurrency(3));
    let outcome = graph.run("t", Batch::update().items(20)).await.unwrap();
    assert_eq!(outcome.done().unwrap().done, 20);
    assert_eq!(room.most(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_one_leaves_room_for_tasks_that_a_task_calls() {
    use superstep::{
        RunOptions, Value,
        dynamic::{CallTask, DynCtx, DynGraphBuilder, Halt, START},
    };

    async fn call(ctx: DynCtx) -> Result<serde_json::Value, Halt> {
        let double = CallTask::new("double", |_, args| async move {
            takes(Duration::from_millis(10)).await;
            let n = args.first().and_then(Value::as_i64).unwrap_or(0);
            Ok(Value::from(2 * n))
        });
        let mut total = 0;
        for n in 0..3_i64 {
            let doubled = ctx.call(&double, vec![Value::from(n)]);
            total += doubled.await?.as_i64().unwrap_or(0);
        }
        Ok(serde_json::json!({"total": total}))
    }

    let graph = DynGraphBuilder::new()
        .last_value("total")
        .node("call", call)
        .edge(START, "call")
        .build()
        .unwrap();
    let options = RunOptions {
        max_concurrency: Some(1),
        ..RunOptions::default()
    };
    let input = serde_json::json!({"total": 0});
    let outcome = graph.invoke(input, &options).await.unwrap();
    assert_eq!(outcome.output.unwrap().to_json()["total"], 6);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_waits_for_its_calls_keeps_others_out() {
    use superstep::{
        RetryOn, RetryPolicy, RunOptions, Value,
        dynamic::{CallTask, DynCtx, DynGraph, DynGraphBuilder, Halt, START},
    };

    /// Who works at a time, the most at once, and what happened in which order.
    #[derive(Default)]
    struct Log(std::sync::Mutex<(usize, usize, Vec<String>)>);

    impl Log {
        async fn work(&self, what: String) {
            {
                let mut log = self.0.lock().unwrap();
                log.0 += 1;
                log.1 = log.1.max(log.0);
                log.2.push(what);
            }
            takes(Duration::from_millis(10)).await;
            self.0.lock().unwrap().0 -= 1;
        }
    }

    /// Calls tasks at once, of which one fails at first and is tried again after a while.
    fn graph(log: &Arc<Log>) -> DynGraph {
        let caller = |name: &'static str, log: &Arc<Log>| {
            let log = log.clone();
            move |ctx: DynCtx| {
                let log = log.clone();
                async move {
                    log.work(format!("{name} begins")).await;
                    let tries = Arc::new(AtomicUsize::new(0));
                    let step = CallTask {
                        retry: vec![RetryPolicy {
                            initial: Duration::from_millis(50),
                            jitter: Duration::ZERO,
                            on: RetryOn::Any,
                            ..RetryPolicy::default()
                        }],
                        ..CallTask::new("step", {
                            let log = log.clone();
                            move |_, args| {
                                let (log, tries) = (log.clone(), tries.clone());
                                async move {
                                    let n = args.first().and_then(Value::as_i64).unwrap_or(0);
                                    log.work(format!("{name} {n}")).await;
                                    if n == 1 && tries.fetch_add(1, Ordering::SeqCst) == 0 {
                                        return Err(superstep::Failure::new("Busy", "later").into());
                                    }
                                    Ok(Value::from(n))
                                }
                            }
                        })
                    };
                    let calls = (0..3_i64).map(|n| ctx.call(&step, vec![Value::from(n)]));
                    for call in calls.collect::<Vec<_>>() {
                        call.await?;
                    }
                    log.work(format!("{name} ends")).await;
                    Ok::<_, Halt>(serde_json::json!({ name: true }))
                }
            }
        };
        DynGraphBuilder::new()
            .last_value("a")
            .last_value("b")
            .node("a", caller("a", log))
            .node("b", caller("b", log))
            .edge(START, "a")
            .edge(START, "b")
            .build()
            .unwrap()
    }

    for most in [1, 2, 3] {
        let log = Arc::new(Log::default());
        let options = RunOptions {
            max_concurrency: Some(most),
            ..RunOptions::default()
        };
        let input = serde_json::json!({ "a": false, "b": false });
        let outcome = graph(&log).invoke(input, &options).await.unwrap();
        let output = outcome.output.unwrap().to_json();
        assert_eq!(output, serde_json::json!({ "a": true, "b": true }));
        let log = log.0.lock().unwrap();
        assert!(log.1 <= most, "{most}: {:?}", log.2);
        if most == 1 {
            let first: Vec<&str> = log.2.iter().map(|line| &line[..1]).collect();
            let wanted = ["a"; 6].into_iter().chain(["b"; 6]);
            assert_eq!(first, wanted.collect::<Vec<_>>(), "{:?}", log.2);
        }
    }
}

#[tokio::test]
async fn a_limit_of_nothing_is_refused() {
    let room = Arc::new(Room::default());
    let graph = graph(&room, NodeOptions::default());
    let none = graph.with_options(|options| options.max_concurrency = Some(0));
    let error = none.run("t", Batch::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1111");
}
