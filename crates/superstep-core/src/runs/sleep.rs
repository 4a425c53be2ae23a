//! Runs that sleep, and alarms: entries of the queue that are due when a timer is.
//!
//! A run whose tasks wait for nothing but a time has no ending. It gives its lease back and is in the queue
//! until then, whether it came from there or not, so that any worker wakes it. A run that also asked
//! something ends as waiting, and leaves an alarm: a run that begins at that time, and that nobody sees
//! before. Whatever run of the thread begins first takes the place of both.

use serde::{Deserialize, Serialize};

use super::{Queued, RunRecord};
use crate::{
    clock::UnixMillis,
    event::Ending,
    id::{CheckpointId, RunId},
};

/// How often a run that came from no queue may begin again after it slept.
const ATTEMPTS: u32 = 3;

/// The sleep of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sleep {
    /// When it continues.
    pub until: UnixMillis,
    /// The lease it ran under before; an alarm has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
}

/// A run that begins when a timer is due, unless another run of the thread begins before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// Its id, which is new.
    pub run: RunId,
    /// When it is due.
    pub at: UnixMillis,
}

impl RunRecord {
    /// Puts the run into the queue until it wakes.
    pub(super) fn fall_asleep(&mut self, until: UnixMillis, head: Option<CheckpointId>) {
        self.checkpoint = head;
        self.sleep = Some(Sleep {
            until,
            epoch: self.epoch.take(),
        });
        // A run that must have ended by then wakes to fail.
        let due = self.deadline.map_or(until, |deadline| deadline.min(until));
        match &mut self.queued {
            Some(queued) => {
                // It has left the place that it was to begin at. Waking is no attempt of its own.
                queued.options.at = None;
                queued.attempts = queued.attempts.saturating_add(1);
                queued.due = due;
            }
            None => {
                let attempts = self.attempt.saturating_add(ATTEMPTS);
                self.queued = Some(Box::new(Queued::nothing(due, attempts)));
            }
        }
    }

    /// The record of an alarm of the run's thread.
    pub(super) fn alarm(&self, alarm: Alarm, head: Option<CheckpointId>, now: UnixMillis) -> Self {
        let mut queued = Queued::nothing(alarm.at, ATTEMPTS);
        if let Some(own) = &self.queued {
            queued.options = own.options.clone();
            queued.options.at = None;
        }
        Self {
            id: alarm.run,
            input: Default::default(),
            created: now,
            started: None,
            ended: None,
            deadline: None,
            attempt: 0,
            epoch: None,
            base: head,
            mark: None,
            noted: 0,
            checkpoint: None,
            cancel: None,
            ending: None,
            queued: Some(Box::new(queued)),
            cost: Default::default(),
            answers: Vec::new(),
            sleep: Some(Sleep {
                until: alarm.at,
                epoch: None,
            }),
            thread: self.thread.clone(),
            graph: self.graph.clone(),
            metadata: self.metadata.clone(),
            options: self.options.clone(),
            after: None,
            problem: None,
        }
    }

    /// The sleep that the run is in.
    pub fn sleeping(&self) -> Option<&Sleep> {
        let waits = self.waiting().is_some();
        self.sleep.as_ref().filter(|_| waits)
    }

    /// Whether it is an alarm that has neither begun nor failed: no list of runs shows it.
    pub fn is_alarm(&self) -> bool {
        self.was_alarm() && self.started.is_none() && self.ending.is_none()
    }

    /// Whether it is an alarm, or was one before a worker claimed it.
    pub fn was_alarm(&self) -> bool {
        self.sleep.is_some_and(|sleep| sleep.epoch.is_none())
    }

    /// Whether it keeps its thread from others that do not wait for their turn.
    pub fn is_busy(&self) -> bool {
        self.ending.is_none() && self.sleeping().is_none()
    }

    /// Ends a sleep, since another run of the thread begins. Returns whether the record is to be removed: an
    /// alarm leaves none.
    pub fn give_way(&mut self, to: RunId, now: UnixMillis) -> bool {
        if self.id == to || self.sleeping().is_none() {
            return false;
        }
        let leaves_none = self.is_alarm();
        let reason = format!("run {to} went on while it slept");
        self.end(Ending::Cancelled { reason }, self.checkpoint, now);
        leaves_none
    }
}
