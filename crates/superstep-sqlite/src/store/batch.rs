//! A batch of operations in one transaction.

use std::sync::Arc;

use rusqlite::Connection;
use superstep_store::{Clock, IndexPath, Outcome, ReadyOp};

use super::error::TransactionError;
use super::items::{self, TtlRefresh};
use super::tables::Tables;
use super::transaction::Effort;
use super::{listing, search};
use crate::seal::Seal;

/// Operations that wait for their transaction, and what they need.
pub(super) struct Batch {
    pub(super) ops: Vec<ReadyOp>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) fields: Arc<[IndexPath]>,
}

/// What the transaction may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// A write, even of a new expiry, is [`TransactionError::NeedsWrite`].
    Read,
    /// The database is read-only: reading refreshes no TTL.
    ReadOnly,
    Write,
}

/// A batch of more operations runs on another thread.
const FEW: usize = 32;

impl Batch {
    /// Whether nothing is written, except perhaps refreshed TTLs.
    pub(super) fn only_reads(&self) -> bool {
        let writes = |op: &ReadyOp| matches!(op, ReadyOp::Put { .. } | ReadyOp::Delete(_));
        !self.ops.iter().any(writes)
    }

    /// How long it may take. The cost of a search is unknown.
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
    ) -> Result<Vec<Outcome>, TransactionError> {
        let tables = Tables {
            connection,
            seal,
            // Read in the transaction, so that a later put never carries an earlier time.
            now: self.clock.now(),
        };
        let apply = |op| self.apply(op, tables, access);
        self.ops.iter().map(apply).collect()
    }

    fn apply(
        &self,
        op: &ReadyOp,
        tables: Tables<'_>,
        access: Access,
    ) -> Result<Outcome, TransactionError> {
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
    fn check_write(self) -> Result<(), TransactionError> {
        match self {
            Self::Write => Ok(()),
            Self::Read | Self::ReadOnly => Err(TransactionError::NeedsWrite),
        }
    }
}

fn refresh(
    connection: &Connection,
    access: Access,
    due: impl IntoIterator<Item = TtlRefresh>,
) -> Result<(), TransactionError> {
    for due in due {
        if access == Access::ReadOnly {
            continue;
        }
        access.check_write()?;
        due.write(connection)?;
    }
    Ok(())
}
