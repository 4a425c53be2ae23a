//! External state of a case: counters and flags.
//!
//! They simulate services around the program, so they outlive its process: see
//! [`crate::restart`].

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use serde_json::{Value as Json, json};

use crate::expr::Externals;
use superstep_core::sync::lock;

/// Counters and flags of one case run; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct ExternalState(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    counters: BTreeMap<String, i64>,
    flags: BTreeMap<String, Json>,
}

impl ExternalState {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }

    /// The state that [`ExternalState::to_json`] wrote; an empty one if it is not one.
    pub fn from_json(json: &Json) -> Self {
        let part = |name: &str| {
            json.get(name)
                .and_then(Json::as_object)
                .into_iter()
                .flatten()
        };
        let counters = part("counters").filter_map(|(name, n)| Some((name.clone(), n.as_i64()?)));
        let flags = part("flags").map(|(name, value)| (name.clone(), value.clone()));
        Self(Arc::new(Mutex::new(Inner {
            counters: counters.collect(),
            flags: flags.collect(),
        })))
    }

    /// All there is, for [`ExternalState::from_json`].
    pub fn to_json(&self) -> Json {
        let inner = self.inner();
        json!({ "counters": inner.counters, "flags": inner.flags })
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

impl Externals for ExternalState {
    fn counter(&self, name: &str) -> i64 {
        self.inner().counters.get(name).copied().unwrap_or(0)
    }
    fn flag(&self, name: &str) -> Json {
        self.inner().flags.get(name).cloned().unwrap_or(Json::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_read_back_counts_on_and_knows_its_flags() {
        let state = ExternalState::default();
        state.count("calls");
        state.set_flag("open", json!(["yes"]));
        let again = ExternalState::from_json(&state.to_json());
        assert_eq!(again.count("calls"), 2);
        assert_eq!(again.flag("open"), json!(["yes"]));
        assert_eq!(again.flag("shut"), Json::Null);
    }
}
