//! Work after runs: a webhook is called, and the thread of a run that had one of its own goes.
//!
//! It is accepted with the run and claimed from the storage once the run has ended, by one server at a time, and again after a
//! crash, so a webhook is called at least once. A thread goes when no reader of any server holds it up.

use std::{future, sync::Arc, time::Duration};

use serde_json::Value as Json;
use superstep::{
    RunId, RunQuery, RunRecord, SaverError, ThreadId,
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

/// How long it takes until something that failed is tried again: the longer, the older it is.
const RETRY: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(60)];

/// How long a webhook waits for a server that can read the state that its run left.
const READABLE: Duration = Duration::from_secs(24 * 60 * 60);

/// How much is done at once.
pub(crate) const AT_ONCE: usize = 32;

impl App {
    /// Does what is due after runs until the server is gone. Once it stops, or if it only answers requests, it keeps the
    /// marks of its readers alone.
    pub(crate) async fn keep_finishing(self: Arc<Self>) {
        let finishing = async {
            loop {
                // What cannot be read now is read with the next look.
                let _later = self.finish_due().await;
                tokio::select! {
                    () = self.readers.wake.notified() => {}
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
        };
        tokio::select! {
            () = finishing => {}
            () = self.shutdown.over() => {}
        }
    }

    /// Waits until all has been done that was claimed.
    pub(crate) async fn finished(&self) {
        let all = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
        // It is never closed.
        let _idle = self.finishing.acquire_many(all).await;
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
        let free = self.finishing.available_permits();
        if self.role == Role::Api || self.shutdown.has_begun() || free == 0 {
            return Ok(());
        }
        for claim in after.claim_after(free, LEASE).await? {
            self.spawn_finish(claim);
        }
        Ok(())
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
        let _place = self.finishing.acquire().await;
        let again = match claim.left.calls {
            // A process that only answers requests may have no way to the receiver.
            true if self.role == Role::Api => Some(Duration::ZERO),
            true => self
                .call_webhook(&claim)
                .await
                .err()
                .map(|_| retry(&claim.record)),
            false => self
                .end_temporary(&claim.record)
                .await
                .err()
                .map(|_| retry(&claim.record)),
        };
        match again {
            Some(wait) => {
                let after = self.saver.after_runs();
                let _expires = after.settle_after(&claim, claim.left, wait).await;
            }
            // More may be due than was done at once.
            None => self.readers.wake.notify_one(),
        }
    }

    /// Renews a claim for as long as it holds.
    async fn hold(&self, claim: &AfterClaim) -> SaverError {
        loop {
            tokio::time::sleep(LEASE / 3).await;
            if let Err(lost) = self.saver.after_runs().renew_after(claim, LEASE).await {
                return lost;
            }
        }
    }

    async fn call_webhook(&self, claim: &AfterClaim) -> Result<(), Refusal> {
        let after = self.saver.after_runs();
        let kwargs = RunKwargs::of(&claim.record);
        if let Some(address) = &kwargs.webhook {
            // Much may have been done since it was claimed.
            after.renew_after(claim, LEASE).await?;
            let body = tokio::select! {
                body = self.body(&claim.record, &kwargs) => body?,
                lost = self.hold(claim) => return Err(lost.into()),
            };
            // A call that has begun is made to its end, also if its thread is deleted meanwhile.
            let holding = async {
                self.hold(claim).await;
                future::pending::<()>().await;
            };
            tokio::select! {
                _answered = webhook::call(address, &body) => {}
                () = holding => {}
            }
        }
        let left = AfterRun {
            calls: false,
            ..claim.left
        };
        Ok(after.settle_after(claim, left, Duration::ZERO).await?)
    }

    /// The calls that are due after runs of a thread and that nobody makes now. Whoever deletes the thread makes them: it
    /// takes along what is known of them. None in a process that only answers requests.
    pub(crate) async fn calls_left(
        &self,
        thread: &ThreadId,
    ) -> Result<Vec<impl Future<Output = ()> + Send + use<>>, Refusal> {
        let mut calls = Vec::new();
        if self.role == Role::Api {
            return Ok(calls);
        }
        let now = self.saver.now().await?;
        let runs = self.saver.runs().load_runs(thread, &RunQuery::default());
        for mut run in runs.await? {
            let claim = run.claim_after(LEASE, now).filter(|it| it.left.calls);
            let kwargs = RunKwargs::of(&run);
            if let (Some(_), Some(address)) = (claim, kwargs.webhook.clone()) {
                let body = self.body(&run, &kwargs).await;
                let body = body.unwrap_or_else(|_| of_record(&run));
                calls.push(async move {
                    let _answered = webhook::call(&address, &body).await;
                });
            }
        }
        Ok(calls)
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

    /// What a webhook gets. Another server may have the graph that reads the state; after a day the hook gets what the
    /// record of the run says.
    async fn body(&self, run: &RunRecord, kwargs: &RunKwargs) -> Result<Json, Refusal> {
        let read = async {
            let hosted = self.registry.graph(&kwargs.graph_id)?;
            Ok::<_, Refusal>(state_after(&hosted.graph, run).await?)
        };
        let state = match read.await {
            Ok(state) => state,
            Err(_) if age(run) > READABLE => return Ok(of_record(run)),
            Err(error) => return Err(error),
        };
        let mut body = of_record(run);
        let asks: Vec<_> = state.asks().cloned().collect();
        if let Json::Object(fields) = &mut body {
            let values = with_interrupts(state.values.to_json(), &asks);
            fields.insert("values".to_owned(), values);
            if let Some(failure) = failure(run, &state) {
                fields.insert("error".to_owned(), failure);
            }
        }
        Ok(body)
    }
}

/// What the record of a run says to a webhook.
fn of_record(run: &RunRecord) -> Json {
    let mut body = view::shown(run);
    let micros = |millis: Option<i64>| match millis {
        Some(millis) => time::text(millis.saturating_mul(1000)),
        None => Json::Null,
    };
    if let Json::Object(fields) = &mut body {
        fields.insert("run_started_at".to_owned(), micros(run.started));
        fields.insert("run_ended_at".to_owned(), micros(run.ended));
        fields.insert("webhook_sent_at".to_owned(), time::text(time::now()));
        fields.insert("values".to_owned(), Json::Null);
    }
    body
}

/// How long ago a run ended.
fn age(run: &RunRecord) -> Duration {
    let ended = run.ended.unwrap_or_default().saturating_mul(1000);
    let micros = time::now().saturating_sub(ended);
    Duration::from_micros(u64::try_from(micros).unwrap_or_default())
}

/// When something that failed after a run is tried again.
fn retry(run: &RunRecord) -> Duration {
    let [soonest, latest] = RETRY;
    (age(run) / 4).clamp(soonest, latest)
}
