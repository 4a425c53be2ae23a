//! Graphs with one history in their thread: each of their runs continues it, so there must be one at a time.

use superstep_core::{error::ErrorKind, id::GraphPath, run::Halt, sync::lock};

use super::{DynCtx, run_info::Request};

impl DynCtx {
    /// Refuses to run a graph at a position whose history another task of the step, or another graph of this
    /// task or of one above, continues as well: whose question is open there, and whose result that is,
    /// could not be told.
    pub(crate) async fn claim_history(&self, position: &GraphPath, graph: u32) -> Result<(), Halt> {
        let mut at = Some((self, graph));
        while let Some((ctx, graph)) = at {
            let owner = {
                let mut progress = lock(&ctx.0.progress);
                let histories = &mut progress.histories;
                *histories.entry(position.clone()).or_insert(graph)
            };
            let (run, task) = (&ctx.0.step.run, ctx.0.task);
            if owner != graph
                || run
                    .request(|reply| Request::HasTwin { task, reply })
                    .await?
            {
                let position = position.as_str().to_owned();
                return Err(ErrorKind::SharedHistory { position }.into());
            }
            at = run.above.as_ref().map(|above| (&above.ctx, above.graph));
        }
        Ok(())
    }
}
