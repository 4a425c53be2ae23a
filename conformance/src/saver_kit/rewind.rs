//! Undoing what was stored after an id.

use superstep_core::{
    event::{Cursor, Entry, Logged},
    saver::{At, Events},
};

use super::fixture::{Bench, CONFLICT, Fixture, Writer, refused};
use super::model::Model;
use super::records::{delta, done, first, id, node};
use super::runs::{begin, run};
use crate::kit::{Verdict, cases, equal};

cases![
    SaverCheck: rewinding_drops_what_is_newer_in_every_graph,
    rewinding_keeps_notes_that_came_late,
    a_thread_that_is_rewound_to_nothing_is_listed_no_more,
    a_rewound_thread_goes_on,
    rewinding_to_the_newest_changes_nothing,
    who_has_no_lease_rewinds_nothing,
];

async fn rewind(fixture: &Fixture, writer: &Writer, to: u64) -> Verdict {
    let runs = fixture.saver.runs();
    runs.rewind(writer.thread(), writer.epoch(), id(to)).await?;
    Ok(())
}

/// Stores the same on a thread that is rewound and in a model that never had the rest.
async fn rewound(fixture: &Fixture, thread: &str) -> Result<(Writer, Model), crate::kit::Failure> {
    let mut writer = fixture.writer(thread).await?;
    writer.commit("", first(1)).await?;
    writer.commit("a", first(2)).await?;
    writer.commit("", delta(3, 1)).await?;
    writer.note("", 3, vec![done(node(0), "kept")]).await?;
    writer.commit("a", delta(4, 2)).await?;
    let kept = writer.model.clone();
    writer.commit("b:1", first(6)).await?;
    writer.commit("a", delta(7, 4)).await?;
    let tasks = vec![done(node(1), "undone")];
    let with_tasks = superstep_core::record::Record {
        tasks,
        ..delta(8, 3)
    };
    writer.commit("", with_tasks).await?;
    writer.note("", 8, vec![done(node(2), "undone")]).await?;
    writer.commit("", delta(9, 8)).await?;
    rewind(fixture, &writer, 5).await?;
    writer.model = kept.clone();
    Ok((writer, kept))
}

async fn rewinding_drops_what_is_newer_in_every_graph(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let (writer, kept) = rewound(&fixture, "t").await?;
    fixture.agrees("t", &kept).await?;
    let below = fixture.head("t", "b:1", At::Latest).await?;
    equal("a graph that began later", below, None)?;
    drop(writer);
    fixture.agrees("t", &kept).await?;
    equal("threads", fixture.listed().await?, ["t"])
}

async fn rewinding_keeps_notes_that_came_late(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    let mut kept = writer.model.clone();
    writer.commit("", delta(3, 1)).await?;
    let late = vec![done(node(0), "late")];
    writer.note("", 2, late.clone()).await?;
    kept.note(&"".into(), id(2), &late);
    writer.commit("", delta(4, 3)).await?;
    rewind(&fixture, &writer, 2).await?;
    drop(writer);
    fixture.agrees("t", &kept).await
}

async fn a_thread_that_is_rewound_to_nothing_is_listed_no_more(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    writer.commit("", first(1)).await?;
    writer.commit("a:1", first(2)).await?;
    writer.commit("", delta(3, 1)).await?;
    let entry = Logged {
        cursor: Cursor {
            epoch: writer.epoch(),
            n: 1,
        },
        checkpoint: Some(id(3)),
        at: None,
        entry: Entry::Ended(superstep_core::event::Ending::Done),
    };
    let events = Events {
        thread: writer.thread().clone(),
        epoch: writer.epoch(),
        events: vec![entry],
    };
    fixture.saver.log(events).await?;
    rewind(&fixture, &writer, 0).await?;
    equal("threads", fixture.listed().await?.len(), 0)?;
    equal("its newest", fixture.head("t", "", At::Latest).await?, None)?;
    drop(writer);
    equal("threads", fixture.listed().await?.len(), 0)?;
    let kept = fixture.saver.runs().load_run(run(1)).await?;
    equal("whether its run is kept", kept.is_some(), true)?;
    let log = fixture.saver.events(&"t".into(), None, 9).await?;
    equal("entries of its log", log.len(), 1)?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(5)).await?;
    let model = writer.end();
    fixture.agrees("t", &model).await
}

async fn a_rewound_thread_goes_on(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let (mut writer, _) = rewound(&fixture, "t").await?;
    let gone = writer.try_commit("", delta(20, 8)).await;
    refused("a child of a checkpoint that is gone", gone, "SS2005")?;
    writer.commit("", delta(21, 3)).await?;
    writer.note("", 3, vec![done(node(2), "new")]).await?;
    writer.commit("a", delta(22, 4)).await?;
    writer.commit("b:1", first(23)).await?;
    writer.commit("", delta(24, 21)).await?;
    let model = writer.end();
    fixture.agrees("t", &model).await?;
    fixture.saver.copy(&"t".into(), &"copy".into()).await?;
    fixture.agrees("copy", &model).await
}

async fn rewinding_to_the_newest_changes_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let (writer, kept) = rewound(&fixture, "t").await?;
    for to in [4, 5, 99] {
        rewind(&fixture, &writer, to).await?;
        fixture.agrees("t", &kept).await?;
    }
    Ok(())
}

async fn who_has_no_lease_rewinds_nothing(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let (thread, old) = (writer.thread().clone(), writer.epoch());
    let model = writer.end();
    let runs = fixture.saver.runs();
    let got = runs.rewind(&thread, old, id(0)).await;
    refused("rewinding after the lease", got, CONFLICT)?;
    let lease = fixture.lease("t").await?;
    let got = runs.rewind(&thread, old, id(0)).await;
    refused("rewinding with an old lease", got, CONFLICT)?;
    let got = runs.rewind(&"other".into(), lease.epoch, id(0)).await;
    refused("rewinding another thread", got, CONFLICT)?;
    fixture.agrees("t", &model).await
}
