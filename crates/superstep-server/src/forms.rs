//! Forms in which clients name and read what several routes have: threads, checkpoints, messages.

pub(crate) mod checkpoint;
pub(crate) mod message;
pub(crate) mod snapshot;
pub(crate) mod thread_name;
