//! Parse attempts on record, so that a mail that crashes the process does so twice at most.
//!
//! That a mail is about to be parsed is written down before, and taken away after, whether it could
//! be parsed or not. A record that is still there was left by a run that did not come to its end.
//! A mail with two of them is set aside: it is not parsed again until somebody asks for it.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::store::{Namespace, PutOptions, Store, StoreError, TtlOnRead};

use crate::{MailId, bookkeeping::PARSING, key::key};

/// How many runs a mail may end.
const MOST: u64 = 2;

/// What was begun; cheap to clone.
#[derive(Clone)]
pub(crate) struct Attempts {
    store: Arc<dyn Store>,
}

/// Whether a mail may be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParseAttempt {
    Begun,
    /// So many runs ended while they parsed it.
    SetAside(u64),
}

impl Attempts {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Records that a mail of a mailbox is about to be parsed, unless it is set aside.
    pub(crate) async fn begin(&self, place: &str, id: &MailId) -> Result<ParseAttempt, StoreError> {
        let (space, key) = (space()?, key(&[place, &id.0]));
        let found = self.store.get(&space, &key, TtlOnRead::Keep).await?;
        let count = found.and_then(|found| found.value.get("runs").and_then(Json::as_u64));
        let count = count.unwrap_or(0);
        if count >= MOST {
            return Ok(ParseAttempt::SetAside(count));
        }
        let value = json!({"place": place, "mail": id, "runs": count + 1});
        let options = PutOptions::default();
        self.store.put(&space, &key, value, options).await?;
        Ok(ParseAttempt::Begun)
    }

    /// Records that a mail was parsed, or may be parsed again.
    pub(crate) async fn end(&self, place: &str, id: &MailId) -> Result<(), StoreError> {
        self.store.delete(&space()?, &key(&[place, &id.0])).await
    }
}

fn space() -> Result<Namespace, StoreError> {
    let space = Namespace::new(PARSING);
    space.map_err(|error| StoreError::backend(error.to_string()))
}
