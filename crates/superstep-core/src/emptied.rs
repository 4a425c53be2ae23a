//! Lists that are used again by whoever comes next.

/// Longer lists are not kept: few steps have so many tasks.
const MOST: usize = 16;

/// The list without what is in it, or another one if it is so long that it should not be kept.
pub(crate) fn emptied<T>(mut list: Vec<T>) -> Vec<T> {
    if list.capacity() > MOST {
        return Vec::new();
    }
    list.clear();
    list
}
