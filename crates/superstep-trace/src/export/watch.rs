//! Saver layer that notices when runs end.

use std::sync::Arc;

use superstep_core::{
    checkpoint::NextRecord,
    event::{Entry, Logged},
    future::MaybeReady,
    id::ThreadId,
    saver::{Commit, Events, Notes, Saver, SaverLayer},
};

use super::Line;

/// A saver whose finished runs are sent. Everything else is as with the saver itself.
pub struct Watched {
    saver: Arc<dyn Saver>,
    line: Line,
}

impl Watched {
    pub(super) fn new(saver: Arc<dyn Saver>, line: Line) -> Self {
        Self { saver, line }
    }

    /// Passes an answer on, and the end of a run once it is stored.
    fn heard<'a, T: Unpin + Send + 'a>(
        &self,
        ended: Option<(ThreadId, u64)>,
        reply: MaybeReady<'a, T>,
    ) -> MaybeReady<'a, T> {
        let Some((thread, number)) = ended else {
            return reply;
        };
        let (saver, line) = (self.saver.clone(), self.line.clone());
        reply.map(move |answer| {
            if answer.is_ok() {
                line.offer(&saver, &thread, number);
            }
            answer
        })
    }
}

fn ended(thread: &ThreadId, events: &[Logged]) -> Option<(ThreadId, u64)> {
    let end = events
        .iter()
        .rev()
        .find(|logged| matches!(logged.entry, Entry::Ended(_)))?;
    Some((thread.clone(), end.cursor.epoch))
}

impl SaverLayer for Watched {
    fn inner(&self) -> &dyn Saver {
        &*self.saver
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        let ended = ended(&commit.thread, &commit.events);
        self.heard(ended, self.saver.commit(commit))
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        let ended = ended(&notes.thread, &notes.events);
        self.heard(ended, self.saver.note(notes))
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        let ended = ended(&events.thread, &events.events);
        self.heard(ended, self.saver.log(events))
    }
}
