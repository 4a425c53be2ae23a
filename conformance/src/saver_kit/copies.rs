//! Copies of threads.

use superstep_core::saver::At;

use super::deletion::filled;
use super::fixture::{Bench, EXISTS, NO_THREAD, refused};
use super::records::{delta, done, first, node};
use crate::kit::{Verdict, cases, equal};

cases![
    SaverCheck: a_copy_reads_like_the_original,
    a_copy_and_its_original_go_their_own_ways,
    a_copy_outlives_its_original,
    a_copy_of_a_copy_is_a_copy,
    an_existing_target_is_refused,
    an_unknown_source_is_refused,
];

async fn a_copy_reads_like_the_original(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "from").await?;
    let other = filled(&fixture, "other").await?;
    fixture.saver.copy(&"from".into(), &"to".into()).await?;
    fixture.agrees("to", &model).await?;
    fixture.agrees("from", &model).await?;
    fixture.agrees("other", &other).await?;
    equal("threads", fixture.listed().await?, ["from", "other", "to"])
}

async fn a_copy_and_its_original_go_their_own_ways(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "from").await?;
    fixture.saver.copy(&"from".into(), &"to".into()).await?;
    let mut copy = fixture.writer_after("to", model.clone()).await?;
    let mut original = fixture.writer_after("from", model).await?;
    copy.commit("", delta(4, 3)).await?;
    copy.note("", 2, vec![done(node(0), "of the copy")]).await?;
    copy.commit("new:1", first(5)).await?;
    original.commit("", delta(6, 2)).await?;
    original
        .note("a:1", 3, vec![done(node(2), "of the original")])
        .await?;
    fixture.agrees("from", &original.model).await?;
    fixture.agrees("to", &copy.model).await?;
    let foreign = fixture.head("from", "new:1", At::Latest).await?;
    equal("the copy's new namespace in the original", foreign, None)
}

async fn a_copy_outlives_its_original(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "from").await?;
    fixture.saver.copy(&"from".into(), &"to".into()).await?;
    fixture.saver.delete(&"from".into()).await?;
    fixture.agrees("to", &model).await?;
    equal("threads", fixture.listed().await?, ["to"])
}

async fn a_copy_of_a_copy_is_a_copy(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let model = filled(&fixture, "1").await?;
    fixture.saver.copy(&"1".into(), &"2".into()).await?;
    let mut writer = fixture.writer_after("2", model).await?;
    writer.commit("", delta(4, 3)).await?;
    let model = writer.end();
    fixture.saver.copy(&"2".into(), &"3".into()).await?;
    fixture.saver.delete(&"2".into()).await?;
    fixture.agrees("3", &model).await?;
    // The name is free again.
    fixture.saver.copy(&"3".into(), &"2".into()).await?;
    fixture.agrees("2", &model).await
}

async fn an_existing_target_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let from = filled(&fixture, "from").await?;
    let mut writer = fixture.writer("to").await?;
    writer.commit("", first(9)).await?;
    let to = writer.end();
    let got = fixture.saver.copy(&"from".into(), &"to".into()).await;
    refused("a copy onto another thread", got, EXISTS)?;
    let got = fixture.saver.copy(&"from".into(), &"from".into()).await;
    refused("a copy onto itself", got, EXISTS)?;
    fixture.agrees("from", &from).await?;
    fixture.agrees("to", &to).await?;
    let below = fixture.head("to", "a:1", At::Latest).await?;
    equal("a namespace that was not copied", below, None)
}

async fn an_unknown_source_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    drop(fixture.lease("leased").await?);
    for from in ["unknown", "leased"] {
        let got = fixture.saver.copy(&from.into(), &"to".into()).await;
        refused("a copy of nothing", got, NO_THREAD)?;
    }
    equal("threads", fixture.listed().await?.len(), 0)
}
