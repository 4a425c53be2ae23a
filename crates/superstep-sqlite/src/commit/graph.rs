//! The graph a commit appends to, as the leaseholder knows it.

use superstep_core::{
    error::SaverError,
    id::{CheckpointId, GraphPath, ThreadId},
};

use crate::{
    graphs::{self, GraphRow},
    row,
    writer::{ComparedIn, LeasedGraph, Writer},
};

/// A graph of a leased thread; it may have no row yet.
pub(crate) struct CurrentGraph {
    pub(crate) thread: i64,
    pub(crate) epoch: i64,
    pub(super) row: Option<GraphRow>,
    /// The id of its newest record.
    pub(crate) head: Option<CheckpointId>,
    pub(super) compared: ComparedIn,
}

impl CurrentGraph {
    /// Finds a graph of a thread that is leased under this epoch, in memory if it was used before.
    pub(crate) fn find(
        writer: &Writer,
        thread: &ThreadId,
        epoch: u64,
        namespace: &GraphPath,
    ) -> Result<Self, SaverError> {
        let conflict = || SaverError::Conflict {
            thread: thread.clone(),
        };
        let leased = writer.leased.get(thread).ok_or_else(conflict)?;
        if i64::try_from(epoch) != Ok(leased.epoch) {
            return Err(conflict());
        }
        let never = ComparedIn::default();
        let (row, head, compared) = match leased.graphs.get(namespace) {
            Some(known) => (Some(known.row.clone()), known.head, known.compared),
            None if leased.complete => (None, None, never),
            None => match graphs::graph(writer.db()?, leased.thread, namespace)? {
                Some(row) => {
                    let head = row::get(writer.db()?, row.head)?;
                    (Some(row), head.step().map(|step| step.id), never)
                }
                None => (None, None, never),
            },
        };
        Ok(Self {
            thread: leased.thread,
            epoch: leased.epoch,
            row,
            head,
            compared,
        })
    }
}

/// Notes where a graph ends now, for the next commit under the same lease.
pub(super) fn remember(
    writer: &mut Writer,
    thread: &ThreadId,
    row: GraphRow,
    head: Option<CheckpointId>,
) {
    let compared = writer.compared_now();
    if let Some(leased) = writer.leased.get_mut(thread) {
        let known = LeasedGraph {
            row,
            head,
            compared,
        };
        leased.graphs.insert(known.row.name.clone(), known);
    }
}
