//! Schedules: runs that are put into the queue again and again, at times of a calendar.
//!
//! A saver keeps a [`CronSchedule`] with the time it is due next, and puts its run into the queue when a
//! worker says so, once for each time. What a cron expression means is up to the worker: savers compare
//! times only. The trait is [`crate::saver::Schedules`].

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    clock::UnixMillis,
    id::{RunId, ThreadId},
    runs::{EnqueueRun, OnBusy, QueuedInput, QueuedOptions},
    value::Value,
};

/// What becomes of times at which no worker was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Missed {
    /// One run for all of them, as soon as a worker is there.
    #[default]
    Once,
    /// A run for each of them.
    Each,
    /// None: the next time is the next one of the calendar. A minute late is not missed.
    Skip,
}

/// A run to put into the queue at times of a calendar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CronSchedule {
    /// Its name, by which it is replaced and deleted.
    pub id: Arc<str>,
    /// The name of the graph that runs.
    pub graph: Arc<str>,
    /// The thread of all its runs; each has a thread of its own without it.
    pub thread: Option<ThreadId>,
    /// When: minute, hour, day of month, month, day of week.
    pub cron: String,
    /// On whose clock: an IANA time zone.
    pub zone: String,
    /// What its runs are fed.
    pub input: QueuedInput,
    /// How they are meant to run.
    #[serde(default)]
    pub options: QueuedOptions,
    /// What to do if the thread has a run that has not ended. With [`OnBusy::Reject`] that time is left
    /// out.
    pub on_busy: OnBusy,
    /// How often a run may begin.
    pub attempts: u32,
    /// What to find its runs by: an object.
    pub metadata: Value,
    /// What becomes of times at which no worker was there.
    pub missed: Missed,
    /// No run at this time or later.
    pub end: Option<UnixMillis>,
    /// When it was made.
    pub created: UnixMillis,
    /// When it is due next; never again without a time.
    pub next: Option<UnixMillis>,
    /// What it did last.
    pub last: Option<Firing>,
    /// Why it has no run at its time, if something is wrong with it.
    #[serde(default)]
    pub problem: Option<String>,
}

/// One time at which a schedule was due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Firing {
    /// When it was due.
    pub due: UnixMillis,
    /// When a worker was there.
    pub at: UnixMillis,
    /// The run that was put into the queue; none if the time was left out.
    pub run: Option<RunId>,
}

/// What a worker makes of a schedule that is due.
#[derive(Clone, Debug, PartialEq)]
pub struct FireSchedule {
    /// The schedule.
    pub id: Arc<str>,
    /// When it is due. If another worker was first, it is due at another time already.
    pub due: UnixMillis,
    /// What time it is.
    pub at: UnixMillis,
    /// When it is due next.
    pub next: Option<UnixMillis>,
    /// The run to put into the queue, if there shall be one.
    pub run: Option<EnqueueRun>,
    /// What is wrong with it.
    pub problem: Option<String>,
}

impl CronSchedule {
    /// Runs at the times of a cron expression, in UTC, each on a thread of its own and fed nothing. Which
    /// graph and when first is filled in where it is stored.
    pub fn new(id: impl Into<Arc<str>>, cron: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            graph: Arc::default(),
            thread: None,
            cron: cron.into(),
            zone: "UTC".to_owned(),
            input: QueuedInput::Nothing,
            options: QueuedOptions::default(),
            on_busy: OnBusy::Enqueue,
            attempts: 3,
            metadata: Value::Null,
            missed: Missed::Once,
            end: None,
            created: 0,
            next: None,
            last: None,
            problem: None,
        }
    }

    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        self.metadata.fits() && self.input.fits() && self.options.fits()
    }

    /// Its run, under a new id.
    pub fn run(&self, run: RunId) -> EnqueueRun {
        let own = || ThreadId::from(run.to_string().as_str());
        EnqueueRun {
            input: self.input.clone(),
            options: self.options.clone(),
            on_busy: self.on_busy,
            attempts: self.attempts,
            metadata: self.metadata.clone(),
            ..EnqueueRun::new(
                self.thread.clone().unwrap_or_else(own),
                run,
                self.graph.clone(),
            )
        }
    }

    /// Whether it is due, and at what time.
    pub fn is_due(&self, now: UnixMillis) -> bool {
        self.next.is_some_and(|next| next <= now)
    }

    /// Notes what a worker made of it; `run` is the one that is in the queue now.
    pub fn fire(&mut self, fire: &FireSchedule, run: Option<RunId>) {
        let (due, at) = (fire.due, fire.at);
        self.last = Some(Firing { due, at, run });
        (self.next, self.problem) = (fire.next, fire.problem.clone());
    }
}
