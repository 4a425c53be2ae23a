//! Listing and deleting threads.

use superstep_core::saver::{At, HistoryQuery};

use super::fixture::{BUSY, Bench, Fixture, refused};
use super::model::Model;
use super::records::{delta, done, first, node};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: threads_are_listed_in_order_of_name,
    a_deleted_thread_is_gone_with_all_namespaces,
    a_deleted_thread_can_begin_again,
    deleting_an_unknown_thread_is_fine,
    deleting_leaves_other_threads,
    a_leased_thread_is_not_deleted,
];

async fn threads_are_listed_in_order_of_name(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    equal(
        "threads of an empty saver",
        fixture.listed().await?.len(),
        0,
    )?;
    for thread in ["b", "a", "B", "ä", "10", "9", "a b", ""] {
        filled(&fixture, thread).await?;
    }
    let wanted = ["", "10", "9", "B", "a", "a b", "b", "ä"];
    equal("threads", fixture.listed().await?, wanted)
}

async fn a_deleted_thread_is_gone_with_all_namespaces(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "t").await?;
    fixture.agrees("t", &model).await?;
    fixture.saver.delete(&"t".into()).await?;
    equal("threads", fixture.listed().await?.len(), 0)?;
    for (namespace, rows) in &model.spaces {
        let namespace = namespace.as_str();
        let head = fixture.head("t", namespace, At::Latest).await?;
        equal(&format!("the newest of {namespace:?}"), head, None)?;
        for row in rows {
            let head = fixture.head("t", namespace, At::Id(row.record.id)).await?;
            equal(&format!("a checkpoint of {namespace:?}"), head, None)?;
        }
        let history = fixture.history("t", namespace, HistoryQuery::default());
        let history = history.await?.len();
        equal(&format!("the history of {namespace:?}"), history, 0)?;
    }
    Ok(())
}

async fn a_deleted_thread_can_begin_again(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    filled(&fixture, "t").await?;
    fixture.saver.delete(&"t".into()).await?;
    let mut writer = fixture.writer("t").await?;
    // The same ids as before: nothing of the old thread may show through.
    writer.commit("", first(1)).await?;
    writer.commit("a:1", first(2)).await?;
    fixture.agrees("t", &writer.model).await?;
    writer.commit("", delta(2, 1)).await?;
    fixture.agrees("t", &writer.model).await
}

async fn deleting_an_unknown_thread_is_fine(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    fixture.saver.delete(&"t".into()).await?;
    let model = filled(&fixture, "other").await?;
    fixture.saver.delete(&"t".into()).await?;
    equal("threads", fixture.listed().await?, ["other"])?;
    fixture.agrees("other", &model).await
}

async fn deleting_leaves_other_threads(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut models = Vec::new();
    for thread in ["t", "t2", "T", "t%", "a:1", ""] {
        models.push((thread, filled(&fixture, thread).await?));
    }
    fixture.saver.delete(&"t".into()).await?;
    for (thread, model) in models.iter().filter(|(thread, _)| *thread != "t") {
        fixture.agrees(thread, model).await?;
    }
    equal(
        "threads",
        fixture.listed().await?,
        ["", "T", "a:1", "t%", "t2"],
    )
}

async fn a_leased_thread_is_not_deleted(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "t").await?;
    let writer = fixture.writer_after("t", model).await?;
    let got = fixture.saver.delete(&"t".into()).await;
    refused("deleting a leased thread", got, BUSY)?;
    fixture.agrees("t", &writer.model).await?;
    drop(writer);
    fixture.saver.delete(&"t".into()).await?;
    equal("threads", fixture.listed().await?.len(), 0)
}

/// A thread with two namespaces and notes.
pub(super) async fn filled(fixture: &Fixture, thread: &str) -> Result<Model, Failure> {
    let mut writer = fixture.writer(thread).await?;
    for namespace in ["", "a:1", "a:1|b:2", "c"] {
        writer.commit(namespace, first(1)).await?;
        writer.commit(namespace, delta(2, 1)).await?;
        writer.commit(namespace, delta(3, 1)).await?;
        let notes = vec![done(node(0), thread), done(node(1), namespace)];
        writer.note(namespace, 2, notes).await?;
    }
    Ok(writer.end())
}
