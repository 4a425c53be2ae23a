//! A batch in one transaction.

use std::sync::Arc;

use rusqlite::Connection;
use superstep_core::store::{Clock, IndexPath, Outcome, ReadyOp, UnixMillis};

use super::fault::Fault;
use super::items::{self, Due};
use super::{listing, search};

/// Operations that wait for their transaction, with all that they need there.
pub(super) struct Batch {
    pub(super) ops: Vec<ReadyOp>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) fields: Arc<[IndexPath]>,
}

/// What the transaction may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// A write, even of a new time to expire, is [`Fault::NeedsWrite`].
    Read,
    Write,
}

impl Batch {
    /// Whether nothing is written, except perhaps that items live longer for being read.
    pub(super) fn only_reads(&self) -> bool {
        let writes = |op: &ReadyOp| matches!(op, ReadyOp::Put { .. } | ReadyOp::Delete(_));
        !self.ops.iter().any(writes)
    }

    /// Applies the operations in order.
    pub(super) fn run(
        &self,
        connection: &Connection,
        access: Access,
    ) -> Result<Vec<Outcome>, Fault> {
        // Read in the transaction, so that a later put never carries an earlier time.
        let now = self.clock.now();
        let apply = |op| self.apply(op, connection, access, now);
        self.ops.iter().map(apply).collect()
    }

    fn apply(
        &self,
        op: &ReadyOp,
        connection: &Connection,
        access: Access,
        now: UnixMillis,
    ) -> Result<Outcome, Fault> {
        Ok(match op {
            ReadyOp::Put { put, vectors } => {
                access.check_write()?;
                items::put(connection, put, vectors.as_ref(), &self.fields, now)?;
                Outcome::Done
            }
            ReadyOp::Delete(delete) => {
                access.check_write()?;
                items::delete(connection, delete)?;
                Outcome::Done
            }
            ReadyOp::Get(get) => {
                let (item, due) = items::get(connection, get, now)?.unzip();
                refresh(connection, access, due.flatten())?;
                Outcome::Item(item)
            }
            ReadyOp::Search { search, ranking } => {
                let page = search::search(connection, search, ranking.as_ref(), now)?;
                refresh(connection, access, page.due)?;
                Outcome::Found(page.found)
            }
            ReadyOp::ListNamespaces(list) => {
                Outcome::Namespaces(listing::list(connection, list, now)?)
            }
        })
    }
}

impl Access {
    fn check_write(self) -> Result<(), Fault> {
        match self {
            Self::Write => Ok(()),
            Self::Read => Err(Fault::NeedsWrite),
        }
    }
}

fn refresh(
    connection: &Connection,
    access: Access,
    due: impl IntoIterator<Item = Due>,
) -> Result<(), Fault> {
    for due in due {
        access.check_write()?;
        due.write(connection)?;
    }
    Ok(())
}
