//! Queue in front of the writer, with group commit.
//!
//! While a single run writes, it commits on its own thread, without a thread switch. When several
//! write, they enqueue their work, and the writer's thread does all that is pending in one
//! transaction with one fsync. Either way work is done in the order of submission.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use superstep_core::{error::SaverError, future::MaybeReady};
use tokio::sync::oneshot;

use crate::{sync_level::SyncLevel, writer::Writer};
use superstep_core::sync::lock;

/// If the last fsync took longer than this, the writer's thread commits, so that the caller's thread
/// is not blocked.
const SLOW: Duration = Duration::from_millis(2);

/// Whether a caller waits for the commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// The caller waits.
    Immediate,
    /// Nobody waits (write-behind), so work may pile up for a group commit.
    Deferred,
    /// The caller submits something else at once, and both are one transaction.
    WithNext,
}

/// Replies to the caller with the result of the commit.
type Finish = Box<dyn FnOnce(Result<(), SaverError>) + Send>;
type Work = Box<dyn FnOnce(Result<&mut Writer, SaverError>) -> Finish + Send>;

struct Job {
    level: SyncLevel,
    urgency: Urgency,
    work: Work,
}

/// Where the result of a job arrives.
type Reply<T> = oneshot::Receiver<Result<T, SaverError>>;

impl Job {
    fn new<T: Send + 'static>(
        level: SyncLevel,
        urgency: Urgency,
        work: impl FnOnce(&mut Writer) -> Result<T, SaverError> + Send + 'static,
    ) -> (Self, Reply<T>) {
        let (sender, reply) = oneshot::channel();
        let work: Work = Box::new(move |writer| {
            let done = writer.and_then(|writer| writer.in_group(work));
            Box::new(move |committed| {
                let _gone = sender.send(committed.and(done));
            })
        });
        let job = Self {
            level,
            urgency,
            work,
        };
        (job, reply)
    }
}

#[derive(Default)]
struct Pending {
    jobs: Vec<Job>,
    /// Whether the writer's thread must be woken; while it works it looks for more jobs by itself.
    asleep: bool,
    closed: bool,
}

struct QueueState {
    writer: Mutex<Writer>,
    pending: Mutex<Pending>,
    wake: Condvar,
    /// How many runs hold a lease and may be about to write.
    writers: AtomicUsize,
    /// Latency of the last commit with an fsync, in microseconds.
    last_sync: AtomicU64,
}

/// Hands work to the writer.
pub(crate) struct Queue {
    /// Absent in a read-only database.
    state: Option<Arc<QueueState>>,
    thread: Option<JoinHandle<()>>,
}

impl Queue {
    /// Starts the writer's thread, which also calls `tick` periodically.
    pub(crate) fn start(
        writer: Writer,
        every: Duration,
        tick: impl FnMut(&mut Writer) + Send + 'static,
    ) -> Result<Self, SaverError> {
        let state = Arc::new(QueueState {
            writer: Mutex::new(writer),
            pending: Mutex::default(),
            wake: Condvar::new(),
            writers: AtomicUsize::new(0),
            last_sync: AtomicU64::new(0),
        });
        let running = state.clone();
        let thread = thread::Builder::new()
            .name("superstep-sqlite".to_owned())
            .spawn(move || running.run(every, tick))
            .map_err(|error| SaverError::Io(format!("no thread for the writer: {error}")))?;
        Ok(Self {
            state: Some(state),
            thread: Some(thread),
        })
    }

    /// The queue of a read-only database: it refuses all work.
    pub(crate) fn closed() -> Self {
        Self {
            state: None,
            thread: None,
        }
    }

    /// Whether it refuses all work.
    pub(crate) fn is_closed(&self) -> bool {
        self.state.is_none()
    }

    /// Counts a run that may write; with more than one, commits are grouped.
    pub(crate) fn add_writer(&self) {
        if let Some(state) = &self.state {
            state.writers.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn remove_writer(&self) {
        if let Some(state) = &self.state {
            state.writers.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Commits work on the caller's thread if that is urgent and no other run writes, along with what
    /// waited for it; otherwise enqueues it.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        level: SyncLevel,
        urgency: Urgency,
        work: impl FnOnce(&mut Writer) -> Result<T, SaverError> + Send + 'static,
    ) -> MaybeReady<'static, T> {
        let Some(state) = &self.state else {
            return refuse();
        };
        let direct = match urgency {
            Urgency::Immediate => state.try_writer(),
            Urgency::Deferred | Urgency::WithNext => None,
        };
        match direct {
            None => self.push(level, urgency, work),
            Some((mut writer, waiting)) if waiting.is_empty() => {
                let start = Instant::now();
                let done = writer.in_transaction(level, work);
                if level == SyncLevel::Full {
                    state.record_sync(start);
                }
                MaybeReady::now(done)
            }
            Some((mut writer, mut jobs)) => {
                let (job, mut reply) = Job::new(level, urgency, work);
                jobs.push(job);
                state.commit_group(&mut writer, jobs);
                MaybeReady::now(reply.try_recv().unwrap_or_else(|_| Err(stopped())))
            }
        }
    }

    /// Enqueues work for the writer's thread.
    pub(crate) fn enqueue<T: Send + 'static>(
        &self,
        level: SyncLevel,
        work: impl FnOnce(&mut Writer) -> Result<T, SaverError> + Send + 'static,
    ) -> MaybeReady<'static, T> {
        self.push(level, Urgency::Deferred, work)
    }

    fn push<T: Send + 'static>(
        &self,
        level: SyncLevel,
        urgency: Urgency,
        work: impl FnOnce(&mut Writer) -> Result<T, SaverError> + Send + 'static,
    ) -> MaybeReady<'static, T> {
        let Some(state) = &self.state else {
            return refuse();
        };
        let (job, reply) = Job::new(level, urgency, work);
        lock(&state.pending).jobs.push(job);
        if urgency != Urgency::WithNext {
            state.wake_writer();
        }
        let state = state.clone();
        MaybeReady::Later(Box::pin(async move {
            // What should go along with this may never come.
            if urgency == Urgency::WithNext {
                state.wake_writer();
            }
            reply.await.unwrap_or_else(|_| Err(stopped()))
        }))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Some(state) = &self.state {
            lock(&state.pending).closed = true;
            state.wake.notify_one();
        }
        // A claim that nobody waits for any more is dropped by the writer's own thread.
        let own = thread::current().id();
        if let Some(thread) = self.thread.take().filter(|it| it.thread().id() != own) {
            let _ended = thread.join();
        }
    }
}

impl QueueState {
    /// Has the writer's thread look for jobs, if it sleeps.
    fn wake_writer(&self) {
        let mut pending = lock(&self.pending);
        let asleep = !pending.jobs.is_empty() && std::mem::take(&mut pending.asleep);
        drop(pending);
        if asleep {
            self.wake.notify_one();
        }
    }

    /// The writer, if the caller may use it directly, and the jobs that waited for that.
    fn try_writer(&self) -> Option<(MutexGuard<'_, Writer>, Vec<Job>)> {
        let slow = self.last_sync.load(Ordering::Relaxed) > SLOW.as_micros() as u64;
        if slow || self.writers.load(Ordering::Relaxed) > 1 {
            return None;
        }
        let writer = match self.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let mut pending = lock(&self.pending);
        let mut jobs = pending.jobs.iter();
        // Other pending work goes first.
        let is_free = jobs.all(|job| job.urgency == Urgency::WithNext);
        is_free.then(|| (writer, std::mem::take(&mut pending.jobs)))
    }

    fn run(&self, every: Duration, mut tick: impl FnMut(&mut Writer)) {
        let mut next = Instant::now() + every;
        loop {
            let mut pending = lock(&self.pending);
            while pending.jobs.is_empty() && !pending.closed {
                let left = next.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                pending.asleep = true;
                let woken = self.wake.wait_timeout(pending, left);
                pending = woken.unwrap_or_else(PoisonError::into_inner).0;
                pending.asleep = false;
            }
            drop(pending);
            let mut writer = lock(&self.writer);
            // Taken while the writer is locked, so that no direct commit overtakes them.
            let (jobs, closed) = {
                let mut pending = lock(&self.pending);
                (std::mem::take(&mut pending.jobs), pending.closed)
            };
            if !jobs.is_empty() {
                self.commit_group(&mut writer, jobs);
            } else if closed {
                return;
            }
            if Instant::now() >= next {
                tick(&mut writer);
                next = Instant::now() + every;
            }
        }
    }

    /// Group commit: all jobs in one transaction.
    fn commit_group(&self, writer: &mut Writer, jobs: Vec<Job>) {
        let disk = jobs.iter().any(|job| job.level == SyncLevel::Full);
        let level = if disk {
            SyncLevel::Full
        } else {
            SyncLevel::Normal
        };
        let start = Instant::now();
        if let Err(error) = writer.begin(level) {
            for job in jobs {
                (job.work)(Err(error.clone()))(Err(error.clone()));
            }
            return;
        }
        let mut replies = Vec::with_capacity(jobs.len());
        for job in jobs {
            let writer = match writer.failure() {
                None => Ok(&mut *writer),
                Some(error) => Err(error.clone()),
            };
            replies.push((job.work)(writer));
        }
        let committed = match writer.failure().cloned() {
            None => writer.commit(),
            Some(error) => {
                writer.abort(&error);
                Err(error)
            }
        };
        if disk {
            self.record_sync(start);
        }
        for finish in replies {
            finish(committed.clone());
        }
    }

    fn record_sync(&self, start: Instant) {
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last_sync.store(micros, Ordering::Relaxed);
    }
}

fn stopped() -> SaverError {
    SaverError::Io("the writer has stopped".to_owned())
}

fn refuse<T>() -> MaybeReady<'static, T> {
    let why =
        "the database was opened for reading only; open it in another mode to store something";
    MaybeReady::now(Err(SaverError::ReadOnly(why.to_owned())))
}
