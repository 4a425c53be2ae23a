//! How durable a commit must be before it is acknowledged.

/// What `PRAGMA synchronous` is while a transaction is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyncLevel {
    /// Handed to the operating system: it survives a crash of the process, not of the machine.
    Normal,
    /// fsync'd: it survives a power cut.
    Full,
}
