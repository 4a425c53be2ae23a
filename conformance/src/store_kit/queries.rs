//! Searching with a query: by words, and by similarity where the store has an embedder.

use std::sync::Arc;

use serde_json::{Value, json};

use super::embedder::Letters;
use super::fixture::{StoreFixture, Stores, close, ns, refused, under};
use crate::kit::{Failure, Verdict, cases, equal};
use superstep_store::{
    Filter, Index, IndexPath, Prefix, PutOptions, Reindexed, Search, Store as _, TtlOnRead,
};

cases![
    StoreCheck: a_text_query_ranks_by_matching_words,
    a_text_query_ignores_case_and_keys,
    a_text_query_obeys_prefix_filter_and_page,
    a_blank_query_is_no_query,
    a_text_query_refreshes_what_it_returns,
    a_similarity_query_ranks_by_cosine,
    a_similarity_query_obeys_prefix_filter_and_page,
    an_item_is_as_similar_as_its_best_field,
    an_item_without_vectors_is_not_similar,
    a_replaced_item_is_embedded_again,
    a_query_of_another_model_is_an_error,
    an_embedder_that_fails_leaves_nothing_half_done,
    what_another_model_embedded_is_found_after_reindexing,
    reindexing_changes_nothing_but_what_is_found,
];

async fn what_another_model_embedded_is_found_after_reindexing(bench: &Stores<'_>) -> Verdict {
    let letters = Arc::new(Letters::default());
    let fixture = bench.open_embedding(letters.clone()).await?;
    // More than one round of embedding.
    for n in 0..150 {
        fixture.put("m", &format!("k{n}"), json!("ab")).await?;
    }
    fixture.put("m", "blank", json!(" ")).await?;
    fixture.put("n", "else", json!("ab")).await?;
    letters.change_model();
    let m = || Prefix::new(["m"]);
    let unindexed = fixture.store.unindexed(m()?).await?;
    equal("unindexed", unindexed, Some(151))?;
    let done = fixture.store.reindex(m()?).await?;
    let wanted = Reindexed {
        indexed: 150,
        without_text: 1,
        changed: 0,
    };
    equal("reindexed", done, wanted)?;
    equal("left", fixture.store.unindexed(m()?).await?, Some(1))?;
    let found = fixture.found(asking("m", "ab")?).await?;
    equal("found by meaning", found.len(), 150)?;
    equal(
        "elsewhere",
        fixture.store.unindexed(Prefix::new(["n"])?).await?,
        Some(1),
    )?;
    let again = fixture.store.reindex(m()?).await?;
    equal("again", again.indexed, 0)
}

async fn reindexing_changes_nothing_but_what_is_found(bench: &Stores<'_>) -> Verdict {
    let letters = Arc::new(Letters::default());
    let fixture = bench.open_embedding(letters.clone()).await?;
    fixture.put_for("m", "short", 1000, json!("ab")).await?;
    fixture.put("m", "long", json!({"t": "cd"})).await?;
    let all = || Search {
        ttl: TtlOnRead::Keep,
        ..Search::default()
    };
    let before = fixture.store.search(all()).await?;
    fixture.wait(600);
    letters.change_model();
    fixture.store.reindex(Prefix::default()).await?;
    equal("items", fixture.store.search(all()).await?, before)?;
    fixture.wait(500);
    equal("expired as before", fixture.found(all()).await?, ["m/long"])
}

async fn a_text_query_ranks_by_matching_words(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let values = [
        ("one", json!({"t": "green"})),
        ("none", json!({"t": "coffee"})),
        ("two", json!({"t": "green", "u": [{"v": "tea leaves"}]})),
        ("other", json!({"t": "tea tea tea"})),
        ("all", json!("hot green tea")),
    ];
    for (key, value) in values {
        fixture.put("m", key, value).await?;
    }
    let scored = fixture.scored(asking("m", "green tea, hot!")?).await?;
    let wanted = [
        ("m/all".to_owned(), 3.0),
        ("m/two".to_owned(), 2.0),
        ("m/one".to_owned(), 1.0),
        ("m/other".to_owned(), 1.0),
    ];
    equal("scored", scored, wanted)
}

async fn a_text_query_ignores_case_and_keys(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("m", "upper", json!(["ÉCOLE"])).await?;
    fixture.put("m", "lower", json!({"a": "école"})).await?;
    fixture.put("m", "key", json!({"école": 1})).await?;
    fixture.put("école", "école", json!(1)).await?;
    equal(
        "found",
        fixture.found(asking("", "École")?).await?,
        ["m/upper", "m/lower"],
    )?;
    fixture.put("m", "long", json!("私は日本にいます")).await?;
    let found = fixture.found(asking("", "日本")?).await?;
    equal("inside a longer text", found, ["m/long"])?;
    fixture.put("m", "percent", json!("100%")).await?;
    let found = fixture.found(asking("", "%")?).await?;
    equal("a sign", found, ["m/percent"])
}

async fn a_text_query_obeys_prefix_filter_and_page(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (place, key, size) in [
        ("m", "1", 1),
        ("m", "2", 2),
        ("m", "3", 3),
        ("m", "4", 4),
        ("n", "5", 5),
    ] {
        let value = json!({"t": "tea", "size": size});
        fixture.put(place, key, value).await?;
    }
    pages_of(&fixture, "tea").await
}

async fn a_blank_query_is_no_query(bench: &Stores<'_>) -> Verdict {
    for fixture in [
        bench.open().await?,
        bench.open_embedding(Arc::new(Letters::default())).await?,
    ] {
        fixture.put("m", "1", json!("a")).await?;
        fixture.put("m", "2", json!(2)).await?;
        for blank in ["", " \n"] {
            let found = fixture.store.search(asking("m", blank)?).await?;
            let scores: Vec<Option<f64>> = found.iter().map(|found| found.score).collect();
            equal("scores", scores, [None, None])?;
        }
    }
    Ok(())
}

async fn a_text_query_refreshes_what_it_returns(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put_for("m", "tea", 100, json!("tea")).await?;
    fixture.put_for("m", "milk", 100, json!("milk")).await?;
    fixture.wait(60);
    let search = Search {
        ttl: TtlOnRead::Refresh,
        ..asking("m", "tea")?
    };
    equal("found", fixture.found(search).await?, ["m/tea"])?;
    fixture.wait(60);
    equal("left", fixture.found(under("m")?).await?, ["m/tea"])?;
    let found = fixture.found(asking("m", "milk")?).await?;
    equal("the expired", found.len(), 0)
}

async fn a_similarity_query_ranks_by_cosine(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open_embedding(Arc::new(Letters::default())).await?;
    for text in ["bbb", "abc", "aaaa", "a", "zzz", "aab"] {
        fixture.put("m", text, json!(text)).await?;
    }
    let scored = fixture.scored(asking("m", "aa")?).await?;
    let keys: Vec<&str> = scored.iter().map(|(name, _)| name.as_str()).collect();
    equal(
        "order",
        keys,
        ["m/aaaa", "m/a", "m/aab", "m/abc", "m/bbb", "m/zzz"],
    )?;
    let wanted = [1.0, 1.0, 2.0 / 5f64.sqrt(), 1.0 / 3f64.sqrt(), 0.0, 0.0];
    for ((name, score), wanted) in scored.iter().zip(wanted) {
        close(name, *score, wanted)?;
    }
    Ok(())
}

async fn a_similarity_query_obeys_prefix_filter_and_page(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open_embedding(Arc::new(Letters::default())).await?;
    for (place, key, size) in [
        ("m", "1", 1),
        ("m", "2", 2),
        ("m", "3", 3),
        ("m", "4", 4),
        ("n", "5", 5),
    ] {
        let value = json!({"t": "a", "size": size});
        let options = fields(&["t"])?;
        fixture.put_as(place, key, value, options).await?;
    }
    pages_of(&fixture, "a").await
}

async fn an_item_is_as_similar_as_its_best_field(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open_embedding(Arc::new(Letters::default())).await?;
    let value = json!({"t": "ccc", "l": [{"u": "b"}, {"u": "d"}], "rest": "aaaa"});
    let options = fields(&["t", "l[*].u"])?;
    fixture.put_as("m", "k", value, options).await?;
    for (query, wanted) in [("d", 1.0), ("b", 1.0), ("c", 1.0), ("a", 0.0)] {
        let scored = fixture.scored(asking("m", query)?).await?;
        let Some((_, score)) = scored.first() else {
            return Err(Failure(format!("{query:?} found nothing")));
        };
        close(query, *score, wanted)?;
    }
    Ok(())
}

async fn an_item_without_vectors_is_not_similar(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open_embedding(Arc::new(Letters::default())).await?;
    let off = PutOptions {
        index: Index::Off,
        ..PutOptions::default()
    };
    fixture.put_as("m", "off", json!({"t": "a"}), off).await?;
    let absent = fields(&["t"])?;
    fixture
        .put_as("m", "absent", json!({"u": "a"}), absent)
        .await?;
    fixture.put("m", "null", json!(null)).await?;
    fixture.put("m", "there", json!({"t": "a"})).await?;
    let found = fixture.found(asking("m", "a")?).await?;
    equal("by query", found, ["m/there"])?;
    let found = fixture.found(under("m")?).await?.len();
    equal("without a query", found, 4)
}

async fn a_replaced_item_is_embedded_again(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open_embedding(Arc::new(Letters::default())).await?;
    fixture.put("m", "1", json!("a")).await?;
    fixture.put("m", "2", json!("b")).await?;
    fixture.put("m", "1", json!("c")).await?;
    let scored = fixture.scored(asking("m", "c")?).await?;
    equal("order", names(&scored), ["m/1", "m/2"])?;
    let scored = fixture.scored(asking("m", "b")?).await?;
    equal("order", names(&scored), ["m/2", "m/1"])?;
    fixture.delete("m", "2").await?;
    let found = fixture.found(asking("m", "b")?).await?;
    equal("after a deletion", found, ["m/1"])
}

async fn a_query_of_another_model_is_an_error(bench: &Stores<'_>) -> Verdict {
    let letters = Arc::new(Letters::default());
    let fixture = bench.open_embedding(letters.clone()).await?;
    fixture.put("m.old", "1", json!("a")).await?;
    // Without vectors it is of no model.
    let off = PutOptions {
        index: Index::Off,
        ..PutOptions::default()
    };
    fixture.put_as("m.new", "0", json!("a"), off).await?;
    letters.change_model();
    fixture.put("m.new", "2", json!("a")).await?;
    for prefix in ["m", "m.old", ""] {
        let found = fixture.store.search(asking(prefix, "a")?).await;
        refused("mixed models", found, "SS3041")?;
    }
    let first_page = Search {
        limit: 0,
        ..asking("m.old", "a")?
    };
    let found = fixture.store.search(first_page).await;
    refused("whatever the limit", found, "SS3041")?;
    let found = fixture.found(asking("m.new", "a")?).await?;
    equal("one model", found, ["m.new/2"])?;
    let found = fixture.found(under("m")?).await?.len();
    equal("without a query", found, 3)?;
    fixture.put("m.old", "1", json!("a")).await?;
    let found = fixture.found(asking("m", "a")?).await?;
    equal("put again", found, ["m.old/1", "m.new/2"])
}

async fn an_embedder_that_fails_leaves_nothing_half_done(bench: &Stores<'_>) -> Verdict {
    let letters = Arc::new(Letters::default());
    let fixture = bench.open_embedding(letters.clone()).await?;
    fixture.put("m", "1", json!("a")).await?;
    letters.break_down();
    let (store, m) = (&fixture.store, ns("m")?);
    for key in ["1", "2"] {
        let put = store.put(&m, key, json!("b"), PutOptions::default()).await;
        refused("the put", put, "SS3040")?;
    }
    let search = store.search(asking("m", "a")?).await;
    refused("the search", search, "SS3040")?;
    equal("the item", fixture.value("m", "1").await?, Some(json!("a")))?;
    equal("found", fixture.found(under("m")?).await?, ["m/1"])?;
    let off = PutOptions {
        index: Index::Off,
        ..PutOptions::default()
    };
    fixture.put_as("m", "3", json!("c"), off).await
}

/// Items 1 to 4 in `m` and 5 in `n`, all equally good answers, with a `size` each.
async fn pages_of(fixture: &StoreFixture, query: &str) -> Verdict {
    let found = fixture.found(asking("m", query)?).await?;
    equal("under m", found, ["m/1", "m/2", "m/3", "m/4"])?;
    let page = Search {
        filter: Filter::Gt("size".into(), Value::from(1)),
        limit: 2,
        offset: 1,
        ..asking("", query)?
    };
    equal("a page", fixture.found(page).await?, ["m/3", "m/4"])
}

fn asking(dotted: &str, query: &str) -> Result<Search, Failure> {
    Ok(Search {
        query: Some(query.to_owned()),
        ..under(dotted)?
    })
}

fn fields(paths: &[&str]) -> Result<PutOptions, Failure> {
    let paths = paths.iter().map(|path| path.parse::<IndexPath>());
    Ok(PutOptions {
        index: Index::Fields(paths.collect::<Result<_, _>>()?),
        ..PutOptions::default()
    })
}

fn names(scored: &[(String, f64)]) -> Vec<&str> {
    scored.iter().map(|(name, _)| name.as_str()).collect()
}
