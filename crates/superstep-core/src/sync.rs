//! Locking a mutex whose holder may have panicked.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. One that is poisoned is used as it is: what is guarded so is changed in single
/// steps, so that a panic leaves nothing half done.
///
/// ```
/// use std::sync::Mutex;
/// use superstep_core::sync::lock;
///
/// let count = Mutex::new(1);
/// *lock(&count) += 1;
/// assert_eq!(*lock(&count), 2);
/// ```
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
