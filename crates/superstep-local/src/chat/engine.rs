//! Worker thread that owns the model, and the queue of calls in front of it.
//!
//! A model has one set of weights and computes one reply at a time: calls wait in line. The thread
//! is started by the first call; `generate` is what it does with each.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};

use superstep_model::Delta;

use super::error::ChatError;
use super::figures::Figures;
use super::generate::generate;
use super::job::Job;
use super::loaded::Loaded;
use super::options::Options;
use super::pools::Pools;
use superstep_core::sync::lock;

/// The way to the thread.
pub(super) struct Engine {
    jobs: SyncSender<Job>,
    figures: Arc<Mutex<Option<Figures>>>,
    queue: usize,
}

impl Engine {
    /// Starts the thread. It reads the weights when the first call comes.
    pub(super) fn start(path: PathBuf, options: Options) -> Result<Self, ChatError> {
        let queue = options.queue.max(1);
        let (jobs, queued) = sync_channel(queue);
        let figures = Arc::new(Mutex::new(None));
        let worker = Worker {
            path,
            pools: Pools::new(options.threads),
            options,
            loaded: None,
            figures: Arc::clone(&figures),
        };
        std::thread::Builder::new()
            .name("superstep-model".to_owned())
            .spawn(move || worker.run(&queued))
            .map_err(|error| ChatError::Gone(error.to_string()))?;
        Ok(Self {
            jobs,
            figures,
            queue,
        })
    }

    /// Puts a call in line.
    pub(super) fn call(&self, job: Job) -> Result<(), ChatError> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => ChatError::Busy(self.queue),
            TrySendError::Disconnected(_) => ChatError::Gone("it has ended".to_owned()),
        })
    }

    /// What the last call took.
    pub(super) fn figures(&self) -> Option<Figures> {
        *lock(&self.figures)
    }
}

struct Worker {
    path: PathBuf,
    options: Options,
    loaded: Option<Loaded>,
    pools: Pools,
    figures: Arc<Mutex<Option<Figures>>>,
}

impl Worker {
    fn run(mut self, queued: &Receiver<Job>) {
        while let Ok(job) = queued.recv() {
            // Whoever gave up while waiting costs nothing.
            if !job.pieces.is_open() {
                continue;
            }
            // Libraries underneath may panic on input nobody thought of. That must cost a call, not
            // the model.
            let done = catch_unwind(AssertUnwindSafe(|| self.answer(&job)));
            let error = match done {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error,
                Err(_) => {
                    self.loaded = None;
                    ChatError::Gone("it panicked on this call".to_owned())
                }
            };
            let Delta::From { model, .. } = &job.from else {
                continue;
            };
            job.pieces.send(Err(error.of_call(model)));
        }
    }

    fn answer(&mut self, job: &Job) -> Result<(), ChatError> {
        let mut loaded = match self.loaded.take() {
            Some(loaded) => loaded,
            None => Loaded::open(&self.path, &self.options, &job.request)?,
        };
        let done = generate(&mut loaded, job, &self.options, &mut self.pools);
        self.loaded = Some(loaded);
        let mut figures = lock(&self.figures);
        *figures = Some(done?);
        Ok(())
    }
}
