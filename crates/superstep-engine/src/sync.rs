//! Locking a mutex whose holder may have panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. One that is poisoned is used as it is: what it guards is changed in single steps, so that a panic
/// leaves nothing half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
