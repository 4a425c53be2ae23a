//! Single items: put, get, delete, times, and values of every kind.

use serde_json::{Value, json};

use super::fixture::{START, Stores, ns, refused, under};
use crate::kit::{Verdict, cases, equal};
use superstep_store::{Item, MAX_VALUE_DEPTH, PutOptions, TtlOnRead};

cases![
    StoreCheck: a_put_item_is_read_back,
    an_absent_key_reads_as_none,
    a_put_replaces_the_whole_value,
    a_deleted_item_is_gone,
    deleting_an_absent_item_is_fine,
    a_key_in_two_namespaces_is_two_items,
    created_at_survives_a_replace,
    updated_at_follows_the_clock,
    reading_does_not_change_the_times,
    an_item_put_after_its_deletion_is_new,
    null_is_a_value,
    every_kind_of_json_value_is_kept,
    hostile_keys_stay_distinct,
    hostile_namespaces_stay_distinct,
    hostile_texts_are_kept,
    a_big_value_is_kept,
    a_deep_value_is_kept,
    a_value_that_is_too_deep_is_refused,
    a_key_with_nul_is_refused,
];

async fn a_put_item_is_read_back(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("users.ann", "tea", json!({"likes": 1})).await?;
    let wanted = Item {
        namespace: ns("users.ann")?,
        key: "tea".to_owned(),
        value: json!({"likes": 1}),
        created_at: START,
        updated_at: START,
    };
    equal(
        "the item",
        fixture.item("users.ann", "tea").await?,
        Some(wanted),
    )
}

async fn an_absent_key_reads_as_none(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    equal("in an empty store", fixture.item("a", "k").await?, None)?;
    fixture.put("a", "k", json!(1)).await?;
    equal("another key", fixture.item("a", "l").await?, None)?;
    equal("another namespace", fixture.item("b", "k").await?, None)?;
    equal(
        "a namespace below",
        fixture.item("a.k", "k").await?,
        None::<Item>,
    )
}

async fn a_put_replaces_the_whole_value(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture
        .put("a", "k", json!({"x": 1, "y": {"z": 2}}))
        .await?;
    fixture.put("a", "k", json!({"y": {"w": 3}})).await?;
    equal(
        "the value",
        fixture.value("a", "k").await?,
        Some(json!({"y": {"w": 3}})),
    )?;
    equal("found", fixture.found(under("a")?).await?, ["a/k"])
}

async fn a_deleted_item_is_gone(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.put("a", "l", json!(2)).await?;
    fixture.delete("a", "k").await?;
    equal("the deleted", fixture.value("a", "k").await?, None)?;
    equal("the other", fixture.value("a", "l").await?, Some(json!(2)))?;
    equal("found", fixture.found(under("a")?).await?, ["a/l"])
}

async fn deleting_an_absent_item_is_fine(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.delete("a", "k").await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.delete("a", "k").await?;
    fixture.delete("a", "k").await
}

async fn a_key_in_two_namespaces_is_two_items(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.put("a.b", "k", json!(2)).await?;
    fixture.put("a", "k", json!(3)).await?;
    equal("a.b/k", fixture.value("a.b", "k").await?, Some(json!(2)))?;
    fixture.delete("a", "k").await?;
    equal("a.b/k", fixture.value("a.b", "k").await?, Some(json!(2)))
}

async fn created_at_survives_a_replace(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.wait(5);
    fixture.put("a", "k", json!(2)).await?;
    equal(
        "created_at",
        fixture.present("a", "k").await?.created_at,
        START,
    )
}

async fn updated_at_follows_the_clock(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for _ in 0..3 {
        fixture.wait(7);
        fixture.put("a", "k", json!(1)).await?;
        let item = fixture.present("a", "k").await?;
        equal("updated_at", item.updated_at, fixture.now())?;
    }
    Ok(())
}

async fn reading_does_not_change_the_times(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "k", 1000, json!(1)).await?;
    fixture.wait(9);
    fixture.read("a", "k").await?;
    let item = fixture.present("a", "k").await?;
    equal(
        "created_at and updated_at",
        (item.created_at, item.updated_at),
        (START, START),
    )
}

async fn an_item_put_after_its_deletion_is_new(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.delete("a", "k").await?;
    fixture.wait(5);
    fixture.put("a", "k", json!(2)).await?;
    equal(
        "created_at",
        fixture.present("a", "k").await?.created_at,
        START + 5,
    )
}

async fn null_is_a_value(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.put("a", "k", json!(null)).await?;
    equal("null", fixture.value("a", "k").await?, Some(Value::Null))?;
    equal("found", fixture.found(under("a")?).await?, ["a/k"])?;
    let inner = json!({"x": null, "l": [null]});
    fixture.put("a", "k", inner.clone()).await?;
    equal("inner nulls", fixture.value("a", "k").await?, Some(inner))
}

async fn every_kind_of_json_value_is_kept(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let values = [
        json!(true),
        json!(false),
        json!(0),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(0.1),
        json!(-2.5e10),
        json!(""),
        json!("text"),
        json!([]),
        json!([1, "a", null, [2], {"b": 3}]),
        json!({}),
        json!({"": 1, "a.b": 2, "$gt": 3, "a\"b": {"c": []}}),
    ];
    for value in values {
        fixture.put("a", "k", value.clone()).await?;
        equal("the value", fixture.value("a", "k").await?, Some(value))?;
    }
    Ok(())
}

const HOSTILE: [&str; 26] = [
    " ", "a", "A", "a ", " a", "ab", "*", "%", "_", "a%", "a/b", "a:b", "a,b", "a|b", "a\u{1f}b",
    "\\", "\"", "'; DROP TABLE items; --", "[\"a\",\"b\"]", "null", "\n\t\u{7f}", "\u{e9}",
    "e\u{301}", "日本語", "🦀\u{200d}🦀", "\u{202e}\u{feff}\u{fffd}",
];

async fn hostile_keys_stay_distinct(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let long = "k".repeat(1000);
    let mut keys = vec!["", "../../etc", "a.b", long.as_str()];
    keys.extend(HOSTILE);
    for (number, key) in keys.iter().enumerate() {
        fixture.put("a", key, json!(number)).await?;
    }
    for (number, key) in keys.iter().enumerate() {
        equal(key, fixture.value("a", key).await?, Some(json!(number)))?;
    }
    let wanted: Vec<String> = keys.iter().map(|key| format!("a/{key}")).collect();
    equal("found", fixture.found(under("a")?).await?, wanted)?;
    fixture.delete("a", "%").await?;
    let left = fixture.found(under("a")?).await?.len();
    equal("left after one deletion", left, keys.len() - 1)
}

async fn hostile_namespaces_stay_distinct(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut places: Vec<String> = HOSTILE.iter().map(|label| (*label).to_owned()).collect();
    places.extend(HOSTILE.iter().map(|label| format!("a.{label}")));
    places.extend(["a.b.c", "a.bc", "b.a"].map(str::to_owned));
    for (number, place) in places.iter().enumerate() {
        fixture.put(place, "k", json!(number)).await?;
    }
    for (number, place) in places.iter().enumerate() {
        equal(place, fixture.value(place, "k").await?, Some(json!(number)))?;
        let below = format!("{place}.");
        let under_it = |other: &&String| *other == place || other.starts_with(&below);
        let wanted: Vec<String> = places
            .iter()
            .filter(under_it)
            .map(|other| format!("{other}/k"))
            .collect();
        equal(place, fixture.found(under(place)?).await?, wanted)?;
    }
    Ok(())
}

async fn hostile_texts_are_kept(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut texts = vec!["a\0b", "\u{1}\u{1b}[31m", "\u{10ffff}"];
    texts.extend(HOSTILE);
    for text in texts {
        let value = json!({text: [text]});
        fixture.put("a", "k", value.clone()).await?;
        equal("the value", fixture.value("a", "k").await?, Some(value))?;
    }
    Ok(())
}

async fn a_big_value_is_kept(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let numbers: Vec<u32> = (0..20_000).collect();
    let value = json!({"text": "é".repeat(1_000_000), "numbers": numbers});
    fixture.put("a", "k", value.clone()).await?;
    equal("the value", fixture.value("a", "k").await?, Some(value))
}

async fn a_deep_value_is_kept(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for value in [arrays(MAX_VALUE_DEPTH), objects(MAX_VALUE_DEPTH)] {
        fixture.put("a", "k", value.clone()).await?;
        equal("the value", fixture.value("a", "k").await?, Some(value))?;
    }
    Ok(())
}

async fn a_value_that_is_too_deep_is_refused(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for value in [arrays(MAX_VALUE_DEPTH + 1), objects(MAX_VALUE_DEPTH + 1)] {
        let options = PutOptions::default();
        let put = fixture.store.put(&ns("a")?, "k", value, options).await;
        refused("the put", put, "SS3011")?;
    }
    equal("the key", fixture.value("a", "k").await?, None)
}

async fn a_key_with_nul_is_refused(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let (store, a) = (&fixture.store, ns("a")?);
    let put = store.put(&a, "k\0", json!(1), PutOptions::default()).await;
    refused("the put", put, "SS3010")?;
    let get = store.get(&a, "k\0", TtlOnRead::Keep).await;
    refused("the get", get, "SS3010")?;
    refused("the delete", store.delete(&a, "k\0").await, "SS3010")?;
    equal("found", fixture.found(under("")?).await?.len(), 0)
}

fn arrays(depth: usize) -> Value {
    (1..depth).fold(json!([]), |inner, _| json!([inner]))
}

fn objects(depth: usize) -> Value {
    (1..depth).fold(json!({}), |inner, _| json!({"o": inner}))
}
