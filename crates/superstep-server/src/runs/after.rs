//! Work after runs: a webhook is called, and the thread of a run that had one of its own goes.
//!
//! It is accepted with the run and claimed from the storage once the run has ended, by one server at a time, and again after a
//! crash. A thread goes when no reader of any server holds it up.

use std::{sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use superstep::{
    RunId, RunRecord, SaverError, ThreadId,
    runs::{AfterClaim, AfterRun},
};

use super::{
    end::{failure, state_after, with_interrupts},
    kwargs::RunKwargs,
    view, webhook,
};
use crate::{
    app::{App, readers::Reader, role::Role},
    forms::thread_name::public,
    refusal::Refusal,
    time,
};

/// How long a claim holds unless it is renewed.
const LEASE: Duration = Duration::from_secs(20);

/// How often the server looks for work after runs that ended elsewhere.
const LOOK: Duration = Duration::from_secs(5);

/// How long it takes until something that failed is tried again.
const RETRY: Duration = Duration::from_secs(2);

/// How much is claimed at once.
const BATCH: usize = 32;

impl App {
    /// Does what is due after runs, for ever. A process that only answers requests keeps the marks of its readers.
    pub(crate) async fn keep_finishing(self: &Arc<Self>) {
        loop {
            // What cannot be read now is read with the next look.
            let _later = self.finish_due().await;
            tokio::select! {
                () = self.readers.wake.notified() => {}
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    async fn finish_due(self: &Arc<Self>) -> Result<(), SaverError> {
        let after = self.saver.after_runs();
        for (run, mark) in self.readers.old_marks() {
            after.read_along(run, mark).await?;
        }
        for (run, number) in self.readers.take_left() {
            if let Some(claim) = after.leave(run, number, LEASE).await? {
                self.spawn_finish(claim);
            }
        }
        if self.role == Role::Api {
            return Ok(());
        }
        loop {
            let claims = after.claim_after(BATCH, LEASE).await?;
            let is_last = claims.len() < BATCH;
            claims
                .into_iter()
                .for_each(|claim| self.spawn_finish(claim));
            if is_last {
                return Ok(());
            }
        }
    }

    /// A reader of a run, if its thread goes with it.
    pub(crate) async fn read_along(&self, run: &RunRecord) -> Result<Option<Reader>, Refusal> {
        if run.after.as_ref().is_none_or(|it| !it.left.removes_thread) {
            return Ok(None);
        }
        let (reader, mark) = self.readers.enter(run.id, self.reader_number());
        let held = self.saver.after_runs().read_along(run.id, mark).await?;
        Ok(held.then_some(reader))
    }

    /// A number that no other reader has, in whatever process.
    pub(super) fn reader_number(&self) -> u64 {
        let RunId(id) = self.new_run_id();
        ((id >> 64) ^ id) as u64
    }

    /// Ends reading along with a run that has ended. A thread of its own is gone when this returns, unless something else
    /// holds it up.
    pub(super) async fn leave(self: &Arc<Self>, reader: Reader) -> Result<(), Refusal> {
        let (run, number) = reader.leave();
        let claim = self.saver.after_runs().leave(run, number, LEASE).await?;
        match claim {
            Some(claim) if claim.left.calls => self.spawn_finish(claim),
            Some(claim) => self.finish(claim).await,
            None => {}
        }
        Ok(())
    }

    /// Does what was claimed beside whatever else continues.
    fn spawn_finish(self: &Arc<Self>, claim: AfterClaim) {
        let app = self.clone();
        tokio::spawn(async move { app.finish(claim).await });
    }

    /// Does what was claimed; what fails is claimed again.
    async fn finish(&self, claim: AfterClaim) {
        let done = match claim.left.calls {
            true => self.call_webhook(&claim).await,
            false => self.end_temporary(&claim.record).await,
        };
        if done.is_err() {
            let after = self.saver.after_runs();
            let _expires = after.settle_after(&claim, claim.left, RETRY).await;
        }
    }

    async fn call_webhook(&self, claim: &AfterClaim) -> Result<(), Refusal> {
        let after = self.saver.after_runs();
        let kwargs = RunKwargs::of(&claim.record);
        if let Some(address) = &kwargs.webhook {
            let body = self.told(&claim.record, &kwargs).await?;
            let mut calling = std::pin::pin!(webhook::call(address, &body));
            // A hook that never answers is not called for ever.
            loop {
                tokio::select! {
                    _answered = &mut calling => break,
                    () = tokio::time::sleep(LEASE / 3) => after.renew_after(claim, LEASE).await?,
                }
            }
        }
        let left = AfterRun {
            calls: false,
            ..claim.left
        };
        after.settle_after(claim, left, Duration::ZERO).await?;
        self.readers.wake.notify_one();
        Ok(())
    }

    /// Removes the thread of a run that had one of its own. Whoever is cut short in between removes it again.
    async fn end_temporary(&self, run: &RunRecord) -> Result<(), Refusal> {
        let thread: &ThreadId = &run.thread;
        self.keep_results(&public(thread)).await?;
        self.saver.delete(thread).await?;
        if self.provenance().find(thread).await?.is_some() {
            self.provenance().forget(thread).await?;
        }
        Ok(())
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
