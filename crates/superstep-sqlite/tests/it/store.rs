//! The long-term store in a file; this module has what its tests share.

mod blobs;
mod conformance;
mod damage;
mod hostile;
mod large;
mod parallel;
mod random;
mod survival;
mod threads;
mod traces;
mod transactions;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rusqlite::Connection;
use superstep_sqlite::{Database, SqliteStore};
use superstep_store::{
    BoxFuture, Embedder, Namespace, Prefix, PutOptions, Search, StoreError, TtlOnRead,
};

/// A database file that goes with the value.
struct File(PathBuf);

impl File {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("superstep-store-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.join("store.db")
    }

    /// A store on a handle of its own.
    fn store(&self) -> SqliteStore {
        Database::open(self.path()).unwrap().store()
    }

    /// The file as somebody else sees it.
    fn raw(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // What is left is in a folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Counts the letters a to d, and can become another model or one with fewer letters.
#[derive(Default)]
struct Letters {
    is_another: AtomicBool,
    is_shorter: AtomicBool,
}

impl Embedder for Letters {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        let letters = &['a', 'b', 'c', 'd'][..self.dimensions()];
        let counts = |text: &String| {
            let count = |letter: &char| text.chars().filter(|c| c == letter).count() as f32;
            letters.iter().map(count).collect()
        };
        let vectors = texts.iter().map(counts).collect();
        Box::pin(async move { Ok(vectors) })
    }

    fn id(&self) -> &str {
        match self.is_another.load(Ordering::SeqCst) {
            false => "letters",
            true => "other letters",
        }
    }

    fn dimensions(&self) -> usize {
        match self.is_shorter.load(Ordering::SeqCst) {
            false => 4,
            true => 3,
        }
    }
}

fn ns(dotted: &str) -> Namespace {
    dotted.parse().unwrap()
}

fn plain() -> PutOptions {
    PutOptions::default()
}

fn living(millis: u64) -> PutOptions {
    PutOptions {
        ttl: Some(Duration::from_millis(millis)),
        ..PutOptions::default()
    }
}

/// Everything under the dotted prefix, its time to live left alone.
fn under(dotted: &str) -> Search {
    let prefix = match dotted {
        "" => Prefix::default(),
        _ => ns(dotted).into(),
    };
    Search {
        prefix,
        limit: usize::MAX,
        ttl: TtlOnRead::Keep,
        ..Search::default()
    }
}

fn asking(dotted: &str, query: &str) -> Search {
    Search {
        query: Some(query.to_owned()),
        ..under(dotted)
    }
}
