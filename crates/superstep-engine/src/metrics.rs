//! Metrics: counts and durations of runs, steps, tasks and calls of models, for the recorder of a program.

use std::time::Duration;

use superstep_core::{event::Ending, runs::RunCost};

/// Takes measurements, such as into counters and histograms of a metrics library.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicU64, Ordering}};
///
/// use superstep_engine::metrics::{Measured, Recorder};
///
/// #[derive(Default)]
/// struct Tokens(AtomicU64);
///
/// impl Recorder for Tokens {
///     fn record(&self, measured: &Measured<'_>) {
///         if let Measured::ModelCall { cost, .. } = measured {
///             self.0.fetch_add(cost.input_tokens + cost.output_tokens, Ordering::Relaxed);
///         }
///     }
/// }
/// # let _ = Arc::new(Tokens::default());
/// ```
pub trait Recorder: Send + Sync + 'static {
    /// Takes a measurement, where the run is driven: it must not block.
    fn record(&self, measured: &Measured<'_>);
}

/// A measurement. Names of graphs and nodes are few, and fit as labels; names of threads do not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Measured<'a> {
    /// A run began, or continued after a sleep.
    RunBegan {
        /// The graph; empty if it has no name.
        graph: &'a str,
    },
    /// A run ended, fell asleep, or was dropped.
    Run {
        /// The graph; empty if it has no name.
        graph: &'a str,
        /// How it ended.
        ending: &'a Ending,
        /// The time since it began.
        took: Duration,
        /// What its calls of models took.
        cost: RunCost,
    },
    /// A step ended, of a run or of a subgraph.
    Step {
        /// The graph.
        graph: &'a str,
        /// The time from its first task to the beginning of the next step.
        took: Duration,
    },
    /// An attempt of a task ended.
    Task {
        /// The graph.
        graph: &'a str,
        /// The node.
        node: &'a str,
        /// The time since it started.
        took: Duration,
        /// How it ended.
        ending: TaskEnding<'a>,
    },
    /// A call of a model ended.
    ModelCall {
        /// The graph.
        graph: &'a str,
        /// The node that called.
        node: &'a str,
        /// The model.
        model: &'a str,
        /// The time since it began, attempts and waits included.
        took: Duration,
        /// What it took.
        cost: RunCost,
        /// The code of its error, if it failed.
        error: Option<&'a str>,
    },
}

/// How an attempt of a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskEnding<'a> {
    /// With a result.
    Done,
    /// With a question, or a wait that storage keeps: it runs again.
    Suspended,
    /// With an error of this code. It may be tried again.
    Failed(&'a str),
}
