//! Locking a mutex whose poisoning does not matter.
//!
//! What these mutexes guard is whole after every statement, so a thread that panicked leaves nothing
//! half done behind.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
