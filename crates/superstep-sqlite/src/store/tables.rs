//! The tables of the store as a transaction sees them.

use rusqlite::Connection;
use superstep_store::UnixMillis;

use crate::seal::Seal;

/// The tables, and the time of the transaction.
#[derive(Clone, Copy)]
pub(super) struct Tables<'c> {
    pub(super) connection: &'c Connection,
    pub(super) seal: &'c Seal,
    pub(super) now: UnixMillis,
}
