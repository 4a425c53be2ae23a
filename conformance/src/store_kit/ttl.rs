//! Times to live: when items expire, what a read does to them, and sweeping.

use std::time::Duration;

use serde_json::json;

use super::fixture::{START, Stores, ns, refused, under};
use crate::kit::{Verdict, cases, equal};
use superstep_store::{ListNamespaces, PutOptions, Search, TtlOnRead};

cases![
    StoreCheck: an_item_is_gone_when_its_time_is_up,
    a_refreshing_read_starts_the_time_again,
    a_keeping_read_lets_the_time_run,
    a_refreshing_search_starts_the_time_of_what_it_returns,
    a_replace_sets_the_time_anew,
    an_expired_item_is_put_as_new,
    a_ttl_of_nothing_is_refused,
    the_longest_ttl_never_ends,
    a_sweep_removes_what_is_expired_and_counts_it,
    a_sweep_leaves_what_was_refreshed_or_replaced,
];

async fn an_item_is_gone_when_its_time_is_up(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "k", 100, json!(1)).await?;
    fixture.put("b", "k", json!(2)).await?;
    fixture.wait(99);
    equal("before", fixture.value("a", "k").await?, Some(json!(1)))?;
    equal("before", fixture.found(under("")?).await?, ["a/k", "b/k"])?;
    fixture.wait(1);
    equal("by get", fixture.value("a", "k").await?, None)?;
    equal("by search", fixture.found(under("")?).await?, ["b/k"])?;
    let listed = fixture.listed(ListNamespaces::default()).await?;
    equal("by listing", listed, ["b"])
}

async fn a_refreshing_read_starts_the_time_again(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "k", 100, json!(1)).await?;
    for _ in 0..3 {
        fixture.wait(60);
        let item = fixture.read("a", "k").await?;
        equal("read", item.map(|item| item.value), Some(json!(1)))?;
    }
    fixture.wait(99);
    equal("at last", fixture.value("a", "k").await?, Some(json!(1)))?;
    fixture.wait(1);
    equal("after it", fixture.read("a", "k").await?, None)
}

async fn a_keeping_read_lets_the_time_run(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "k", 100, json!(1)).await?;
    fixture.wait(60);
    fixture.present("a", "k").await?;
    fixture.found(under("a")?).await?;
    fixture.wait(40);
    equal("after it", fixture.value("a", "k").await?, None)
}

async fn a_refreshing_search_starts_the_time_of_what_it_returns(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for key in ["1", "2", "3"] {
        fixture.put_for("a", key, 100, json!(key)).await?;
    }
    fixture.wait(60);
    let page = Search {
        limit: 1,
        offset: 1,
        ttl: TtlOnRead::Refresh,
        ..under("a")?
    };
    equal("the page", fixture.found(page).await?, ["a/2"])?;
    fixture.wait(60);
    equal("left", fixture.found(under("a")?).await?, ["a/2"])?;
    fixture.wait(40);
    equal("at last", fixture.found(under("a")?).await?.len(), 0)
}

async fn a_replace_sets_the_time_anew(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "forever", 100, json!(1)).await?;
    fixture.put("a", "forever", json!(2)).await?;
    fixture.put_for("a", "longer", 100, json!(1)).await?;
    fixture.put_for("a", "longer", 200, json!(2)).await?;
    fixture.put("a", "shorter", json!(1)).await?;
    fixture.put_for("a", "shorter", 50, json!(2)).await?;
    fixture.wait(100);
    let found = fixture.found(under("a")?).await?;
    equal("after 100", found, ["a/forever", "a/longer"])?;
    fixture.wait(100);
    equal(
        "after 200",
        fixture.found(under("a")?).await?,
        ["a/forever"],
    )
}

async fn an_expired_item_is_put_as_new(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "1", 100, json!(1)).await?;
    fixture.put("a", "2", json!(2)).await?;
    fixture.wait(100);
    fixture.put("a", "1", json!(3)).await?;
    let item = fixture.present("a", "1").await?;
    equal("created_at", item.created_at, START + 100)?;
    equal(
        "the order",
        fixture.found(under("a")?).await?,
        ["a/2", "a/1"],
    )
}

async fn a_ttl_of_nothing_is_refused(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for ttl in [Duration::ZERO, Duration::from_micros(999)] {
        let options = PutOptions {
            ttl: Some(ttl),
            ..PutOptions::default()
        };
        let put = fixture.store.put(&ns("a")?, "k", json!(1), options).await;
        refused("the put", put, "SS3012")?;
    }
    equal("the key", fixture.value("a", "k").await?, None)
}

async fn the_longest_ttl_never_ends(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let options = PutOptions {
        ttl: Some(Duration::MAX),
        ..PutOptions::default()
    };
    fixture.put_as("a", "k", json!(1), options).await?;
    fixture.wait(1 << 50);
    equal("later", fixture.value("a", "k").await?, Some(json!(1)))?;
    let swept = fixture.store.sweep_expired(fixture.now()).await?;
    equal("swept", swept, 0)
}

async fn a_sweep_removes_what_is_expired_and_counts_it(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("a", "1", 100, json!(1)).await?;
    fixture.put_for("a", "2", 101, json!(2)).await?;
    fixture.put_for("b", "3", 50, json!(3)).await?;
    fixture.put("b", "4", json!(4)).await?;
    let store = &fixture.store;
    equal("too early", store.sweep_expired(START + 49).await?, 0)?;
    // The clock stands still: what is absent now was really removed.
    equal("in time", store.sweep_expired(START + 100).await?, 2)?;
    equal("once more", store.sweep_expired(START + 100).await?, 0)?;
    equal("left", fixture.found(under("")?).await?, ["a/2", "b/4"])
}

async fn a_sweep_leaves_what_was_refreshed_or_replaced(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for key in ["read", "kept", "replaced", "deleted"] {
        fixture.put_for("a", key, 100, json!(1)).await?;
    }
    fixture.wait(60);
    fixture.read("a", "read").await?;
    fixture.put("a", "replaced", json!(2)).await?;
    fixture.delete("a", "deleted").await?;
    let swept = fixture.store.sweep_expired(START + 100).await?;
    equal("swept", swept, 1)?;
    let left = fixture.found(under("a")?).await?;
    equal("left", left, ["a/read", "a/replaced"])
}
