//! Work that follows a run: its webhook, and the removal of a thread that goes with it.
//!
//! It is put into the queue with the run and claimed from storage once the run has ended, so one process at a time does it and
//! another does it again after a crash. Readers of the run hold up the removal by marks that expire. The trait is
//! [`crate::saver::AfterRuns`].

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use super::RunRecord;
use crate::clock::{UnixMillis, expiry};

/// What is to be done once a run has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AfterRun {
    /// Its webhook is called.
    pub calls: bool,
    /// Its thread is removed. The webhook comes first, and readers of the run hold it up.
    pub removes_thread: bool,
}

impl AfterRun {
    /// Whether there is nothing to do.
    pub fn is_done(self) -> bool {
        self == Self::default()
    }
}

/// A client that reads a run whose thread goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadAlong {
    /// The number of the reader, which no other has.
    pub reader: u64,
    /// How long the mark holds unless it is renewed.
    pub lease: Duration,
}

/// What is left to do after a run, and who does it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingAfter {
    /// What is left.
    pub left: AfterRun,
    /// Counts claims; whoever has an older number has lost it.
    token: u64,
    /// Not before this time: it is claimed, or failed and is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_before: Option<UnixMillis>,
    /// Readers, and until when their marks hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    readers: BTreeMap<u64, UnixMillis>,
}

/// Work that a process has claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct AfterClaim {
    /// The run, which has ended.
    pub record: RunRecord,
    /// What is to be done.
    pub left: AfterRun,
    /// The number of the claim.
    pub token: u64,
}

impl PendingAfter {
    /// What follows a run that is put into the queue; nothing if there is nothing to do.
    pub fn new(left: AfterRun, reader: Option<ReadAlong>, now: UnixMillis) -> Option<Box<Self>> {
        let mut pending = Self {
            left,
            ..Self::default()
        };
        if let Some(along) = reader.filter(|_| left.removes_thread) {
            let until = expiry(now, along.lease);
            pending.readers.insert(along.reader, until);
        }
        (!left.is_done()).then(|| Box::new(pending))
    }
}

impl RunRecord {
    /// When the work after the run is due, if some is left and the run has ended.
    pub fn after_due(&self) -> Option<UnixMillis> {
        let after = self.after.as_ref()?;
        self.ending.as_ref()?;
        let readers = after.readers.values().filter(|_| !after.left.calls);
        let times = readers.chain(&after.not_before).chain(&self.ended);
        Some(times.copied().max().unwrap_or_default())
    }

    /// Claims the work after the run, if it is due.
    pub fn claim_after(&mut self, lease: Duration, now: UnixMillis) -> Option<AfterClaim> {
        if self.after_due()? > now {
            return None;
        }
        let after = self.after.as_mut()?;
        after.token += 1;
        after.not_before = Some(expiry(now, lease));
        let (left, token) = (after.left, after.token);
        let record = self.clone();
        Some(AfterClaim {
            record,
            left,
            token,
        })
    }

    /// Makes a claim last for this long from now; returns whether it still holds.
    pub fn renew_after(&mut self, token: u64, lease: Duration, now: UnixMillis) -> bool {
        let after = self.after.as_mut().filter(|after| after.token == token);
        let Some(after) = after else {
            return false;
        };
        after.not_before = Some(expiry(now, lease));
        true
    }

    /// Gives a claim back with what is left, due after a while; returns whether the claim still holds.
    pub fn settle_after(
        &mut self,
        token: u64,
        left: AfterRun,
        wait: Duration,
        now: UnixMillis,
    ) -> bool {
        let after = self.after.as_mut().filter(|after| after.token == token);
        let Some(after) = after else {
            return false;
        };
        (after.left, after.not_before) = (left, Some(expiry(now, wait)));
        if left.is_done() {
            self.after = None;
        }
        true
    }

    /// Marks a reader, or renews its mark; returns whether the thread goes with the run and is held up by that.
    pub fn read_along(&mut self, along: ReadAlong, now: UnixMillis) -> bool {
        let after = self.after.as_mut();
        let Some(after) = after.filter(|after| after.left.removes_thread) else {
            return false;
        };
        after.readers.retain(|_, until| *until > now);
        after.readers.insert(along.reader, expiry(now, along.lease));
        true
    }

    /// Removes the mark of a reader.
    pub fn leave(&mut self, reader: u64) {
        if let Some(after) = &mut self.after {
            after.readers.remove(&reader);
        }
    }
}
