//! What is to be done when a run has ended: its webhook is called, and a thread of its own goes.
//!
//! It is recorded before the run is accepted and forgotten when it is done, so it is done after a
//! crash too.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{RunId, RunRecord, ThreadId, sync::lock};

use super::{
    end::{failure, state_after, with_interrupts},
    kwargs::RunKwargs,
    view, webhook,
};
use crate::{
    app::App,
    records::after_run::{AfterRun, Call},
    refusal::Refusal,
    time,
};

impl App {
    /// Does what is to be done after a run, if that has ended. Its webhook is called beside whatever
    /// else continues.
    pub(super) async fn finish_run(self: &Arc<Self>, run: RunId) -> Result<(), Refusal> {
        let key = run.to_string();
        let Some(mut after) = self.after_runs.find(&key).await? else {
            return Ok(());
        };
        let found = self.saver.runs().load_run(run).await?;
        if found.as_ref().is_some_and(|run| run.ending.is_none()) {
            return Ok(());
        }
        let is_gone = found.is_none() && after.call.is_none();
        if is_gone && after.is_new() {
            return Ok(());
        }
        if let Some(found) = found {
            let kwargs = RunKwargs::of(&found);
            if let (Some(address), None) = (&kwargs.webhook, &after.call) {
                let body = self.told(&found, &kwargs).await?;
                let address = address.clone();
                after.call = Some(Call { address, body });
                let call = after.call.clone();
                let keep = |after: &mut AfterRun| after.call.clone_from(&call);
                self.after_runs.change(&key, keep).await?;
            }
            after.temporary |= kwargs.temporary;
        }
        let Some(call) = after.call else {
            if after.temporary {
                return self.end_temporary(&after.thread, Some(&key)).await;
            }
            return Ok(self.after_runs.forget(&key).await?);
        };
        if after.temporary {
            self.end_temporary(&after.thread, None).await?;
        }
        // Several may find out that a run has ended; one of them calls.
        if lock(&self.calling).insert(run) {
            let app = self.clone();
            tokio::spawn(async move {
                // A hook that never answers is not called for ever.
                let _answered = webhook::call(&call.address, &call.body).await;
                let _again = app.after_runs.forget(&key).await;
                lock(&app.calling).remove(&run);
            });
        }
        Ok(())
    }

    /// Removes the thread of a run that had one of its own, when nobody reads along any more, and with it what is recorded to be
    /// done after the run. Whoever is cut short in between removes it again.
    async fn end_temporary(&self, thread: &str, after: Option<&str>) -> Result<(), Refusal> {
        self.readers.gone(thread).await;
        self.keep_results(thread).await?;
        self.saver.delete(&ThreadId::from(thread)).await?;
        let mut gone = vec![self.threads.forgetting(thread)?];
        if let Some(run) = after {
            gone.push(self.after_runs.forgetting(run)?);
        }
        self.store.batch(gone).await?;
        Ok(())
    }

    /// Does so beside whatever else continues. What fails is done with the next sweep.
    pub(crate) fn spawn_finish(self: &Arc<Self>, run: RunId) {
        let app = self.clone();
        tokio::spawn(async move {
            let _later = app.finish_run(run).await;
        });
    }

    /// Does what is to be done after all runs that have ended.
    pub(crate) async fn sweep(self: &Arc<Self>) -> Result<(), Refusal> {
        for (run, _) in self.after_runs.all().await? {
            if let Ok(run) = run.parse() {
                self.spawn_finish(run);
            }
        }
        Ok(())
    }

    /// Does so beside whatever else continues.
    pub(super) fn spawn_sweep(self: &Arc<Self>) {
        let app = self.clone();
        tokio::spawn(async move {
            let _later = app.sweep().await;
        });
    }

    /// What a webhook gets.
    async fn told(&self, run: &RunRecord, kwargs: &RunKwargs) -> Result<Json, Refusal> {
        let hosted = self.registry.graph(&kwargs.graph_id)?;
        let state = state_after(&hosted.graph, run).await?;
        let mut told = view::shown(run);
        let micros = |millis: Option<i64>| match millis {
            Some(millis) => time::text(millis.saturating_mul(1000)),
            None => Json::Null,
        };
        let asks: Vec<_> = state.asks().cloned().collect();
        if let Json::Object(fields) = &mut told {
            let more = json!({
                "run_started_at": micros(run.started),
                "run_ended_at": micros(run.ended),
                "webhook_sent_at": time::text(time::now()),
                "values": with_interrupts(state.values.to_json(), &asks),
            });
            fields.extend(more.as_object().cloned().unwrap_or_default());
            if let Some(failure) = failure(run, &state) {
                fields.insert("error".to_owned(), failure);
            }
        }
        Ok(told)
    }
}
