//! How many characters were looked at, for the test that no text costs more than its length.

#[cfg(not(test))]
pub(super) fn step() {}

#[cfg(not(test))]
pub(super) fn steps(_: usize) {}

#[cfg(test)]
pub(super) use counted::{count, step, steps};

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<usize> = const { Cell::new(0) };
    }

    pub(in super::super) fn step() {
        steps(1);
    }

    pub(in super::super) fn steps(more: usize) {
        STEPS.set(STEPS.get() + more);
    }

    /// The steps that something takes.
    pub(in super::super) fn count(work: impl FnOnce()) -> usize {
        STEPS.set(0);
        work();
        STEPS.get()
    }
}
