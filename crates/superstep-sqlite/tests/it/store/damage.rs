//! Bytes that are not as they were written are an error that says where, never another value.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use superstep_sqlite::{Database, SqliteStore};
use superstep_store::{Filter, ListNamespaces, Op, Search, Store, StoreError, TtlOnRead};

use super::{File, Letters, asking, ns, plain, under};

/// Three items with vectors, of which the second is to be damaged.
async fn filled() -> (File, SqliteStore, Arc<Letters>) {
    let file = File::new();
    let letters = Arc::new(Letters::default());
    let store = file.store().with_embedder(letters.clone());
    for key in ["one", "two", "three"] {
        let value = json!({"t": "aab"});
        store.put(&ns("m.n"), key, value, plain()).await.unwrap();
    }
    (file, store, letters)
}

fn names_the_item(error: &StoreError, part: &str) {
    assert_eq!(error.code(), "SS3090");
    says(
        error,
        &format!("{part} of key \"two\" in namespace \"m.n\" is damaged"),
    );
    assert!(error.source().is_some() && error.hint().is_some());
}

/// It names the file, then what is wrong in it.
fn says(error: &StoreError, what: &str) {
    let text = error.to_string();
    let rest = text.strip_prefix("store backend: ").unwrap();
    assert!(rest.ends_with(&format!("store.db: {what}")), "{text}");
}

#[tokio::test]
async fn a_damaged_value_is_an_error_that_names_the_item() {
    let damages = [
        "UPDATE store_items SET value = x'' WHERE key = 'two'",
        "UPDATE store_items SET value = x'7b22' WHERE key = 'two'",
        "UPDATE store_items SET value = x'ff00' WHERE key = 'two'",
        "UPDATE store_items SET value = CAST('{} 1' AS BLOB) WHERE key = 'two'",
    ];
    for damage in damages {
        let (file, store, _) = filled().await;
        assert_eq!(file.raw().execute(damage, []).unwrap(), 1);
        let got = store.get(&ns("m.n"), "two", TtlOnRead::Refresh).await;
        names_the_item(&got.unwrap_err(), "the value");
        let filtered = Search {
            filter: Filter::Exists("t".into()),
            ..under("m")
        };
        for search in [under(""), filtered, asking("m", "a")] {
            let found = store.search(search).await;
            names_the_item(&found.unwrap_err(), "the value");
        }
        let other = store.get(&ns("m.n"), "one", TtlOnRead::Keep).await;
        assert!(other.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_damaged_vector_is_an_error_that_names_the_item() {
    let damages = [
        "UPDATE store_vectors SET vector = x'0000803f00' WHERE item = 2",
        "UPDATE store_vectors SET vector = x'0000803f' WHERE item = 2",
        "UPDATE store_vectors SET vector = x'' WHERE item = 2",
        "UPDATE store_vectors SET vector = zeroblob(20) WHERE item = 2",
        "UPDATE store_vectors SET vector = x'0000c07f0000c07f0000c07f0000c07f' WHERE item = 2",
        "DELETE FROM store_vectors WHERE item = 2",
        "UPDATE store_items SET model = NULL WHERE id = 2",
        "UPDATE store_items SET vectors = 0 WHERE id = 2",
        "UPDATE store_items SET vectors = 2 WHERE id = 2",
    ];
    for damage in damages {
        let (file, store, _) = filled().await;
        assert_eq!(file.raw().execute(damage, []).unwrap(), 1, "{damage}");
        let found = store.search(asking("m", "a")).await;
        names_the_item(&found.unwrap_err(), "a vector");
        assert_eq!(store.search(under("m")).await.unwrap().len(), 3);
    }
}

#[tokio::test]
async fn a_model_that_changed_its_length_but_not_its_name_is_an_error() {
    let (_file, store, letters) = filled().await;
    letters.is_shorter.store(true, Ordering::SeqCst);
    store.delete(&ns("m.n"), "one").await.unwrap();
    let found = store.search(asking("m", "a")).await;
    names_the_item(&found.unwrap_err(), "a vector");
    letters.is_another.store(true, Ordering::SeqCst);
    let found = store.search(asking("m", "a")).await;
    assert_eq!(found.unwrap_err().code(), "SS3041");
}

#[tokio::test]
async fn an_item_without_a_readable_key_or_time_is_an_error_that_names_its_place() {
    let damages = [
        "UPDATE store_items SET key = CAST(x'ff' AS TEXT) WHERE id = 2",
        "UPDATE store_items SET ttl = -1 WHERE id = 2",
    ];
    for damage in damages {
        let (file, store, _) = filled().await;
        assert_eq!(file.raw().execute(damage, []).unwrap(), 1);
        let error = store.search(under("m")).await.unwrap_err();
        says(&error, "item number 2 in namespace \"m.n\" is damaged");
    }
}

#[tokio::test]
async fn a_namespace_without_readable_labels_is_an_error() {
    let damages = [
        "UPDATE store_namespaces SET labels = x'6d'",
        "UPDATE store_namespaces SET labels = x'ff00'",
        "UPDATE store_namespaces SET labels = x'6d0000'",
        "UPDATE store_namespaces SET labels = x'6c616e67677261706800'",
        "UPDATE store_namespaces SET labels = x'6d006f00'",
        "UPDATE store_namespaces SET sum = sum + 1",
    ];
    for damage in damages {
        let (file, store, _) = filled().await;
        assert_eq!(file.raw().execute(damage, []).unwrap(), 1);
        let list = Op::ListNamespaces(ListNamespaces::default());
        for op in [Op::Search(under("")), list] {
            let error = store.batch(vec![op]).await.unwrap_err();
            says(&error, "namespace number 1 is damaged");
        }
    }
}

#[tokio::test]
async fn a_value_or_time_that_is_not_of_its_item_is_an_error_that_names_the_item() {
    let damages = [
        "UPDATE store_items SET value = (SELECT value FROM store_items WHERE id = 1) WHERE id = 2",
        "UPDATE store_items SET created_at = created_at - 1 WHERE id = 2",
        "UPDATE store_items SET updated_at = updated_at + 1 WHERE id = 2",
        "UPDATE store_items SET ttl = 5 WHERE id = 2",
    ];
    for damage in damages {
        let (file, store, _) = filled().await;
        assert_eq!(file.raw().execute(damage, []).unwrap(), 1);
        let got = store.get(&ns("m.n"), "two", TtlOnRead::Keep).await;
        names_the_item(&got.unwrap_err(), "the value");
        let found = store.search(under("m")).await;
        names_the_item(&found.unwrap_err(), "the value");
    }
}

#[tokio::test]
async fn a_vector_that_is_not_of_its_item_is_an_error_that_names_the_item() {
    let damages = [
        "UPDATE store_vectors SET vector = (SELECT vector FROM store_vectors WHERE item = 1)
         WHERE item = 2",
        "UPDATE store_vectors SET path = 't' WHERE item = 2",
        "UPDATE store_vectors SET position = 1 WHERE item = 2",
        "UPDATE store_items SET model = 'other letters' WHERE id = 2",
    ];
    for damage in damages {
        let (file, store, _) = filled().await;
        assert_eq!(file.raw().execute(damage, []).unwrap(), 1);
        let found = store.search(asking("m", "a")).await;
        names_the_item(&found.unwrap_err(), "a vector");
    }
}

#[tokio::test]
async fn an_item_with_another_key_or_namespace_is_not_read_as_if_it_were_there() {
    let (file, store, _) = filled().await;
    store.put(&ns("o"), "k", json!(1), plain()).await.unwrap();
    let damages = [
        (
            "UPDATE store_items SET key = 'twx' WHERE id = 2",
            "m",
            "twx",
        ),
        (
            "UPDATE store_items SET namespace = 2 WHERE id = 3",
            "o",
            "three",
        ),
    ];
    for (damage, place, key) in damages {
        assert_eq!(file.raw().execute(damage, []).unwrap(), 1);
        let error = store.search(under(place)).await.unwrap_err().to_string();
        let part = format!("store.db: the value of key {key:?} in namespace ");
        assert!(error.contains(&part), "{error}");
    }
}

#[tokio::test]
async fn a_damaged_item_can_be_put_again_or_deleted() {
    for mend in ["put", "delete"] {
        let (file, store, _) = filled().await;
        let damage = "
            UPDATE store_items SET value = x'00' WHERE id = 2;
            UPDATE store_vectors SET vector = x'00' WHERE item = 2";
        file.raw().execute_batch(damage).unwrap();
        let left = match mend {
            "put" => {
                let value = json!("a");
                store.put(&ns("m.n"), "two", value, plain()).await.unwrap();
                3
            }
            _ => {
                store.delete(&ns("m.n"), "two").await.unwrap();
                2
            }
        };
        assert_eq!(store.search(asking("m", "a")).await.unwrap().len(), left);
    }
}

#[tokio::test]
async fn a_check_of_the_file_finds_all_damage_of_the_store() {
    let damages = [
        (
            "UPDATE store_items SET value = x'7b22' WHERE id = 2",
            "the value of key \"two\"",
        ),
        (
            "UPDATE store_items SET created_at = 5 WHERE id = 2",
            "the value of key \"two\"",
        ),
        (
            "UPDATE store_items SET key = CAST(x'ff' AS TEXT) WHERE id = 2",
            "item number 2",
        ),
        (
            "UPDATE store_items SET vectors = 2 WHERE id = 2",
            "a vector of key \"two\"",
        ),
        (
            "UPDATE store_items SET vectors = -1 WHERE id = 2",
            "a vector of key \"two\"",
        ),
        (
            "UPDATE store_vectors SET vector = x'00' WHERE item = 2",
            "a vector of key \"two\"",
        ),
        (
            "DELETE FROM store_vectors WHERE item = 2",
            "a vector of key \"two\"",
        ),
        (
            "UPDATE store_vectors SET item = 99 WHERE item = 2",
            "a vector of no item: number 99",
        ),
        (
            "UPDATE store_namespaces SET sum = 1",
            "namespace number 1 is damaged",
        ),
        (
            "DELETE FROM store_namespaces",
            "an item of no namespace: number 1",
        ),
    ];
    for (damage, told) in damages {
        let (file, store, _) = filled().await;
        let database = Database::open(file.path()).unwrap();
        let report = database.check().await.unwrap();
        assert!(report.is_clean() && report.items == 3, "{report:?}");
        let unchecked = format!("PRAGMA foreign_keys = OFF; {damage}");
        file.raw().execute_batch(&unchecked).unwrap();
        let report = database.check().await.unwrap();
        let listed: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
        let is_told = |problem: &String| problem.starts_with("memory") && problem.contains(told);
        assert!(listed.iter().any(is_told), "{damage}: {listed:#?}");
        drop(store);
    }
}
