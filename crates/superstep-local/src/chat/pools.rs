//! Threads that compute passes over the weights: as many for each as [`ThreadCount`] finds best, or always as
//! many.

use std::num::NonZeroUsize;
use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::ChatError;
use super::machine::Threads;
use super::thread_count::ThreadCount;

/// The threads of one model.
pub(super) struct Pools {
    /// None if their number was given.
    tuning: Option<ThreadCount>,
    count: usize,
    /// Made when they are first needed, with their sizes.
    pools: Vec<(usize, ThreadPool)>,
}

impl Pools {
    pub(super) fn new(threads: Threads) -> Self {
        let (tuning, count) = match threads {
            Threads::Exactly(count) => (None, count.get()),
            Threads::Auto => {
                let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
                (Some(ThreadCount::new(cores)), cores)
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
        if let Some(tuning) = &self.tuning {
            self.count = tuning.threads(tokens);
        }
        let pool = pool(&mut self.pools, self.count)?;
        let started = Instant::now();
        let done = pool.install(work);
        if let Some(tuning) = &mut self.tuning {
            tuning.took(tokens, self.count, started.elapsed());
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
