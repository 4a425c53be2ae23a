//! Past calls on record: what was done about a mail, or may have been, apart from the thread that did it.
//!
//! A thread can be begun anew, deleted, or given new input after its run was cut off. Then it knows nothing of what it
//! did, and a person who is asked about the same reply must hear of the first one. The record is written before a call is
//! made, as something that may have happened, and again when more is known: a process that is killed in between, and a
//! thread that is deleted after it, leave what nobody knows on record.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use superstep::store::{Namespace, Prefix, PutOptions, Search, Store, StoreError, TtlOnRead};

use crate::{
    bookkeeping::PAST_CALLS, input::EmailInput, key::key, parse::one_line, settings::Zone,
};

/// How many of a mail are read.
const MOST: usize = 20;

/// Something that was done about a mail, or may have been.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PastCall {
    /// The thread that did it.
    #[serde(default)]
    pub(crate) thread: String,
    /// What, such as `sent to ann@example.org`.
    pub(crate) what: String,
    /// When it was decided on.
    pub(crate) at: Timestamp,
    /// Whether it is known to have happened.
    pub(crate) is_certain: bool,
}

impl PastCall {
    /// A sentence in a question that asks for the like.
    pub(crate) fn describe(&self, zone: &Zone) -> String {
        let at = self.at.to_zoned(zone.zone.clone());
        let (at, what) = (at.strftime("%Y-%m-%d %H:%M"), one_line(&self.what, 300));
        match self.is_certain {
            true => format!("Done before about this mail, decided on {at}: {what}"),
            false => format!(
                "This may have been done before about this mail, decided on {at}, and nobody knows: {what}"
            ),
        }
    }
}

/// What was done about mails, in the store of a run; cheap to clone.
#[derive(Clone)]
pub(crate) struct PastCalls {
    store: Arc<dyn Store>,
}

impl PastCalls {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// What is on record about a mail of a mailbox, but for one call of a thread.
    pub(crate) async fn about(
        &self,
        place: &str,
        input: &EmailInput,
        but: (&str, &str),
    ) -> Result<Vec<PastCall>, StoreError> {
        let space = space(place, input)?;
        let search = Search {
            prefix: Prefix::new(space.labels().to_vec()).map_err(broken)?,
            limit: MOST,
            ttl: TtlOnRead::Keep,
            ..Search::default()
        };
        let found = self.store.search(search).await?.into_iter();
        let but = record_key(but.0, but.1);
        let found = found.filter(|found| found.item.key != but);
        let read = |value| serde_json::from_value(value).map_err(broken);
        let mut all: Vec<PastCall> = found
            .map(|found| read(found.item.value))
            .collect::<Result<_, _>>()?;
        all.sort_by_key(|past| past.at);
        Ok(all)
    }

    /// Whether a call of a thread is on record.
    pub(crate) async fn has(
        &self,
        place: &str,
        input: &EmailInput,
        (thread, call): (&str, &str),
    ) -> Result<bool, StoreError> {
        let (space, key) = (space(place, input)?, record_key(thread, call));
        let found = self.store.get(&space, &key, TtlOnRead::Keep).await?;
        Ok(found.is_some())
    }

    /// Puts one on record, under its thread and the key of its call: a copy of a thread makes calls under the keys of
    /// the thread that it was made of.
    pub(crate) async fn record(
        &self,
        place: &str,
        input: &EmailInput,
        call: &str,
        past: &PastCall,
    ) -> Result<(), StoreError> {
        let value = serde_json::to_value(past).map_err(broken)?;
        let (space, key) = (space(place, input)?, record_key(&past.thread, call));
        let options = PutOptions::default();
        self.store.put(&space, &key, value, options).await
    }

    /// Takes one off: it is known not to have happened.
    pub(crate) async fn remove(
        &self,
        place: &str,
        input: &EmailInput,
        (thread, call): (&str, &str),
    ) -> Result<(), StoreError> {
        let (space, key) = (space(place, input)?, record_key(thread, call));
        self.store.delete(&space, &key).await
    }
}

fn record_key(thread: &str, call: &str) -> String {
    key(&[thread, call])
}

/// Where the past calls about a mail are: by its own id, which stays when a mailbox is moved, or else by its name there.
fn space(place: &str, input: &EmailInput) -> Result<Namespace, StoreError> {
    let mail = match &input.mail.message_id {
        Some(id) => key(&["message", id]),
        None => key(&["mail", place, &input.id.0]),
    };
    let [assistant, calls] = PAST_CALLS;
    Namespace::new([assistant, calls, &mail]).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::backend(error.to_string())
}
