//! How work reaches the writer.
//!
//! While one run writes, it does so itself: its commit costs no change of thread. When several do,
//! they leave their work here, and one thread does all that has gathered in one transaction with one
//! sync. Work is done in the order in which it was handed in, either way.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use superstep_core::{error::SaverError, saver::Reply};
use tokio::sync::oneshot;

use crate::{lock::lock, sync_level::Need, writer::Writer};

/// A disk that takes longer than this to sync is waited for on the writer's own thread, so that the
/// caller's thread can do other things meanwhile.
const SLOW: Duration = Duration::from_millis(2);

/// Whether somebody waits for work to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Somebody does.
    Now,
    /// Nobody does.
    Later,
}

/// Tells the one who waits, once it is known whether the transaction holds.
type Finish = Box<dyn FnOnce(Result<(), SaverError>) + Send>;
type Work = Box<dyn FnOnce(Result<&mut Writer, SaverError>) -> Finish + Send>;

struct Job {
    need: Need,
    work: Work,
}

#[derive(Default)]
struct Waiting {
    jobs: Vec<Job>,
    /// The writer's thread sleeps until it is woken. While it works it looks for more by itself.
    asleep: bool,
    closed: bool,
}

struct Shared {
    writer: Mutex<Writer>,
    waiting: Mutex<Waiting>,
    wake: Condvar,
    /// How many runs may be about to write.
    busy: AtomicUsize,
    /// How long the last commit to the disk took, in microseconds.
    took: AtomicU64,
}

/// The way to the writer.
pub(crate) struct Queue {
    /// Absent where nothing is written.
    shared: Option<Arc<Shared>>,
    thread: Option<JoinHandle<()>>,
}

impl Queue {
    /// Starts the writer's thread; `tick` is called on it from time to time.
    pub(crate) fn start(
        writer: Writer,
        every: Duration,
        tick: impl FnMut(&mut Writer) + Send + 'static,
    ) -> Result<Self, SaverError> {
        let shared = Arc::new(Shared {
            writer: Mutex::new(writer),
            waiting: Mutex::default(),
            wake: Condvar::new(),
            busy: AtomicUsize::new(0),
            took: AtomicU64::new(0),
        });
        let serving = shared.clone();
        let thread = thread::Builder::new()
            .name("superstep-sqlite".to_owned())
            .spawn(move || serving.serve(every, tick))
            .map_err(|error| SaverError::Io(format!("no thread for the writer: {error}")))?;
        Ok(Self {
            shared: Some(shared),
            thread: Some(thread),
        })
    }

    /// A way that leads to no writer: all work is refused.
    pub(crate) fn closed() -> Self {
        Self {
            shared: None,
            thread: None,
        }
    }

    /// Whether it leads to no writer.
    pub(crate) fn is_closed(&self) -> bool {
        self.shared.is_none()
    }

    /// One more run, or one less, may be about to write.
    pub(crate) fn enter(&self) {
        if let Some(shared) = &self.shared {
            shared.busy.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn leave(&self) {
        if let Some(shared) = &self.shared {
            shared.busy.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Has work done, here and now if there is haste and nobody else writes.
    pub(crate) fn submit<T: Send + 'static>(
        &self,
        need: Need,
        haste: Haste,
        work: impl FnOnce(&mut Writer) -> Result<T, SaverError> + Send + 'static,
    ) -> Reply<'static, T> {
        let Some(shared) = &self.shared else {
            return refuse();
        };
        let free = match haste {
            Haste::Now => shared.free(),
            Haste::Later => None,
        };
        match free {
            Some(mut writer) => {
                let start = Instant::now();
                let done = writer.alone(need, work);
                if need == Need::Disk {
                    shared.took(start);
                }
                Reply::now(done)
            }
            None => self.later(need, work),
        }
    }

    /// Has work done on the writer's thread.
    pub(crate) fn later<T: Send + 'static>(
        &self,
        need: Need,
        work: impl FnOnce(&mut Writer) -> Result<T, SaverError> + Send + 'static,
    ) -> Reply<'static, T> {
        let Some(shared) = &self.shared else {
            return refuse();
        };
        let (tell, told) = oneshot::channel();
        let work: Work = Box::new(move |writer| {
            let done = writer.and_then(|writer| writer.piece(work));
            Box::new(move |held| {
                let _gone = tell.send(held.and(done));
            })
        });
        let mut waiting = lock(&shared.waiting);
        waiting.jobs.push(Job { need, work });
        let asleep = std::mem::take(&mut waiting.asleep);
        drop(waiting);
        if asleep {
            shared.wake.notify_one();
        }
        Reply::Later(Box::pin(async move {
            let stopped = || SaverError::Io("the writer has stopped".to_owned());
            told.await.unwrap_or_else(|_| Err(stopped()))
        }))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            lock(&shared.waiting).closed = true;
            shared.wake.notify_one();
        }
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

impl Shared {
    /// The writer, if its work may be done by the one who asks.
    fn free(&self) -> Option<MutexGuard<'_, Writer>> {
        let slow = self.took.load(Ordering::Relaxed) > SLOW.as_micros() as u64;
        if slow || self.busy.load(Ordering::Relaxed) > 1 {
            return None;
        }
        let writer = match self.writer.try_lock() {
            Ok(writer) => writer,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        // Work that waits goes first.
        lock(&self.waiting).jobs.is_empty().then_some(writer)
    }

    fn serve(&self, every: Duration, mut tick: impl FnMut(&mut Writer)) {
        let mut next = Instant::now() + every;
        loop {
            let mut waiting = lock(&self.waiting);
            while waiting.jobs.is_empty() && !waiting.closed {
                let left = next.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    break;
                }
                waiting.asleep = true;
                let woken = self.wake.wait_timeout(waiting, left);
                waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
                waiting.asleep = false;
            }
            drop(waiting);
            let mut writer = lock(&self.writer);
            // Taken while the writer is held, so that nobody who finds it free overtakes them.
            let (jobs, closed) = {
                let mut waiting = lock(&self.waiting);
                (std::mem::take(&mut waiting.jobs), waiting.closed)
            };
            if !jobs.is_empty() {
                self.group(&mut writer, jobs);
            } else if closed {
                return;
            }
            if Instant::now() >= next {
                tick(&mut writer);
                next = Instant::now() + every;
            }
        }
    }

    /// Does all of the work in one transaction.
    fn group(&self, writer: &mut Writer, jobs: Vec<Job>) {
        let disk = jobs.iter().any(|job| job.need == Need::Disk);
        let need = if disk { Need::Disk } else { Need::System };
        let start = Instant::now();
        if let Err(error) = writer.begin(need) {
            for job in jobs {
                (job.work)(Err(error.clone()))(Err(error.clone()));
            }
            return;
        }
        let mut told = Vec::with_capacity(jobs.len());
        for job in jobs {
            let writer = match writer.broken() {
                None => Ok(&mut *writer),
                Some(error) => Err(error.clone()),
            };
            told.push((job.work)(writer));
        }
        let held = match writer.broken().cloned() {
            None => writer.commit(),
            Some(error) => {
                writer.give_up(&error);
                Err(error)
            }
        };
        if disk {
            self.took(start);
        }
        for finish in told {
            finish(held.clone());
        }
    }

    fn took(&self, start: Instant) {
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.took.store(micros, Ordering::Relaxed);
    }
}

fn refuse<T>() -> Reply<'static, T> {
    let why =
        "the database was opened for reading only; open it in another mode to store something";
    Reply::now(Err(SaverError::ReadOnly(why.to_owned())))
}
