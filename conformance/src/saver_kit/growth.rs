//! Long threads and many threads.

use fastrand::Rng;
use superstep_core::{
    checkpoint::NextRecord,
    id::GraphPath,
    record::{Change, Record},
    saver::At,
    table::{ChannelIx, Key},
    value::Value,
};

use super::fixture::{Bench, Fixture, Writer};
use super::model::{Model, state};
use super::records::{LOG, X, Y, clear, delta, done, extend, first, id, int, layout, node, set};
use super::seed::{again, seed};
use crate::kit::{Failure, Verdict, cases, equal, together};

cases![
    SaverCheck: a_long_tail_asks_for_everything,
    a_snapshot_ends_the_tail,
    each_branch_has_its_own_tail,
    commits_to_many_threads_at_once_lose_nothing,
    parallel_writers_of_many_threads_lose_nothing,
    a_thread_of_two_thousand_records_reads_right_anywhere,
];

/// A tail of small changes over a small state that is longer than this is too long.
const LONGEST: u64 = 1_000;

async fn a_long_tail_asks_for_everything(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    tail(&mut writer, 1, 1).await.map(drop)
}

async fn a_snapshot_ends_the_tail(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let mut end = tail(&mut writer, 1, 1).await?;
    for _ in 0..3 {
        let next = everything(&writer.model, &"".into(), end + 1, end);
        let next = writer.commit("", next).await?;
        equal("what follows a snapshot", next, NextRecord::Changes)?;
        writer.commit("", delta(end + 2, end + 1)).await?;
        let loaded = fixture.load("t", "", At::Latest).await?;
        let length = loaded.map(|loaded| loaded.chain.len());
        equal("the chain after a snapshot", length, Some(2))?;
        end = tail(&mut writer, end + 2, end + 2).await?;
    }
    fixture.agrees("t", &writer.model).await
}

async fn each_branch_has_its_own_tail(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    // One branch grows by changes, the other has nothing but snapshots.
    let (mut long, mut short) = (1, 1);
    for n in (2..2 * LONGEST).step_by(2) {
        let asked = writer.commit("", delta(n, long)).await?;
        if asked == NextRecord::Everything {
            return fixture.agrees("t", &writer.model).await;
        }
        let snapshot = everything(&writer.model, &"".into(), n + 1, short);
        writer.commit("", snapshot).await?;
        (long, short) = (n, n + 1);
    }
    Err(Failure(format!(
        "a branch of {LONGEST} changes never asked for everything"
    )))
}

async fn commits_to_many_threads_at_once_lose_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let writers = (0..32).map(|n| busy_writer(fixture.clone(), format!("{n:02}")));
    let models: Result<Vec<Model>, Failure> =
        together(writers.collect()).await.into_iter().collect();
    all_there(&fixture, &models?).await
}

async fn parallel_writers_of_many_threads_lose_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let writers: Vec<_> = (0..32)
        .map(|n| tokio::spawn(busy_writer(fixture.clone(), format!("{n:02}"))))
        .collect();
    let mut models = Vec::new();
    for writer in writers {
        let ended = writer.await;
        models.push(ended.map_err(|error| Failure(format!("a writer failed: {error}")))??);
    }
    all_there(&fixture, &models).await
}

async fn a_thread_of_two_thousand_records_reads_right_anywhere(bench: &Bench<'_>) -> Verdict {
    let seed = seed();
    let seeded = |failure: Failure| Failure(format!("{} ({})", failure.0, again(seed)));
    let fixture = bench.open().await?;
    wander(&fixture, &mut Rng::with_seed(seed))
        .await
        .map_err(seeded)
}

/// Grows a thread at random: two namespaces, forks, second beginnings, notes, late notes.
async fn wander(fixture: &Fixture, rng: &mut Rng) -> Verdict {
    let mut writer = fixture.writer("t").await?;
    let spaces = ["", "a"];
    let mut wants = [NextRecord::Changes; 2];
    for n in 1..=2_000 {
        let which = usize::from(rng.u64(..4) == 0);
        let (Some(space), Some(want)) = (spaces.get(which), wants.get_mut(which)) else {
            continue;
        };
        let namespace = GraphPath::from(*space);
        let record = match parent(rng, &writer.model, &namespace) {
            None => first(n),
            Some(parent) if *want == NextRecord::Everything => {
                everything(&writer.model, &namespace, n, parent)
            }
            Some(parent) => changed(rng, n, parent),
        };
        *want = writer.commit(space, record).await?;
        if rng.u64(..5) == 0
            && let Some(checkpoint) = picked(rng, &writer.model, &namespace)
        {
            let key = node(rng.u64(..3) as usize);
            writer
                .note(space, checkpoint, vec![done(key, n as i64)])
                .await?;
        }
        if rng.u64(..20) == 0 {
            look(fixture, rng, &writer.model, n).await?;
        }
    }
    for _ in 0..200 {
        look(fixture, rng, &writer.model, 2_000).await?;
    }
    Ok(())
}

/// Mostly the newest checkpoint; at times any, at times none.
fn parent(rng: &mut Rng, model: &Model, namespace: &GraphPath) -> Option<u64> {
    let newest = model.rows(namespace).last()?;
    match rng.u64(..100) {
        0 => None,
        1..=4 => picked(rng, model, namespace),
        _ => Some(super::records::number(newest.record.id)),
    }
}

fn picked(rng: &mut Rng, model: &Model, namespace: &GraphPath) -> Option<u64> {
    let rows = model.rows(namespace);
    let place = rng.usize(..rows.len().max(1));
    let row = rows.get(place)?;
    Some(super::records::number(row.record.id))
}

fn changed(rng: &mut Rng, n: u64, parent: u64) -> Record {
    let changes = match rng.u64(..4) {
        0 => vec![set(X, int(n))],
        1 => vec![extend(LOG, [int(n), Value::Null])],
        2 => vec![set(Y, int(n)), extend(LOG, [int(n)])],
        _ => vec![clear(Y)],
    };
    let tasks = match rng.u64(..2) {
        0 => vec![done(node(rng.u64(..3) as usize), n as i64)],
        _ => Vec::new(),
    };
    Record {
        changes,
        tasks,
        ..delta(n, parent)
    }
}

/// Reads one place at random.
async fn look(fixture: &Fixture, rng: &mut Rng, model: &Model, newest: u64) -> Verdict {
    let namespace = GraphPath::from(if rng.u64(..3) == 0 { "a" } else { "" });
    let some = id(rng.u64(..newest + 2));
    let at = match rng.u64(..8) {
        0 => At::Latest,
        1..=3 => At::Before(some),
        _ => At::Id(some),
    };
    fixture.reads("t", &namespace, at, model).await
}

/// A snapshot of all channels as they are after `parent`.
fn everything(model: &Model, namespace: &GraphPath, n: u64, parent: u64) -> Record {
    let before = model.reading(namespace, id(parent));
    let mut now = state(&before.map(|loaded| loaded.chain).unwrap_or_default());
    let names = layout().channels.clone();
    let changes = names.iter().enumerate().filter_map(|(at, name)| {
        let value = now.remove(name)?;
        Some((ChannelIx::at(at), Change::Set(value)))
    });
    Record {
        changes: changes.collect(),
        full: true,
        ..delta(n, parent)
    }
}

/// Adds small changes after `parent` until the saver asks for everything; returns the last number.
async fn tail(writer: &mut Writer, newest: u64, parent: u64) -> Result<u64, Failure> {
    let mut parent = parent;
    for n in newest + 1..newest + LONGEST {
        let record = Record {
            changes: vec![set(X, int(n))],
            ..delta(n, parent)
        };
        if writer.commit("", record).await? == NextRecord::Everything {
            return Ok(n);
        }
        parent = n;
    }
    Err(Failure(format!(
        "a tail of {LONGEST} changes never asked for everything"
    )))
}

/// Writes a thread in several leases, with notes.
async fn busy_writer(fixture: Fixture, thread: String) -> Result<Model, Failure> {
    let mut model = Model::default();
    for round in 0..3 {
        let mut writer = fixture.writer_after(&thread, model).await?;
        for n in round * 4 + 1..round * 4 + 5 {
            let record = match n {
                1 => first(n),
                _ => delta(n, n - 1),
            };
            writer.commit("", record).await?;
            tokio::task::yield_now().await;
            writer
                .note("", n, vec![done(node(0), thread.as_str())])
                .await?;
        }
        model = writer.end();
    }
    Ok(model)
}

async fn all_there(fixture: &Fixture, models: &[Model]) -> Verdict {
    equal("threads", fixture.listed().await?.len(), models.len())?;
    for (n, model) in models.iter().enumerate() {
        fixture.agrees(&format!("{n:02}"), model).await?;
    }
    Ok(())
}
