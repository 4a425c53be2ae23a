//! The object form of a [`Value`]: keys in order, in one piece of memory.
//!
//! Most objects on the way of a run have a handful of keys, for which a sorted list is smaller and
//! faster to make than a tree; a large one is built by sorting once.

use std::sync::Arc;

use super::Value;

type KeyValue = (Arc<str>, Value);

/// So many keys are put in place one by one; more are sorted in.
const FEW: usize = 8;

/// An object: unique keys in order, each with a value.
#[derive(Clone, Default, PartialEq)]
pub struct Map {
    entries: Vec<KeyValue>,
}

impl Map {
    /// An object without keys.
    pub fn new() -> Self {
        Self::default()
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.entries
            .binary_search_by(|(known, _)| (**known).cmp(key))
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let at = self.find(key).ok()?;
        self.entries.get(at).map(|(_, value)| value)
    }

    /// Whether there is such a key.
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_ok()
    }

    /// Sets a key and returns what it had.
    pub fn insert(&mut self, key: Arc<str>, value: Value) -> Option<Value> {
        match self.find(&key) {
            Ok(at) => {
                let entry = self.entries.get_mut(at)?;
                Some(std::mem::replace(&mut entry.1, value))
            }
            Err(at) => {
                self.entries.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.find(key).ok()?;
        Some(self.entries.remove(at).1)
    }

    /// Keeps what the function says.
    pub fn retain(&mut self, mut keep: impl FnMut(&Arc<str>, &Value) -> bool) {
        self.entries.retain(|(key, value)| keep(key, value));
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Keys and values, in order of key.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    /// Keys, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// Values, in order of key.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value)
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a Arc<str>, &'a Value);
    type IntoIter = std::iter::Map<
        std::slice::Iter<'a, KeyValue>,
        fn(&'a KeyValue) -> (&'a Arc<str>, &'a Value),
    >;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(|(key, value)| (key, value))
    }
}

impl Extend<KeyValue> for Map {
    /// A later entry of a key replaces an earlier one.
    fn extend<I: IntoIterator<Item = KeyValue>>(&mut self, more: I) {
        let mut more = more.into_iter();
        if !self.entries.is_empty() {
            for (key, value) in more.by_ref().take(FEW) {
                self.insert(key, value);
            }
        }
        let known = self.entries.len();
        self.entries.extend(more);
        if self.entries.len() > known {
            self.put_in_order();
        }
    }
}

impl Map {
    /// Sorts the keys; the last entry of a key stays.
    fn put_in_order(&mut self) {
        let mut pairs = self.entries.windows(2);
        if pairs.all(|pair| matches!(pair, [(a, _), (b, _)] if a < b)) {
            return;
        }
        self.entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        self.entries.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                std::mem::swap(&mut later.1, &mut kept.1);
            }
            same
        });
    }
}

impl FromIterator<KeyValue> for Map {
    fn from_iter<I: IntoIterator<Item = KeyValue>>(entries: I) -> Self {
        // As long as what comes says it is: many objects are kept, and most have one key.
        let entries = entries.into_iter().collect();
        let mut map = Self { entries };
        map.put_in_order();
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, i64)]) -> Map {
        pairs
            .iter()
            .map(|(key, n)| (Arc::from(*key), Value::Int(*n)))
            .collect()
    }

    #[test]
    fn keys_are_in_order_and_the_last_of_a_key_counts() {
        let built = map(&[("b", 1), ("a", 2), ("b", 3), ("c", 4), ("a", 5)]);
        let shown: Vec<_> = built
            .iter()
            .map(|(key, value)| (&**key, value.as_i64()))
            .collect();
        assert_eq!(shown, [("a", Some(5)), ("b", Some(3)), ("c", Some(4))]);
    }

    #[test]
    fn a_key_can_be_set_read_and_taken_out() {
        let mut built = map(&[("b", 1)]);
        assert_eq!(built.insert("a".into(), Value::Int(7)), None);
        assert_eq!(built.insert("b".into(), Value::Int(8)), Some(Value::Int(1)));
        assert_eq!(built.get("b"), Some(&Value::Int(8)));
        assert_eq!(built.remove("a"), Some(Value::Int(7)));
        assert!(!built.contains_key("a") && built.len() == 1);
    }
}
