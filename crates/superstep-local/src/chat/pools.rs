//! Threads that compute passes over the weights: as many for each as [`ThreadCount`] finds best, or always as
//! many.

use std::num::NonZeroUsize;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::ChatError;
use super::machine::Threads;
use super::thread_count::{Passes, ThreadCount};

/// The threads of one model.
pub(super) struct Pools {
    /// None if their number was given.
    tuning: Option<Tuning>,
    count: usize,
    /// Made when they are first needed, with their sizes; those of sizes that are not used any more are dropped.
    pools: Vec<(usize, ThreadPool)>,
}

/// How many threads are best for passes that write, and for those that read.
struct Tuning {
    writing: ThreadCount,
    reading: ThreadCount,
}

impl Tuning {
    fn of(&mut self, tokens: usize) -> &mut ThreadCount {
        match Passes::over(tokens) {
            Passes::Short => &mut self.writing,
            Passes::Long => &mut self.reading,
        }
    }
}

impl Pools {
    pub(super) fn new(threads: Threads) -> Self {
        let (tuning, count) = match threads {
            Threads::Exactly(count) => (None, count.get()),
            Threads::Auto => {
                let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
                let tuning = Tuning {
                    writing: ThreadCount::new(Passes::Short, cores),
                    reading: ThreadCount::new(Passes::Long, cores),
                };
                (Some(tuning), cores)
            }
        };
        Self {
            tuning,
            count,
            pools: Vec::new(),
        }
    }

    /// Computes a pass over so many tokens.
    pub(super) fn pass<T: Send>(
        &mut self,
        tokens: usize,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, ChatError> {
        if let Some(tuning) = &mut self.tuning {
            self.count = tuning.of(tokens).threads(tokens);
        }
        let pool = pool(&mut self.pools, self.count)?;
        let started = Instant::now();
        let done = pool.install(work);
        if let Some(tuning) = &mut self.tuning {
            tuning
                .of(tokens)
                .took(tokens, self.count, started.elapsed());
            let used = [tuning.writing.best(), tuning.reading.best(), self.count];
            self.pools.retain(|(size, _)| used.contains(size));
        }
        Ok(done)
    }

    /// How many threads computed the last pass.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

/// A pool of `count` threads, made once.
fn pool(pools: &mut Vec<(usize, ThreadPool)>, count: usize) -> Result<&ThreadPool, ChatError> {
    let index = match pools.iter().position(|(size, _)| *size == count) {
        Some(index) => index,
        None => {
            let pool = ThreadPoolBuilder::new()
                .num_threads(count)
                .thread_name(|index| format!("superstep-model-{index}"))
                .build()
                .map_err(|error| ChatError::Gone(error.to_string()))?;
            pools.push((count, pool));
            pools.len() - 1
        }
    };
    let pool = pools.get(index).map(|(_, pool)| pool);
    pool.ok_or_else(|| ChatError::Gone("it has no threads".to_owned()))
}
