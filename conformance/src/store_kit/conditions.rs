//! Conditional puts: what they demand, what a conflict leaves behind, and who wins a race.

use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{START, StoreFixture, Stores, refused, under};
use crate::kit::{Failure, Verdict, cases, equal, together};
use superstep_store::{Delete, Expected, Get, Op, Put, PutOptions, Search, StoreError, TtlOnRead};

cases![
    StoreCheck: a_put_that_expects_nothing_makes_an_item_once,
    a_put_that_expects_a_value_replaces_only_that_value,
    an_expected_null_is_a_value,
    an_expected_value_is_compared_whole,
    an_expired_item_counts_as_absent_for_a_condition,
    a_condition_sees_the_writes_of_its_batch,
    a_conflict_changes_nothing,
    a_condition_does_not_make_an_item_live_longer,
    a_conditional_put_is_a_put,
    concurrent_changes_that_expect_what_they_read_are_all_kept,
];

const CONFLICT: &str = "SS2107";

async fn a_put_that_expects_nothing_makes_an_item_once(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put_if(&fixture, "k", Expected::Absent, json!(1)).await?;
    let second = put_if(&fixture, "k", Expected::Absent, json!(2)).await;
    refused("the second put", second, CONFLICT)?;
    equal("the value", fixture.value("a", "k").await?, Some(json!(1)))?;
    fixture.delete("a", "k").await?;
    put_if(&fixture, "k", Expected::Absent, json!(3)).await?;
    equal(
        "after a deletion",
        fixture.value("a", "k").await?,
        Some(json!(3)),
    )
}

async fn a_put_that_expects_a_value_replaces_only_that_value(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let early = put_if(&fixture, "k", Expected::Value(json!(1)), json!(2)).await;
    refused("a put over nothing", early, CONFLICT)?;
    equal("nothing", fixture.item("a", "k").await?, None)?;
    fixture.put("a", "k", json!(1)).await?;
    put_if(&fixture, "k", Expected::Value(json!(1)), json!(2)).await?;
    let late = put_if(&fixture, "k", Expected::Value(json!(1)), json!(3)).await;
    refused("a put over a newer value", late, CONFLICT)?;
    equal("the value", fixture.value("a", "k").await?, Some(json!(2)))
}

async fn an_expected_null_is_a_value(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let early = put_if(&fixture, "k", Expected::Value(Value::Null), json!(1)).await;
    refused("null where nothing is", early, CONFLICT)?;
    fixture.put("a", "k", Value::Null).await?;
    let absent = put_if(&fixture, "k", Expected::Absent, json!(1)).await;
    refused("nothing where null is", absent, CONFLICT)?;
    put_if(&fixture, "k", Expected::Value(Value::Null), json!(1)).await?;
    equal("the value", fixture.value("a", "k").await?, Some(json!(1)))
}

async fn an_expected_value_is_compared_whole(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let stored = json!({"text": "a\0b\u{e9}", "deep": {"list": [1, null, {"x": true}]}});
    fixture.put("a", "k", stored.clone()).await?;
    for other in [
        json!({"text": "a\0b\u{e9}"}),
        json!({"text": "a\0b\u{e9}", "deep": {"list": [1, null, {"x": false}]}}),
        json!({"text": "a\0be\u{301}", "deep": {"list": [1, null, {"x": true}]}}),
        json!(stored.to_string()),
    ] {
        let put = put_if(&fixture, "k", Expected::Value(other), json!(1)).await;
        refused("another value", put, CONFLICT)?;
    }
    // The order of keys is no part of a value.
    let same = json!({"deep": {"list": [1, null, {"x": true}]}, "text": "a\0b\u{e9}"});
    put_if(&fixture, "k", Expected::Value(same), json!(2)).await?;
    equal("the value", fixture.value("a", "k").await?, Some(json!(2)))
}

async fn an_expired_item_counts_as_absent_for_a_condition(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "k", 100, json!(1)).await?;
    fixture.wait(99);
    let live = put_if(&fixture, "k", Expected::Absent, json!(2)).await;
    refused("while it lives", live, CONFLICT)?;
    fixture.wait(1);
    let gone = put_if(&fixture, "k", Expected::Value(json!(1)), json!(2)).await;
    refused("its old value", gone, CONFLICT)?;
    put_if(&fixture, "k", Expected::Absent, json!(2)).await?;
    let item = fixture.present("a", "k").await?;
    equal("created_at", item.created_at, START + 100)
}

async fn a_condition_sees_the_writes_of_its_batch(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    let ops = vec![
        op("k", Expected::Value(json!(1)), json!(2))?,
        op("k", Expected::Value(json!(2)), json!(3))?,
        Op::Delete(Delete {
            namespace: "a".parse()?,
            key: "k".to_owned(),
        }),
        op("k", Expected::Absent, json!(4))?,
    ];
    fixture.store.batch(ops).await?;
    equal("the value", fixture.value("a", "k").await?, Some(json!(4)))?;
    let twice = vec![
        op("l", Expected::Absent, json!(1))?,
        op("l", Expected::Absent, json!(2))?,
    ];
    refused(
        "twice in a batch",
        fixture.store.batch(twice).await,
        CONFLICT,
    )?;
    equal("of that batch", fixture.item("a", "l").await?, None)
}

async fn a_conflict_changes_nothing(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.put_for("a", "brief", 100, json!(2)).await?;
    let before = fixture.store.search(under("")?).await?;
    fixture.wait(60);
    let ops = vec![
        op("new", Expected::Anything, json!(3))?,
        op("k", Expected::Value(json!(1)), json!(4))?,
        Op::Get(Get {
            namespace: "a".parse()?,
            key: "brief".to_owned(),
            ttl: TtlOnRead::Refresh,
        }),
        op("k", Expected::Value(json!(9)), json!(5))?,
    ];
    refused("the batch", fixture.store.batch(ops).await, CONFLICT)?;
    equal("items", fixture.store.search(under("")?).await?, before)?;
    fixture.wait(40);
    equal("its time", fixture.item("a", "brief").await?, None)
}

async fn a_condition_does_not_make_an_item_live_longer(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "k", 100, json!(1)).await?;
    fixture.wait(60);
    let put = put_if(&fixture, "k", Expected::Absent, json!(2)).await;
    refused("the put", put, CONFLICT)?;
    fixture.wait(40);
    equal("the item", fixture.item("a", "k").await?, None)
}

async fn a_conditional_put_is_a_put(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "1", json!("one")).await?;
    fixture.put("a", "2", json!("two")).await?;
    fixture.wait(5);
    let options = PutOptions {
        ttl: Some(Duration::from_millis(10)),
        expected: Expected::Value(json!("one")),
        ..PutOptions::default()
    };
    fixture.put_as("a", "1", json!("three"), options).await?;
    let item = fixture.present("a", "1").await?;
    equal(
        "its times",
        (item.created_at, item.updated_at),
        (START, START + 5),
    )?;
    equal(
        "its place",
        fixture.found(under("a")?).await?,
        ["a/1", "a/2"],
    )?;
    let search = Search {
        query: Some("three".to_owned()),
        ..under("a")?
    };
    equal("by its words", fixture.found(search).await?, ["a/1"])?;
    fixture.wait(10);
    equal("its end", fixture.item("a", "1").await?, None)
}

async fn concurrent_changes_that_expect_what_they_read_are_all_kept(bench: &Stores<'_>) -> Verdict {
    const WRITERS: usize = 16;
    let fixture = bench.open().await?;
    let writers = (0..WRITERS).map(|number| {
        let fixture = &fixture;
        async move {
            // In each round one of those who are left wins.
            for _ in 0..WRITERS {
                let current = fixture.value("a", "list").await?;
                let mut list: Vec<usize> = match &current {
                    Some(value) => serde_json::from_value(value.clone())
                        .map_err(|error| Failure(error.to_string()))?,
                    None => Vec::new(),
                };
                list.push(number);
                let expected = current.map_or(Expected::Absent, Expected::Value);
                match put_if(fixture, "list", expected, json!(list)).await {
                    Err(StoreError::Conflict { .. }) => {}
                    done => return Ok(done?),
                }
            }
            Err(Failure(format!("writer {number} never won")))
        }
    });
    together(writers.collect())
        .await
        .into_iter()
        .collect::<Result<Vec<()>, Failure>>()?;
    let list = fixture.value("a", "list").await?.unwrap_or_default();
    let mut list: Vec<usize> =
        serde_json::from_value(list).map_err(|error| Failure(error.to_string()))?;
    list.sort_unstable();
    equal("the list", list, (0..WRITERS).collect::<Vec<_>>())
}

async fn put_if(
    fixture: &StoreFixture,
    key: &str,
    expected: Expected,
    value: Value,
) -> Result<(), StoreError> {
    fixture.store.batch(vec![op(key, expected, value)?]).await?;
    Ok(())
}

fn op(key: &str, expected: Expected, value: Value) -> Result<Op, StoreError> {
    Ok(Op::Put(Put {
        namespace: "a".parse()?,
        key: key.to_owned(),
        value,
        options: PutOptions {
            expected,
            ..PutOptions::default()
        },
    }))
}
