//! A batch in one transaction.

use std::sync::Arc;

use rusqlite::Connection;
use superstep_core::store::{Clock, IndexPath, Outcome, ReadyOp, UnixMillis};

use super::fault::Fault;
use super::items::{self, Due};
use super::transaction::Effort;
use super::{listing, search};
use crate::seal::Seal;

/// Operations that wait for their transaction, with all that they need there.
pub(super) struct Batch {
    pub(super) ops: Vec<ReadyOp>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) fields: Arc<[IndexPath]>,
}

/// What an operation works on: the tables, at a time.
#[derive(Clone, Copy)]
pub(super) struct Tables<'c> {
    pub(super) connection: &'c Connection,
    pub(super) seal: &'c Seal,
    pub(super) now: UnixMillis,
}

/// What the transaction may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// A write, even of a new time to expire, is [`Fault::NeedsWrite`].
    Read,
    /// Nothing can be written: what is read does not live longer for it.
    ReadOnly,
    Write,
}

/// More operations than this may take long.
const FEW: usize = 32;

impl Batch {
    /// Whether nothing is written, except perhaps that items live longer for being read.
    pub(super) fn only_reads(&self) -> bool {
        let writes = |op: &ReadyOp| matches!(op, ReadyOp::Put { .. } | ReadyOp::Delete(_));
        !self.ops.iter().any(writes)
    }

    /// How long it may take. Nobody knows how much a search has to look at.
    pub(super) fn effort(&self) -> Effort {
        let looks =
            |op: &ReadyOp| matches!(op, ReadyOp::Search { .. } | ReadyOp::ListNamespaces(_));
        match self.ops.len() > FEW || self.ops.iter().any(looks) {
            true => Effort::Long,
            false => Effort::Brief,
        }
    }

    /// Applies the operations in order.
    pub(super) fn run(
        &self,
        connection: &Connection,
        seal: &Seal,
        access: Access,
    ) -> Result<Vec<Outcome>, Fault> {
        let tables = Tables {
            connection,
            seal,
            // Read in the transaction, so that a later put never carries an earlier time.
            now: self.clock.now(),
        };
        let apply = |op| self.apply(op, tables, access);
        self.ops.iter().map(apply).collect()
    }

    fn apply(&self, op: &ReadyOp, tables: Tables<'_>, access: Access) -> Result<Outcome, Fault> {
        Ok(match op {
            ReadyOp::Put { put, vectors } => {
                access.check_write()?;
                items::put(tables, put, vectors.as_ref(), &self.fields)?;
                Outcome::Done
            }
            ReadyOp::Delete(delete) => {
                access.check_write()?;
                items::delete(tables.connection, delete)?;
                Outcome::Done
            }
            ReadyOp::Get(get) => {
                let (item, due) = items::get(tables, get)?.unzip();
                refresh(tables.connection, access, due.flatten())?;
                Outcome::Item(item)
            }
            ReadyOp::Search { search, ranking } => {
                let page = search::search(tables, search, ranking.as_ref())?;
                refresh(tables.connection, access, page.due)?;
                Outcome::Found(page.found)
            }
            ReadyOp::ListNamespaces(list) => Outcome::Namespaces(listing::list(tables, list)?),
        })
    }
}

impl Access {
    fn check_write(self) -> Result<(), Fault> {
        match self {
            Self::Write => Ok(()),
            Self::Read | Self::ReadOnly => Err(Fault::NeedsWrite),
        }
    }
}

fn refresh(
    connection: &Connection,
    access: Access,
    due: impl IntoIterator<Item = Due>,
) -> Result<(), Fault> {
    for due in due {
        if access == Access::ReadOnly {
            continue;
        }
        access.check_write()?;
        due.write(connection)?;
    }
    Ok(())
}
