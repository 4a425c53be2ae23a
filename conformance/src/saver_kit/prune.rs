//! Pruning: what is dropped, and that what stays reads as before.

use std::sync::Arc;

use superstep_core::{
    checkpoint::Loaded,
    id::GraphPath,
    record::Record,
    saver::{At, HistoryQuery, Keep},
};

use super::deletion::filled;
use super::fixture::{BUSY, Bench, Fixture, NO_THREAD, refused};
use super::model::{Model, alike, same_notes, state};
use super::records::{Y, clear, delta, done, first, full, id, int, node, number, set};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: pruning_to_the_latest_keeps_one_of_each_namespace,
    pruning_to_the_last_few_keeps_just_those,
    pruning_less_than_there_is_changes_nothing,
    pruning_keeps_notes,
    pruning_keeps_branches_whole,
    pruning_twice_is_pruning_once,
    a_pruned_thread_goes_on,
    pruning_keeps_what_belongs_below_what_it_keeps,
    pruning_leaves_other_threads,
    an_unknown_thread_is_not_pruned,
    a_leased_thread_is_not_pruned,
];

async fn pruning_to_the_latest_keeps_one_of_each_namespace(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    for (namespace, start) in [("", 1), ("a:1", 11), ("a", 21)] {
        writer.commit(namespace, first(start)).await?;
        for n in start + 1..start + 6 {
            writer.commit(namespace, delta(n, n - 1)).await?;
        }
    }
    let model = writer.end();
    fixture.saver.prune(&"t".into(), Keep::Latest).await?;
    for (namespace, newest) in [("", 6), ("a:1", 16), ("a", 26)] {
        kept(&fixture, &model, namespace, &[newest]).await?;
    }
    equal("threads", fixture.listed().await?, ["t"])
}

async fn pruning_to_the_last_few_keeps_just_those(bench: &Bench<'_>) -> Verdict {
    for n in [1, 2, 3, 5] {
        let fixture = bench.open().await?;
        let model = line(&fixture, 12).await?;
        fixture.saver.prune(&"t".into(), Keep::Last(n)).await?;
        let wanted: Vec<u64> = (1..=12).rev().take(n).collect();
        kept(&fixture, &model, "", &wanted).await?;
    }
    Ok(())
}

async fn pruning_less_than_there_is_changes_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = line(&fixture, 6).await?;
    for n in [6, 7, usize::MAX] {
        fixture.saver.prune(&"t".into(), Keep::Last(n)).await?;
        fixture.agrees("t", &model).await?;
    }
    Ok(())
}

async fn pruning_keeps_notes(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = line(&fixture, 8).await?;
    let mut writer = fixture.writer_after("t", model).await?;
    writer.note("", 8, vec![done(node(0), "open")]).await?;
    writer.note("", 7, vec![done(node(2), "late")]).await?;
    let model = writer.end();
    fixture.saver.prune(&"t".into(), Keep::Last(3)).await?;
    kept(&fixture, &model, "", &[8, 7, 6]).await?;
    fixture.saver.prune(&"t".into(), Keep::Latest).await?;
    kept(&fixture, &model, "", &[8]).await
}

async fn pruning_keeps_branches_whole(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    // Two branches from 2, one of which has a snapshot before the cut and one has not.
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    writer.commit("", delta(3, 2)).await?;
    writer.commit("", delta(4, 2)).await?;
    writer.commit("", full(5, 3)).await?;
    let cleared = Record {
        changes: vec![clear(Y)],
        ..delta(6, 4)
    };
    writer.commit("", cleared).await?;
    writer.commit("", delta(7, 5)).await?;
    writer.commit("", delta(8, 6)).await?;
    writer.commit("", delta(9, 2)).await?;
    let model = writer.end();
    fixture.saver.prune(&"t".into(), Keep::Last(4)).await?;
    kept(&fixture, &model, "", &[9, 8, 7, 6]).await?;
    fixture.saver.prune(&"t".into(), Keep::Last(2)).await?;
    kept(&fixture, &model, "", &[9, 8]).await
}

async fn pruning_twice_is_pruning_once(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = line(&fixture, 10).await?;
    for _ in 0..2 {
        fixture.saver.prune(&"t".into(), Keep::Last(4)).await?;
        kept(&fixture, &model, "", &[10, 9, 8, 7]).await?;
    }
    Ok(())
}

async fn a_pruned_thread_goes_on(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = line(&fixture, 10).await?;
    fixture.saver.prune(&"t".into(), Keep::Last(2)).await?;
    let mut writer = fixture.writer_after("t", model).await?;
    let gone = writer.try_commit("", delta(11, 8)).await;
    refused("a child of a dropped checkpoint", gone, "SS2005")?;
    let tasks = vec![done(node(0), "next")];
    writer
        .commit(
            "",
            Record {
                tasks,
                ..delta(11, 10)
            },
        )
        .await?;
    writer.commit("", delta(12, 11)).await?;
    writer.commit("", delta(13, 9)).await?;
    writer.note("", 9, vec![done(node(1), "late")]).await?;
    let model = writer.end();
    kept(&fixture, &model, "", &[13, 12, 11, 10, 9]).await?;
    fixture.saver.prune(&"t".into(), Keep::Latest).await?;
    kept(&fixture, &model, "", &[13]).await
}

async fn pruning_keeps_what_belongs_below_what_it_keeps(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    // Each step of the root runs a graph of that task alone, and one that lives as long as the
    // thread; both store while the step runs, so between two records of the root.
    writer.commit("", first(10)).await?;
    for step in 1..5 {
        let above = step * 10;
        let below = |record| Record {
            parents: Arc::new([(GraphPath::default(), id(above))].into()),
            ..record
        };
        let own = format!("a:{step}");
        writer.commit(&own, below(first(above + 1))).await?;
        writer
            .commit(&own, below(delta(above + 3, above + 1)))
            .await?;
        let shared = match step {
            1 => first(12),
            _ => delta(above + 2, above - 8),
        };
        writer.commit("b", below(shared)).await?;
        writer.commit("", delta(above + 10, above)).await?;
    }
    let model = writer.end();
    fixture.saver.prune(&"t".into(), Keep::Last(3)).await?;
    kept(&fixture, &model, "", &[50, 40, 30]).await?;
    kept(&fixture, &model, "a:3", &[33, 31]).await?;
    kept(&fixture, &model, "a:4", &[43, 41]).await?;
    let gone = fixture.head("t", "a:1", At::Latest).await?;
    equal("a graph of a task of a dropped checkpoint", gone, None)?;
    // What the shared graph was when the oldest kept step began is still to be read.
    for (before, wanted) in [(30, 22), (40, 32), (50, 42)] {
        let loaded = fixture.load("t", "b", At::Before(id(before))).await?;
        let what = format!("the shared graph before {before}");
        reads_as_before(&what, loaded.as_ref(), &model, "b", wanted)?;
    }
    Ok(())
}

async fn pruning_leaves_other_threads(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    line(&fixture, 10).await?;
    let other = filled(&fixture, "t2").await?;
    let copy = {
        let model = filled(&fixture, "from").await?;
        fixture.saver.copy(&"from".into(), &"to".into()).await?;
        model
    };
    fixture.saver.prune(&"t".into(), Keep::Latest).await?;
    fixture.saver.prune(&"from".into(), Keep::Latest).await?;
    fixture.agrees("t2", &other).await?;
    fixture.agrees("to", &copy).await
}

async fn an_unknown_thread_is_not_pruned(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    drop(fixture.lease("leased").await?);
    for thread in ["unknown", "leased"] {
        for keep in [Keep::Latest, Keep::Last(3)] {
            let got = fixture.saver.prune(&thread.into(), keep).await;
            refused("pruning nothing", got, NO_THREAD)?;
        }
    }
    equal("threads", fixture.listed().await?.len(), 0)
}

async fn a_leased_thread_is_not_pruned(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = line(&fixture, 6).await?;
    // A run that holds the lease may be about to fork from what would be dropped.
    let mut writer = fixture.writer_after("t", model).await?;
    let got = fixture.saver.prune(&"t".into(), Keep::Latest).await;
    refused("pruning a leased thread", got, BUSY)?;
    writer.commit("", delta(7, 2)).await?;
    fixture.agrees("t", &writer.model).await
}

/// A thread with one branch and a task for each step.
async fn line(fixture: &Fixture, length: u64) -> Result<Model, Failure> {
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    for n in 2..=length {
        let mut record = Record {
            tasks: vec![done(node(0), n as i64)],
            ..delta(n, n - 1)
        };
        if n % 3 == 0 {
            record.changes.push(set(Y, int(n)));
        }
        writer.commit("", record).await?;
    }
    Ok(writer.end())
}

/// Demands that these checkpoints are what is left of a namespace, and read as before.
async fn kept(fixture: &Fixture, model: &Model, namespace: &str, wanted: &[u64]) -> Verdict {
    let all = HistoryQuery::default();
    let space = GraphPath::from(namespace);
    let history = fixture.saver.history(&"t".into(), &space, &all).await?;
    let left = super::fixture::numbers(&history);
    equal(&format!("what is left of {namespace:?}"), left, wanted)?;
    for (loaded, n) in history.iter().zip(wanted) {
        let what = format!("checkpoint {n} of {namespace:?}");
        reads_as_before(&what, Some(loaded), model, namespace, *n)?;
        let parent = loaded.head().and_then(|record| record.parent).map(number);
        let before = model.reading(&space, id(*n));
        let before = before.as_ref().and_then(Loaded::head);
        let before = before.and_then(|record| record.parent).map(number);
        if parent.is_some() || before.is_some_and(|parent| wanted.contains(&parent)) {
            equal(&format!("{what}: its parent"), parent, before)?;
        }
        let at = At::Id(id(*n));
        let loaded = fixture.load("t", namespace, at).await?;
        reads_as_before(&what, loaded.as_ref(), model, namespace, *n)?;
    }
    let head = fixture.head("t", namespace, At::Latest).await?;
    equal("the newest", head, wanted.first().copied())
}

/// Demands the same state, notes and next tasks; how the state is stored may be different.
fn reads_as_before(
    what: &str,
    got: Option<&Loaded>,
    model: &Model,
    namespace: &str,
    n: u64,
) -> Verdict {
    let wanted = model.reading(&namespace.into(), id(n));
    let (Some(got), Some(wanted)) = (got, wanted.as_ref()) else {
        return Err(Failure(format!("{what}: is not there")));
    };
    stands_alone(what, got)?;
    let (before, after) = (state(&wanted.chain), state(&got.chain));
    alike(
        &format!("{what}: its state"),
        &format!("{after:?}"),
        &format!("{before:?}"),
    )?;
    let (after, before) = (bare(got), bare(wanted));
    alike(&format!("{what}: its record"), &after, &before)?;
    same_notes(what, got, wanted)?;
    let what = format!("{what}: superseded");
    equal(&what, got.superseded, wanted.superseded)
}

/// The head of a chain without what pruning may rewrite.
fn bare(loaded: &Loaded) -> String {
    let head = loaded.head().map(|record| Record {
        parent: None,
        changes: Vec::new(),
        full: true,
        tasks: Vec::new(),
        ..Record::clone(record)
    });
    format!("{head:?}")
}

/// Demands that a chain misses nothing.
fn stands_alone(what: &str, loaded: &Loaded) -> Verdict {
    let mut chain = loaded.chain.iter();
    let Some(mut last) = chain.next() else {
        return Err(Failure(format!("{what}: its chain is empty")));
    };
    if !last.full && last.parent.is_some() {
        return Err(Failure(format!("{what}: its chain has lost its beginning")));
    }
    for record in chain {
        let parent = record.parent.map(number);
        equal(&format!("{what}: its chain"), parent, Some(number(last.id)))?;
        last = record;
    }
    Ok(())
}
