//! What a server counts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use superstep::{Ending, Measured, Recorder};

/// What is counted, since the server started.
#[derive(Default)]
pub(crate) struct Counts {
    /// Runs that clients and schedules were told are accepted.
    pub(crate) accepted: AtomicU64,
    /// Runs that the worker began, those it began again included.
    pub(crate) begun: AtomicU64,
    /// Runs that the worker had to their end.
    pub(crate) worked: AtomicU64,
    /// Schedules whose next time was too far away, as a clock that was ahead had recorded it.
    pub(crate) corrected: AtomicU64,
    /// Runs, from their beginning to their end or their sleep.
    pub(crate) runs: Timed,
    /// Those that failed.
    pub(crate) failed_runs: AtomicU64,
    pub(crate) steps: Timed,
    pub(crate) model_calls: Timed,
    /// Calls that failed.
    pub(crate) failed_calls: AtomicU64,
    pub(crate) input_tokens: AtomicU64,
    pub(crate) output_tokens: AtomicU64,
    /// What calls cost, in millionths of a dollar.
    pub(crate) micro_usd: AtomicU64,
    /// The recorder of the program.
    next: Option<Arc<dyn Recorder>>,
}

/// Things that were counted, and the time that they took together.
#[derive(Default)]
pub(crate) struct Timed {
    count: AtomicU64,
    micros: AtomicU64,
}

impl Timed {
    fn add(&self, took: Duration) {
        add(&self.count, 1);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        add(&self.micros, micros);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.micros.load(Ordering::Relaxed) as f64 / 1e6
    }
}

impl Counts {
    /// Nothing yet. Measurements are passed on to the recorder of the program, if it has one.
    pub(crate) fn new(next: Option<Arc<dyn Recorder>>) -> Self {
        Self {
            next,
            ..Self::default()
        }
    }
}

impl Recorder for Counts {
    fn record(&self, measured: &Measured<'_>) {
        match measured {
            Measured::Run { ending, took, .. } => {
                self.runs.add(*took);
                add(
                    &self.failed_runs,
                    matches!(ending, Ending::Failed { .. }).into(),
                );
            }
            Measured::Step { took, .. } => self.steps.add(*took),
            Measured::ModelCall {
                took, cost, error, ..
            } => {
                self.model_calls.add(*took);
                add(&self.failed_calls, error.is_some().into());
                add(&self.input_tokens, cost.input_tokens);
                add(&self.output_tokens, cost.output_tokens);
                add(&self.micro_usd, cost.micro_usd);
            }
            _ => {}
        }
        if let Some(next) = &self.next {
            next.record(measured);
        }
    }
}

fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::Relaxed);
}
