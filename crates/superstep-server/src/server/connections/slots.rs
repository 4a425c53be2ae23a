//! How many connections there are at once: fewer than the process may have open files, so that runs can open theirs. The
//! server's own user has slots that no other user of the machine and no other machine can take.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::caller::Caller;

/// How many files a process may have open, where the system does not say.
const FILES: usize = 1024;

/// The most connections of others than the own user.
const MOST: usize = 16_384;

/// How many connections are told at once why they are refused.
const REFUSED: usize = 16;

/// A connection that is counted, until it is dropped.
pub(super) struct Slot {
    _one: OwnedSemaphorePermit,
    _other: Option<OwnedSemaphorePermit>,
}

/// The connections that there may be.
pub(in crate::server) struct Slots {
    all: Arc<Semaphore>,
    others: Arc<Semaphore>,
    refused: Arc<Semaphore>,
}

impl Slots {
    /// Three quarters of the files that the process may have open; others than its own user get half of the files at most.
    pub(in crate::server) fn of_process() -> Self {
        let files = open_files().unwrap_or(FILES);
        let half = (files / 2).min(MOST);
        Self::of(half + half / 2, half)
    }

    /// So many connections, and no more than these for others than the own user.
    pub(super) fn of(all: usize, others: usize) -> Self {
        let slots = |count: usize| Arc::new(Semaphore::new(count));
        Self {
            all: slots(all),
            others: slots(others),
            refused: slots(REFUSED),
        }
    }

    /// A place among those that are told why they are refused, if one is free.
    pub(super) fn refusal(&self) -> Option<OwnedSemaphorePermit> {
        self.refused.clone().try_acquire_owned().ok()
    }

    /// A slot, if one is free.
    pub(super) fn take(&self, caller: Caller) -> Option<Slot> {
        let other = match caller {
            Caller::Own => None,
            Caller::Other => Some(self.others.clone().try_acquire_owned().ok()?),
        };
        Some(Slot {
            _one: self.all.clone().try_acquire_owned().ok()?,
            _other: other,
        })
    }
}

#[cfg(target_os = "linux")]
fn open_files() -> Option<usize> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    limit.current.and_then(|files| usize::try_from(files).ok())
}

#[cfg(not(target_os = "linux"))]
fn open_files() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_of_others_take_no_slot_of_the_own_user() {
        let slots = Slots::of(3, 1);
        let other = slots.take(Caller::Other);
        assert!(other.is_some() && slots.take(Caller::Other).is_none());
        let own = [slots.take(Caller::Own), slots.take(Caller::Own)];
        assert!(own.iter().all(Option::is_some) && slots.take(Caller::Own).is_none());
        drop(other);
        assert!(slots.take(Caller::Other).is_some());
    }
}
