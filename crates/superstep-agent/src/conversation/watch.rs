//! A run while it goes.

use std::time::Duration;

use superstep::{
    Error as RunError, ThreadId,
    dynamic::{DynOutcome, RunInput},
};

use super::Conversation;
use crate::console::Console;

/// Seconds without an event before the console shows a waiting line.
const SILENT_SECONDS: u64 = 3;

/// The end of a run.
pub(super) enum Watched {
    Ended(DynOutcome),
    /// Ctrl-C.
    Stopped,
    Failed(RunError),
}

impl<C: Console> Conversation<'_, C> {
    /// Shows a run while it goes. Ctrl-C drops it; every committed step stays.
    pub(super) async fn watch(&mut self, run: RunInput) -> Result<Watched, C::Error> {
        self.console.running(true);
        let watched = self.watched(run).await;
        self.console.running(false);
        watched
    }

    async fn watched(&mut self, run: RunInput) -> Result<Watched, C::Error> {
        let mut options = self.agent.options();
        options.thread = Some(ThreadId::from(self.context.thread.as_str()));
        // An answer that comes too late is an error in every agent, not one that is dropped without a word.
        options.strict_resume = true;
        let mut stream = self.agent.graph().stream(run, &options);
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        let mut seconds = 0;
        loop {
            let event = tokio::select! {
                event = stream.next() => event,
                () = self.console.interrupted() => return Ok(Watched::Stopped),
                _ = tick.tick() => {
                    seconds += 1;
                    if seconds > SILENT_SECONDS {
                        self.console.silent(seconds - 1);
                    }
                    continue;
                }
            };
            seconds = 0;
            let Some(event) = event else { break };
            for notice in self.agent.progress(&event) {
                self.console.show(&notice)?;
            }
        }
        Ok(match stream.outcome().await {
            Ok(outcome) => Watched::Ended(outcome),
            Err(error) => Watched::Failed(error),
        })
    }
}
