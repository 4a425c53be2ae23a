//! `superstep db encrypt`: everything in an encrypted copy.
//!
//! A scratch database is filled, and the file is a backup of it: complete, without a log beside it, and
//! under its name only if that is free. What was stored is then read back with the key and compared,
//! except for threads that others change meanwhile.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher},
    path::Path,
};

use serde_json::json;
use superstep::{
    Saver, SaverError, ThreadId,
    fs::{TEMPORARY, parent},
    sqlite::{Copied, Database, OpenMode, Options, SqliteStore, cipher::Key},
    store::{Item, Search, Store, TtlOnRead},
};

use crate::{
    app::App,
    database,
    error::{Error, FileError},
    key,
    output::{Form, count, faint, plain},
    private,
};

/// How much is read at a time.
const SLICE: usize = 200;

pub(super) async fn run(file: &Path, key_file: &Path, app: &App<'_>) -> Result<(), Error> {
    let key = key::from_file(key_file)?;
    private::refuse_existing(file)?;
    let from = database::existing(app.global, OpenMode::ReadOnly)?;
    let before = Contents::of(&from).await?;
    let folder = private::scratch(TEMPORARY, parent(file));
    let folder = folder.map_err(|error| FileError::not_written(file, error))?;
    let scratch = open(&folder.path().join("copy.db"), OpenMode::Create, &key)?;
    let copied = from.copy_into(&scratch).await?;
    scratch.backup(file).await?;
    drop(scratch);
    let unchanged = before.unchanged(Contents::of(&from).await?);
    if let Err(error) = verify(file, &key, copied, unchanged).await {
        // Nobody else can have it: it was made a moment ago, under a name that was free.
        std::fs::remove_file(file)?;
        return Err(error);
    }
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "path": from.path().display().to_string(), "encrypted": file.display().to_string(),
            "threads": copied.threads, "items": copied.items, "events": copied.entries,
            "runs": copied.runs, "files": copied.files,
        }));
    }
    app.output.data(&[plain(file.display())])?;
    let all = [
        count(copied.threads, "thread"),
        count(copied.entries, "event"),
        count(copied.runs, "run"),
        count(copied.items, "memory item"),
        count(copied.files, "file"),
    ];
    let all = format!("encrypted and verified: {}", all.join(", "));
    app.output.say(&[faint(all)]);
    Ok(())
}

fn open(path: &Path, mode: OpenMode, key: &Key) -> Result<Database, SaverError> {
    let options = Options {
        mode,
        key: Some(key.clone()),
        ..Options::default()
    };
    Database::open_with(path, options)
}

/// What a database holds, to be compared.
struct Contents {
    /// A hash of the checkpoints and the event log of each thread.
    threads: BTreeMap<ThreadId, u64>,
    /// Nothing if it is not to be compared.
    items: Option<Vec<Item>>,
}

impl Contents {
    async fn of(database: &Database) -> Result<Self, Error> {
        let saver = database.saver();
        let mut threads = BTreeMap::new();
        for thread in saver.threads().await? {
            let hash = hash(&saver, &thread).await?;
            threads.insert(thread, hash);
        }
        let items = Some(all_items(&database.store()).await?);
        Ok(Self { threads, items })
    }

    /// What was the same later: a copy made between the two has it.
    fn unchanged(self, later: Self) -> Self {
        let mut threads = self.threads;
        threads.retain(|thread, hash| later.threads.get(thread) == Some(hash));
        let items = self
            .items
            .filter(|items| later.items.as_ref() == Some(items));
        Self { threads, items }
    }
}

/// The hash of a thread as it would be written to an archive, and of its event log.
async fn hash(saver: &impl Saver, thread: &ThreadId) -> Result<u64, Error> {
    let mut hashed = Hashed(DefaultHasher::new());
    saver.export(thread).await?.write(&mut hashed)?;
    let mut after = None;
    loop {
        let entries = saver.events(thread, after, SLICE).await?;
        let Some(last) = entries.last() else {
            return Ok(hashed.0.finish());
        };
        after = Some(last.cursor);
        for entry in &entries {
            hashed.0.write(format!("{entry:?}").as_bytes());
        }
    }
}

struct Hashed(DefaultHasher);

impl std::io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

async fn all_items(store: &SqliteStore) -> Result<Vec<Item>, Error> {
    let mut items = Vec::new();
    loop {
        let search = Search {
            limit: SLICE,
            offset: items.len(),
            ttl: TtlOnRead::Keep,
            ..Search::default()
        };
        let found = store.search(search).await?;
        let is_last = found.len() < SLICE;
        items.extend(found.into_iter().map(|found| found.item));
        if is_last {
            return Ok(items);
        }
    }
}

/// Reads everything back with the key, and checks that nothing can be read without it.
async fn verify(file: &Path, key: &Key, copied: Copied, expected: Contents) -> Result<(), Error> {
    let plain = Options {
        mode: OpenMode::ReadOnly,
        ..Options::default()
    };
    if !matches!(Database::open_with(file, plain), Err(SaverError::Sealed(_))) {
        return Err(differs("it can be opened without the key"));
    }
    let copy = open(file, OpenMode::ReadOnly, key)?;
    let report = copy.check().await?;
    if let Some(problem) = report.problems.first() {
        return Err(differs(&problem.to_string()));
    }
    if (report.threads, report.entries, report.runs)
        != (copied.threads, copied.entries, copied.runs)
    {
        return Err(differs("something is missing"));
    }
    let found = Contents::of(&copy).await?;
    for (thread, hash) in &expected.threads {
        if found.threads.get(thread) != Some(hash) {
            return Err(differs(&format!("thread `{thread}` is different")));
        }
    }
    match expected.items.is_none() || expected.items == found.items {
        true => Ok(()),
        false => Err(differs("the long-term memory is different")),
    }
}

fn differs(why: &str) -> Error {
    SaverError::Corrupt(format!("the encrypted copy was discarded: {why}")).into()
}
