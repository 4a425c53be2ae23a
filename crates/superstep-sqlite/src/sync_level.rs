//! How durable a commit must be before it is acknowledged.

/// How far a commit must have come to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// To the operating system.
    System,
    /// To the disk.
    Disk,
}
