//! Who waits for the end of a run hears of it at once when it ended in this process, and soon when it
//! ended in another.

use std::time::Duration;

use superstep::{RunId, RunRecord, Saver, SaverError};
use tokio::sync::broadcast::{self, error::RecvError};

/// How many endings wait for those who listen; who is slower looks for itself.
const AHEAD: usize = 1024;

/// How often those who wait look for themselves: runs of other processes end unheard.
const LOOK: Duration = Duration::from_millis(500);

/// The endings of runs, as they come.
pub(crate) struct Endings(broadcast::Sender<RunId>);

impl Default for Endings {
    fn default() -> Self {
        Self(broadcast::channel(AHEAD).0)
    }
}

impl Endings {
    /// A run has ended.
    pub(crate) fn tell(&self, run: RunId) {
        // Nobody may listen.
        let _heard = self.0.send(run);
    }

    /// Waits until a run has ended.
    pub(crate) async fn of(
        &self,
        saver: &dyn Saver,
        run: RunId,
    ) -> Result<RunRecord, superstep::Error> {
        let mut told = self.0.subscribe();
        loop {
            let record = saver.runs().load_run(run).await?;
            let record = record.ok_or(SaverError::NoRun { run })?;
            if record.ending.is_some() {
                return Ok(record);
            }
            let heard = async {
                loop {
                    match told.recv().await {
                        Ok(ended) if ended != run => {}
                        Ok(_) | Err(RecvError::Lagged(_)) => return,
                        Err(RecvError::Closed) => std::future::pending().await,
                    }
                }
            };
            tokio::select! {
                () = heard => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }
}
