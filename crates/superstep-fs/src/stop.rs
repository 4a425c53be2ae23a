//! Blocking work that ends when nobody waits for it any more.
//!
//! Work on the blocking pool of a runtime is not ended by dropping its future. It gets a [`StopFlag`]
//! to look at; the future holds the [`StopOnDrop`] that sets it.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Whether work should stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Whether nobody waits for the work any more.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Deref for StopFlag {
    type Target = AtomicBool;

    fn deref(&self) -> &AtomicBool {
        &self.0
    }
}

/// Sets its flag when it is dropped.
///
/// ```
/// use superstep_fs::StopOnDrop;
///
/// let waiting = StopOnDrop::default();
/// let flag = waiting.flag();
/// let work = std::thread::spawn(move || while !flag.is_set() {});
/// drop(waiting);
/// assert!(work.join().is_ok());
/// ```
#[derive(Debug, Default)]
pub struct StopOnDrop(StopFlag);

impl StopOnDrop {
    /// The flag, for the work.
    pub fn flag(&self) -> StopFlag {
        self.0.clone()
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
