//! Replay cost of a record, and when a full record is due.

use superstep_core::checkpoint::NextRecord;

/// A tail up to this many bytes is never worth a full record.
const MIN_TAIL: i64 = 4 * 1024;

/// What replaying up to a record costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReplayCost {
    /// Bytes of the records since the last full one.
    pub(crate) tail: i64,
    /// Bytes that the state itself would take.
    pub(crate) state: i64,
}

/// What the record after one with this cost should hold.
///
/// A full record pays off once the tail is twice its size: then all full records together are
/// smaller than the changes written anyway, and a thread that only appends gets none.
pub(crate) fn next_record(cost: ReplayCost) -> NextRecord {
    if cost.tail > MIN_TAIL + 2 * cost.state {
        NextRecord::Everything
    } else {
        NextRecord::Changes
    }
}

/// The cost of reading a record in bytes: its body, and what finding it is worth.
pub(crate) fn weight(body: usize) -> i64 {
    64 + body as i64
}
