//! Retention: which threads are deleted, which are pruned, and what counts as use.
//!
//! A saver notes times on its own clock, so it must be opened on the real one here.

use std::time::Duration;

use superstep_core::{
    clock::{Clock, UnixMillis},
    id::GraphPath,
    saver::{At, HistoryQuery, Keep, Retained, Retention},
};
use superstep_engine::clock::SystemClock;

use super::deletion::filled;
use super::fixture::{Bench, CONFLICT, Fixture, refused};
use super::records::{delta, first};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: an_idle_thread_goes_and_a_used_one_stays,
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
async fn sweep(fixture: &Fixture, moment: UnixMillis) -> Result<Vec<String>, Failure> {
    let retention = Retention {
        idle: Some(HOUR),
        keep: None,
    };
    let got = fixture
        .saver
        .retain(&retention, moment + HOUR_MILLIS)
        .await?;
    equal("pruned checkpoints", got.pruned, 0)?;
    Ok(names(&got))
}

fn names(retained: &Retained) -> Vec<String> {
    retained.deleted.iter().map(ToString::to_string).collect()
}

async fn an_idle_thread_goes_and_a_used_one_stays(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for thread in ["old", "b", ""] {
        filled(&fixture, thread).await?;
    }
    let kept = filled(&fixture, "new").await?;
    let moment = moment().await;
    let mut writer = fixture.writer_after("new", kept).await?;
    writer.commit("", delta(4, 3)).await?;
    let kept = writer.end();
    let early = sweep(&fixture, moment - HOUR_MILLIS).await?;
    equal("deleted too early", early.len(), 0)?;
    equal("deleted", sweep(&fixture, moment).await?, ["", "b", "old"])?;
    equal("threads", fixture.listed().await?, ["new"])?;
    for namespace in kept.spaces.keys() {
        let head = fixture.head("old", namespace.as_str(), At::Latest).await?;
        equal("what is left of a deleted thread", head, None)?;
    }
    fixture.agrees("new", &kept).await?;
    equal("deleted again", sweep(&fixture, moment).await?.len(), 0)
}

async fn a_lease_without_a_write_is_use(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "t").await?;
    let moment = moment().await;
    drop(fixture.lease("t").await?);
    equal("deleted", sweep(&fixture, moment).await?.len(), 0)?;
    fixture.agrees("t", &model).await
}

async fn the_end_of_a_lease_is_use(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "t").await?;
    let lease = fixture.lease("t").await?;
    let moment = moment().await;
    drop(lease);
    equal("deleted", sweep(&fixture, moment).await?.len(), 0)?;
    fixture.agrees("t", &model).await
}

async fn reading_is_no_use(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "t").await?;
    let moment = moment().await;
    fixture.agrees("t", &model).await?;
    fixture.saver.export(&"t".into()).await?;
    fixture.listed().await?;
    equal("deleted", sweep(&fixture, moment).await?, ["t"])
}

async fn a_copy_is_used_when_it_is_made(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "from").await?;
    let moment = moment().await;
    fixture.saver.copy(&"from".into(), &"copy".into()).await?;
    let archive = fixture.saver.export(&"from".into()).await?;
    fixture.saver.import(&"import".into(), archive).await?;
    equal("deleted", sweep(&fixture, moment).await?, ["from"])?;
    fixture.agrees("copy", &model).await?;
    fixture.agrees("import", &model).await
}

async fn a_leased_thread_is_left_alone(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "t").await?;
    filled(&fixture, "other").await?;
    let mut writer = fixture.writer_after("t", model).await?;
    let moment = moment().await;
    let retention = Retention {
        idle: Some(HOUR),
        keep: Some(Keep::Latest),
    };
    let got = fixture
        .saver
        .retain(&retention, moment + HOUR_MILLIS)
        .await?;
    equal("deleted", names(&got), ["other"])?;
    equal("pruned", got.pruned, 0)?;
    fixture.agrees("t", &writer.model).await?;
    writer.commit("", delta(4, 1)).await?;
    let model = writer.end();
    fixture.agrees("t", &model).await
}

async fn a_retention_prunes_as_prune_does(bench: &Bench<'_>) -> Verdict {
    for keep in [Keep::Latest, Keep::Last(2), Keep::Last(usize::MAX)] {
        let (swept, pruned) = (bench.open().await?, bench.open().await?);
        let mut model = None;
        for fixture in [&swept, &pruned] {
            for thread in ["a", "b"] {
                model = Some(filled(fixture, thread).await?);
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
    fixture: &Fixture,
    namespaces: impl Iterator<Item = &GraphPath>,
) -> Result<usize, Failure> {
    let mut count = 0;
    for namespace in namespaces {
        for thread in ["a", "b"] {
            let all = HistoryQuery::default();
            count += fixture
                .history(thread, namespace.as_str(), all)
                .await?
                .len();
        }
    }
    Ok(count)
}

async fn an_idle_thread_goes_whole(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    filled(&fixture, "t").await?;
    let moment = moment().await;
    let retention = Retention {
        idle: Some(HOUR),
        keep: Some(Keep::Latest),
    };
    let got = fixture
        .saver
        .retain(&retention, moment + HOUR_MILLIS)
        .await?;
    equal("deleted", names(&got), ["t"])?;
    equal("pruned of what is deleted", got.pruned, 0)?;
    equal("threads", fixture.listed().await?.len(), 0)
}

async fn a_retention_without_wishes_changes_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "t").await?;
    let got = fixture
        .saver
        .retain(&Retention::default(), UnixMillis::MAX)
        .await?;
    equal("what is gone", got, Retained::default())?;
    fixture.agrees("t", &model).await
}

async fn a_thread_that_went_can_begin_again(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let before = writer.epoch();
    drop(writer);
    let moment = moment().await;
    sweep(&fixture, moment).await?;
    let mut writer = fixture.writer("t").await?;
    if writer.epoch() <= before {
        let epoch = writer.epoch();
        return Err(Failure(format!("epoch {epoch} came after {before}")));
    }
    let late = superstep_core::saver::Commit {
        thread: "t".into(),
        namespace: "".into(),
        epoch: before,
        record: first(1).into(),
        events: Vec::new(),
    };
    refused(
        "a commit from before",
        fixture.saver.commit(late).await,
        CONFLICT,
    )?;
    writer.commit("", first(1)).await?;
    fixture.agrees("t", &writer.model).await
}
