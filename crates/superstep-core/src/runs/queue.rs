//! Runs that wait for a worker, and what they bring along.
//!
//! A run in the queue is a [`RunRecord`] without a lease. A worker that claims it begins it; from then on
//! the lease of its thread says whether it is under way. One that was cut short goes back to the queue
//! until its attempts are used up. The rules of claims are in `claim`.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    AfterRun, Cancel, InputKind, PendingAfter, QueuedOptions, ReadAlong, RunCost, RunRecord,
};
use crate::{
    ask::Resume,
    clock::{UnixMillis, expiry},
    command::Command,
    event::Ending,
    id::{RunId, ThreadId},
    thread_record::StampThread,
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
    /// The change to the record of its thread that comes with it: both are stored, or neither is.
    pub stamp: Option<StampThread>,
    /// What is to be done once it has ended.
    pub after_run: AfterRun,
    /// Who reads it from the beginning, if its thread goes with it.
    pub reader: Option<ReadAlong>,
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
            stamp: None,
            after_run: AfterRun::default(),
            reader: None,
        }
    }
}

impl EnqueueRun {
    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        let stamp = self.stamp.as_ref();
        self.metadata.fits()
            && self.input.fits()
            && self.options.fits()
            && stamp.is_none_or(StampThread::fits)
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
}

impl Queued {
    /// The place of a run that continues its thread.
    pub(super) fn nothing(due: UnixMillis, attempts: u32) -> Self {
        Self {
            input: QueuedInput::Nothing,
            options: QueuedOptions::default(),
            due,
            attempts,
        }
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
            })),
            cost: RunCost::default(),
            options: None,
            answers: Vec::new(),
            after: PendingAfter::new(run.after_run, run.reader, now),
            sleep: None,
            problem: None,
        }
    }

    /// Its place in the queue, if it waits there.
    pub fn waiting(&self) -> Option<&Queued> {
        let waits = self.ending.is_none() && self.epoch.is_none();
        self.queued.as_deref().filter(|_| waits)
    }

    /// Ends a run that waits.
    pub fn drop_waiting(&mut self, reason: &str, now: UnixMillis) {
        let reason = reason.to_owned();
        self.end(Ending::Cancelled { reason }, self.checkpoint, now);
    }
}
