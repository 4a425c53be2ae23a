//! The next page of a log, and how long a reader waits for it.
//!
//! Runs log how they end before that is recorded, so a reader that sees a run's ending recorded and
//! then reads to the end of the log has all of it. A run that was cut short logs no ending: its readers
//! wait for its record as well.

use std::{collections::VecDeque, sync::Arc};

use superstep_core::{
    error::{Error, SaverError},
    event::{Cursor, Ending, Entry, Logged},
    id::{RunId, ThreadId},
    runs::{RunQuery, RunRecord},
    saver::{MaybeReady, Saver},
};

use super::{PAGE, Source};

/// What comes next in a log.
pub(super) struct Page {
    pub(super) entries: VecDeque<Logged>,
    /// The status of the run before it.
    pub(super) place: RunPosition,
    /// What is read, as far as that is known by now.
    pub(super) source: Source,
}

/// How long a reader waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Not at all: it reads what is stored.
    Stored,
    /// While a run is under way or none has begun.
    RunEnd,
    /// Without end.
    Ever,
}

/// The status of the run, by the last entry that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunPosition {
    /// Nothing was read yet.
    Unknown,
    /// A run is under way, as far as the log knows.
    InRun,
    /// It has ended.
    AfterRun,
}

impl RunPosition {
    pub(super) fn of(entry: &Entry) -> Self {
        match entry {
            // The same run continues, under another lease.
            Entry::Ended(Ending::Sleeping { .. }) => Self::Unknown,
            Entry::Ended(_) => Self::AfterRun,
            _ => Self::InRun,
        }
    }
}

/// A reader that has read all it has.
pub(super) struct Turn {
    pub(super) saver: Arc<dyn Saver>,
    pub(super) after: Option<Cursor>,
    pub(super) place: RunPosition,
    pub(super) until: Until,
}

impl Turn {
    /// What follows in the log; empty if the reader waits no longer.
    pub(super) async fn page(mut self, source: Source) -> Result<Page, Error> {
        let (entries, source) = match source {
            Source::Thread(thread) => {
                let entries = self.of_thread(&thread).await?;
                (entries, Source::Thread(thread))
            }
            Source::Run(run, _) => {
                let (entries, thread) = self.of_run(run).await?;
                (entries, Source::Run(run, Some(thread)))
            }
        };
        Ok(Page {
            entries: entries.into(),
            place: self.place,
            source,
        })
    }

    async fn of_thread(&mut self, thread: &ThreadId) -> Result<Vec<Logged>, Error> {
        self.find_place(thread).await?;
        loop {
            // Called before the log is read, so that nothing comes unnoticed in between.
            let changed = (self.until != Until::Stored).then(|| self.saver.changed(thread));
            let entries = self.saver.events(thread, self.after, PAGE).await?;
            let Some(changed) = changed.filter(|_| entries.is_empty()) else {
                return Ok(entries);
            };
            let mut running = None;
            if self.until == Until::RunEnd {
                let newest = self.newest_run(thread).await?;
                let open = newest.as_ref().filter(|run| run.ending.is_none());
                running = open.map(|run| run.id);
                let entries = self.saver.events(thread, self.after, PAGE).await?;
                if !entries.is_empty() {
                    return Ok(entries);
                }
                let epoch = self.after.map(|after| after.epoch);
                match (self.place, newest) {
                    (RunPosition::AfterRun, Some(run)) if run.is_open() && run.epoch > epoch => {}
                    (RunPosition::AfterRun, _) => return Ok(entries),
                    (RunPosition::InRun, Some(run)) if run.epoch > epoch => {
                        return Ok(self.ending(epoch, Ending::Interrupted));
                    }
                    (RunPosition::InRun, Some(run)) if run.epoch == epoch => {
                        if let Some(ending) = run.ending {
                            return Ok(self.ending(epoch, ending));
                        }
                    }
                    _ => {}
                }
            }
            self.wait(changed, running).await?;
        }
    }

    /// Waits for a log to grow or a run to end.
    async fn wait(&self, changed: MaybeReady<'_, ()>, run: Option<RunId>) -> Result<(), Error> {
        let Some(run) = run else {
            return Ok(changed.await?);
        };
        tokio::select! {
            changed = changed => Ok(changed?),
            ended = self.saver.runs().ended(run) => match ended {
                // One that is deleted has no ending; its reader finds out.
                Ok(_) | Err(SaverError::NoRun { .. }) => Ok(()),
                Err(error) => Err(error.into()),
            },
        }
    }

    async fn of_run(&mut self, run: RunId) -> Result<(Vec<Logged>, ThreadId), Error> {
        loop {
            let record = self.saver.runs().load_run(run).await?;
            let RunRecord {
                thread,
                epoch,
                ending,
                sleep,
                ..
            } = record.ok_or(SaverError::NoRun { run })?;
            let slept = sleep.and_then(|sleep| sleep.epoch);
            self.find_place(&thread).await?;
            if slept.is_some() && self.after.map(|after| after.epoch) <= slept {
                // What the reader has seen was not cut short.
                self.place = RunPosition::Unknown;
            }
            let changed = (self.until != Until::Stored).then(|| self.saver.changed(&thread));
            if let Some(epoch) = epoch.or(slept) {
                // The log of an earlier attempt is over.
                let seen = self.after.filter(|after| after.epoch >= epoch);
                let after = seen.unwrap_or(Cursor { epoch, n: 0 });
                let mut entries = self.saver.events(&thread, Some(after), PAGE).await?;
                entries.retain(|it| it.cursor.epoch == epoch && !goes_to_sleep(&it.entry));
                if !entries.is_empty() {
                    return Ok((entries, thread));
                }
                if let Some(ending) = ending {
                    if ending == Ending::Interrupted {
                        // Whoever finds out writes it down, if it can.
                        let _unwritten = self.saver.runs().interrupted(Some(&thread)).await;
                    }
                    return Ok((self.ending(Some(epoch), ending), thread));
                }
            } else if let Some(ending) = ending {
                // It ended before it began: it has no lease and logs nothing.
                return Ok((self.ending(Some(0), ending), thread));
            }
            let Some(changed) = changed else {
                return Ok((Vec::new(), thread));
            };
            self.wait(changed, Some(run)).await?;
        }
    }

    /// The entry the reader has seen shows whether its run has ended. One that is gone was pruned,
    /// which happens between runs.
    async fn find_place(&mut self, thread: &ThreadId) -> Result<(), Error> {
        let (RunPosition::Unknown, Some(cursor)) = (self.place, self.after) else {
            return Ok(());
        };
        let before = Some(cursor.before());
        let seen = self.saver.events(thread, before, 1).await?;
        let seen = seen.first().filter(|seen| seen.cursor == cursor);
        self.place = seen.map_or(RunPosition::AfterRun, |seen| RunPosition::of(&seen.entry));
        Ok(())
    }

    async fn newest_run(&self, thread: &ThreadId) -> Result<Option<RunRecord>, Error> {
        let query = RunQuery {
            limit: Some(1),
            ..RunQuery::default()
        };
        let found = self.saver.runs().load_runs(thread, &query).await?;
        Ok(found.into_iter().next())
    }

    /// The ending of a run that its log does not have; nothing if the reader has had one.
    fn ending(&self, epoch: Option<u64>, ending: Ending) -> Vec<Logged> {
        let Some(epoch) = epoch.filter(|_| self.place != RunPosition::AfterRun) else {
            return Vec::new();
        };
        vec![Logged {
            cursor: Cursor::end_of(epoch),
            checkpoint: None,
            at: None,
            entry: Entry::Ended(ending),
        }]
    }
}

/// Whether a run says that it sleeps, which is no end for its readers.
fn goes_to_sleep(entry: &Entry) -> bool {
    matches!(entry, Entry::Ended(Ending::Sleeping { .. }))
}
