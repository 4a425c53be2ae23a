//! The memory store passes the kit, withstands parallel use, and holds embedders to their contract.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use superstep_conformance::{
    blobs_kit,
    store_kit::{StoreSetup, check},
};
use superstep_engine::memory::{MemoryBlobs, MemoryStore};
use superstep_store::{
    Blobs, BoxFuture, Embedder, IndexPath, ManualClock, Namespace, Op, Put, PutOptions, Search,
    Store, StoreError, TtlOnRead,
};

pub(crate) fn open(setup: StoreSetup) -> MemoryStore {
    let store = MemoryStore::new().with_clock(setup.clock);
    match setup.embedder {
        Some(embedder) => store.with_embedder(embedder),
        None => store,
    }
}

fn ns(dotted: &str) -> Namespace {
    dotted.parse().unwrap()
}

#[tokio::test]
async fn the_memory_store_passes_the_kit() {
    let report =
        check(|setup| Box::pin(async move { Ok(Arc::new(open(setup)) as Arc<dyn Store>) })).await;
    assert!(report.passed(), "{report}");
    assert!(report.checks.len() >= 25, "{report}");
}

#[tokio::test]
async fn memory_blobs_pass_the_kit() {
    let report =
        blobs_kit::check(|| Box::pin(async { Ok(Arc::new(MemoryBlobs::new()) as Arc<dyn Blobs>) }));
    let report = report.await;
    assert!(report.passed(), "{report}");
    assert_eq!(report.checks.len(), 5);
}

#[tokio::test]
async fn the_kit_can_be_spawned_and_names_each_check_once() {
    let run = tokio::spawn(check(|setup| {
        Box::pin(async move { Ok(Arc::new(open(setup)) as Arc<dyn Store>) })
    }));
    let report = run.await.unwrap();
    let mut names: Vec<&str> = report.checks.iter().map(|check| check.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_tasks_lose_nothing_and_never_see_half_a_batch() {
    let store = Arc::new(MemoryStore::new());
    let pair = |number: u32| {
        ["left", "right"]
            .map(|key| {
                Op::Put(Put {
                    namespace: ns("pair"),
                    key: key.into(),
                    value: json!(number),
                    options: PutOptions::default(),
                })
            })
            .to_vec()
    };
    store.batch(pair(0)).await.unwrap();
    let mut tasks = Vec::new();
    for task in 0..16_u32 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            let own = ns(&format!("own.{task}"));
            for number in 0..50_u32 {
                let options = PutOptions::default();
                store
                    .put(&own, &number.to_string(), json!(number), options)
                    .await
                    .unwrap();
                store.batch(pair(task * 1000 + number)).await.unwrap();
                let search = Search {
                    prefix: ns("pair").into(),
                    ..Search::default()
                };
                let found = store.search(search).await.unwrap();
                assert_eq!(found[0].item.value, found[1].item.value);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let everything = Search {
        prefix: ns("own").into(),
        limit: usize::MAX,
        ..Search::default()
    };
    assert_eq!(store.search(everything).await.unwrap().len(), 16 * 50);
}

#[tokio::test]
async fn default_fields_decide_what_is_embedded() {
    let store = MemoryStore::new()
        .with_embedder(Fixed(vec![1.0, 0.0]))
        .with_fields(vec!["title".parse::<IndexPath>().unwrap()]);
    let options = PutOptions::default;
    store
        .put(&ns("m"), "has", json!({"title": "x"}), options())
        .await
        .unwrap();
    store
        .put(&ns("m"), "lacks", json!({"body": "x"}), options())
        .await
        .unwrap();
    let search = Search {
        query: Some("x".into()),
        ..Search::default()
    };
    let found = store.search(search).await.unwrap();
    let keys: Vec<&str> = found.iter().map(|found| found.item.key.as_str()).collect();
    assert_eq!(keys, ["has"]);
}

#[tokio::test]
async fn an_embedder_that_breaks_its_contract_is_an_error() {
    for wrong in [
        vec![],
        vec![1.0],
        vec![1.0, f32::NAN],
        vec![1.0, f32::INFINITY],
    ] {
        let store = MemoryStore::new().with_embedder(Fixed(wrong));
        let put = store
            .put(&ns("m"), "k", json!("x"), PutOptions::default())
            .await;
        assert_eq!(put.unwrap_err().code(), "SS3040");
        assert_eq!(
            store.get(&ns("m"), "k", TtlOnRead::Keep).await.unwrap(),
            None
        );
    }
}

#[tokio::test]
async fn a_sweep_forgets_the_places_of_empty_namespaces() {
    let clock = Arc::new(ManualClock::at(0));
    let store = MemoryStore::new().with_clock(clock.clone());
    let brief = PutOptions {
        ttl: Some(Duration::from_millis(1)),
        ..PutOptions::default()
    };
    store.put(&ns("first"), "k", json!(1), brief).await.unwrap();
    store
        .put(&ns("second"), "k", json!(2), PutOptions::default())
        .await
        .unwrap();
    assert_eq!(store.sweep_expired(1).await.unwrap(), 1);
    store
        .put(&ns("first"), "k", json!(3), PutOptions::default())
        .await
        .unwrap();
    let found = store.search(Search::default()).await.unwrap();
    let places: Vec<String> = found
        .iter()
        .map(|found| found.item.namespace.to_string())
        .collect();
    assert_eq!(places, ["second", "first"]);
}

/// Answers every text with the same vector, whatever its length.
struct Fixed(Vec<f32>);

impl Embedder for Fixed {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, StoreError>> {
        Box::pin(async move { Ok(texts.iter().map(|_| self.0.clone()).collect()) })
    }

    fn id(&self) -> &str {
        "fixed"
    }

    fn dimensions(&self) -> usize {
        2
    }
}
