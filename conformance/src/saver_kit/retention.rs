//! Retention: which threads go, which are pruned, and what counts as use.
//!
//! A saver notes times on its own clock, so it must be opened on the real one here.

use std::time::Duration;

use superstep_core::{
    clock::{Clock, UnixMillis},
    id::Namespace,
    saver::{At, HistoryQuery, Keep, Retained, Retention},
};
use superstep_engine::clock::SystemClock;

use super::deletion::filled;
use super::records::{delta, first};
use super::world::{Bench, CONFLICT, World, refused};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    an_idle_thread_goes_and_a_used_one_stays,
    a_lease_without_a_write_is_use,
    the_end_of_a_lease_is_use,
    reading_is_no_use,
    a_copy_is_used_when_it_is_made,
    a_leased_thread_is_left_alone,
    a_retention_prunes_as_prune_does,
    an_idle_thread_goes_whole,
    a_retention_without_wishes_changes_nothing,
    a_thread_that_went_can_begin_again,
];

const HOUR: Duration = Duration::from_secs(3600);
const HOUR_MILLIS: UnixMillis = 3_600_000;

/// A time after all that was done and before all that will be.
async fn moment() -> UnixMillis {
    let last = SystemClock.now();
    while SystemClock.now() <= last + 1 {
        tokio::task::yield_now().await;
    }
    last
}

/// Deletes what was not used since a moment.
async fn sweep(world: &World, moment: UnixMillis) -> Result<Vec<String>, Failure> {
    let retention = Retention {
        idle: Some(HOUR),
        keep: None,
    };
    let got = world.saver.retain(&retention, moment + HOUR_MILLIS).await?;
    equal("pruned checkpoints", got.pruned, 0)?;
    Ok(names(&got))
}

fn names(retained: &Retained) -> Vec<String> {
    retained.deleted.iter().map(ToString::to_string).collect()
}

async fn an_idle_thread_goes_and_a_used_one_stays(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    for thread in ["old", "b", ""] {
        filled(&world, thread).await?;
    }
    let kept = filled(&world, "new").await?;
    let moment = moment().await;
    let mut writer = world.writer_after("new", kept).await?;
    writer.commit("", delta(4, 3)).await?;
    let kept = writer.end();
    let early = sweep(&world, moment - HOUR_MILLIS).await?;
    equal("deleted too early", early.len(), 0)?;
    equal("deleted", sweep(&world, moment).await?, ["", "b", "old"])?;
    equal("threads", world.listed().await?, ["new"])?;
    for namespace in kept.spaces.keys() {
        let head = world.head("old", namespace.as_str(), At::Latest).await?;
        equal("what is left of a deleted thread", head, None)?;
    }
    world.agrees("new", &kept).await?;
    equal("deleted again", sweep(&world, moment).await?.len(), 0)
}

async fn a_lease_without_a_write_is_use(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "t").await?;
    let moment = moment().await;
    drop(world.lease("t").await?);
    equal("deleted", sweep(&world, moment).await?.len(), 0)?;
    world.agrees("t", &model).await
}

async fn the_end_of_a_lease_is_use(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "t").await?;
    let lease = world.lease("t").await?;
    let moment = moment().await;
    drop(lease);
    equal("deleted", sweep(&world, moment).await?.len(), 0)?;
    world.agrees("t", &model).await
}

async fn reading_is_no_use(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "t").await?;
    let moment = moment().await;
    world.agrees("t", &model).await?;
    world.saver.export(&"t".into()).await?;
    world.listed().await?;
    equal("deleted", sweep(&world, moment).await?, ["t"])
}

async fn a_copy_is_used_when_it_is_made(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "from").await?;
    let moment = moment().await;
    world.saver.copy(&"from".into(), &"copy".into()).await?;
    let archive = world.saver.export(&"from".into()).await?;
    world.saver.import(&"import".into(), archive).await?;
    equal("deleted", sweep(&world, moment).await?, ["from"])?;
    world.agrees("copy", &model).await?;
    world.agrees("import", &model).await
}

async fn a_leased_thread_is_left_alone(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "t").await?;
    filled(&world, "other").await?;
    let mut writer = world.writer_after("t", model).await?;
    let moment = moment().await;
    let retention = Retention {
        idle: Some(HOUR),
        keep: Some(Keep::Latest),
    };
    let got = world.saver.retain(&retention, moment + HOUR_MILLIS).await?;
    equal("deleted", names(&got), ["other"])?;
    equal("pruned", got.pruned, 0)?;
    world.agrees("t", &writer.model).await?;
    writer.commit("", delta(4, 1)).await?;
    let model = writer.end();
    world.agrees("t", &model).await
}

async fn a_retention_prunes_as_prune_does(bench: &Bench<'_>) -> Verdict {
    for keep in [Keep::Latest, Keep::Last(2), Keep::Last(usize::MAX)] {
        let (swept, pruned) = (bench.open().await?, bench.open().await?);
        let mut model = None;
        for world in [&swept, &pruned] {
            for thread in ["a", "b"] {
                model = Some(filled(world, thread).await?);
            }
        }
        let spaces = model.map(|model| model.spaces).unwrap_or_default();
        let before = count(&swept, spaces.keys()).await?;
        let retention = Retention {
            keep: Some(keep),
            idle: Some(HOUR),
        };
        let got = swept.saver.retain(&retention, SystemClock.now()).await?;
        for thread in ["a", "b"] {
            pruned.saver.prune(&thread.into(), keep).await?;
            for namespace in spaces.keys() {
                let all = HistoryQuery::default();
                let one = swept.saver.history(&thread.into(), namespace, &all).await?;
                let other = pruned
                    .saver
                    .history(&thread.into(), namespace, &all)
                    .await?;
                let what = format!("thread {thread:?} and {keep:?}");
                equal(&what, format!("{one:?}"), format!("{other:?}"))?;
            }
        }
        equal("deleted", got.deleted.len(), 0)?;
        let after = count(&swept, spaces.keys()).await?;
        equal("how many are gone", got.pruned, before - after)?;
    }
    Ok(())
}

async fn count(
    world: &World,
    namespaces: impl Iterator<Item = &Namespace>,
) -> Result<usize, Failure> {
    let mut count = 0;
    for namespace in namespaces {
        for thread in ["a", "b"] {
            let all = HistoryQuery::default();
            count += world.history(thread, namespace.as_str(), all).await?.len();
        }
    }
    Ok(count)
}

async fn an_idle_thread_goes_whole(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    filled(&world, "t").await?;
    let moment = moment().await;
    let retention = Retention {
        idle: Some(HOUR),
        keep: Some(Keep::Latest),
    };
    let got = world.saver.retain(&retention, moment + HOUR_MILLIS).await?;
    equal("deleted", names(&got), ["t"])?;
    equal("pruned of what is deleted", got.pruned, 0)?;
    equal("threads", world.listed().await?.len(), 0)
}

async fn a_retention_without_wishes_changes_nothing(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "t").await?;
    let got = world
        .saver
        .retain(&Retention::default(), UnixMillis::MAX)
        .await?;
    equal("what is gone", got, Retained::default())?;
    world.agrees("t", &model).await
}

async fn a_thread_that_went_can_begin_again(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let mut writer = world.writer("t").await?;
    writer.commit("", first(1)).await?;
    let before = writer.epoch();
    drop(writer);
    let moment = moment().await;
    sweep(&world, moment).await?;
    let mut writer = world.writer("t").await?;
    if writer.epoch() <= before {
        let epoch = writer.epoch();
        return Err(Failure(format!("epoch {epoch} came after {before}")));
    }
    let late = superstep_core::saver::Commit {
        thread: "t".into(),
        namespace: "".into(),
        epoch: before,
        record: first(1),
        events: Vec::new(),
    };
    refused(
        "a commit from before",
        world.saver.commit(late).await,
        CONFLICT,
    )?;
    writer.commit("", first(1)).await?;
    world.agrees("t", &writer.model).await
}
