//! How a run is stored and a node is run: durability, retries, limits, caching.

use std::{fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{error::Error, error::Failure, value::Value};

/// When what a run does becomes durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// Before the next step starts: an acknowledged step survives a power cut.
    #[default]
    Sync,
    /// Before the next step starts, as far as the operating system: an acknowledged step survives
    /// the end of the process, but a power cut may take the last ones. Effects of `once` are
    /// stored as with `Sync`.
    Normal,
    /// While the next step runs.
    Async,
    /// When the run ends. A run that fails inside a reducer leaves the thread as it was before.
    Exit,
}

/// When and how often a failed attempt is repeated.
///
/// ```
/// use std::time::Duration;
///
/// use superstep_core::policy::RetryPolicy;
///
/// let policy = RetryPolicy {
///     max_attempts: 5,
///     initial: Duration::from_secs(1),
///     ..RetryPolicy::default()
/// };
/// assert_eq!(policy.wait(3), Duration::from_secs(4)); // 1, 2, 4; jitter comes on top
/// ```
#[derive(Clone, Debug)]
pub struct RetryPolicy {
    /// Attempts in all, the first included.
    pub max_attempts: u32,
    /// Wait before the first repetition.
    pub initial: Duration,
    /// Factor from one wait to the next.
    pub backoff: f64,
    /// The longest wait.
    pub max_wait: Duration,
    /// Up to this much is added to each wait at random.
    pub jitter: Duration,
    /// Which errors are repeated.
    pub on: RetryOn,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_attempts: 3,
            initial: Duration::from_millis(500),
            backoff: 2.0,
            max_wait: Duration::from_secs(128),
            jitter: Duration::from_secs(1),
            on: RetryOn::Transient,
        }
    }
}

/// Which errors a policy repeats.
#[derive(Clone)]
pub enum RetryOn {
    /// Those marked transient, and timeouts.
    Transient,
    /// Every error.
    Any,
    /// Errors of these classes.
    Classes(Vec<Arc<str>>),
    /// Whatever the function decides.
    Custom(Arc<dyn Fn(&Error) -> bool + Send + Sync>),
}

impl fmt::Debug for RetryOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transient => f.write_str("Transient"),
            Self::Any => f.write_str("Any"),
            Self::Classes(classes) => f.debug_tuple("Classes").field(classes).finish(),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

impl RetryPolicy {
    /// Whether this policy repeats `error`.
    pub fn covers(&self, error: &Error) -> bool {
        match &self.on {
            RetryOn::Transient => error.is_transient(),
            RetryOn::Any => true,
            RetryOn::Classes(classes) => classes.iter().any(|class| **class == *error.class()),
            RetryOn::Custom(decide) => decide(error),
        }
    }

    /// The wait after `failures` failed attempts, without jitter.
    pub fn wait(&self, failures: u32) -> Duration {
        let factor = self
            .backoff
            .max(0.0)
            .powi(failures.saturating_sub(1) as i32);
        let wait = self.initial.as_secs_f64() * factor;
        Duration::try_from_secs_f64(wait)
            .unwrap_or(self.max_wait)
            .min(self.max_wait)
    }
}

/// What counts as a sign of life for the idle limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refresh {
    /// Stream output, store and child calls, and heartbeats.
    #[default]
    Auto,
    /// Heartbeats only.
    Heartbeat,
}

/// Limits on one attempt of a node.
///
/// ```
/// use std::time::Duration;
///
/// use superstep_core::policy::{Refresh, Timeouts};
///
/// let timeouts = Timeouts {
///     run: Some(Duration::from_secs(60)),
///     idle: Some(Duration::from_secs(5)),
///     refresh: Refresh::Heartbeat, // only `ctx.heartbeat()` counts
/// };
/// # let _ = timeouts;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// On the whole attempt.
    pub run: Option<Duration>,
    /// On the time without a sign of life.
    pub idle: Option<Duration>,
    /// What a sign of life is.
    pub refresh: Refresh,
}

/// Computes the key under which a node's result is kept.
pub type CacheKeyFn = Arc<dyn Fn(&Value) -> Result<Value, Failure> + Send + Sync>;

/// Keeps a node's result for equal inputs, over threads: one that asks or has effects is not for it, since another
/// thread would get the answer, and the effect would not be made for it.
#[derive(Clone, Default)]
pub struct CachePolicy {
    /// What of the input counts; all of it by default.
    pub key: Option<CacheKeyFn>,
    /// How long a result is good.
    pub ttl: Option<Duration>,
}

impl fmt::Debug for CachePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CachePolicy")
            .field("ttl", &self.ttl)
            .finish_non_exhaustive()
    }
}
