//! What replaying a record costs, and when a full record is due.

use superstep_core::checkpoint::NextRecord;

/// Replaying so many bytes is always fine.
const SHORT: i64 = 4 * 1024;

/// What replaying up to a record costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Bytes since the full record.
    pub(crate) tail: i64,
    /// Bytes of the state.
    pub(crate) state: i64,
}

/// What a record should hold whose reader would have to replay so much.
///
/// A full one is worth its bytes once replaying takes twice what it takes: then all full ones
/// together are less than what was written anyway, and a thread that only appends has none.
pub(crate) fn next(cost: Cost) -> NextRecord {
    if cost.tail > SHORT + 2 * cost.state {
        NextRecord::Everything
    } else {
        NextRecord::Changes
    }
}

/// What reading a record costs, in bytes: its body, and about as much as finding it takes.
pub(crate) fn weight(body: usize) -> i64 {
    64 + body as i64
}
