//! Batches: order, atomicity, concurrency.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::embedder::Letters;
use super::fixture::{Stores, ns, refused, under};
use crate::kit::{Failure, Verdict, cases, equal, together};
use superstep_store::{
    Delete, Get, ListNamespaces, Op, Outcome, Put, PutOptions, Search, StoreError, TtlOnRead,
};

cases![
    StoreCheck: an_empty_batch_is_fine,
    a_batch_is_applied_in_order_and_sees_its_writes,
    a_batch_with_an_invalid_operation_changes_nothing,
    a_batch_that_fails_half_way_changes_nothing,
    a_failed_batch_leaves_times_to_live_alone,
    concurrent_puts_lose_nothing,
    concurrent_batches_do_not_mix,
];

async fn an_empty_batch_is_fine(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    equal("outcomes", fixture.store.batch(vec![]).await?, [])
}

async fn a_batch_is_applied_in_order_and_sees_its_writes(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let outcomes = fixture
        .store
        .batch(vec![
            get("a", "k")?,
            put("a", "k", json!(1))?,
            get("a", "k")?,
            put("a", "k", json!(2))?,
            put("b", "l", json!(3))?,
            Op::Search(under("")?),
            Op::ListNamespaces(ListNamespaces::default()),
            delete("a", "k")?,
            get("a", "k")?,
            Op::Search(under("")?),
        ])
        .await?;
    let shown: Vec<String> = outcomes.iter().map(show).collect();
    let wanted = [
        "absent", "done", "1", "done", "done", "k=2 l=3", "a b", "done", "absent", "l=3",
    ];
    equal("outcomes", shown, wanted)?;
    equal("afterwards", fixture.found(under("")?).await?, ["b/l"])
}

async fn a_batch_with_an_invalid_operation_changes_nothing(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "old", json!(1)).await?;
    let no_time = Op::Put(Put {
        namespace: ns("a")?,
        key: "k".to_owned(),
        value: json!(1),
        options: PutOptions {
            ttl: Some(Duration::ZERO),
            ..PutOptions::default()
        },
    });
    let invalid = [(no_time, "SS3012"), (get("a", "\0")?, "SS3010")];
    for (op, code) in invalid {
        let ops = vec![
            put("a", "old", json!(2))?,
            put("a", "new", json!(3))?,
            put("z", "new", json!(4))?,
            op,
            delete("a", "old")?,
        ];
        refused("the batch", fixture.store.batch(ops).await, code)?;
        equal("old", fixture.value("a", "old").await?, Some(json!(1)))?;
        equal("found", fixture.found(under("")?).await?, ["a/old"])?;
    }
    Ok(())
}

async fn a_batch_that_fails_half_way_changes_nothing(bench: &Stores<'_>) -> Verdict {
    let letters = Arc::new(Letters::default());
    let fixture = bench.open_embedding(letters.clone()).await?;
    fixture.put("a", "1", json!("a")).await?;
    fixture.wait(5);
    fixture.put("a", "2", json!("b")).await?;
    let before = fixture.store.search(under("")?).await?;
    letters.change_model();
    let mismatch = Search {
        query: Some("a".to_owned()),
        ..under("a")?
    };
    let ops = vec![
        put("z", "new", json!("c"))?,
        put("a", "1", json!("d"))?,
        delete("a", "1")?,
        put("a", "1", json!("e"))?,
        put("a", "3", json!("f"))?,
        Op::Search(mismatch),
        put("a", "4", json!("g"))?,
    ];
    refused("the batch", fixture.store.batch(ops).await, "SS3041")?;
    let after = fixture.store.search(under("")?).await?;
    equal("items", after, before)?;
    let listed = fixture.listed(ListNamespaces::default()).await?;
    equal("namespaces", listed, ["a"])?;
    fixture.put("b", "5", json!("h")).await?;
    fixture.put("z", "6", json!("i")).await?;
    let found = fixture.found(under("")?).await?;
    equal("order of first use", found, ["a/1", "a/2", "b/5", "z/6"])
}

async fn a_failed_batch_leaves_times_to_live_alone(bench: &Stores<'_>) -> Verdict {
    let letters = Arc::new(Letters::default());
    let fixture = bench.open_embedding(letters.clone()).await?;
    fixture.put_for("a", "1", 100, json!("a")).await?;
    fixture.put_for("a", "2", 100, json!("a")).await?;
    fixture.wait(60);
    letters.change_model();
    let page = Search {
        limit: 1,
        ttl: TtlOnRead::Refresh,
        ..under("a")?
    };
    let mismatch = Search {
        query: Some("a".to_owned()),
        ..under("a")?
    };
    let read = Op::Get(Get {
        namespace: ns("a")?,
        key: "2".to_owned(),
        ttl: TtlOnRead::Refresh,
    });
    let ops = vec![Op::Search(page), read, Op::Search(mismatch)];
    refused("the batch", fixture.store.batch(ops).await, "SS3041")?;
    fixture.wait(40);
    equal("left", fixture.found(under("a")?).await?.len(), 0)
}

async fn concurrent_puts_lose_nothing(bench: &Stores<'_>) -> Verdict {
    const WRITERS: usize = 64;
    let fixture = bench.open().await?;
    let writers = (0..WRITERS).map(|number| {
        let fixture = &fixture;
        async move {
            fixture.put("m", &number.to_string(), json!(number)).await?;
            fixture.put("m", "shared", json!(number)).await?;
            fixture
                .put(&format!("n.{number}"), "k", json!(number))
                .await
        }
    });
    together(writers.collect())
        .await
        .into_iter()
        .collect::<Result<Vec<()>, Failure>>()?;
    for number in 0..WRITERS {
        let wanted = Some(json!(number));
        let key = number.to_string();
        equal(&key, fixture.value("m", &key).await?, wanted.clone())?;
        let place = format!("n.{number}");
        equal(&place, fixture.value(&place, "k").await?, wanted)?;
    }
    let found = fixture.found(under("m")?).await?.len();
    equal("items in m", found, WRITERS + 1)
}

async fn concurrent_batches_do_not_mix(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let batches = (0..32).map(|number| {
        let fixture = &fixture;
        async move {
            let ops = vec![
                put("m", "left", json!(number))?,
                put("m", "right", json!(number))?,
                get("m", "left")?,
            ];
            let outcomes = fixture.store.batch(ops).await?;
            let read = outcomes.last().map(show);
            equal("its own write", read, Some(number.to_string()))
        }
    });
    together(batches.collect())
        .await
        .into_iter()
        .collect::<Result<Vec<()>, Failure>>()?;
    let left = fixture.value("m", "left").await?;
    equal("left and right", left, fixture.value("m", "right").await?)
}

fn put(at: &str, key: &str, value: Value) -> Result<Op, StoreError> {
    Ok(Op::Put(Put {
        namespace: at.parse()?,
        key: key.to_owned(),
        value,
        options: PutOptions::default(),
    }))
}

fn get(at: &str, key: &str) -> Result<Op, StoreError> {
    Ok(Op::Get(Get {
        namespace: at.parse()?,
        key: key.to_owned(),
        ttl: TtlOnRead::Keep,
    }))
}

fn delete(at: &str, key: &str) -> Result<Op, StoreError> {
    Ok(Op::Delete(Delete {
        namespace: at.parse()?,
        key: key.to_owned(),
    }))
}

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done => "done".to_owned(),
        Outcome::Item(None) => "absent".to_owned(),
        Outcome::Item(Some(item)) => item.value.to_string(),
        Outcome::Found(found) => {
            let shown = found
                .iter()
                .map(|found| format!("{}={}", found.item.key, found.item.value));
            shown.collect::<Vec<_>>().join(" ")
        }
        Outcome::Namespaces(namespaces) => {
            let shown = namespaces.iter().map(ToString::to_string);
            shown.collect::<Vec<_>>().join(" ")
        }
    }
}
