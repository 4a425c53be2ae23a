//! What is put is there after the file was closed, and for everybody who has it open.

use std::sync::Arc;

use serde_json::json;
use superstep_store::{Item, ListNamespaces, ManualClock, Search, Store, TtlOnRead};

use super::{File, Letters, asking, living, ns, plain, under};

#[tokio::test]
async fn everything_survives_reopening() {
    let file = File::new();
    let clock = Arc::new(ManualClock::at(1000));
    let letters = Arc::new(Letters::default());
    let open = || {
        let store = file.store().with_clock(clock.clone());
        store.with_embedder(letters.clone())
    };
    let store = open();
    store
        .put(&ns("z"), "k", json!({"t": "a"}), plain())
        .await
        .unwrap();
    store
        .put(&ns("a.b"), "l", json!("b"), living(50))
        .await
        .unwrap();
    store
        .put(&ns("z"), "gone", json!("c"), plain())
        .await
        .unwrap();
    store.delete(&ns("z"), "gone").await.unwrap();
    let searches = [under(""), asking("", "a"), asking("a", "b")];
    let mut before = Vec::new();
    for search in &searches {
        before.push(store.search(search.clone()).await.unwrap());
    }
    assert_eq!(before[0].len(), 2);
    drop(store);

    let store = open();
    for (search, before) in searches.into_iter().zip(before) {
        assert_eq!(store.search(search).await.unwrap(), before);
    }
    let listed = store
        .list_namespaces(ListNamespaces::default())
        .await
        .unwrap();
    assert_eq!(listed, [ns("a.b"), ns("z")]);
    clock.advance(std::time::Duration::from_millis(50));
    let item = store.get(&ns("a.b"), "l", TtlOnRead::Keep).await.unwrap();
    assert_eq!(item, None);
}

#[tokio::test]
async fn two_handles_on_one_file_see_each_other() {
    let file = File::new();
    let (left, right) = (file.store(), file.store());
    for number in 0..20 {
        let (writer, reader) = match number % 2 {
            0 => (&left, &right),
            _ => (&right, &left),
        };
        let key = number.to_string();
        writer
            .put(&ns("m"), &key, json!(number), plain())
            .await
            .unwrap();
        let item = reader.get(&ns("m"), &key, TtlOnRead::Keep).await.unwrap();
        assert_eq!(item.map(|item: Item| item.value), Some(json!(number)));
        assert_eq!(reader.search(under("m")).await.unwrap().len(), number + 1);
    }
    left.delete(&ns("m"), "3").await.unwrap();
    assert_eq!(right.search(under("m")).await.unwrap().len(), 19);
}

#[tokio::test]
async fn an_item_refreshed_through_one_handle_lives_longer_for_the_other() {
    let file = File::new();
    let clock = Arc::new(ManualClock::at(1000));
    let left = file.store().with_clock(clock.clone());
    let right = file.store().with_clock(clock.clone());
    left.put(&ns("m"), "k", json!(1), living(100))
        .await
        .unwrap();
    clock.advance(std::time::Duration::from_millis(60));
    assert!(
        right
            .get(&ns("m"), "k", TtlOnRead::Refresh)
            .await
            .unwrap()
            .is_some()
    );
    clock.advance(std::time::Duration::from_millis(99));
    let refreshing = Search {
        ttl: TtlOnRead::Refresh,
        ..under("m")
    };
    assert_eq!(left.search(refreshing).await.unwrap().len(), 1);
    clock.advance(std::time::Duration::from_millis(99));
    assert_eq!(right.search(under("m")).await.unwrap().len(), 1);
}
