//! Taking back a run that made an effect: its steps are kept unless the caller means it.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use superstep_core::{
    Value,
    id::{RunId, ThreadId},
    plan::Pauses,
    run::Halt,
    runs::{Cancel, EnqueueRun, OnBusy, QueuedInput, RunRecord, RunStatus},
    saver::Saver as _,
};
use superstep_engine::{
    Backends, CheckpointRef, DynCtx, DynGraph, DynGraphBuilder, RunOptions, Status, Worked, Worker,
    input, memory::MemorySaver, state::Depth,
};
use tokio::{sync::Semaphore, task::JoinHandle};

use crate::fixture::{Count, object};

/// Where a run stays until it is cancelled or let go.
#[derive(Clone, Copy, PartialEq)]
enum Stays {
    /// In the effect.
    Within,
    /// In the node after it.
    After,
    Nowhere,
}

struct Shop {
    saver: MemorySaver,
    paid: Count,
    entered: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Shop {
    fn new() -> Self {
        Self {
            saver: MemorySaver::new(),
            paid: Count::default(),
            entered: Arc::new(Semaphore::new(0)),
            open: Arc::new(Semaphore::new(0)),
        }
    }

    /// `ask` asks, then `pay` pays once, then `after`.
    fn graph(&self, stays: Stays) -> DynGraph {
        let gate = {
            let (entered, open) = (self.entered.clone(), self.open.clone());
            move |here: Stays| {
                let (entered, open) = (entered.clone(), open.clone());
                async move {
                    if here == stays {
                        entered.add_permits(1);
                        open.acquire().await.expect("it is open").forget();
                    }
                }
            }
        };
        let (paid, within) = (self.paid.clone(), gate.clone());
        let pay = move |ctx: DynCtx| {
            let (paid, gate) = (paid.clone(), within.clone());
            async move {
                let pay = || async move {
                    let n = paid.up();
                    gate(Stays::Within).await;
                    Ok(n)
                };
                let n: usize = ctx.once("pay", pay).await?;
                Ok::<_, Halt>(Value::map([("x", Value::from(n as i64))]))
            }
        };
        let ask = |ctx: DynCtx| async move {
            ctx.ask(json!("pay?"))?;
            Ok::<_, Halt>(Value::map::<&str>([]))
        };
        let after = move |_: DynCtx| {
            let gate = gate.clone();
            async move {
                gate(Stays::After).await;
                Ok::<_, Halt>(Value::map::<&str>([]))
            }
        };
        DynGraphBuilder::new()
            .name("shop")
            .last_value("x")
            .node("ask", ask)
            .node("pay", pay)
            .node("after", after)
            .edge("__start__", "ask")
            .edge("ask", "pay")
            .edge("pay", "after")
            .backends(Backends::on(self.saver.clone()))
            .build()
            .expect("it builds")
    }

    /// A run that was approved and stays where it is told to; what stays in the effect begins right before it.
    async fn approved(&self, stays: Stays) -> (RunId, JoinHandle<Option<Worked>>) {
        let graph = self.graph(stays);
        let asked = graph
            .invoke(object(json!({ "x": 0 })), &RunOptions::on("t"))
            .await
            .expect("it asks");
        assert_eq!(asked.status, Status::Waiting);
        let mut fed = input::resume("yes");
        if stays == Stays::Within {
            let options = RunOptions {
                pause_before: Pauses::All,
                ..RunOptions::on("t")
            };
            let paused = graph.invoke(fed, &options).await.expect("it pauses");
            assert_eq!(paused.status, Status::Paused);
            fed = input::go_on();
        }
        let options = RunOptions {
            grace: Duration::from_millis(1),
            ..RunOptions::on("t")
        };
        let answer = graph.to_queue(fed, &options).expect("it can be queued");
        let run = graph.enqueue(answer).await.expect("it is queued").id;
        let worker = worker(&graph);
        let running = tokio::spawn(async move { worker.work_once().await.expect("it works") });
        self.entered.acquire().await.expect("it is open").forget();
        assert_eq!(self.paid.get(), 1);
        (run, running)
    }

    async fn record(&self, run: RunId) -> RunRecord {
        let found = self.saver.runs().load_run(run).await.expect("records");
        found.expect("it is on record")
    }
}

fn worker(graph: &DynGraph) -> Worker {
    Worker::new([graph.clone()], RunOptions::default()).expect("a worker")
}

async fn next(graph: &DynGraph) -> Vec<String> {
    let state = graph.state(&"t".into(), None, Depth::Here).await;
    let next = state.expect("a state").next;
    next.iter().map(ToString::to_string).collect()
}

/// A run that continues, in place of those that run.
fn instead(graph: &DynGraph, on_busy: OnBusy) -> EnqueueRun {
    EnqueueRun {
        on_busy,
        ..graph.queued("t", QueuedInput::Nothing)
    }
}

#[tokio::test]
async fn a_run_that_made_an_effect_is_not_taken_back_unasked() {
    let shop = Shop::new();
    let (run, running) = shop.approved(Stays::After).await;
    let free = shop.graph(Stays::Nowhere);
    let effects = free.effects_of_run(run).await.expect("effects");
    let keys: Vec<&str> = effects.iter().map(|it| &*it.effect.key).collect();
    assert_eq!((keys, &*effects[0].node), (vec!["pay"], "pay"));
    free.cancel_with(run, Cancel::Rollback, "a test")
        .await
        .expect("it is asked");
    let worked = running.await.expect("it ends").expect("it ran");
    assert_eq!(worked.outcome.expect_err("cancelled").code(), "SS1113");
    let record = shop.record(run).await;
    assert_eq!(record.status(), RunStatus::Cancelled);
    assert_eq!(record.cancel.map(|cancel| cancel.how), Some(Cancel::Now));
    assert_eq!(next(&free).await, ["after"], "its steps are kept");
    let base = CheckpointRef::root(record.base.expect("it began somewhere"));
    let since = free.effects_since(&ThreadId::from("t"), &base).await;
    assert_eq!(since.expect("effects").len(), 1, "the thread remembers");
    free.invoke(input::go_on(), &RunOptions::on("t"))
        .await
        .expect("it continues");
    assert_eq!((next(&free).await.len(), shop.paid.get()), (0, 1));
}

#[tokio::test]
async fn a_caller_who_means_it_takes_back_a_run_that_made_an_effect() {
    for by_run in [false, true] {
        let shop = Shop::new();
        let (run, running) = shop.approved(Stays::After).await;
        let free = shop.graph(Stays::Nowhere);
        if by_run {
            let run = instead(&free, OnBusy::RollbackRepeating);
            free.enqueue(run).await.expect("it is queued");
        } else {
            free.cancel_with(run, Cancel::RollbackRepeating, "a test")
                .await
                .expect("it is asked");
        }
        running.await.expect("it ends").expect("it ran");
        assert_eq!(next(&free).await, ["ask"], "it is taken back");
        let record = shop.record(run).await;
        assert_eq!(record.checkpoint, record.base);
    }
}

#[tokio::test]
async fn no_run_comes_in_place_of_one_that_made_an_effect() {
    let shop = Shop::new();
    let (run, running) = shop.approved(Stays::After).await;
    let free = shop.graph(Stays::Nowhere);
    let error = free.enqueue(instead(&free, OnBusy::Rollback)).await;
    let error = error.expect_err("it is refused");
    assert_eq!(error.code(), "SS1205", "{error}");
    assert_eq!(shop.record(run).await.cancel, None, "the first continues");
    // The effect may come after that was looked at: the queue itself does not look.
    let mut late = instead(&free, OnBusy::Rollback);
    late.graph = "shop".into();
    let late = shop.saver.run_queue().enqueue(late).await;
    let late = late.expect("it is queued").id;
    running.await.expect("it ends").expect("it ran");
    assert_eq!(next(&free).await, ["after"]);
    let worked = worker(&free).work_once().await.expect("it works");
    let worked = worked.expect("a run waits");
    assert_eq!(worked.run, late);
    worked.outcome.expect("it continues");
    assert_eq!((next(&free).await.len(), shop.paid.get()), (0, 1));
}

#[tokio::test]
async fn a_killed_run_that_made_an_effect_is_not_taken_back_by_the_next() {
    for (on_busy, paid) in [(OnBusy::Rollback, 1), (OnBusy::RollbackRepeating, 2)] {
        let shop = Shop::new();
        let (_, lost) = shop.approved(Stays::After).await;
        let free = shop.graph(Stays::Nowhere);
        let late = EnqueueRun {
            graph: "shop".into(),
            ..instead(&free, on_busy)
        };
        let late = shop.saver.run_queue().enqueue(late).await;
        late.expect("it is queued");
        lost.abort();
        assert!(lost.await.expect_err("it is killed").is_cancelled());
        let worked = worker(&free).work_once().await.expect("it works");
        worked.expect("a run waits").outcome.expect("it continues");
        assert_eq!((next(&free).await.len(), shop.paid.get()), (0, paid));
    }
}

#[tokio::test]
async fn an_effect_of_which_nobody_knows_keeps_its_run_too() {
    let shop = Shop::new();
    let (run, running) = shop.approved(Stays::Within).await;
    let free = shop.graph(Stays::Nowhere);
    free.cancel_with(run, Cancel::Rollback, "a test")
        .await
        .expect("it is asked");
    running.await.expect("it ends").expect("it ran");
    let cancel = shop.record(run).await.cancel;
    assert_eq!(cancel.map(|cancel| cancel.how), Some(Cancel::Now));
    let again = free.invoke(input::go_on(), &RunOptions::on("t")).await;
    assert_eq!(again.expect_err("nobody knows").code(), "SS1202");
    assert_eq!(shop.paid.get(), 1);
}
