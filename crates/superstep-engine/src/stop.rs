//! The signal that ends a run before its time: somebody cancelled it, or its deadline passed.
//!
//! All graphs of a run share it. What a driver makes of it is in `driver/wind_down`, what a task sees
//! in `ctx/cancelled`.

use std::sync::{Arc, OnceLock};

use superstep_core::error::ErrorKind;
use tokio::sync::Notify;

/// Ends a run before its time; cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct StopSignal(Arc<Signal>);

#[derive(Default)]
struct Signal {
    /// In a box, since few runs are ended so.
    why: OnceLock<Box<ErrorKind>>,
    sent: Notify,
}

impl StopSignal {
    /// Ends the run with this error. The first reason stays.
    pub(crate) fn send(&self, why: ErrorKind) {
        if self.0.why.set(Box::new(why)).is_ok() {
            self.0.sent.notify_waiters();
        }
    }

    /// The error to end with, once there is one.
    pub(crate) fn why(&self) -> Option<&ErrorKind> {
        self.0.why.get().map(|why| &**why)
    }

    /// Waits for the signal.
    pub(crate) async fn sent(&self) {
        let mut sent = std::pin::pin!(self.0.sent.notified());
        // Before the look, so that a signal in between is not missed.
        sent.as_mut().enable();
        if self.why().is_none() {
            sent.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_waits_before_or_after_the_signal_gets_the_first_reason() {
        let (signal, other) = (StopSignal::default(), StopSignal::default());
        let waiting = tokio::spawn({
            let signal = signal.clone();
            async move { signal.sent().await }
        });
        tokio::task::yield_now().await;
        signal.send(ErrorKind::DeadlinePassed);
        signal.send(ErrorKind::NoSaver);
        assert!(waiting.await.is_ok());
        signal.sent().await;
        assert!(matches!(signal.why(), Some(ErrorKind::DeadlinePassed)));
        assert!(other.why().is_none());
    }
}
