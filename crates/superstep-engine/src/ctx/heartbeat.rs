//! When a task last gave a sign of life, for idle timeouts.

use std::{
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
    time::Duration,
};

use tokio::time::Instant;

use super::DynCtx;

/// When a task last gave a sign of life.
pub(crate) struct Heartbeat {
    start: Instant,
    last: AtomicU64,
    /// How many waits it is in that it announced.
    pub(super) paused: AtomicU32,
    auto: bool,
}

impl Heartbeat {
    pub(crate) fn new(auto: bool) -> Self {
        Self {
            start: Instant::now(),
            last: AtomicU64::new(0),
            paused: AtomicU32::new(0),
            auto,
        }
    }

    pub(super) fn beat(&self) {
        let micros = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last.store(micros, Ordering::Relaxed);
    }

    pub(crate) fn silence(&self) -> Duration {
        if self.paused.load(Ordering::Relaxed) > 0 {
            return Duration::ZERO;
        }
        let last = Duration::from_micros(self.last.load(Ordering::Relaxed));
        self.start.elapsed().saturating_sub(last)
    }
}

impl DynCtx {
    /// Restarts the idle timeout of the task.
    pub fn heartbeat(&self) {
        if let Some(heartbeat) = &self.0.heartbeat {
            heartbeat.beat();
        }
    }

    pub(crate) fn beat_if_auto(&self) {
        if let Some(heartbeat) = &self.0.heartbeat
            && heartbeat.auto
        {
            heartbeat.beat();
        }
    }
}
