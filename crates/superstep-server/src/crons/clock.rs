//! Starts the runs of schedules when they are due.
//!
//! A run of a schedule has an id that follows from the schedule and its time, so it is started once
//! however many servers share the storage, and after a crash between two of the steps. Times that passed
//! while no server ran are caught up with one run. A time that a clock far ahead recorded is computed anew once the clock is
//! right again, and counted in `/metrics`.
//!
//! When a schedule is due is up to the engine ([`superstep::schedules::next_due`]). What its runs are is not
//! stored with it as in the engine's own schedules: clients expect a run as its assistant is when it is due, with a
//! thread that they can find and a webhook.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use superstep::RunId;
use uuid::Uuid;

use super::cron_body;
use crate::{
    app::App, owners::visitor::Visitor, records::cron::Cron, refusal::Refusal,
    runs::request::RunRequest, time,
};

/// The namespace of the ids of such runs.
const RUNS: Uuid = Uuid::from_u128(0x5d1f_0c1e_8a4b_5c62_9d57_61c1_0c3a_7e21);

/// How often schedules are looked at: other servers change them unheard.
const LOOK: Duration = Duration::from_secs(15);

impl App {
    /// Starts runs when they are due, for ever.
    pub(crate) async fn keep_time(self: &Arc<Self>) {
        loop {
            // What cannot be read now is looked at again soon.
            let next = self.start_due().await.unwrap_or_default();
            let wait = next.map_or(LOOK, |next| {
                let micros = u64::try_from(next - time::now()).unwrap_or(0);
                Duration::from_micros(micros).min(LOOK)
            });
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.cron_changed.notified() => {}
            }
        }
    }

    /// Starts what is due, and returns when the next is.
    async fn start_due(self: &Arc<Self>) -> Result<Option<time::Micros>, Refusal> {
        let now = time::now();
        let mut soonest = None;
        for (id, cron) in self.crons.all().await? {
            // Those of an owner whom this server does not know wait for one that does.
            let owner = cron.owner.as_deref();
            let is_known = owner.is_none_or(|owner| self.login.knows(owner));
            let Some(due) = cron.next.filter(|_| cron.enabled && is_known) else {
                continue;
            };
            let next = match (due <= now, cron.corrected(now)) {
                // One that cannot be started now is tried again with the next look.
                (true, _) => self.start_cron(&id, &cron, due).await.unwrap_or_default(),
                (false, Some(next)) => self.correct_cron(&id, due, next).await?,
                (false, None) => Some(due),
            };
            soonest = soonest.into_iter().chain(next).min();
        }
        Ok(soonest)
    }

    /// Records another time than one that a wrong clock left, and counts that.
    async fn correct_cron(
        &self,
        id: &str,
        wrong: time::Micros,
        next: time::Micros,
    ) -> Result<Option<time::Micros>, Refusal> {
        let correct = |there: &mut Cron| {
            if there.next == Some(wrong) {
                there.next = Some(next);
            }
        };
        self.crons.change(id, correct).await?;
        self.counts.corrected.fetch_add(1, Ordering::Relaxed);
        Ok(Some(next))
    }

    async fn start_cron(
        self: &Arc<Self>,
        id: &str,
        cron: &Cron,
        due: time::Micros,
    ) -> Result<Option<time::Micros>, Refusal> {
        let run = Uuid::new_v5(&RUNS, format!("{id} {due}").as_bytes());
        let mut request =
            RunRequest::read_scheduled(self, cron.owner.clone(), &mut cron_body(id, cron)).await?;
        request.run = Some(RunId(run.as_u128()));
        // One that was started before, or whose thread or assistant is gone, is not started again.
        let _started = self.start_owned(cron, request).await;
        let next = cron.due_after(time::now())?;
        let move_on = |there: &mut Cron| {
            if there.next == Some(due) {
                there.next = next;
            }
        };
        self.crons.change(id, move_on).await?;
        Ok(next)
    }

    /// Starts a run for whom the schedule belongs to, on what is theirs.
    async fn start_owned(
        self: &Arc<Self>,
        cron: &Cron,
        request: RunRequest,
    ) -> Result<(), Refusal> {
        let owner = Visitor::of(cron.owner.clone());
        self.check_run(&owner, &request).await?;
        let accepted = self.accept(cron.thread_id.as_deref(), request).await?;
        // The mark is not removed, but ends: a server that has looked before the schedule moved on finds the run still there.
        if let Some(reader) = accepted.reader {
            reader.leave();
        }
        Ok(())
    }
}
