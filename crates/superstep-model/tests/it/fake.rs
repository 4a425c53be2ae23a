//! A model that does what a test says, attempt by attempt, and remembers what was done to it.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use superstep_core::future::BoxFuture;
use superstep_model::{
    CallObserver, Caps, Delta, Deltas, ErrorKind, Finish, Message, Model, ModelError, ModelId,
    Request, Usage,
    call::{Attempt, Cost},
};
use tokio::time::{Instant, Sleep, sleep_until};

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Give(Delta),
    Fail(ErrorKind),
    Wait(Duration),
    Hang,
}

/// An attempt: whether it gets as far as a stream, and what comes then.
#[derive(Clone, Debug)]
pub(crate) enum Play {
    Refused(ErrorKind),
    Unreachable,
    Streams(Vec<Step>),
}

pub(crate) struct Fake {
    id: ModelId,
    pub(crate) caps: Caps,
    plays: Mutex<VecDeque<Play>>,
    /// What is played when nothing is left.
    always: Option<Play>,
    pub(crate) seen: Mutex<Vec<Request>>,
    pub(crate) count: Arc<Count>,
}

#[derive(Default)]
pub(crate) struct Count {
    pub(crate) running: AtomicUsize,
    pub(crate) peak: AtomicUsize,
    pub(crate) dropped: AtomicUsize,
}

impl Fake {
    pub(crate) fn new(plays: impl IntoIterator<Item = Play>) -> Self {
        let mut caps = Caps::local();
        caps.local = false;
        Self {
            id: ModelId::new("openai", "gpt-4o"),
            caps,
            plays: Mutex::new(plays.into_iter().collect()),
            always: None,
            seen: Mutex::default(),
            count: Arc::default(),
        }
    }

    pub(crate) fn always(play: Play) -> Self {
        Self {
            always: Some(play),
            ..Self::new([])
        }
    }

    pub(crate) fn named(mut self, provider: &str, name: &str) -> Self {
        self.id = ModelId::new(provider, name);
        self
    }

    pub(crate) fn attempts(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

impl Model for Fake {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        self.caps
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        self.seen.lock().unwrap().push(request.clone());
        let play = self.plays.lock().unwrap().pop_front();
        let play = play.or_else(|| self.always.clone());
        let running = Running::new(&self.count);
        Box::pin(async move {
            // An attempt the test did not foresee.
            match play.unwrap() {
                Play::Refused(kind) => Err(kind.into()),
                Play::Unreachable => {
                    let _running = running;
                    std::future::pending().await
                }
                Play::Streams(steps) => Ok(Deltas::new(Playing {
                    steps: steps.into(),
                    clock: None,
                    running,
                })),
            }
        })
    }
}

struct Running {
    count: Arc<Count>,
    ended: bool,
}

impl Running {
    fn new(count: &Arc<Count>) -> Self {
        let now = count.running.fetch_add(1, SeqCst) + 1;
        count.peak.fetch_max(now, SeqCst);
        Self {
            count: Arc::clone(count),
            ended: false,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.count.running.fetch_sub(1, SeqCst);
        if !self.ended {
            self.count.dropped.fetch_add(1, SeqCst);
        }
    }
}

struct Playing {
    steps: VecDeque<Step>,
    clock: Option<Pin<Box<Sleep>>>,
    running: Running,
}

impl Stream for Playing {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(clock) = &mut self.clock {
                if clock.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                self.clock = None;
            }
            match self.steps.pop_front() {
                Some(Step::Give(delta)) => return Poll::Ready(Some(Ok(delta))),
                Some(Step::Fail(kind)) => {
                    self.running.ended = true;
                    return Poll::Ready(Some(Err(kind.into())));
                }
                Some(Step::Wait(time)) => {
                    self.clock = Some(Box::pin(sleep_until(Instant::now() + time)))
                }
                Some(Step::Hang) => {
                    self.steps.push_front(Step::Hang);
                    return Poll::Pending;
                }
                None => {
                    self.running.ended = true;
                    return Poll::Ready(None);
                }
            }
        }
    }
}

pub(crate) fn text(text: &str) -> Step {
    Step::Give(Delta::Text(text.into()))
}

pub(crate) fn usage(input: u64, output: u64) -> Step {
    Step::Give(Delta::Usage(Usage {
        input,
        output,
        ..Usage::default()
    }))
}

pub(crate) fn finish(why: Finish) -> Step {
    Step::Give(Delta::Finish(why))
}

pub(crate) fn reading(read: u64, total: u64) -> Step {
    Step::Give(Delta::Reading { read, total })
}

pub(crate) fn from() -> Step {
    Step::Give(Delta::From {
        model: "gpt-4o-2024-08-06".into(),
        weights: None,
    })
}

/// A whole answer.
pub(crate) fn says(words: &str) -> Play {
    Play::Streams(vec![
        from(),
        text(words),
        finish(Finish::Stop),
        usage(100, 20),
    ])
}

pub(crate) fn server(status: u16) -> ErrorKind {
    ErrorKind::Server {
        status,
        message: "busy".into(),
        after: None,
    }
}

pub(crate) fn limited(after: Option<u64>) -> ErrorKind {
    ErrorKind::Limited {
        message: "slow down".into(),
        after: after.map(Duration::from_secs),
    }
}

pub(crate) fn hello() -> Request {
    Request::new([Message::user("hello there")])
}

/// What a watch saw, a word or two each.
#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<String>>);

impl Log {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl CallObserver for Log {
    fn started(&self, attempt: &Attempt<'_>) {
        self.add(format!("{} started", attempt.number));
    }

    fn reading(&self, attempt: &Attempt<'_>, read: u64, total: u64) {
        self.add(format!("{} reads {read}/{total}", attempt.number));
    }

    fn first_piece(&self, attempt: &Attempt<'_>) {
        self.add(format!("{} speaks", attempt.number));
    }

    fn failed(&self, at: &Attempt<'_>, error: &ModelError, wait: Option<Duration>, cost: &Cost) {
        let then = if wait.is_some() { "again" } else { "given up" };
        let tokens = cost.usage.total();
        self.add(format!(
            "{} failed {} {tokens} {then}",
            at.number,
            error.code()
        ));
    }

    fn ended(&self, attempt: &Attempt<'_>, cost: &Cost) {
        let money = cost.money.map_or("n/a".into(), |money| money.to_string());
        let tokens = cost.usage.total();
        self.add(format!("{} ended {tokens} {money}", attempt.number));
    }

    fn dropped(&self, attempt: &Attempt<'_>, cost: &Cost) {
        let tokens = cost.usage.total();
        self.add(format!("{} dropped {tokens}", attempt.number));
    }
}
