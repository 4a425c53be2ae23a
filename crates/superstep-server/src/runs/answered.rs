//! Answers that come twice, such as from a webhook that is delivered again: the run that brought the first is that of both.

use std::time::Duration;

use superstep::{
    RunQuery, RunRecord, ThreadId,
    dynamic::{DynGraph, Resume, state::Depth},
    runs::QueuedInput,
};

use crate::{app::App, refusal::Refusal};

/// How many of the newest runs of a thread are looked at.
const RECENT: usize = 100;

impl App {
    /// The run that brought these answers already. An answer whose question is still open has not been taken, unless its run has
    /// yet to begin or end. `after` is how long this one is put off: one at once does not wait for a run that is.
    pub(crate) async fn answered_before(
        &self,
        (graph, thread): (&DynGraph, &ThreadId),
        input: &QueuedInput,
        after: Duration,
    ) -> Result<Option<RunRecord>, Refusal> {
        let QueuedInput::Command(_, Some(Resume::ById(answers))) = input else {
            return Ok(None);
        };
        let recent = RunQuery {
            limit: Some(RECENT),
            ..RunQuery::default()
        };
        let runs = self.saver.runs().load_runs(thread, &recent).await?;
        let brings_all = |run: &RunRecord| match run.queued.as_ref().map(|queued| &queued.input) {
            Some(QueuedInput::Command(_, Some(Resume::ById(given)))) => {
                let is_given = |(id, answer)| given.get(id) == Some(answer);
                !answers.is_empty() && answers.iter().all(is_given)
            }
            _ => false,
        };
        let Some(run) = runs.into_iter().find(brings_all) else {
            return Ok(None);
        };
        if let Some(queued) = run.waiting() {
            let is_put_off = run.attempt == 0 && queued.due > run.created;
            return Ok(Some(run).filter(|_| !is_put_off || !after.is_zero()));
        }
        if run.ending.is_none() {
            return Ok(Some(run));
        }
        let state = graph.state(thread, None, Depth::Here).await?;
        let is_open = state.asks().any(|ask| answers.contains_key(&ask.id));
        Ok(Some(run).filter(|_| !is_open))
    }
}
