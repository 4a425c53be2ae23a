//! A copy of everything in another file, which may have another key.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use superstep::{
    Backends, Modes, RunOptions, RunStatus, Saver, ThreadId,
    clock::ManualClock,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, Halt, START, Worker},
    runs::QueuedInput,
    store::{
        BoxFuture, Embedder, Item, Namespace, PutOptions, Search, Store, StoreError, TtlOnRead,
    },
};
use superstep_sqlite::{Copied, Database, SqliteStore};

use crate::env::{Folder, fill, tamper};

/// Says something long, which is kept apart from records and entries.
fn graph(database: &Database) -> DynGraph {
    let say = |ctx: DynCtx| async move {
        let text: String = ctx.read("text")?;
        Ok::<_, Halt>(json!({ "log": [text.repeat(2000)] }))
    };
    DynGraphBuilder::new()
        .name("talk")
        .last_value("text")
        .reduce("log", DynReducer::Add, json!([]))
        .node("say", say)
        .edge(START, "say")
        .backends(Backends::on(database.saver()))
        .build()
        .unwrap()
}

/// Embeds a text as its length.
struct Length;

impl Embedder for Length {
    fn id(&self) -> &str {
        "length"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        let rows = texts.iter().map(|text| vec![1.0, text.len() as f32]);
        let rows = rows.collect();
        Box::pin(async move { Ok(rows) })
    }
}

fn store(database: &Database, clock: &Arc<ManualClock>) -> SqliteStore {
    database
        .store()
        .with_clock(clock.clone())
        .with_embedder(Length)
}

/// Threads with logs and runs, one that waits, and items with a TTL and vectors.
async fn filled(database: &Database, clock: &Arc<ManualClock>) {
    let graph = graph(database);
    let logged = |thread: &str| RunOptions {
        log: Modes::ALL,
        ..RunOptions::on(thread)
    };
    for (thread, text) in [("a", "one "), ("b", "two "), ("a", "three ")] {
        let input = json!({ "text": text });
        graph.invoke(input, &logged(thread)).await.unwrap();
    }
    let later = QueuedInput::Value(json!({ "text": "later " }).into());
    graph.enqueue(graph.queued("b", later)).await.unwrap();
    fill(database, "long", "text", 100).await;
    let saver = database.saver();
    let [long, gone] = ["long", "gone"].map(ThreadId::from);
    saver.copy(&long, &gone).await.unwrap();
    saver.delete(&gone).await.unwrap();
    let store = store(database, clock);
    let people = Namespace::new(["people", "ann"]).unwrap();
    let value = |text: &str| json!({ "text": text });
    let short = PutOptions {
        ttl: Some(Duration::from_secs(60)),
        ..PutOptions::default()
    };
    store
        .put(&people, "tea", value("likes tea"), PutOptions::default())
        .await
        .unwrap();
    store
        .put(&people, "here", value("is here"), short)
        .await
        .unwrap();
}

async fn items(store: &SqliteStore) -> Vec<Item> {
    let search = Search {
        ttl: TtlOnRead::Keep,
        ..Search::default()
    };
    let found = store.search(search).await.unwrap();
    found.into_iter().map(|found| found.item).collect()
}

/// All that a saver shows of a thread.
async fn shown(database: &Database, thread: &str) -> (Vec<u8>, String) {
    let (saver, thread) = (database.saver(), ThreadId::from(thread));
    let mut archive = Vec::new();
    saver
        .export(&thread)
        .await
        .unwrap()
        .write(&mut archive)
        .unwrap();
    let events = saver.events(&thread, None, usize::MAX).await.unwrap();
    (archive, format!("{events:#?}"))
}

async fn is_the_same(from: &Database, to: &Database, copied: Copied) {
    let report = to.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    assert_eq!((copied.threads, copied.items), (3, 2));
    assert_eq!(
        (report.threads, report.entries, report.runs),
        (copied.threads, copied.entries, copied.runs)
    );
    assert!(copied.entries > 0 && copied.runs == 4, "{copied:?}");
    for thread in ["a", "b", "long"] {
        assert_eq!(shown(to, thread).await, shown(from, thread).await);
    }
}

#[tokio::test]
async fn everything_is_copied_and_the_copy_works_on_by_itself() {
    let (folder, clock) = (Folder::new(), Arc::new(ManualClock::at(1_000_000)));
    let from = folder.open();
    filled(&from, &clock).await;
    let to = Database::open(folder.at("copy.db")).unwrap();
    let copied = from.copy_into(&to).await.unwrap();
    is_the_same(&from, &to, copied).await;

    // The run that waited is run in the copy alone.
    let worker = Arc::new(Worker::new([graph(&to)], RunOptions::default()).unwrap());
    let worked = worker.work_once().await.unwrap().unwrap();
    worked.outcome.unwrap();
    assert!(worker.work_once().await.unwrap().is_none());
    let status = |database: &Database| {
        let graph = graph(database);
        async move { graph.status("b").await.unwrap() }
    };
    assert_eq!(status(&to).await, RunStatus::Done);
    assert_eq!(status(&from).await, RunStatus::Queued);

    // Items keep their times: what expires, expires in both at the same moment.
    let stores = [store(&from, &clock), store(&to, &clock)];
    assert_eq!(items(&stores[0]).await, items(&stores[1]).await);
    clock.advance(Duration::from_secs(61));
    for store in &stores {
        assert_eq!(items(store).await.len(), 1);
    }
    let alike = Search {
        query: Some("likes tea".to_owned()),
        ..Search::default()
    };
    let found = stores[1].search(alike.clone()).await.unwrap();
    assert!(found[0].score.is_some(), "{found:?}");
    assert_eq!(found, stores[0].search(alike).await.unwrap());
}

#[tokio::test]
async fn a_database_that_holds_something_becomes_no_copy() {
    let folder = Folder::new();
    let from = folder.open();
    fill(&from, "a", "text", 3).await;
    let to = Database::open(folder.at("other.db")).unwrap();
    fill(&to, "b", "text", 3).await;
    let error = from.copy_into(&to).await.unwrap_err();
    assert!(error.to_string().contains("give an empty one"), "{error}");
    assert_eq!(to.saver().threads().await.unwrap(), [ThreadId::from("b")]);
}

#[tokio::test]
async fn a_damaged_row_makes_no_copy() {
    let folder = Folder::new();
    fill(&folder.open(), "a", "text", 3).await;
    tamper(
        &folder.path(),
        "UPDATE log SET body = zeroblob(40) WHERE seq = 2",
    );
    let to = Database::open(folder.at("copy.db")).unwrap();
    let error = folder.open().copy_into(&to).await.unwrap_err();
    assert_eq!(error.code(), "SS2005", "{error}");
    assert_eq!(to.saver().threads().await.unwrap(), []);
}

#[cfg(feature = "encryption")]
#[tokio::test]
async fn a_copy_with_another_key_reads_the_same_and_names_nothing_by_its_text() {
    use superstep_sqlite::{Options, cipher::Key};

    let (folder, clock) = (Folder::new(), Arc::new(ManualClock::at(1_000_000)));
    let from = folder.open();
    filled(&from, &clock).await;
    let open = |name: &str, key: u8| {
        let options = Options {
            key: Some(Key::from_bytes([key; 32])),
            ..Options::default()
        };
        Database::open_with(folder.at(name), options).unwrap()
    };
    let (sealed, again) = (open("sealed.db", 1), open("again.db", 2));
    let copied = from.copy_into(&sealed).await.unwrap();
    is_the_same(&from, &sealed, copied).await;
    let copied = sealed.copy_into(&again).await.unwrap();
    is_the_same(&from, &again, copied).await;
    assert_eq!(
        items(&store(&again, &clock)).await,
        items(&store(&from, &clock)).await
    );
}
