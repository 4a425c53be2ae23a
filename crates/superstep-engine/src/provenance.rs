//! Provenance of threads: which were shaped by others, and whether a person agreed to run them.
//!
//! An archive was made elsewhere, and a caller of the HTTP API writes whatever state it likes. Answers, approvals and
//! folders in such a thread are untrusted. [`DynGraph::import_thread`](crate::DynGraph::import_thread) and the server
//! mark the thread in the store, in the same file where a database has both. A program asks its user before it runs a
//! marked thread, and binds approvals to [`Foreign::id`], which is random: neither an archive nor a caller can know it.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use serde_json::{Value as Json, json};
use superstep_core::id::ThreadId;
use superstep_store::{Expected, Index, Namespace, PutOptions, Store, StoreError, TtlOnRead};

/// The marks of foreign threads in a store; cheap to clone.
///
/// ```
/// # use std::sync::Arc;
/// use superstep_engine::{Origin, Provenance, memory::MemoryStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), superstep_store::StoreError> {
/// let provenance = Provenance::new(Arc::new(MemoryStore::default()));
/// assert!(provenance.find(&"t".into()).await?.is_none());
/// let mark = provenance.mark(&"t".into(), Origin::Import).await?;
/// assert!(!mark.is_trusted);
/// let paths = vec!["documents".to_owned()];
/// assert!(provenance.trust(&"t".into(), &mark, &paths).await?);
/// assert!(provenance.find(&"t".into()).await?.is_some_and(|mark| mark.is_trusted));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Provenance {
    store: Arc<dyn Store>,
}

/// The mark of a thread that others shaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Random; a new mark has a new one.
    pub id: String,
    /// How the thread was shaped.
    pub origin: Origin,
    /// Whether a person agreed to run the thread.
    pub is_trusted: bool,
    /// The paths that the person saw when they agreed.
    pub agreed: Vec<String>,
}

/// How a thread was shaped by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was made from an archive.
    Import,
    /// A caller of the server edited its state, or an owner started or continued it.
    Http,
}

impl Provenance {
    /// The store namespace of the marks, each under the name of its thread.
    pub const NAMESPACE: [&str; 2] = ["threads", "imported"];

    /// The marks in a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The mark of a thread, if it has one. A mark that cannot be read counts as an untrusted import.
    pub async fn find(&self, thread: &ThreadId) -> Result<Option<Foreign>, StoreError> {
        let (space, key) = (space()?, key(thread));
        let found = self.store.get(&space, &key, TtlOnRead::Keep).await?;
        Ok(found.map(|found| Foreign {
            id: text(&found.value, "id"),
            origin: match text(&found.value, "origin").as_str() {
                "http" => Origin::Http,
                _ => Origin::Import,
            },
            is_trusted: found.value.get("trusted").and_then(Json::as_bool) == Some(true),
            agreed: texts(&found.value, "agreed"),
        }))
    }

    /// Marks a thread as shaped just now. The trust in an earlier mark ends. An imported thread stays one.
    pub async fn mark(&self, thread: &ThreadId, origin: Origin) -> Result<Foreign, StoreError> {
        let known = self.find(thread).await?.map(|known| known.origin);
        let mark = Foreign {
            id: random(),
            origin: known
                .filter(|known| *known == Origin::Import)
                .unwrap_or(origin),
            is_trusted: false,
            agreed: Vec::new(),
        };
        self.put(thread, &mark, Expected::Anything).await?;
        Ok(mark)
    }

    /// A person agrees to run the thread with these paths, as they saw it under this mark. Returns false, and stores
    /// nothing, if the thread was marked anew since.
    pub async fn trust(
        &self,
        thread: &ThreadId,
        seen: &Foreign,
        paths: &[String],
    ) -> Result<bool, StoreError> {
        let (space, key) = (space()?, key(thread));
        let found = self.store.get(&space, &key, TtlOnRead::Keep).await?;
        let Some(found) = found.filter(|found| text(&found.value, "id") == seen.id) else {
            return Ok(false);
        };
        let mark = Foreign {
            is_trusted: true,
            agreed: paths.to_vec(),
            ..seen.clone()
        };
        match self.put(thread, &mark, Expected::Value(found.value)).await {
            Err(StoreError::Conflict { .. }) => Ok(false),
            stored => stored.map(|()| true),
        }
    }

    /// Marks the copy of a foreign thread as foreign, with an id of its own.
    pub async fn copy(&self, from: &ThreadId, to: &ThreadId) -> Result<(), StoreError> {
        match self.find(from).await? {
            Some(mark) => {
                let mark = Foreign {
                    id: random(),
                    ..mark
                };
                self.put(to, &mark, Expected::Anything).await
            }
            None => self.forget(to).await,
        }
    }

    /// Removes the mark of a thread that is gone.
    pub async fn forget(&self, thread: &ThreadId) -> Result<(), StoreError> {
        self.store.delete(&space()?, &key(thread)).await
    }

    async fn put(
        &self,
        thread: &ThreadId,
        mark: &Foreign,
        expected: Expected,
    ) -> Result<(), StoreError> {
        let origin = match mark.origin {
            Origin::Import => "import",
            Origin::Http => "http",
        };
        let value = json!({"id": mark.id, "trusted": mark.is_trusted, "origin": origin,
            "agreed": mark.agreed});
        let options = PutOptions {
            index: Index::Off,
            expected,
            ..PutOptions::default()
        };
        let (space, key) = (space()?, key(thread));
        self.store.put(&space, &key, value, options).await
    }
}

fn space() -> Result<Namespace, StoreError> {
    Namespace::new(Provenance::NAMESPACE).map_err(|error| StoreError::backend(error.to_string()))
}

/// The name, without characters that a key cannot hold.
fn key(thread: &ThreadId) -> String {
    thread.as_str().replace('\0', "\\0")
}

fn text(value: &Json, name: &str) -> String {
    let text = value.get(name).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

fn texts(value: &Json, name: &str) -> Vec<String> {
    let list = value.get(name).and_then(Json::as_array);
    let texts = list.into_iter().flatten().filter_map(Json::as_str);
    texts.map(str::to_owned).collect()
}

/// 128 bits from the random keys of the standard library's hash maps.
fn random() -> String {
    let half = || RandomState::new().hash_one("import");
    format!("{:016x}{:016x}", half(), half())
}
