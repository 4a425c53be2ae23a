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
        writer: &mut Writer,
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
        let mut current = Self {
            thread: leased.thread,
            epoch: leased.epoch,
            row: None,
            head: None,
            compared: ComparedIn::default(),
        };
        if let Some(known) = leased.graphs.get(namespace) {
            let LeasedGraph {
                row,
                head,
                compared,
            } = (**known).clone();
            (current.row, current.head, current.compared) = (Some(row), head, compared);
        } else if !leased.complete
            && let Some(row) = graphs::graph(writer.db()?, current.thread, namespace)?
        {
            let head = row::get(writer.db()?, row.head)?;
            current.head = head.step().map(|step| step.id);
            current.row = Some(row.clone());
            remember(writer, thread, row, current.head, current.compared);
        }
        Ok(current)
    }
}

impl CurrentGraph {
    /// Refuses work of a lease that was taken over.
    pub(super) fn refuse_stale(
        &self,
        writer: &Writer,
        thread: &ThreadId,
    ) -> Result<(), SaverError> {
        match graphs::epoch(writer.db()?, self.thread)? == Some(self.epoch) {
            true => Ok(()),
            false => Err(SaverError::Conflict {
                thread: thread.clone(),
            }),
        }
    }
}

/// Notes where a graph ends, for the next commit under the same lease.
pub(super) fn remember(
    writer: &mut Writer,
    thread: &ThreadId,
    row: GraphRow,
    head: Option<CheckpointId>,
    compared: ComparedIn,
) {
    if let Some(leased) = writer.leased.get_mut(thread) {
        let known = LeasedGraph {
            row,
            head,
            compared,
        };
        match leased.graphs.get_mut(&known.row.name) {
            Some(before) => **before = known,
            None => leased
                .graphs
                .insert(known.row.name.clone(), Box::new(known)),
        }
    }
}
