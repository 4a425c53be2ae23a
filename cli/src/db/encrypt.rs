//! `superstep db encrypt`: threads and long-term memory in an encrypted copy.
//!
//! A scratch database is filled, and the file is a backup of it: complete, without a log beside it, and
//! under its name only if that is free. What was stored is then read back with the key and compared.

use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hasher},
    path::Path,
};

use serde_json::json;
use superstep::{
    Archive, Saver, SaverError, ThreadId,
    sqlite::{Database, OpenMode, Options, SqliteStore, cipher::Key},
    store::{Item, PutOptions, Search, Store, TtlOnRead},
};

use crate::{
    app::App,
    database,
    error::Error,
    key,
    output::{Form, count, faint, plain},
    private,
};

/// How many items are copied at a time.
const SLICE: usize = 200;

pub(super) async fn run(file: &Path, key_file: &Path, app: &App<'_>) -> Result<(), Error> {
    let key = key::from_file(key_file)?;
    private::refuse_existing(file)?;
    let from = database::existing(app.global, OpenMode::ReadOnly)?;
    let folder = private::scratch_beside(file)?;
    let scratch = open(&folder.path().join("copy.db"), OpenMode::Create, &key)?;
    let threads = copy_threads(&from, &scratch).await?;
    let items = copy_items(&from.store(), &scratch.store()).await?;
    scratch.backup(file).await?;
    drop(scratch);
    if let Err(error) = verify(file, &key, &threads, &items).await {
        // Nobody else can have it: it was made a moment ago, under a name that was free.
        std::fs::remove_file(file)?;
        return Err(error);
    }
    if app.output.form == Form::Json {
        return app.output.json(&json!({
            "path": from.path().display().to_string(), "encrypted": file.display().to_string(),
            "threads": threads.len(), "items": items.len(), "events": 0,
        }));
    }
    app.output.data(&[plain(file.display())])?;
    let threads = count(threads.len(), "thread");
    let items = count(items.len(), "memory item");
    app.output.say(&[faint(format!(
        "encrypted and verified: {threads}, {items}; event logs are not copied"
    ))]);
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

/// Copies all threads; gives the hash of each.
async fn copy_threads(from: &Database, to: &Database) -> Result<BTreeMap<ThreadId, u64>, Error> {
    let (from, to) = (from.saver(), to.saver());
    let mut hashes = BTreeMap::new();
    for thread in from.threads().await? {
        let archive = from.export(&thread).await?;
        hashes.insert(thread.clone(), hash(&archive)?);
        to.import(&thread, archive).await?;
    }
    Ok(hashes)
}

/// The hash of an archive as it would be written.
fn hash(archive: &Archive) -> Result<u64, Error> {
    let mut hashed = Hashed(DefaultHasher::new());
    archive.write(&mut hashed)?;
    Ok(hashed.0.finish())
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

/// Copies all items of the long-term store, and gives them.
async fn copy_items(from: &SqliteStore, to: &SqliteStore) -> Result<Vec<Item>, Error> {
    let items = all_items(from).await?;
    for item in &items {
        let options = PutOptions::default();
        to.put(&item.namespace, &item.key, item.value.clone(), options)
            .await?;
    }
    Ok(items)
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
async fn verify(
    file: &Path,
    key: &Key,
    threads: &BTreeMap<ThreadId, u64>,
    items: &[Item],
) -> Result<(), Error> {
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
    let saver = copy.saver();
    if saver.threads().await?.len() != threads.len() {
        return Err(differs("threads are missing"));
    }
    for (thread, expected) in threads {
        if hash(&saver.export(thread).await?)? != *expected {
            return Err(differs(&format!("thread `{thread}` is different")));
        }
    }
    let contents = |items: &[Item]| -> BTreeMap<String, serde_json::Value> {
        let place = |item: &Item| format!("{} {}", item.namespace, item.key);
        let pairs = items.iter().map(|item| (place(item), item.value.clone()));
        pairs.collect()
    };
    match contents(&all_items(&copy.store()).await?) == contents(items) {
        true => Ok(()),
        false => Err(differs("the long-term memory is different")),
    }
}

fn differs(why: &str) -> Error {
    SaverError::Corrupt(format!("the encrypted copy was discarded: {why}")).into()
}
