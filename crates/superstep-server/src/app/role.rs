//! What a process of a server does.

/// What a process of a server does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// It answers requests and runs what they put into the queue.
    #[default]
    All,
    /// It answers requests. Another process must run what they put into the queue.
    Api,
    /// It runs what is in the queue, calls webhooks and starts schedules.
    Worker,
}
