//! Durability `async`: a saver sees the steps of a run before it has answered for earlier ones.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde::{Deserialize, Serialize};
use superstep::{
    Durability, Saver,
    prelude::*,
    saver::{Commit, Events, MaybeReady, NextRecord, Notes, SaverError, SaverLayer},
};
use tokio::sync::{Notify, Semaphore};

/// The run waits for the oldest answer once so many are outstanding.
const MOST: usize = 1024;

/// More answers than any run here waits for.
const ALL: usize = 100_000;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Count {
    n: u64,
    last: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum One {
    Add,
}

/// Takes every step at once and answers when it is told to.
struct Gate {
    inner: MemorySaver,
    answers: Semaphore,
    steps: Mutex<Vec<i64>>,
    outstanding: AtomicUsize,
    most: AtomicUsize,
    crowded: Notify,
    refuses: Option<i64>,
}

impl Gate {
    fn new(answers: usize) -> Self {
        Self {
            inner: MemorySaver::new(),
            answers: Semaphore::new(answers),
            steps: Mutex::default(),
            outstanding: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            crowded: Notify::new(),
            refuses: None,
        }
    }

    fn answer<T: Send + 'static>(&self, answer: Result<T, SaverError>) -> MaybeReady<'_, T> {
        let now = self.outstanding.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        if now > MOST {
            self.crowded.notify_one();
        }
        MaybeReady::Later(Box::pin(async move {
            self.answers.acquire().await.unwrap().forget();
            self.outstanding.fetch_sub(1, Ordering::SeqCst);
            answer
        }))
    }

    async fn take(&self, commit: Commit) -> Result<NextRecord, SaverError> {
        let step = commit.record.step;
        self.steps.lock().unwrap().push(step);
        if self.refuses == Some(step) {
            return Err(SaverError::Io("the disk is full".into()));
        }
        self.inner.commit(commit).await
    }
}

fn now<T>(work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match work.as_mut().poll(&mut cx) {
        std::task::Poll::Ready(answer) => answer,
        std::task::Poll::Pending => panic!("memory answers at once"),
    }
}

impl SaverLayer for Gate {
    fn inner(&self) -> &dyn Saver {
        &self.inner
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        self.answer(now(self.take(commit)))
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        self.answer(now(self.inner.note(notes)))
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        self.answer(now(self.inner.log(events)))
    }
}

/// Counts to `last`, one step each.
fn counting(saver: &Arc<Gate>) -> Graph<Count, One> {
    let add = |count: Snap<Count>| async move { Count::update().n(count.n + 1) };
    let again = |count: &Count| (count.n < count.last).then_some(One::Add);
    Graph::<Count, One>::builder()
        .saver(saver.clone())
        .node(One::Add, add)
        .start(One::Add)
        .route(One::Add, &[One::Add], again)
        .build()
        .unwrap()
        .with_options(|options| options.durability = Durability::Async)
}

#[tokio::test]
async fn steps_are_stored_in_order_before_earlier_ones_are_answered() {
    let saver = Arc::new(Gate::new(0));
    let graph = counting(&saver);
    let running = graph.clone();
    let run = tokio::spawn(async move { running.run("t", Count::update().last(2_000)).await });
    saver.crowded.notified().await;
    saver.answers.add_permits(ALL);
    let done = run.await.unwrap().unwrap().done().unwrap();
    assert_eq!(done.n, 2_000);
    let steps = saver.steps.lock().unwrap().clone();
    assert_eq!(steps, (-1..=2_000).collect::<Vec<i64>>());
    assert_eq!(graph.state("t").await.unwrap().state.n, 2_000);
}

#[tokio::test]
async fn a_run_does_not_run_away_from_its_saver() {
    let saver = Arc::new(Gate::new(0));
    let graph = counting(&saver);
    let run = tokio::spawn(async move { graph.run("t", Count::update().last(5_000)).await });
    saver.crowded.notified().await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(saver.most.load(Ordering::SeqCst), MOST + 1);
    for _ in 0..10 {
        saver.answers.add_permits(1);
        tokio::task::yield_now().await;
    }
    assert_eq!(saver.most.load(Ordering::SeqCst), MOST + 1);
    assert!(!run.is_finished());
    run.abort();
}

#[tokio::test]
async fn a_run_ends_with_the_first_store_that_failed() {
    let saver = Arc::new(Gate {
        refuses: Some(7),
        ..Gate::new(ALL)
    });
    let error = counting(&saver)
        .run("t", Count::update().last(5_000))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "SS2006", "{error}");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert_eq!(saver.steps.lock().unwrap().last(), Some(&7));
}

#[tokio::test]
async fn the_first_of_many_outstanding_failures_is_told() {
    let saver = Arc::new(Gate {
        refuses: Some(7),
        ..Gate::new(0)
    });
    let graph = counting(&saver);
    let run = tokio::spawn(async move { graph.run("t", Count::update().last(5_000)).await });
    saver.crowded.notified().await;
    saver.answers.add_permits(ALL);
    let error = run.await.unwrap().unwrap_err();
    // All that followed it was refused too, for want of a parent.
    assert_eq!(error.code(), "SS2006", "{error}");
    assert!(saver.steps.lock().unwrap().len() < 2_000);
}

#[tokio::test]
async fn a_store_that_fails_while_a_task_waits_ends_the_run() {
    let saver = Arc::new(Gate {
        refuses: Some(-1),
        ..Gate::new(0)
    });
    let started = Arc::new(Notify::new());
    let tell = started.clone();
    let graph = Graph::<Count, One>::builder()
        .saver(saver.clone())
        .node(One::Add, move || {
            let tell = tell.clone();
            async move {
                tell.notify_one();
                std::future::pending::<()>().await;
            }
        })
        .start(One::Add)
        .finish(One::Add)
        .build()
        .unwrap()
        .with_options(|options| options.durability = Durability::Async);
    let run = tokio::spawn(async move { graph.run("t", Count::update()).await });
    started.notified().await;
    saver.answers.add_permits(10);
    assert_eq!(run.await.unwrap().unwrap_err().code(), "SS2006");
}
