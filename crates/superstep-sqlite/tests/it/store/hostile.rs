//! Keys, labels, filter paths and queries that look like SQL, or are very long, mean themselves.

use serde_json::json;
use superstep_store::{
    FieldPath, Filter, ListNamespaces, Namespace, Pattern, Search, Store, TtlOnRead,
};

use super::{File, asking, ns, plain, under};

const HOSTILE: [&str; 14] = [
    "'",
    "\"",
    "'; DROP TABLE store_items; --",
    "%",
    "_",
    "a%",
    "?1",
    "\\",
    "\u{1}",
    "\u{7f}",
    "é",
    "e\u{301}",
    "日本語",
    "\u{10ffff}",
];

#[tokio::test]
async fn hostile_keys_labels_and_fields_stay_distinct() {
    let file = File::new();
    let store = file.store();
    let long = "x".repeat(1_000_000);
    let texts: Vec<&str> = HOSTILE.into_iter().chain([long.as_str()]).collect();
    for text in &texts {
        let namespace = Namespace::new(["top", *text]).unwrap();
        let value = json!({*text: {"in": *text}});
        store.put(&namespace, text, value, plain()).await.unwrap();
    }
    for text in &texts {
        let namespace = Namespace::new(["top", *text]).unwrap();
        let item = store.get(&namespace, text, TtlOnRead::Keep).await.unwrap();
        assert_eq!(item.unwrap().value, json!({*text: {"in": *text}}));
        let exact = Search {
            prefix: namespace.clone().into(),
            ..under("")
        };
        let by_field = Search {
            filter: Filter::Eq(FieldPath::new([*text, "in"]), json!(*text)),
            ..under("")
        };
        for search in [exact, by_field] {
            let found = store.search(search).await.unwrap();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].item.key, *text);
        }
        let listed = store
            .list_namespaces(ListNamespaces {
                prefix: Pattern::new(["top", *text]),
                ..ListNamespaces::default()
            })
            .await
            .unwrap();
        assert_eq!(listed, [namespace]);
    }
    assert_eq!(store.search(under("top")).await.unwrap().len(), texts.len());
}

#[tokio::test]
async fn hostile_queries_find_what_has_them() {
    let file = File::new();
    let store = file.store();
    store
        .put(&ns("m"), "k", json!("100% '; DROP"), plain())
        .await
        .unwrap();
    for query in ["%", "'", "' drop", "100%"] {
        assert_eq!(store.search(asking("m", query)).await.unwrap().len(), 1);
    }
    assert_eq!(store.search(asking("m", "_")).await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_key_with_nul_is_refused_and_a_pattern_with_nul_fits_nothing() {
    let file = File::new();
    let store = file.store();
    store.put(&ns("a.b"), "k", json!(1), plain()).await.unwrap();
    let refused = store.put(&ns("a"), "k\0l", json!(1), plain()).await;
    assert_eq!(refused.unwrap_err().code(), "SS3010");
    let refused = store.get(&ns("a"), "\0", TtlOnRead::Keep).await;
    assert_eq!(refused.unwrap_err().code(), "SS3010");
    for labels in [["a\0b"], ["a\0"], [""]] {
        let list = ListNamespaces {
            prefix: Pattern::new(labels),
            ..ListNamespaces::default()
        };
        assert_eq!(store.list_namespaces(list).await.unwrap(), []);
    }
}
