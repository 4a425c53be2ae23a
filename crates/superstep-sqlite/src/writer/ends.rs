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
    /// Begins a transaction, or continues one after work that may have changed any graph.
    pub(super) fn begin(&mut self) {
        self.transaction += 1;
        *self.state.get_mut() = DeferredState::default();
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
    /// When the row of a graph is compared that is compared or inserted now.
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
