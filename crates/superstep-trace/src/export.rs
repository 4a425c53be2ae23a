//! Exporter: sends finished runs to a collector in the background.
//!
//! [`Exporter::watch`] wraps a saver: when the end of a run is stored, its number goes into a bounded
//! queue. One task reads the log of such a run, makes spans of it and sends them
//! (`client`). A full queue, a collector that hangs or a log that cannot be read costs spans,
//! which are counted, and never a run.

mod client;
mod options;
mod watch;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use superstep_core::{
    error::SaverError,
    event::{Cursor, Entry, Logged},
    id::ThreadId,
    saver::Saver,
};
use tokio::{
    sync::{mpsc, watch as signal},
    task::JoinHandle,
};

use self::client::{Client, Sent};
pub use self::{
    options::{ExportError, ExportOptions},
    watch::Watched,
};
use crate::{
    otlp,
    tree::{RunTree, View},
};
use superstep_core::sync::lock;
pub use superstep_http::{Backoff, Jitter, RetryAfter};

/// How many entries are read at once, and how many of a run are exported.
const PAGE: usize = 256;
const LONGEST: usize = 100_000;

/// Sends finished runs to a collector until it is shut down or dropped.
pub struct Exporter {
    line: Line,
    stop: signal::Sender<bool>,
    worker: JoinHandle<()>,
}

/// What became of the runs that were to be sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Runs that arrived.
    pub sent: u64,
    /// Their spans.
    pub spans: u64,
    /// Runs that were given up or had no place in the queue.
    pub dropped: u64,
    /// Spans that the collector took and threw away.
    pub rejected: u64,
    /// Why something was last given up.
    pub reason: Option<String>,
}

/// A run that is to be sent.
struct Job {
    saver: Arc<dyn Saver>,
    thread: ThreadId,
    number: u64,
}

/// The way into the queue, for many.
#[derive(Clone)]
struct Line {
    queue: mpsc::Sender<Job>,
    counts: Arc<Counts>,
}

struct Counts {
    /// Runs that went into the queue and were neither sent nor given up.
    open: AtomicU64,
    report: Mutex<Report>,
    warn: Option<options::Warn>,
}

impl Counts {
    fn report(&self) -> MutexGuard<'_, Report> {
        lock(&self.report)
    }

    fn drop_run(&self, reason: String) {
        if let Some(warn) = &self.warn {
            // Called from within a run, which no warning may end.
            let _panicked = catch_unwind(AssertUnwindSafe(|| warn(&reason)));
        }
        let mut report = self.report();
        report.dropped += 1;
        report.reason = Some(reason);
    }
}

impl Line {
    /// Never waits.
    fn offer(&self, saver: &Arc<dyn Saver>, thread: &ThreadId, number: u64) {
        let job = Job {
            saver: saver.clone(),
            thread: thread.clone(),
            number,
        };
        self.counts.open.fetch_add(1, Ordering::SeqCst);
        if let Err(refused) = self.queue.try_send(job) {
            self.counts.open.fetch_sub(1, Ordering::SeqCst);
            let why = match refused {
                mpsc::error::TrySendError::Full(_) => "the queue is full",
                mpsc::error::TrySendError::Closed(_) => "the exporter was shut down",
            };
            self.counts.drop_run(format!(
                "run {number} of thread `{thread}` is not sent: {why}"
            ));
        }
    }
}

impl Exporter {
    /// Starts to send, on the tokio runtime of the caller.
    pub fn start(options: ExportOptions) -> Result<Self, ExportError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| ExportError::NoRuntime)?;
        let client = Client::new(&options)?;
        let (queue, jobs) = mpsc::channel(options.queue.max(1));
        let (stop, stopped) = signal::channel(false);
        let counts = Arc::new(Counts {
            open: AtomicU64::new(0),
            report: Mutex::default(),
            warn: options.warn.clone(),
        });
        let worker = Worker {
            client,
            options,
            counts: counts.clone(),
        };
        Ok(Self {
            line: Line { queue, counts },
            stop,
            worker: runtime.spawn(worker.work(jobs, stopped)),
        })
    }

    /// The saver, with an ear on it: runs that it stores the end of are sent. Runs must log
    /// [`Modes::TRACE`](superstep_core::event::Modes::TRACE), or there is little to send.
    pub fn watch(&self, saver: Arc<dyn Saver>) -> Arc<Watched> {
        Arc::new(Watched::new(saver, self.line.clone()))
    }

    /// Has a run sent, whether it has ended or not. Never waits.
    pub fn offer(&self, saver: &Arc<dyn Saver>, thread: impl Into<ThreadId>, number: u64) {
        self.line.offer(saver, &thread.into(), number);
    }

    /// What became of runs so far.
    pub fn report(&self) -> Report {
        self.line.counts.report().clone()
    }

    /// Sends what is in the queue and ends; what is not sent at the deadline is dropped.
    pub async fn shutdown(mut self, deadline: Duration) -> Report {
        self.stop.send_replace(true);
        let ended = tokio::time::timeout(deadline, &mut self.worker).await;
        if ended.is_err() {
            self.worker.abort();
            let _aborted = (&mut self.worker).await;
        }
        let counts = &self.line.counts;
        let left = counts.open.swap(0, Ordering::SeqCst);
        for _ in 0..left {
            counts.drop_run("a run is not sent: the exporter was shut down".to_owned());
        }
        self.report()
    }
}

impl Drop for Exporter {
    fn drop(&mut self) {
        self.worker.abort();
    }
}

struct Worker {
    client: Client,
    options: ExportOptions,
    counts: Arc<Counts>,
}

impl Worker {
    async fn work(self, mut jobs: mpsc::Receiver<Job>, mut stopped: signal::Receiver<bool>) {
        loop {
            let job = tokio::select! {
                biased;
                job = jobs.recv() => job,
                // Whoever has an ear on a saver keeps the queue open, so it is closed from here.
                _ = stopped.wait_for(|stop| *stop), if !jobs.is_closed() => {
                    jobs.close();
                    continue;
                }
            };
            let Some(job) = job else { return };
            let done = self.send(&job).await;
            self.counts.open.fetch_sub(1, Ordering::SeqCst);
            match done {
                Ok(sent) => {
                    let mut report = self.counts.report();
                    report.sent += 1;
                    report.spans += sent.spans;
                    report.rejected += sent.rejected;
                }
                Err(why) => {
                    let Job { thread, number, .. } = &job;
                    self.counts.drop_run(format!(
                        "run {number} of thread `{thread}` is not sent: {why}"
                    ));
                }
            }
        }
    }

    async fn send(&self, job: &Job) -> Result<Sent, String> {
        let log = log_of(job).await.map_err(|error| error.to_string())?;
        let view = View {
            privacy: self.options.privacy.clone(),
            ..View::default()
        };
        let tree = RunTree::new(job.thread.clone(), &log, &view);
        let spans = tree.to_otlp(&self.options.origin);
        let mut sent = Sent::default();
        for request in otlp::requests(&spans, &self.options.origin) {
            let rejected = self.client.post(request).await?;
            sent.rejected += rejected;
        }
        sent.spans = (spans.len() as u64).saturating_sub(sent.rejected);
        Ok(sent)
    }
}

async fn log_of(job: &Job) -> Result<Vec<Logged>, SaverError> {
    let mut log: Vec<Logged> = Vec::new();
    let epoch = job.number;
    let mut after = Some(Cursor { epoch, n: 0 });
    while log.len() < LONGEST {
        let page = job.saver.events(&job.thread, after, PAGE).await?;
        let read = page.len();
        let own = page
            .into_iter()
            .take_while(|logged| logged.cursor.epoch == epoch);
        let before = log.len();
        log.extend(own);
        after = log.last().map(|last| last.cursor);
        let ended = matches!(log.last(), Some(last) if matches!(last.entry, Entry::Ended(_)));
        if ended || read < PAGE || log.len() - before < read {
            break;
        }
    }
    Ok(log)
}
