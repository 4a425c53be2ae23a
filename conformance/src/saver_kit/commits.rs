//! Storing records and loading them: which one, along which branch, and what is refused.

use superstep_core::{
    checkpoint::Loaded,
    id::CheckpointId,
    record::{Record, Source},
    saver::{At, Commit, HistoryQuery, Notes},
};

use super::fixture::{Bench, CORRUPT, Fixture, refused};
use super::records::{X, delta, done, first, full, id, int, node, number, set};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: an_unknown_thread_has_no_checkpoint,
    the_newest_checkpoint_is_loaded,
    a_checkpoint_is_loaded_by_id,
    the_newest_before_an_id_is_loaded,
    a_chain_starts_at_the_last_full_record,
    a_chain_without_a_full_record_starts_at_the_first,
    a_second_beginning_stands_alone,
    a_fork_reads_along_its_own_branch,
    two_branches_keep_apart,
    namespaces_are_independent,
    threads_are_independent,
    a_checkpoint_is_superseded_once_there_is_a_newer_one,
    ids_must_grow,
    an_unknown_parent_is_refused,
    a_refused_commit_leaves_nothing,
    ids_are_ordered_as_unsigned_numbers,
    names_are_only_names,
    calls_count_in_the_order_they_were_made,
];

async fn an_unknown_thread_has_no_checkpoint(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for at in [At::Latest, At::Id(id(1)), At::Before(id(1))] {
        equal("an unknown thread", fixture.head("t", "", at).await?, None)?;
    }
    let history = fixture.history("t", "", HistoryQuery::default()).await?;
    equal("its history", history.len(), 0)?;
    equal("threads after reading", fixture.listed().await?.len(), 0)?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let other = fixture.head("t", "a:1", At::Latest).await?;
    equal("an unknown namespace", other, None)
}

async fn the_newest_checkpoint_is_loaded(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    for n in 2..8 {
        writer.commit("", delta(n, n - 1)).await?;
        let at = At::Latest;
        equal("the newest", fixture.head("t", "", at).await?, Some(n))?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn a_checkpoint_is_loaded_by_id(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(10)).await?;
    writer.commit("", delta(20, 10)).await?;
    writer.commit("", delta(30, 20)).await?;
    for n in [10, 20, 30] {
        let head = fixture.head("t", "", At::Id(id(n))).await?;
        equal("by id", head, Some(n))?;
    }
    for n in [1, 15, 31] {
        let head = fixture.head("t", "", At::Id(id(n))).await?;
        equal("an unknown id", head, None)?;
    }
    let near = CheckpointId(id(20).0 + 1);
    equal(
        "a near id",
        fixture.head("t", "", At::Id(near)).await?,
        None,
    )
}

async fn the_newest_before_an_id_is_loaded(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(10)).await?;
    writer.commit("", delta(20, 10)).await?;
    writer.commit("", delta(30, 20)).await?;
    let wanted = [
        (5, None),
        (10, None),
        (11, Some(10)),
        (20, Some(10)),
        (25, Some(20)),
        (30, Some(20)),
        (99, Some(30)),
    ];
    for (before, wanted) in wanted {
        let head = fixture.head("t", "", At::Before(id(before))).await?;
        equal(&format!("before {before}"), head, wanted)?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn a_chain_starts_at_the_last_full_record(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    writer.commit("", full(3, 2)).await?;
    writer.commit("", delta(4, 3)).await?;
    writer.commit("", delta(5, 4)).await?;
    writer.commit("", full(6, 5)).await?;
    equal("of 2", chain(&fixture, 2).await?, [1, 2])?;
    equal("of 3", chain(&fixture, 3).await?, [3])?;
    equal("of 5", chain(&fixture, 5).await?, [3, 4, 5])?;
    equal("of 6", chain(&fixture, 6).await?, [6])?;
    fixture.agrees("t", &writer.model).await
}

async fn a_chain_without_a_full_record_starts_at_the_first(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    let plain = Record {
        full: false,
        ..first(1)
    };
    writer.commit("", plain).await?;
    writer.commit("", delta(2, 1)).await?;
    writer.commit("", delta(3, 2)).await?;
    equal("of 3", chain(&fixture, 3).await?, [1, 2, 3])?;
    fixture.agrees("t", &writer.model).await
}

async fn a_second_beginning_stands_alone(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    let again = Record {
        full: false,
        ..first(3)
    };
    writer.commit("", again).await?;
    writer.commit("", delta(4, 3)).await?;
    equal("of 4", chain(&fixture, 4).await?, [3, 4])?;
    equal("of 2", chain(&fixture, 2).await?, [1, 2])?;
    fixture.agrees("t", &writer.model).await
}

async fn a_fork_reads_along_its_own_branch(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    for n in 2..6 {
        writer.commit("", delta(n, n - 1)).await?;
    }
    let fork = Record {
        source: Source::Fork,
        ..delta(6, 2)
    };
    writer.commit("", fork).await?;
    writer.commit("", delta(7, 6)).await?;
    equal("of the fork", chain(&fixture, 7).await?, [1, 2, 6, 7])?;
    equal("of the trunk", chain(&fixture, 5).await?, [1, 2, 3, 4, 5])?;
    let head = fixture.head("t", "", At::Latest).await?;
    equal("the newest", head, Some(7))?;
    fixture.agrees("t", &writer.model).await
}

async fn two_branches_keep_apart(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    writer.commit("", delta(3, 1)).await?;
    for n in 4..12 {
        writer.commit("", delta(n, n - 2)).await?;
    }
    writer.commit("", full(12, 10)).await?;
    writer.commit("", delta(13, 11)).await?;
    writer.commit("", delta(14, 12)).await?;
    equal("of 10", chain(&fixture, 10).await?, [1, 2, 4, 6, 8, 10])?;
    let other = [1, 3, 5, 7, 9, 11, 13];
    equal("of 13", chain(&fixture, 13).await?, other)?;
    equal("of 14", chain(&fixture, 14).await?, [12, 14])?;
    fixture.agrees("t", &writer.model).await
}

async fn namespaces_are_independent(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    // Ids grow within a namespace; between namespaces they may come in any order.
    for (namespace, start) in [("", 1), ("a:1", 2), ("a:1|b:2", 1), ("a", 7), ("a:1|1", 3)] {
        writer.commit(namespace, first(start)).await?;
        let next = delta(start + 10, start);
        writer.commit(namespace, next).await?;
    }
    fixture.agrees("t", &writer.model).await?;
    let head = fixture.head("t", "", At::Latest).await?;
    equal("the newest of the root", head, Some(11))?;
    let stranger = fixture.head("t", "a", At::Id(id(1))).await?;
    equal("an id of another namespace", stranger, None)
}

async fn threads_are_independent(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut models = Vec::new();
    for (n, thread) in ["t", "t2", "T", "t "].into_iter().enumerate() {
        let mut writer = fixture.writer(thread).await?;
        let value = Record {
            changes: vec![set(X, int(n as u64))],
            ..first(1)
        };
        writer.commit("", value).await?;
        writer.commit("", delta(n as u64 + 2, 1)).await?;
        models.push((thread, writer.end()));
    }
    for (thread, model) in &models {
        fixture.agrees(thread, model).await?;
    }
    Ok(())
}

async fn a_checkpoint_is_superseded_once_there_is_a_newer_one(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    equal("the only one", superseded(&fixture, 1).await?, false)?;
    writer.commit("a:1", first(2)).await?;
    let what = "after a commit in another namespace";
    equal(what, superseded(&fixture, 1).await?, false)?;
    writer.commit("", delta(3, 1)).await?;
    equal("the older", superseded(&fixture, 1).await?, true)?;
    equal("the newer", superseded(&fixture, 3).await?, false)?;
    writer.commit("", delta(4, 1)).await?;
    equal("the tip of a branch", superseded(&fixture, 3).await?, true)?;
    equal("the newest", superseded(&fixture, 4).await?, false)?;
    fixture.agrees("t", &writer.model).await
}

async fn ids_must_grow(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(10)).await?;
    writer.commit("", delta(20, 10)).await?;
    for n in [5, 10, 15, 20] {
        let got = writer.try_commit("", first(n)).await;
        refused(&format!("checkpoint {n} after 20"), got, CORRUPT)?;
    }
    fixture.agrees("t", &writer.model).await?;
    writer.commit("", delta(21, 20)).await?;
    fixture.agrees("t", &writer.model).await
}

async fn an_unknown_parent_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(10)).await?;
    writer.commit("a:1", first(11)).await?;
    for (n, parent) in [(20, 5), (20, 15), (20, 20), (20, 25), (20, 11)] {
        let got = writer.try_commit("", delta(n, parent)).await;
        refused(&format!("{n} after {parent}"), got, CORRUPT)?;
    }
    fixture.agrees("t", &writer.model).await?;
    writer.commit("", delta(20, 10)).await?;
    fixture.agrees("t", &writer.model).await
}

async fn a_refused_commit_leaves_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    let got = writer.try_commit("", delta(2, 1)).await;
    refused("a child without its parent", got, CORRUPT)?;
    equal("threads", fixture.listed().await?.len(), 0)?;
    writer.commit("", first(1)).await?;
    let got = writer.try_commit("a:1", delta(3, 1)).await;
    refused("a child of another namespace", got, CORRUPT)?;
    equal(
        "its namespace",
        fixture.head("t", "a:1", At::Latest).await?,
        None,
    )?;
    let again = writer.try_commit("", first(1)).await;
    refused("the same checkpoint again", again, CORRUPT)?;
    fixture.agrees("t", &writer.model).await
}

async fn ids_are_ordered_as_unsigned_numbers(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    let ids = [
        0,
        1,
        9,
        10,
        1 << 63,
        1 << 64,
        (1 << 64) + 1,
        1 << 127,
        u128::MAX,
    ];
    let mut parent = None;
    for id in ids.map(CheckpointId) {
        let record = Record {
            id,
            parent,
            full: parent.is_none(),
            ..first(1)
        };
        writer.commit("", record).await?;
        parent = Some(id);
    }
    fixture.agrees("t", &writer.model).await
}

async fn names_are_only_names(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let long = "long".repeat(100);
    let names = [
        "", " ", "'; DROP TABLE records; --", "%", "_", "a%", "../../etc", "a/b", "a\\b", "\"",
        "ä", "a\u{308}", "名前", "🧵", "A", "a", "a\n", "null", "0", &long,
    ];
    let mut models = Vec::new();
    for (n, name) in names.into_iter().enumerate() {
        let mut writer = fixture.writer(name).await?;
        writer.commit("", first(n as u64 + 1)).await?;
        for namespace in names.into_iter().filter(|name| !name.is_empty()) {
            writer.commit(namespace, first(n as u64 + 100)).await?;
        }
        models.push((name, writer.end()));
    }
    for (name, model) in &models {
        fixture.agrees(name, model).await?;
    }
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    equal("threads", fixture.listed().await?, sorted)
}

async fn chain(fixture: &Fixture, n: u64) -> Result<Vec<u64>, Failure> {
    let loaded = loaded(fixture, n).await?;
    Ok(loaded
        .chain
        .iter()
        .map(|record| number(record.id))
        .collect())
}

async fn superseded(fixture: &Fixture, n: u64) -> Result<bool, Failure> {
    Ok(loaded(fixture, n).await?.superseded)
}

async fn loaded(fixture: &Fixture, n: u64) -> Result<Loaded, Failure> {
    let loaded = fixture.load("t", "", At::Id(id(n))).await?;
    loaded.ok_or_else(|| Failure(format!("checkpoint {n} is not there")))
}

async fn calls_count_in_the_order_they_were_made(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let (mut commits, mut notes) = (Vec::new(), Vec::new());
    for n in 2..20 {
        let (record, said) = (delta(n, n - 1), vec![done(node(0), int(n))]);
        writer.model.commit(&"".into(), record.clone());
        writer.model.note(&"".into(), id(n), &said);
        commits.push(fixture.saver.commit(Commit {
            thread: "t".into(),
            namespace: "".into(),
            epoch: writer.epoch(),
            record: record.into(),
            events: Vec::new(),
        }));
        notes.push(fixture.saver.note(Notes {
            thread: "t".into(),
            namespace: "".into(),
            epoch: writer.epoch(),
            durability: superstep_core::policy::Durability::Sync,
            checkpoint: id(n),
            notes: said,
            events: Vec::new(),
        }));
    }
    // The last answer is asked for first: each of these needs all that were called before it.
    for (note, commit) in notes.into_iter().rev().zip(commits.into_iter().rev()) {
        note.await?;
        commit.await?;
    }
    fixture.agrees("t", &writer.model).await
}
