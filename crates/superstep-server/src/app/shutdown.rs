//! The shutdown of a server: it is not ready any more, its workers hand their runs back, and then answers end that would wait
//! for those.
//!
//! A run belongs to the queue, not to its process, so an answer that waits for a run of another process may take the whole
//! grace. Streams without an end of their own end with the workers; their clients come back elsewhere.

use std::{future::Future, time::Duration};

use tokio::{sync::watch, time::Instant};

/// The shutdown of a server.
pub(crate) struct Shutdown(watch::Sender<Stage>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Serving,
    /// Until this time steps may finish.
    Draining(Instant),
    /// The workers have stopped; until this time answers may.
    Drained(Instant),
}

impl Default for Shutdown {
    fn default() -> Self {
        Self(watch::Sender::new(Stage::Serving))
    }
}

impl Shutdown {
    /// Begins the shutdown; returns its deadline.
    pub(crate) fn begin(&self, grace: Duration) -> Instant {
        let until = Instant::now() + grace;
        self.0.send_replace(Stage::Draining(until));
        until
    }

    /// The workers have stopped.
    pub(crate) fn drained(&self) {
        self.0.send_modify(|stage| {
            *stage = match *stage {
                Stage::Draining(until) | Stage::Drained(until) => Stage::Drained(until),
                Stage::Serving => Stage::Drained(Instant::now()),
            };
        });
    }

    /// Whether it has begun.
    pub(crate) fn has_begun(&self) -> bool {
        *self.0.borrow() != Stage::Serving
    }

    /// Waits until the workers have stopped; returns the deadline.
    pub(crate) async fn wait_drained(&self) -> Instant {
        let mut stages = self.0.subscribe();
        let is_drained = |stage: &Stage| matches!(stage, Stage::Drained(_));
        match stages.wait_for(is_drained).await.map(|stage| *stage) {
            Ok(Stage::Drained(until)) => until,
            // The sender lives as long as this.
            _ => std::future::pending().await,
        }
    }

    /// Waits for the deadline.
    pub(crate) async fn over(&self) {
        let until = self.wait_drained().await;
        tokio::time::sleep_until(until).await;
    }

    /// Works until the workers have stopped; nothing if that came first.
    pub(crate) async fn until_drained<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            _ = self.wait_drained() => None,
        }
    }
}
