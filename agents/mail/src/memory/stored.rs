//! The notes in the store: read with all their versions, and changed by compare-and-put.
//!
//! A version is written with the note it makes, in one batch that expects the note as it was read
//! and no version of that number. Of two processes that change the same note one is first; the other
//! one's batch changes nothing.

use jiff::Timestamp;
use serde_json::{Value as Json, json};
use superstep::store::{
    Expected, Get, Namespace, NamespaceError, Op, Outcome, Prefix, Put, PutOptions, Search, Store,
    StoreError, TtlOnRead,
};

use super::{
    ATTEMPTS, MemoryError, Topic, Version,
    place::{self, KEY},
};

/// A note and every version of it, as they were at one moment.
pub(super) struct Note {
    pub(super) text: String,
    /// The oldest first.
    pub(super) versions: Vec<Version>,
}

impl Note {
    /// The version that comes next.
    pub(super) fn next(&self, why: String, text: String) -> Version {
        version(&self.versions, why, text)
    }
}

/// The text of a note, if it was ever written.
pub(super) async fn text(store: &dyn Store, topic: Topic) -> Result<Option<String>, MemoryError> {
    let found = store.get(&space(topic)?, KEY, TtlOnRead::Keep).await?;
    found.map(|item| text_of(topic, item.value)).transpose()
}

/// A note; one that was never written is what it would begin with. Writes nothing.
pub(super) async fn look(store: &dyn Store, topic: Topic) -> Result<Note, MemoryError> {
    let (text, mut versions) = read_both(store, topic).await?;
    if let Some(text) = text {
        return Ok(Note { text, versions });
    }
    let first = first(topic, &versions);
    let text = first.text.clone();
    versions.push(first);
    Ok(Note { text, versions })
}

/// What a note begins with. Versions of a note that somebody deleted stay.
fn first(topic: Topic, versions: &[Version]) -> Version {
    let text = topic.default_text().to_owned();
    version(versions, "what it begins with".into(), text)
}

/// A note. The first look writes down what it begins with.
pub(super) async fn read(store: &dyn Store, topic: Topic) -> Result<Note, MemoryError> {
    for _ in 0..ATTEMPTS {
        let (text, versions) = read_both(store, topic).await?;
        if let Some(text) = text {
            return Ok(Note { text, versions });
        }
        let first = first(topic, &versions);
        if put(store, topic, Expected::Absent, &first).await? {
            let mut versions = versions;
            let text = first.text.clone();
            versions.push(first);
            return Ok(Note { text, versions });
        }
    }
    Err(MemoryError::Changed {
        label: topic.label(),
    })
}

/// Stores a version as the note, if the note still is what was read; says whether it was.
pub(super) async fn add(
    store: &dyn Store,
    topic: Topic,
    read: &Note,
    version: &Version,
) -> Result<bool, MemoryError> {
    let expected = Expected::Value(json!(read.text));
    put(store, topic, expected, version).await
}

async fn read_both(
    store: &dyn Store,
    topic: Topic,
) -> Result<(Option<String>, Vec<Version>), MemoryError> {
    let prefix = Prefix::new(place::versions(topic)).map_err(broken)?;
    let ops = vec![
        Op::Get(Get {
            namespace: space(topic)?,
            key: KEY.to_owned(),
            ttl: TtlOnRead::Keep,
        }),
        Op::Search(Search {
            prefix,
            limit: 100_000,
            ttl: TtlOnRead::Keep,
            ..Search::default()
        }),
    ];
    let mut outcomes = store.batch(ops).await?.into_iter();
    let mut outcome = || {
        let missing = || StoreError::backend("a batch of two operations has two outcomes");
        outcomes.next().ok_or_else(missing)
    };
    let item = outcome().and_then(Outcome::into_item)?;
    let found = outcome().and_then(Outcome::into_found)?;
    let read = |value: Json| {
        serde_json::from_value(value).map_err(|error| malformed(topic, error.to_string()))
    };
    let versions = found.into_iter().map(|found| read(found.item.value));
    let mut versions: Vec<Version> = versions.collect::<Result<_, _>>()?;
    versions.sort_by_key(|version| version.number);
    let text = item.map(|item| text_of(topic, item.value)).transpose()?;
    Ok((text, versions))
}

/// Writes the note and its version, unless something else than expected is there.
async fn put(
    store: &dyn Store,
    topic: Topic,
    expected: Expected,
    version: &Version,
) -> Result<bool, MemoryError> {
    let versions = Namespace::new(place::versions(topic)).map_err(broken)?;
    let put = |namespace, key: String, value, expected| {
        Op::Put(Put {
            namespace,
            key,
            value,
            options: PutOptions {
                expected,
                ..PutOptions::default()
            },
        })
    };
    let data =
        serde_json::to_value(version).map_err(|error| malformed(topic, error.to_string()))?;
    let number = format!("{:08}", version.number);
    let ops = vec![
        put(space(topic)?, KEY.to_owned(), json!(version.text), expected),
        put(versions, number, data, Expected::Absent),
    ];
    match store.batch(ops).await {
        Ok(_) => Ok(true),
        Err(StoreError::Conflict { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn version(before: &[Version], why: String, text: String) -> Version {
    Version {
        number: before.last().map_or(1, |version| version.number + 1),
        at: Timestamp::now(),
        why,
        text,
        restores: None,
        act: String::new(),
        thread: String::new(),
    }
}

fn text_of(topic: Topic, value: Json) -> Result<String, MemoryError> {
    match value {
        Json::String(text) => Ok(text),
        other => {
            let shown = crate::parse::one_line(&other.to_string(), 80);
            Err(malformed(topic, format!("{shown} is no text")))
        }
    }
}

fn malformed(topic: Topic, why: String) -> MemoryError {
    let label = topic.label();
    MemoryError::Malformed { label, why }
}

fn space(topic: Topic) -> Result<Namespace, StoreError> {
    Namespace::new(place::note(topic)).map_err(broken)
}

/// Namespaces of this crate are constants; a store that refuses them is broken.
fn broken(error: NamespaceError) -> StoreError {
    StoreError::backend(error.to_string())
}
