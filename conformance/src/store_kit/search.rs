//! Searching without a query: prefixes, order, pages.

use serde_json::json;

use super::fixture::{START, Stores, ns, under};
use crate::kit::{Verdict, cases, equal};
use superstep_store::{Item, Search, SearchHit};

cases![
    StoreCheck: a_search_returns_whole_items_without_a_score,
    a_prefix_is_made_of_whole_labels,
    the_empty_prefix_finds_everything,
    namespaces_come_in_order_of_first_use,
    items_come_in_order_of_insertion,
    a_replaced_item_keeps_its_place,
    an_item_put_after_its_deletion_comes_last,
    an_emptied_namespace_keeps_its_place,
    pages_cover_everything_once,
    a_search_returns_ten_items_by_default,
];

async fn a_search_returns_whole_items_without_a_score(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a.b", "k", json!({"x": 1})).await?;
    fixture.wait(3);
    fixture.put("a.b", "k", json!({"x": 2})).await?;
    let wanted = SearchHit {
        item: Item {
            namespace: ns("a.b")?,
            key: "k".to_owned(),
            value: json!({"x": 2}),
            created_at: START,
            updated_at: START + 3,
        },
        score: None,
    };
    let found = fixture.store.search(under("a")?).await?;
    equal("found", found, [wanted])
}

async fn a_prefix_is_made_of_whole_labels(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for place in ["a", "ab", "a.b", "a.b.c", "a.bc", "b.a"] {
        fixture.put(place, "k", json!(1)).await?;
    }
    let found = fixture.found(under("a")?).await?;
    equal("under a", found, ["a/k", "a.b/k", "a.b.c/k", "a.bc/k"])?;
    let found = fixture.found(under("a.b")?).await?;
    equal("under a.b", found, ["a.b/k", "a.b.c/k"])?;
    equal("under c", fixture.found(under("c")?).await?.len(), 0)
}

async fn the_empty_prefix_finds_everything(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    equal("at first", fixture.found(under("")?).await?.len(), 0)?;
    fixture.put("b", "k", json!(1)).await?;
    fixture.put("a.c", "k", json!(2)).await?;
    equal("found", fixture.found(under("")?).await?, ["b/k", "a.c/k"])
}

async fn namespaces_come_in_order_of_first_use(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (place, key) in [
        ("m.z", "1"),
        ("m", "2"),
        ("m.a", "3"),
        ("m.z", "4"),
        ("m", "5"),
    ] {
        fixture.put(place, key, json!(1)).await?;
    }
    equal(
        "found",
        fixture.found(under("m")?).await?,
        ["m.z/1", "m.z/4", "m/2", "m/5", "m.a/3"],
    )
}

async fn items_come_in_order_of_insertion(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for key in ["9", "10", "b", "a", "B"] {
        fixture.put("m", key, json!(1)).await?;
    }
    equal(
        "found",
        fixture.found(under("m")?).await?,
        ["m/9", "m/10", "m/b", "m/a", "m/B"],
    )
}

async fn a_replaced_item_keeps_its_place(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for key in ["1", "2", "3", "1"] {
        fixture.wait(1);
        fixture.put("m", key, json!(key)).await?;
    }
    equal(
        "found",
        fixture.found(under("m")?).await?,
        ["m/1", "m/2", "m/3"],
    )
}

async fn an_item_put_after_its_deletion_comes_last(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("m", "1", json!(1)).await?;
    fixture.put("m", "2", json!(2)).await?;
    fixture.delete("m", "1").await?;
    fixture.put("m", "1", json!(3)).await?;
    equal("found", fixture.found(under("m")?).await?, ["m/2", "m/1"])
}

async fn an_emptied_namespace_keeps_its_place(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("m.b", "1", json!(1)).await?;
    fixture.put("m.a", "2", json!(2)).await?;
    fixture.delete("m.b", "1").await?;
    fixture.put("m.b", "3", json!(3)).await?;
    equal(
        "found",
        fixture.found(under("m")?).await?,
        ["m.b/3", "m.a/2"],
    )
}

async fn pages_cover_everything_once(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let keys: Vec<String> = (0..7).map(|number| number.to_string()).collect();
    for key in &keys {
        let place = if key == "3" { "m.x" } else { "m" };
        fixture.put(place, key, json!(1)).await?;
    }
    let everything = fixture.found(under("m")?).await?;
    equal("everything", everything.len(), keys.len())?;
    for limit in [1, 2, 3, 7, 8] {
        let mut collected = Vec::new();
        for offset in (0..8).step_by(limit) {
            let page = Search {
                limit,
                offset,
                ..under("m")?
            };
            let found = fixture.found(page).await?;
            let wanted = everything.iter().skip(offset).take(limit).count();
            equal("the size of a page", found.len(), wanted)?;
            collected.extend(found);
        }
        equal("all pages", &collected, &everything)?;
    }
    let nothing = Search {
        limit: 0,
        ..under("m")?
    };
    equal("limit 0", fixture.found(nothing).await?.len(), 0)?;
    let beyond = Search {
        offset: usize::MAX,
        limit: usize::MAX,
        ..under("m")?
    };
    equal("beyond the end", fixture.found(beyond).await?.len(), 0)
}

async fn a_search_returns_ten_items_by_default(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for number in 0..12 {
        fixture.put("m", &number.to_string(), json!(1)).await?;
    }
    equal("found", fixture.found(Search::default()).await?.len(), 10)
}
