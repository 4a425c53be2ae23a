//! What lives outside the graphs of a case: counters and flags.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value as Json;

use crate::expr::World;

/// Counters and flags of one case run; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Outside(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    counters: BTreeMap<String, i64>,
    flags: BTreeMap<String, Json>,
}

impl Outside {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds one to a counter and returns it.
    pub fn count(&self, name: &str) -> i64 {
        let mut inner = self.inner();
        let counter = inner.counters.entry(name.to_owned()).or_default();
        *counter += 1;
        *counter
    }

    /// Sets a flag.
    pub fn set_flag(&self, name: &str, value: Json) {
        self.inner().flags.insert(name.to_owned(), value);
    }

    /// All counters that are not zero.
    pub fn counters(&self) -> BTreeMap<String, i64> {
        self.inner().counters.clone()
    }
}

impl World for Outside {
    fn counter(&self, name: &str) -> i64 {
        self.inner().counters.get(name).copied().unwrap_or(0)
    }
    fn flag(&self, name: &str) -> Json {
        self.inner().flags.get(name).cloned().unwrap_or(Json::Null)
    }
}
