//! Lists that are used again by whoever comes next, and that are short in most steps.

/// Longer lists are not kept: few steps have so many tasks.
const MOST: usize = 16;

/// The list without what is in it, or another one if it is so long that it should not be kept.
pub(crate) fn cleared<T>(mut list: Vec<T>) -> Vec<T> {
    if list.capacity() > MOST {
        return Vec::new();
    }
    list.clear();
    list
}

/// Adds to a list that has one element in most steps: one that grows by itself has room for four.
pub(crate) fn add<T>(list: &mut Vec<T>, item: T) {
    if list.capacity() == 0 {
        list.reserve_exact(1);
    }
    list.push(item);
}
