//! The memory in the long-term store of a run: an item for each folder of documents.
//!
//! What is served is remembered here and not in files: a run has the store of the owner of its thread, so nobody is
//! told what others said, whoever they are.

use serde_json::Value as Json;
use superstep::store::{
    Expected, Index, Namespace, Prefix, PutOptions, Search, Store, StoreError, TtlOnRead,
};

use super::{
    Memory, Recalled, Statement, VERSION,
    place::{file_name, label, label_of},
};
use crate::documents::Inputs;

/// How many memories are read for a thread without a folder.
const MOST: usize = 1_000;

/// How often a change is made anew because another run changed the memory meanwhile.
const ATTEMPTS: u32 = 16;

/// What is known to a thread with these documents.
pub(crate) async fn recall(store: &dyn Store, inputs: &Inputs) -> Result<Recalled, StoreError> {
    let mut recalled = Recalled::default();
    if let Some(key) = file_name(inputs) {
        let known = read(store, &key).await?.0;
        recalled.memories.push((String::new(), known));
        return Ok(recalled);
    }
    let search = Search {
        prefix: Prefix::new(LABELS).map_err(broken)?,
        limit: MOST,
        ttl: TtlOnRead::Keep,
        ..Search::default()
    };
    for found in store.search(search).await? {
        let label = label_of(&found.item.key);
        recalled.memories.push((label, memory(found.item.value)?));
    }
    Ok(recalled)
}

/// Adds statements of a thread to the memory of a folder, which another run may do at the same time. Gives those that are
/// new; none without a folder.
pub(crate) async fn keep(
    store: &dyn Store,
    inputs: &Inputs,
    thread: &str,
    statements: &[Statement],
) -> Result<Vec<Statement>, StoreError> {
    let Some(key) = file_name(inputs) else {
        return Ok(Vec::new());
    };
    for _ in 0..ATTEMPTS {
        let (mut memory, before) = read(store, &key).await?;
        let added = memory.state(thread, &label(inputs), statements);
        memory.version = VERSION;
        let options = PutOptions {
            index: Index::Off,
            expected: before.map_or(Expected::Absent, Expected::Value),
            ..PutOptions::default()
        };
        let value = serde_json::to_value(&memory).map_err(broken)?;
        match store.put(&space()?, &key, value, options).await {
            Ok(()) => return Ok(added),
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::backend(format!(
        "other runs changed the memory {ATTEMPTS} times while it was written"
    )))
}

/// The memory of a folder, and as it is stored.
async fn read(store: &dyn Store, key: &str) -> Result<(Memory, Option<Json>), StoreError> {
    let found = store.get(&space()?, key, TtlOnRead::Keep).await?;
    match found {
        Some(item) => Ok((memory(item.value.clone())?, Some(item.value))),
        None => Ok((Memory::default(), None)),
    }
}

fn memory(value: Json) -> Result<Memory, StoreError> {
    let memory: Memory = serde_json::from_value(value).map_err(broken)?;
    match memory.version > VERSION {
        true => Err(StoreError::backend(format!(
            "the memory has the form {} and this version knows {VERSION}; it was not touched",
            memory.version
        ))),
        false => Ok(memory),
    }
}

/// Where the memories are.
const LABELS: [&str; 2] = ["archie", "memory"];

fn space() -> Result<Namespace, StoreError> {
    Namespace::new(LABELS).map_err(broken)
}

fn broken(error: impl std::fmt::Display) -> StoreError {
    StoreError::backend(error.to_string())
}
