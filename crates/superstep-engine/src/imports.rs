//! Which threads were made of archives, and whether a person agreed to run them.
//!
//! What an archive holds was not made here. Answers and approvals in it may be anybody's, and so are the
//! folders it names. [`DynGraph::import_thread`](crate::DynGraph::import_thread) marks the thread in the store,
//! in the same file where a database has both; a program asks its user before it runs such a thread, and
//! binds what it takes for approved to [`Import::id`], which no archive can know.

use std::{
    hash::{BuildHasher, RandomState},
    sync::Arc,
};

use serde_json::{Value as Json, json};
use superstep_core::id::ThreadId;
use superstep_store::{Index, Namespace, PutOptions, Store, StoreError, TtlOnRead};

/// The namespace of the store in which imported threads are marked, each under its name.
pub const IMPORTED: [&str; 2] = ["threads", "imported"];

/// The imported threads of a store; cheap to clone.
///
/// ```
/// # use std::sync::Arc;
/// use superstep_engine::{Imports, memory::MemoryStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), superstep_store::StoreError> {
/// let imports = Imports::new(Arc::new(MemoryStore::default()));
/// assert!(imports.find(&"t".into()).await?.is_none());
/// imports.mark(&"t".into()).await?;
/// assert!(imports.find(&"t".into()).await?.is_some_and(|import| !import.is_trusted));
/// imports.trust(&"t".into()).await?;
/// assert!(imports.find(&"t".into()).await?.is_some_and(|import| import.is_trusted));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Imports {
    store: Arc<dyn Store>,
}

/// That a thread was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Names this import and no other; made at random.
    pub id: String,
    /// Whether a person agreed that the thread is run.
    pub is_trusted: bool,
}

impl Imports {
    /// The marks in a store.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Whether a thread was imported. A mark that cannot be understood counts as one without trust.
    pub async fn find(&self, thread: &ThreadId) -> Result<Option<Import>, StoreError> {
        let (space, key) = (space()?, key(thread));
        let found = self.store.get(&space, &key, TtlOnRead::Keep).await?;
        Ok(found.map(|found| Import {
            id: text(&found.value, "id"),
            is_trusted: found.value.get("trusted").and_then(Json::as_bool) == Some(true),
        }))
    }

    /// Marks a thread as imported just now, by somebody who has not agreed to anything yet.
    pub async fn mark(&self, thread: &ThreadId) -> Result<(), StoreError> {
        let import = Import {
            id: random(),
            is_trusted: false,
        };
        self.put(thread, &import).await
    }

    /// A person agrees that an imported thread is run; one that was not imported is left as it is.
    pub async fn trust(&self, thread: &ThreadId) -> Result<(), StoreError> {
        match self.find(thread).await? {
            Some(import) => {
                let import = Import {
                    is_trusted: true,
                    ..import
                };
                self.put(thread, &import).await
            }
            None => Ok(()),
        }
    }

    /// A copy of an imported thread is one too, with an id of its own.
    pub async fn copy(&self, from: &ThreadId, to: &ThreadId) -> Result<(), StoreError> {
        match self.find(from).await? {
            Some(import) => {
                let import = Import {
                    id: random(),
                    ..import
                };
                self.put(to, &import).await
            }
            None => self.forget(to).await,
        }
    }

    /// The thread is gone.
    pub async fn forget(&self, thread: &ThreadId) -> Result<(), StoreError> {
        self.store.delete(&space()?, &key(thread)).await
    }

    async fn put(&self, thread: &ThreadId, import: &Import) -> Result<(), StoreError> {
        let value = json!({"id": import.id, "trusted": import.is_trusted});
        let options = PutOptions {
            index: Index::Off,
            ..PutOptions::default()
        };
        let (space, key) = (space()?, key(thread));
        self.store.put(&space, &key, value, options).await
    }
}

fn space() -> Result<Namespace, StoreError> {
    Namespace::new(IMPORTED).map_err(|error| StoreError::backend(error.to_string()))
}

/// The name, without what a key cannot hold.
fn key(thread: &ThreadId) -> String {
    thread.as_str().replace('\0', "\\0")
}

fn text(value: &Json, name: &str) -> String {
    let text = value.get(name).and_then(Json::as_str);
    text.unwrap_or_default().to_owned()
}

/// 128 bits from the random keys of the standard library's hash maps.
fn random() -> String {
    let half = || RandomState::new().hash_one("import");
    format!("{:016x}{:016x}", half(), half())
}
