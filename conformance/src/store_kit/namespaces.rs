//! Listing namespaces.

use std::num::NonZeroUsize;

use serde_json::json;

use super::world::{Bench, World, under};
use crate::kit::{Failure, Verdict, cases, equal};
use superstep_store::{ListNamespaces, Pattern};

cases![
    namespaces_are_listed_once_in_label_order,
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

async fn namespaces_are_listed_once_in_label_order(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    equal("at first", world.listed(everything()).await?.len(), 0)?;
    // Compared as joined text these would come in another order, since "!" and "-" precede ".".
    for place in ["b", "a.c", "a-b", "é", "a", "a!", "a.b", "B", "a"] {
        world.put(place, "k", json!(1)).await?;
        world.put(place, "l", json!(1)).await?;
    }
    equal(
        "listed",
        world.listed(everything()).await?,
        ["B", "a", "a.b", "a.c", "a!", "a-b", "b", "é"],
    )
}

async fn a_listing_by_prefix_fits_whole_labels(bench: &Bench<'_>) -> Verdict {
    let world = filled(bench).await?;
    fits_prefix(&world, &["q"], &["q", "q.a.c.d", "q.b.c.d"]).await?;
    fits_prefix(&world, &["q", "a"], &["q.a.c.d"]).await?;
    fits_prefix(&world, &["q", "a", "c", "d", "e"], &[]).await?;
    fits_prefix(&world, &["none"], &[]).await?;
    fits_prefix(
        &world,
        &[],
        &["m.a", "m.b", "q", "q.a.c.d", "q.b.c.d", "qa.c"],
    )
    .await
}

async fn a_listing_by_suffix_fits_whole_labels(bench: &Bench<'_>) -> Verdict {
    let world = filled(bench).await?;
    fits_suffix(&world, &["d"], &["q.a.c.d", "q.b.c.d"]).await?;
    fits_suffix(&world, &["c", "d"], &["q.a.c.d", "q.b.c.d"]).await?;
    fits_suffix(&world, &["a"], &["m.a"]).await?;
    fits_suffix(&world, &["q"], &["q"]).await?;
    fits_suffix(&world, &["x", "q", "a", "c", "d"], &[]).await
}

async fn a_star_fits_any_one_label(bench: &Bench<'_>) -> Verdict {
    let world = filled(bench).await?;
    fits_prefix(&world, &["*", "a"], &["m.a", "q.a.c.d"]).await?;
    fits_prefix(&world, &["q", "*", "c"], &["q.a.c.d", "q.b.c.d"]).await?;
    fits_prefix(&world, &["q*"], &[]).await?;
    fits_suffix(&world, &["b", "*", "d"], &["q.b.c.d"]).await?;
    fits_suffix(&world, &["*", "*", "*"], &["q.a.c.d", "q.b.c.d"]).await
}

async fn prefix_and_suffix_must_both_fit(bench: &Bench<'_>) -> Verdict {
    let world = filled(bench).await?;
    let list = ListNamespaces {
        prefix: Pattern::new(["*", "b"]),
        suffix: Pattern::new(["d"]),
        ..everything()
    };
    equal("listed", world.listed(list).await?, ["q.b.c.d"])?;
    // The two may overlap.
    let list = ListNamespaces {
        prefix: Pattern::new(["m", "a"]),
        suffix: Pattern::new(["m", "a"]),
        ..everything()
    };
    equal("overlapping", world.listed(list).await?, ["m.a"])
}

async fn max_depth_cuts_after_matching(bench: &Bench<'_>) -> Verdict {
    let world = filled(bench).await?;
    let cut = |depth| ListNamespaces {
        max_depth: NonZeroUsize::new(depth),
        ..everything()
    };
    let listed = world.listed(cut(1)).await?;
    equal("depth 1", listed, ["m", "q", "qa"])?;
    let listed = world.listed(cut(2)).await?;
    equal("depth 2", listed, ["m.a", "m.b", "q", "q.a", "q.b", "qa.c"])?;
    let list = ListNamespaces {
        suffix: Pattern::new(["d"]),
        ..cut(1)
    };
    equal("with a suffix", world.listed(list).await?, ["q"])?;
    let page = ListNamespaces {
        limit: 2,
        offset: 1,
        ..cut(1)
    };
    equal("a page", world.listed(page).await?, ["q", "qa"])
}

async fn a_listing_has_pages(bench: &Bench<'_>) -> Verdict {
    let world = filled(bench).await?;
    let page = |limit, offset| ListNamespaces {
        limit,
        offset,
        ..everything()
    };
    equal("first", world.listed(page(2, 0)).await?, ["m.a", "m.b"])?;
    equal("second", world.listed(page(2, 2)).await?, ["q", "q.a.c.d"])?;
    equal("last", world.listed(page(4, 5)).await?, ["qa.c"])?;
    equal("beyond", world.listed(page(2, 6)).await?.len(), 0)?;
    let far = page(usize::MAX, usize::MAX);
    equal("far beyond", world.listed(far).await?.len(), 0)?;
    equal("limit 0", world.listed(page(0, 0)).await?.len(), 0)
}

async fn a_listing_has_a_hundred_namespaces_by_default(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    for number in 0..101 {
        world.put(&format!("m.{number}"), "k", json!(1)).await?;
    }
    equal("listed", world.listed(everything()).await?.len(), 100)
}

async fn a_namespace_without_items_is_not_listed(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    world.put("a", "k", json!(1)).await?;
    world.put("a.b", "k", json!(1)).await?;
    world.delete("a.b", "k").await?;
    equal("listed", world.listed(everything()).await?, ["a"])?;
    world.put("a.b", "l", json!(1)).await?;
    equal(
        "used again",
        world.listed(everything()).await?,
        ["a", "a.b"],
    )
}

async fn reading_and_deleting_do_not_make_a_namespace(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    world.read("b", "k").await?;
    world.delete("c", "k").await?;
    equal("listed", world.listed(everything()).await?.len(), 0)?;
    for place in ["a", "c", "b"] {
        world.put(place, "k", json!(1)).await?;
    }
    let found = world.found(under("")?).await?;
    equal("in order of first put", found, ["a/k", "c/k", "b/k"])
}

fn everything() -> ListNamespaces {
    ListNamespaces::default()
}

async fn filled(bench: &Bench<'_>) -> Result<World, Failure> {
    let world = bench.open().await?;
    for place in ["q.b.c.d", "m.b", "qa.c", "q", "m.a", "q.a.c.d"] {
        world.put(place, "k", json!(1)).await?;
    }
    Ok(world)
}

async fn fits_prefix(world: &World, labels: &[&str], wanted: &[&str]) -> Verdict {
    let list = ListNamespaces {
        prefix: Pattern::new(labels.iter().copied()),
        ..everything()
    };
    equal(
        &format!("prefix {labels:?}"),
        world.listed(list).await?,
        wanted,
    )
}

async fn fits_suffix(world: &World, labels: &[&str], wanted: &[&str]) -> Verdict {
    let list = ListNamespaces {
        suffix: Pattern::new(labels.iter().copied()),
        ..everything()
    };
    equal(
        &format!("suffix {labels:?}"),
        world.listed(list).await?,
        wanted,
    )
}
