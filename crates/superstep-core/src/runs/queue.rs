//! Runs that wait for a worker: what they hold, and the rules of claiming them.
//!
//! A run in the queue is a [`RunRecord`] without a lease. A worker claims it for a while and begins it;
//! from then on the lease of its thread says whether somebody runs it. One that was cut short goes back
//! to the queue until its attempts are used up. The trait is [`crate::saver::RunQueue`].

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use super::{Cancel, InputKind, QueuedOptions, RunCost, RunRecord};
use crate::{
    ask::Resume,
    clock::{UnixMillis, expiry},
    command::Command,
    event::Ending,
    id::{RunId, ThreadId},
    value::Value,
};

/// What to do when a thread has a run already that has not ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum OnBusy {
    /// Wait for it.
    #[default]
    Enqueue,
    /// Refuse the new one.
    Reject,
    /// Cancel it and those that wait; what they stored stays.
    Interrupt,
    /// Cancel it, undo what it stored, and continue from where it began; those that wait are cancelled
    /// too. After the first run of a thread that is nothing at all. What a run stored whose tasks made
    /// effects, or may have, stays.
    Rollback,
    /// The same, also if that repeats effects.
    #[serde(rename = "rollback_repeating")]
    RollbackRepeating,
}

impl OnBusy {
    /// How the runs are cancelled that the new one comes in place of.
    pub fn cancel(self) -> Option<Cancel> {
        match self {
            Self::Enqueue | Self::Reject => None,
            Self::Interrupt => Some(Cancel::Now),
            Self::Rollback => Some(Cancel::Rollback),
            Self::RollbackRepeating => Some(Cancel::RollbackRepeating),
        }
    }
}

/// What a queued run is fed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum QueuedInput {
    /// Nothing: it continues the thread.
    #[default]
    Nothing,
    /// New input.
    Value(Value),
    /// A command, an answer, or both.
    Command(Command, Option<Resume>),
}

impl QueuedInput {
    /// Which kind it is.
    pub fn kind(&self) -> InputKind {
        match self {
            Self::Nothing => InputKind::Nothing,
            Self::Value(_) => InputKind::Input,
            Self::Command(..) => InputKind::Command,
        }
    }

    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        let resume = |resume: &Resume| match resume {
            Resume::Next(value) => value.fits(),
            Resume::ById(answers) => answers.values().all(Value::fits),
        };
        match self {
            Self::Nothing => true,
            Self::Value(value) => value.fits(),
            Self::Command(command, answer) => {
                command.update.iter().all(|(_, value)| value.fits())
                    && answer.as_ref().is_none_or(resume)
            }
        }
    }
}

/// A run to put into the queue.
#[derive(Clone, Debug, PartialEq)]
pub struct EnqueueRun {
    /// Its thread, which need not exist.
    pub thread: ThreadId,
    /// Its id, which is new.
    pub run: RunId,
    /// The name of the graph that shall run it.
    pub graph: Arc<str>,
    /// What it is fed.
    pub input: QueuedInput,
    /// How it is meant to run.
    pub options: QueuedOptions,
    /// What to do if the thread has a run that has not ended.
    pub on_busy: OnBusy,
    /// How long it waits at least.
    pub after: Duration,
    /// When it must have ended.
    pub deadline: Option<UnixMillis>,
    /// How often it may begin: a run that takes its process down each time does not come back for ever.
    pub attempts: u32,
    /// What its caller wants to find it by: an object.
    pub metadata: Value,
}

impl EnqueueRun {
    /// A run that is due now, waits for others of its thread, and may begin three times.
    pub fn new(thread: impl Into<ThreadId>, run: RunId, graph: impl Into<Arc<str>>) -> Self {
        Self {
            thread: thread.into(),
            run,
            graph: graph.into(),
            input: QueuedInput::Nothing,
            options: QueuedOptions::default(),
            on_busy: OnBusy::Enqueue,
            after: Duration::ZERO,
            deadline: None,
            attempts: 3,
            metadata: Value::Null,
        }
    }
}

impl EnqueueRun {
    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        self.metadata.fits() && self.input.fits() && self.options.fits()
    }
}

/// The part of a record that a queued run has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Queued {
    /// What it is fed when it begins first.
    pub input: QueuedInput,
    /// How it is meant to run.
    #[serde(default, skip_serializing_if = "QueuedOptions::is_empty")]
    pub options: QueuedOptions,
    /// Not before this time.
    pub due: UnixMillis,
    /// How often it may begin.
    pub attempts: u32,
    /// Counts claims; who has an older number has lost it.
    pub token: u64,
    /// Until when a worker has claimed it.
    pub claimed_until: Option<UnixMillis>,
}

/// Which runs a worker takes.
#[derive(Clone, Debug)]
pub struct ClaimRuns {
    /// Of these graphs.
    pub graphs: Vec<Arc<str>>,
    /// How long a claim holds, within which the run must begin.
    pub lease: Duration,
}

/// A run that a worker has claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The run.
    pub record: RunRecord,
    /// The number of the claim.
    pub token: u64,
}

impl Queued {
    /// The place of a run that continues its thread.
    pub(super) fn nothing(due: UnixMillis, attempts: u32) -> Self {
        Self {
            input: QueuedInput::Nothing,
            options: QueuedOptions::default(),
            due,
            attempts,
            token: 0,
            claimed_until: None,
        }
    }

    /// Waits until a time.
    pub(super) fn wait(&mut self, due: UnixMillis) {
        (self.due, self.claimed_until) = (due, None);
    }
}

impl RunRecord {
    /// The record of a run that is put into the queue.
    pub fn enqueued(run: EnqueueRun, now: UnixMillis) -> Self {
        Self {
            id: run.run,
            thread: run.thread,
            graph: run.graph,
            input: run.input.kind(),
            created: now,
            started: None,
            ended: None,
            deadline: run.deadline,
            attempt: 0,
            epoch: None,
            base: None,
            mark: None,
            noted: 0,
            checkpoint: None,
            metadata: run.metadata,
            cancel: None,
            ending: None,
            queued: Some(Box::new(Queued {
                input: run.input,
                options: run.options,
                due: expiry(now, run.after),
                attempts: run.attempts.max(1),
                token: 0,
                claimed_until: None,
            })),
            cost: RunCost::default(),
            options: None,
            answers: Vec::new(),
            sleep: None,
        }
    }

    /// Its place in the queue, if it waits there.
    pub fn waiting(&self) -> Option<&Queued> {
        let waits = self.ending.is_none() && self.epoch.is_none();
        self.queued.as_deref().filter(|_| waits)
    }

    /// Whether a worker has claimed it and may be about to begin it.
    pub fn is_claimed(&self, now: UnixMillis) -> bool {
        let until = self.waiting().and_then(|queued| queued.claimed_until);
        until.is_some_and(|until| until > now)
    }

    /// Whether a worker may claim it, as far as it alone decides.
    pub fn is_claimable(&self, claim: &ClaimRuns, now: UnixMillis) -> bool {
        let is_due = self.waiting().is_some_and(|queued| queued.due <= now);
        is_due && !self.is_claimed(now) && claim.graphs.contains(&self.graph)
    }

    /// Claims the run for a worker.
    pub fn claim(&mut self, lease: Duration, now: UnixMillis) -> Option<Claim> {
        let queued = self.queued.as_mut()?;
        queued.token += 1;
        queued.claimed_until = Some(expiry(now, lease));
        let token = queued.token;
        let record = self.clone();
        Some(Claim { record, token })
    }

    /// The run's place in the queue, if a claim still holds.
    pub fn claimed(&mut self, token: u64) -> Option<&mut Queued> {
        let waits = self.ending.is_none() && self.epoch.is_none();
        let queued = self.queued.as_deref_mut().filter(|_| waits)?;
        (queued.token == token && queued.claimed_until.is_some()).then_some(queued)
    }

    /// Makes a claim last longer.
    pub fn renew(&mut self, token: u64, lease: Duration, now: UnixMillis) {
        if let Some(queued) = self.claimed(token) {
            queued.claimed_until = Some(expiry(now, lease));
        }
    }

    /// Gives a claimed run back.
    pub fn release(&mut self, token: u64, after: Duration, now: UnixMillis) {
        if let Some(queued) = self.claimed(token) {
            (queued.claimed_until, queued.due) = (None, expiry(now, after));
        }
    }

    /// Puts a run that was cut short back into the queue, if it came from there and may begin again.
    pub(super) fn requeue(&mut self, now: UnixMillis) -> bool {
        let again = self.attempt;
        let Some(queued) = &mut self.queued else {
            return false;
        };
        if again >= queued.attempts || self.cancel.is_some() {
            return false;
        }
        queued.wait(now);
        (self.epoch, self.sleep) = (None, None);
        true
    }

    /// Puts a run that stopped between two steps back into the queue without counting the attempt.
    pub(super) fn hand_back(&mut self, now: UnixMillis) -> bool {
        if let Some(queued) = self.queued.as_mut().filter(|_| self.cancel.is_none()) {
            queued.attempts = queued.attempts.saturating_add(1);
        }
        self.requeue(now)
    }

    /// Ends a run that waits.
    pub fn drop_waiting(&mut self, reason: &str, now: UnixMillis) {
        let reason = reason.to_owned();
        self.end(Ending::Cancelled { reason }, self.checkpoint, now);
    }
}
