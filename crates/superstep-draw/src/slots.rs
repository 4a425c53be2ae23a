//! Writing to a slot of a table that may not have it.

/// Puts a value in its slot.
pub(super) fn set<T>(slots: &mut [T], index: usize, value: T) {
    if let Some(slot) = slots.get_mut(index) {
        *slot = value;
    }
}
