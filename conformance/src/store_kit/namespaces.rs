//! Listing namespaces.

use std::num::NonZeroUsize;

use serde_json::json;

use super::fixture::{StoreFixture, Stores, under};
use crate::kit::{Failure, Verdict, cases, equal};
use superstep_store::{ListNamespaces, Pattern};

cases![
    StoreCheck: namespaces_are_listed_once_in_label_order,
    a_listing_by_prefix_fits_whole_labels,
    a_listing_by_suffix_fits_whole_labels,
    a_star_fits_any_one_label,
    prefix_and_suffix_must_both_fit,
    max_depth_cuts_after_matching,
    a_listing_has_pages,
    a_listing_has_a_hundred_namespaces_by_default,
    a_namespace_without_items_is_not_listed,
    reading_and_deleting_do_not_make_a_namespace,
];

async fn namespaces_are_listed_once_in_label_order(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    equal("at first", fixture.listed(everything()).await?.len(), 0)?;
    // Compared as joined text these would come in another order, since "!" and "-" precede ".".
    for place in ["b", "a.c", "a-b", "é", "a", "a!", "a.b", "B", "a"] {
        fixture.put(place, "k", json!(1)).await?;
        fixture.put(place, "l", json!(1)).await?;
    }
    equal(
        "listed",
        fixture.listed(everything()).await?,
        ["B", "a", "a.b", "a.c", "a!", "a-b", "b", "é"],
    )
}

async fn a_listing_by_prefix_fits_whole_labels(bench: &Stores<'_>) -> Verdict {
    let fixture = filled(bench).await?;
    fits_prefix(&fixture, &["q"], &["q", "q.a.c.d", "q.b.c.d"]).await?;
    fits_prefix(&fixture, &["q", "a"], &["q.a.c.d"]).await?;
    fits_prefix(&fixture, &["q", "a", "c", "d", "e"], &[]).await?;
    fits_prefix(&fixture, &["none"], &[]).await?;
    fits_prefix(
        &fixture,
        &[],
        &["m.a", "m.b", "q", "q.a.c.d", "q.b.c.d", "qa.c"],
    )
    .await
}

async fn a_listing_by_suffix_fits_whole_labels(bench: &Stores<'_>) -> Verdict {
    let fixture = filled(bench).await?;
    fits_suffix(&fixture, &["d"], &["q.a.c.d", "q.b.c.d"]).await?;
    fits_suffix(&fixture, &["c", "d"], &["q.a.c.d", "q.b.c.d"]).await?;
    fits_suffix(&fixture, &["a"], &["m.a"]).await?;
    fits_suffix(&fixture, &["q"], &["q"]).await?;
    fits_suffix(&fixture, &["x", "q", "a", "c", "d"], &[]).await
}

async fn a_star_fits_any_one_label(bench: &Stores<'_>) -> Verdict {
    let fixture = filled(bench).await?;
    fits_prefix(&fixture, &["*", "a"], &["m.a", "q.a.c.d"]).await?;
    fits_prefix(&fixture, &["q", "*", "c"], &["q.a.c.d", "q.b.c.d"]).await?;
    fits_prefix(&fixture, &["q*"], &[]).await?;
    fits_suffix(&fixture, &["b", "*", "d"], &["q.b.c.d"]).await?;
    fits_suffix(&fixture, &["*", "*", "*"], &["q.a.c.d", "q.b.c.d"]).await
}

async fn prefix_and_suffix_must_both_fit(bench: &Stores<'_>) -> Verdict {
    let fixture = filled(bench).await?;
    let list = ListNamespaces {
        prefix: Pattern::new(["*", "b"]),
        suffix: Pattern::new(["d"]),
        ..everything()
    };
    equal("listed", fixture.listed(list).await?, ["q.b.c.d"])?;
    // The two may overlap.
    let list = ListNamespaces {
        prefix: Pattern::new(["m", "a"]),
        suffix: Pattern::new(["m", "a"]),
        ..everything()
    };
    equal("overlapping", fixture.listed(list).await?, ["m.a"])
}

async fn max_depth_cuts_after_matching(bench: &Stores<'_>) -> Verdict {
    let fixture = filled(bench).await?;
    let cut = |depth| ListNamespaces {
        max_depth: NonZeroUsize::new(depth),
        ..everything()
    };
    let listed = fixture.listed(cut(1)).await?;
    equal("depth 1", listed, ["m", "q", "qa"])?;
    let listed = fixture.listed(cut(2)).await?;
    equal("depth 2", listed, ["m.a", "m.b", "q", "q.a", "q.b", "qa.c"])?;
    let list = ListNamespaces {
        suffix: Pattern::new(["d"]),
        ..cut(1)
    };
    equal("with a suffix", fixture.listed(list).await?, ["q"])?;
    let page = ListNamespaces {
        limit: 2,
        offset: 1,
        ..cut(1)
    };
    equal("a page", fixture.listed(page).await?, ["q", "qa"])
}

async fn a_listing_has_pages(bench: &Stores<'_>) -> Verdict {
    let fixture = filled(bench).await?;
    let page = |limit, offset| ListNamespaces {
        limit,
        offset,
        ..everything()
    };
    equal("first", fixture.listed(page(2, 0)).await?, ["m.a", "m.b"])?;
    equal(
        "second",
        fixture.listed(page(2, 2)).await?,
        ["q", "q.a.c.d"],
    )?;
    equal("last", fixture.listed(page(4, 5)).await?, ["qa.c"])?;
    equal("beyond", fixture.listed(page(2, 6)).await?.len(), 0)?;
    let far = page(usize::MAX, usize::MAX);
    equal("far beyond", fixture.listed(far).await?.len(), 0)?;
    equal("limit 0", fixture.listed(page(0, 0)).await?.len(), 0)
}

async fn a_listing_has_a_hundred_namespaces_by_default(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for number in 0..101 {
        fixture.put(&format!("m.{number}"), "k", json!(1)).await?;
    }
    equal("listed", fixture.listed(everything()).await?.len(), 100)
}

async fn a_namespace_without_items_is_not_listed(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.put("a", "k", json!(1)).await?;
    fixture.put("a.b", "k", json!(1)).await?;
    fixture.delete("a.b", "k").await?;
    equal("listed", fixture.listed(everything()).await?, ["a"])?;
    fixture.put("a.b", "l", json!(1)).await?;
    equal(
        "used again",
        fixture.listed(everything()).await?,
        ["a", "a.b"],
    )
}

async fn reading_and_deleting_do_not_make_a_namespace(bench: &Stores<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.read("b", "k").await?;
    fixture.delete("c", "k").await?;
    equal("listed", fixture.listed(everything()).await?.len(), 0)?;
    for place in ["a", "c", "b"] {
        fixture.put(place, "k", json!(1)).await?;
    }
    let found = fixture.found(under("")?).await?;
    equal("in order of first put", found, ["a/k", "c/k", "b/k"])
}

fn everything() -> ListNamespaces {
    ListNamespaces::default()
}

async fn filled(bench: &Stores<'_>) -> Result<StoreFixture, Failure> {
    let fixture = bench.open().await?;
    for place in ["q.b.c.d", "m.b", "qa.c", "q", "m.a", "q.a.c.d"] {
        fixture.put(place, "k", json!(1)).await?;
    }
    Ok(fixture)
}

async fn fits_prefix(fixture: &StoreFixture, labels: &[&str], wanted: &[&str]) -> Verdict {
    let list = ListNamespaces {
        prefix: Pattern::new(labels.iter().copied()),
        ..everything()
    };
    equal(
        &format!("prefix {labels:?}"),
        fixture.listed(list).await?,
        wanted,
    )
}

async fn fits_suffix(fixture: &StoreFixture, labels: &[&str], wanted: &[&str]) -> Verdict {
    let list = ListNamespaces {
        suffix: Pattern::new(labels.iter().copied()),
        ..everything()
    };
    equal(
        &format!("suffix {labels:?}"),
        fixture.listed(list).await?,
        wanted,
    )
}
