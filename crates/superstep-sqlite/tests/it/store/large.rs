//! Many items under one prefix.

use serde_json::json;
use superstep_sqlite::SqliteStore;
use superstep_store::{Filter, Op, Put, Search, Store};

use super::{File, asking, living, ns, plain, under};

const ITEMS: usize = 20_000;

async fn fill(store: &SqliteStore, ttl: Option<u64>) {
    let put = |number: usize| {
        Op::Put(Put {
            namespace: ns(&format!("m.{}", number % 10)),
            key: number.to_string(),
            value: json!({"n": number, "text": format!("word{}", number % 100)}),
            options: ttl.map_or_else(plain, living),
        })
    };
    let numbers: Vec<usize> = (0..ITEMS).collect();
    for chunk in numbers.chunks(5000) {
        let ops = chunk.iter().copied().map(put).collect();
        store.batch(ops).await.unwrap();
    }
}

async fn numbers(store: &SqliteStore, search: Search) -> Vec<u64> {
    let found = store.search(search).await.unwrap();
    let numbers = found.iter().map(|found| found.item.value["n"].as_u64());
    numbers.map(Option::unwrap).collect()
}

/// All numbers in the order of a search: namespaces by first use, items by insertion.
fn in_order() -> impl Iterator<Item = u64> {
    (0..10).flat_map(|first| (first..ITEMS as u64).step_by(10))
}

#[tokio::test]
async fn a_page_of_twenty_thousand_items_is_right() {
    let file = File::new();
    let store = file.store();
    fill(&store, None).await;
    let filtered = |limit, offset| Search {
        filter: Filter::And(vec![
            Filter::Ge("n".into(), json!(19_000)),
            Filter::Ne("text".into(), json!("word7")),
        ]),
        limit,
        offset,
        ..under("m")
    };
    let kept: Vec<u64> = in_order()
        .filter(|number| *number >= 19_000 && number % 100 != 7)
        .collect();
    assert_eq!(numbers(&store, filtered(7, 0)).await, kept[..7]);
    assert_eq!(numbers(&store, filtered(7, 500)).await, kept[500..507]);
    assert_eq!(numbers(&store, filtered(usize::MAX, 0)).await, kept);
    let page = Search {
        limit: 3,
        offset: 15_000,
        ..under("m")
    };
    let wanted: Vec<u64> = in_order().skip(15_000).take(3).collect();
    assert_eq!(numbers(&store, page).await, wanted);
    let words = Search {
        limit: 5,
        offset: 10,
        ..asking("m", "word42")
    };
    let wanted: Vec<u64> = in_order()
        .filter(|number| number % 100 == 42)
        .skip(10)
        .take(5)
        .collect();
    assert_eq!(numbers(&store, words).await, wanted);
}

#[tokio::test]
async fn a_sweep_of_twenty_thousand_items_leaves_none() {
    let file = File::new();
    let store = file.store();
    fill(&store, Some(1)).await;
    store
        .put(&ns("kept"), "k", json!(1), plain())
        .await
        .unwrap();
    assert_eq!(store.sweep_expired(i64::MAX).await.unwrap(), ITEMS);
    let count = |sql| file.raw().query_row(sql, [], |row| row.get::<_, i64>(0));
    assert_eq!(count("SELECT count(*) FROM store_items"), Ok(1));
    assert_eq!(count("SELECT count(*) FROM store_namespaces"), Ok(1));
    assert_eq!(count("SELECT count(*) FROM store_vacated"), Ok(0));
}
