//! Runs as a saver records them: who runs what on which thread, and how it ended.
//!
//! A [`RunRecord`] is made when a run begins and gets its ending when it ends. The rules of that are
//! here, so that they are the same in every saver; the trait is [`crate::saver::Runs`]. What a run
//! does is in checkpoints and events, which do not depend on these records.

mod after;
mod budget;
mod cancel;
mod claim;
mod cost;
mod noted;
mod options;
mod queue;
mod sleep;
mod status;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    caller::Caller,
    clock::UnixMillis,
    error::SaverError,
    event::Ending,
    id::{AskId, CheckpointId, RunId, ThreadId},
    record::Record,
    value::Value,
};

pub use after::{AfterClaim, AfterRun, PendingAfter, ReadAlong};
pub use budget::{Allowance, BudgetSpent, RunBudget};
pub use cancel::{Cancel, CancelRequest};
pub use claim::{ClaimGraph, ClaimRuns, FairShares, Release, Start, answered};
pub use cost::RunCost;
pub use noted::noted;
pub use options::QueuedOptions;
pub use queue::{EnqueueRun, OnBusy, Queued, QueuedInput};
pub use sleep::{Alarm, Sleep};
pub use status::{ParseStatusError, RunStatus};

/// The code of [`ErrorKind::BadAnswer`](crate::error::ErrorKind::BadAnswer), which is what an ending keeps of it.
const REFUSED_ANSWER: &str = "SS1015";

/// What a run was started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum InputKind {
    /// Nothing: it continues the thread.
    #[default]
    Nothing,
    /// New input.
    Input,
    /// A command, an answer, or both.
    Command,
}

/// A run that begins.
#[derive(Clone, Debug, PartialEq)]
pub struct BeginRun {
    /// Its thread.
    pub thread: ThreadId,
    /// The lease it runs under.
    pub epoch: u64,
    /// Its id. One that began before and did not end begins again.
    pub run: RunId,
    /// The name of the graph; empty if it has none.
    pub graph: Arc<str>,
    /// What it was started with.
    pub input: InputKind,
    /// When it must have ended.
    pub deadline: Option<UnixMillis>,
    /// What its caller wants to find it by: an object.
    pub metadata: Value,
    /// Every checkpoint that it makes has a greater id than this.
    pub mark: CheckpointId,
    /// What was noted of the tasks of the checkpoint it begins from ([`noted`]).
    pub noted: u64,
    /// How it is meant to run, as far as that is not the default. The context and the caller are those it
    /// runs with.
    pub options: Arc<QueuedOptions>,
    /// The questions that it brings answers to.
    pub answers: Vec<AskId>,
}

impl BeginRun {
    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        self.metadata.fits() && self.options.fits()
    }
}

/// A run that ends.
#[derive(Clone, Debug, PartialEq)]
pub struct EndRun {
    /// Its thread.
    pub thread: ThreadId,
    /// The lease it ran under.
    pub epoch: u64,
    /// Its id.
    pub run: RunId,
    /// How it ended.
    pub ending: Ending,
    /// What its calls of models took, since it began the last time.
    pub cost: RunCost,
    /// Whether what it stored stays, although somebody wanted it undone.
    pub keeps: bool,
    /// Whether a run of the queue goes back there, since its worker stops; the attempt does not count.
    pub hands_back: bool,
    /// The alarm that it leaves: its thread waits for answers until then.
    pub alarm: Option<Alarm>,
}

/// Which runs of a thread to list.
#[derive(Clone, Debug, Default)]
pub struct RunQuery {
    /// At most this many.
    pub limit: Option<usize>,
    /// Only those that were recorded before this one.
    pub before: Option<RunId>,
    /// Only those with this status.
    pub status: Option<RunStatus>,
}

/// A run as it is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunRecord {
    /// Its id.
    pub id: RunId,
    /// Its thread.
    pub thread: ThreadId,
    /// The name of the graph; empty if it has none.
    pub graph: Arc<str>,
    /// What it was started with.
    pub input: InputKind,
    /// When it was recorded first.
    pub created: UnixMillis,
    /// When it began, the last time.
    pub started: Option<UnixMillis>,
    /// When it ended, or was found to have.
    pub ended: Option<UnixMillis>,
    /// When it must have ended.
    pub deadline: Option<UnixMillis>,
    /// How often it began.
    pub attempt: u32,
    /// The lease it runs under.
    pub epoch: Option<u64>,
    /// The newest checkpoint of the thread's own graph when it began first.
    pub base: Option<CheckpointId>,
    /// What it stored has greater ids than this, and what was there before has not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<CheckpointId>,
    /// What was noted of the base's tasks then ([`noted`]).
    #[serde(default)]
    pub noted: u64,
    /// The newest one when it ended.
    pub checkpoint: Option<CheckpointId>,
    /// What its caller wants to find it by: an object.
    pub metadata: Value,
    /// Who wants it cancelled, and how.
    pub cancel: Option<CancelRequest>,
    /// How it ended.
    pub ending: Option<Ending>,
    /// What it brought along from the queue, if it was there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queued: Option<Box<Queued>>,
    /// What its calls of models took. Of a time that was cut short nothing is known.
    #[serde(default, skip_serializing_if = "RunCost::is_zero")]
    pub cost: RunCost,
    /// How it is meant to run, if it was started without a queue; nothing in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Arc<QueuedOptions>>,
    /// The questions that it brought answers to. [`RunRecord::caller`] answered them, when it `started`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<AskId>,
    /// What is left to do once it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Box<PendingAfter>>,
    /// Its sleep: how long it sleeps if it waits, or slept last. A run that is cut short loses it, unless it
    /// is an alarm that has stored nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<Sleep>,
    /// Why no worker begins it, while it waits: the graph that looked at it last has another version of the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl RunRecord {
    /// The record of a run that begins. `head` is the newest checkpoint of the thread's own graph.
    pub fn begun(begin: BeginRun, head: Option<CheckpointId>, now: UnixMillis) -> Self {
        Self {
            id: begin.run,
            thread: begin.thread,
            graph: begin.graph,
            input: begin.input,
            created: now,
            started: Some(now),
            ended: None,
            deadline: begin.deadline,
            attempt: 1,
            epoch: Some(begin.epoch),
            base: head,
            mark: Some(head.map_or(begin.mark, |head| head.max(begin.mark))),
            noted: begin.noted,
            checkpoint: None,
            metadata: begin.metadata,
            cancel: None,
            ending: None,
            queued: None,
            cost: RunCost::default(),
            options: Some(begin.options),
            answers: begin.answers,
            after: None,
            sleep: None,
            problem: None,
        }
    }

    /// Begins again a run that did not end. It keeps the checkpoint it began from once it has taken in
    /// its input. Under the lease that it has already, this counts no attempt.
    pub fn begin_again(
        &mut self,
        begin: BeginRun,
        head: Option<CheckpointId>,
        now: UnixMillis,
    ) -> Result<(), SaverError> {
        if self.thread != begin.thread || self.ending.is_some() {
            return Err(SaverError::RunEnded { run: self.id });
        }
        if !self.has_taken_input(head, begin.noted) {
            self.begin_from(head, begin.mark, begin.noted);
        }
        if self.epoch != Some(begin.epoch) {
            self.attempt = self.attempt.saturating_add(1);
        }
        match &mut self.queued {
            // It goes back to the queue under the name it had there.
            Some(queued) => match &mut self.options {
                // It was started without a queue, and slept.
                Some(options) => *options = begin.options,
                None => queued.options.keep_identity(&begin.options),
            },
            None => {
                (self.graph, self.input) = (begin.graph, begin.input);
                self.options = Some(begin.options);
            }
        }
        if self.answers.is_empty() {
            self.answers = begin.answers;
        }
        (self.started, self.epoch) = (Some(now), Some(begin.epoch));
        (self.deadline, self.metadata) = (begin.deadline, begin.metadata);
        Ok(())
    }

    /// Whether a claimed run is recorded with what it runs with: context, caller, deadline and metadata.
    pub fn is_begun_as(&self, begin: &BeginRun) -> bool {
        let is_same = |given: &QueuedOptions| given.has_identity(&begin.options);
        (self.deadline, &self.metadata) == (begin.deadline, &begin.metadata)
            && self.started.is_some()
            && self.given().is_some_and(is_same)
    }

    /// Ends the run. `head` is the newest checkpoint of the thread's own graph.
    pub fn end(&mut self, ending: Ending, head: Option<CheckpointId>, now: UnixMillis) {
        (self.ending, self.ended) = (Some(ending), Some(now));
        self.checkpoint = head;
    }

    /// Records how the run came to its end, or puts it back into the queue if it sleeps or is handed back. `head` is the
    /// newest checkpoint of the thread's own graph. Returns the record of the alarm that the run leaves.
    pub fn finish(
        &mut self,
        end: &EndRun,
        head: Option<CheckpointId>,
        now: UnixMillis,
    ) -> Option<Self> {
        let cancelled = self.cancel.as_ref().map(|cancel| cancel.reason.clone());
        match (&end.ending, cancelled) {
            (Ending::Sleeping { until }, None) => self.fall_asleep(*until, head),
            // Nobody would wake it to obey.
            (Ending::Sleeping { .. }, Some(reason)) => {
                self.end(Ending::Cancelled { reason }, head, now);
            }
            _ if end.hands_back && self.hand_back(now) => {}
            (ending, _) => self.end(ending.clone(), head, now),
        }
        self.spend(end.cost);
        if end.keeps {
            self.keep();
        }
        end.alarm.map(|alarm| self.alarm(alarm, head, now))
    }

    /// Notes that what it stored stays, although somebody wanted it undone.
    fn keep(&mut self) {
        if let Some(cancel) = self.cancel.as_mut().filter(|it| it.how.undoes()) {
            cancel.how = Cancel::Now;
        }
    }

    /// Adds what calls of models took.
    fn spend(&mut self, cost: RunCost) {
        self.cost = self.cost.and(cost);
    }

    /// Ends a run whose lease is gone, by what it left behind: `newest` is the newest checkpoint of
    /// the thread's own graph. A run whose last step is stored is done, although nobody was left to
    /// say so; one that came from the queue goes back there while it has attempts left.
    pub fn end_lost(&mut self, newest: Option<&Record>, now: UnixMillis) {
        let id = newest.map(|record| record.id);
        let is_done = newest.is_some_and(|record| record.pending.is_empty()) && id != self.base;
        // An alarm that has stored nothing wakes the thread as it was, or not at all.
        let alarm = self.sleep.filter(|_| self.was_alarm() && id == self.base);
        if !is_done && self.requeue(now) {
            self.sleep = alarm;
            return;
        }
        let ending = match is_done {
            true => Ending::Done,
            false => Ending::Interrupted,
        };
        self.end(ending, id, now);
    }

    /// Notes that somebody wants the run cancelled; returns whether it has not ended yet. The first
    /// request stays. A run that waits in the queue ends with it.
    pub fn request_cancel(&mut self, request: CancelRequest) -> bool {
        if self.ending.is_some() {
            return false;
        }
        let request = self.cancel.get_or_insert(request);
        let (reason, at) = (request.reason.clone(), request.at);
        if self.epoch.is_none() {
            self.drop_waiting(&reason, at);
        }
        true
    }

    /// The options on record; nothing if an earlier version stored it.
    pub fn given(&self) -> Option<&QueuedOptions> {
        let queued = self.queued.as_deref().map(|queued| &queued.options);
        self.options.as_deref().or(queued)
    }

    /// Who called: the caller that its nodes saw. The local user if none is on record.
    pub fn caller(&self) -> &Caller {
        let caller = self.given().and_then(|given| given.caller.as_ref());
        caller.unwrap_or_else(|| Caller::local_ref())
    }

    /// Whether it waits for a worker of another version of its graph.
    pub fn is_stale(&self) -> bool {
        self.problem.is_some() && self.waiting().is_some()
    }

    /// Whether it began and has no ending; if its lease is gone it was cut short.
    pub fn is_open(&self) -> bool {
        self.ending.is_none() && self.epoch.is_some()
    }

    /// Whether it was cut short.
    pub fn was_cut_short(&self) -> bool {
        self.ending == Some(Ending::Interrupted)
    }

    /// When it was recorded, began or ended, whichever was last.
    pub fn updated(&self) -> Option<UnixMillis> {
        let times = [Some(self.created), self.started, self.ended];
        times.into_iter().flatten().max()
    }

    /// Whether it made a checkpoint of the thread's own graph, as far as ids say; runs of earlier
    /// versions do not know.
    pub fn made(&self, checkpoint: CheckpointId) -> bool {
        let is_before_its_end = match &self.ending {
            None => true,
            Some(_) => self.checkpoint.is_some_and(|end| checkpoint <= end),
        };
        self.mark.is_some_and(|mark| checkpoint > mark) && is_before_its_end
    }

    /// The id after which all that the run stored comes.
    pub fn mark(&self) -> CheckpointId {
        self.mark.or(self.base).unwrap_or(CheckpointId(0))
    }

    /// Whether it is to be undone, and has stored something that is still the newest of its thread:
    /// `head` is the newest checkpoint of the thread's own graph.
    pub fn is_to_be_undone(&self, head: Option<CheckpointId>) -> bool {
        let is_asked = |cancel: &CancelRequest| cancel.how.undoes();
        matches!(self.status(), RunStatus::Cancelled | RunStatus::Interrupted)
            && self.cancel.as_ref().is_some_and(is_asked)
            && head.is_some_and(|head| head > self.mark())
            && head == self.checkpoint
    }

    /// What is going on with it.
    pub fn status(&self) -> RunStatus {
        match &self.ending {
            Some(ending) => RunStatus::from(ending),
            None if self.epoch.is_some() => RunStatus::Running,
            None if self.sleeping().is_some() => RunStatus::Sleeping,
            None => RunStatus::Queued,
        }
    }

    /// What is going on with its thread, if that has no newer run. A run whose answer did not fit failed, and its
    /// thread still waits.
    pub fn thread_status(&self) -> RunStatus {
        match &self.ending {
            Some(Ending::Failed { code, .. }) if code == REFUSED_ANSWER => RunStatus::Waiting,
            _ => self.status(),
        }
    }
}
