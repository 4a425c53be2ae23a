//! Ends of logs that a transaction moves more than once.
//!
//! The first step of a graph in a transaction moves the end of its log in the file, and compares the
//! epoch and the end that was there. Nobody else can write until the commit, so the steps that follow
//! in the same transaction (write-behind, group commit) need no comparison, and only the last end is
//! written: before the commit, or before anything else is done with the file ([`Writer::db`]).

use std::{
    cell::RefCell,
    collections::btree_map::{BTreeMap, Entry},
};

use rusqlite::Connection;
use superstep_core::error::SaverError;

use super::Writer;
use crate::graphs::{self, GraphRow};

/// The transaction in which the row of a graph was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ComparedIn(u64);

/// An end that is not written yet.
struct DeferredEnd {
    row: GraphRow,
    /// The end that the file has.
    was: i64,
    epoch: i64,
}

/// The ends that a transaction has yet to write.
#[derive(Default)]
pub(super) struct DeferredEnds {
    transaction: u64,
    state: RefCell<DeferredState>,
}

#[derive(Default)]
struct DeferredState {
    /// By graph.
    ends: BTreeMap<i64, DeferredEnd>,
    /// Why they could not be written.
    failure: Option<SaverError>,
}

impl DeferredEnds {
    /// Forgets all ends, and has every graph compared again: in a new transaction, or after work that may have changed any of
    /// them.
    pub(super) fn forget(&mut self) {
        self.transaction += 1;
        *self.state.get_mut() = DeferredState::default();
    }

    /// Whether one could not be written.
    pub(super) fn have_failed(&self) -> bool {
        self.state.borrow().failure.is_some()
    }

    /// Writes all of them. After a failure nothing else is done in this transaction, nor is it committed.
    pub(super) fn write(&self, db: &Connection) -> Result<(), SaverError> {
        let mut state = self.state.borrow_mut();
        if let Some(failure) = &state.failure {
            return Err(failure.clone());
        }
        while let Some((_, end)) = state.ends.pop_first() {
            let written = end.write(db);
            if let Err(failure) = &written {
                state.failure = Some(failure.clone());
                return written;
            }
        }
        Ok(())
    }
}

impl DeferredEnd {
    fn write(&self, db: &Connection) -> Result<(), SaverError> {
        let Self { row, was, epoch } = self;
        if graphs::advance(db, row, *was, *epoch)? {
            return Ok(());
        }
        let name = &row.name;
        let why = format!("the entry of graph `{name}` changed within a transaction");
        Err(SaverError::Corrupt(why))
    }
}

impl Writer {
    /// What `compared` is for the row of a graph that was compared or inserted just now.
    pub(crate) fn compared_now(&self) -> ComparedIn {
        ComparedIn(self.ends.transaction)
    }

    /// Moves the end of a graph's log, if it is still at `was` and the epoch is still current. Returns
    /// whether it was.
    pub(crate) fn move_end(
        &mut self,
        row: &GraphRow,
        was: i64,
        epoch: i64,
        compared: ComparedIn,
    ) -> Result<bool, SaverError> {
        if compared != self.compared_now() {
            return graphs::advance(self.log_db()?, row, was, epoch);
        }
        let row = row.clone();
        match self.ends.state.get_mut().ends.entry(row.graph) {
            Entry::Occupied(mut end) => end.get_mut().row = row,
            Entry::Vacant(free) => {
                free.insert(DeferredEnd { row, was, epoch });
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue fails")]
mod tests {
    use std::sync::Arc;

    use superstep_core::{
        id::CheckpointId,
        policy::Durability,
        record::{Change, Layout, Pending, Record, Source, TriggerName},
        saver::{Commit, HistoryQuery, Saver as _},
        table::Key,
        value::Value,
    };

    use super::*;
    use crate::{Database, SqliteSaver, queue::Urgency, sync_level::SyncLevel};

    fn commit(epoch: u64, id: u128) -> Commit {
        let layout = Layout {
            channels: vec!["channel".into()],
            nodes: vec!["node".into()],
            triggers: vec![TriggerName::Start, TriggerName::Node("node".into())],
            state: None,
            graph: Arc::default(),
            shapes: Vec::new(),
        };
        let record = Record {
            id: CheckpointId(id),
            parent: (id > 1).then(|| CheckpointId(id - 1)),
            step: 0,
            source: Source::Loop,
            durability: Durability::Async,
            layout: Arc::new(layout),
            changes: vec![(Key::at(0), Change::Set(Value::from("x")))],
            full: id == 1,
            pending: Pending::default(),
            touched: None,
            last_ran: Vec::new(),
            last_seen: 0,
            clock: 0,
            paused_at: 0,
            parents: Arc::default(),
            tasks: Vec::new(),
        };
        Commit {
            thread: "a".into(),
            namespace: "".into(),
            epoch,
            record: record.into(),
            events: Vec::new(),
        }
    }

    #[tokio::test]
    async fn after_a_transaction_that_sqlite_rolled_back_what_was_acknowledged_is_stored_and_nothing_else()
     {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let database = Database::open(&path).unwrap();
        let saver: SqliteSaver = database.saver();
        let lease = saver.lease(&"a".into()).await.unwrap();
        let epoch = lease.epoch;
        saver.commit(commit(epoch, 1)).await.unwrap();
        // What is submitted while another connection writes becomes one transaction.
        let other = Connection::open(&path).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut steps: Vec<_> = (2..=20).map(|id| saver.commit(commit(epoch, id))).collect();
        // As SQLite does when a read fails.
        let lost = database.0.queue.submit(
            SyncLevel::Normal,
            Urgency::Deferred,
            |writer: &mut Writer| -> Result<(), SaverError> {
                let rolled_back = writer.log_db()?.execute_batch("ROLLBACK");
                rolled_back.map_err(crate::error::sql)?;
                Err(SaverError::Io("the disk failed".to_owned()))
            },
        );
        steps.extend((21..=30).map(|id| saver.commit(commit(epoch, id))));
        other.execute_batch("COMMIT").unwrap();
        assert!(lost.await.is_err());
        let mut acknowledged = 1;
        for step in steps {
            acknowledged += usize::from(step.await.is_ok());
        }
        let report = database.check().await.unwrap();
        assert!(report.is_clean(), "{:#?}", report.problems);
        let all = HistoryQuery::default();
        let stored = saver.history(&"a".into(), &"".into(), &all).await.unwrap();
        assert_eq!(stored.len(), acknowledged);
    }
}
