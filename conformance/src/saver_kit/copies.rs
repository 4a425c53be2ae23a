//! Copies of threads.

use superstep_core::saver::At;

use super::deletion::filled;
use super::records::{delta, done, first, node};
use super::world::{Bench, EXISTS, NO_THREAD, refused};
use crate::kit::{Verdict, cases, equal};

cases![
    a_copy_reads_like_the_original,
    a_copy_and_its_original_go_their_own_ways,
    a_copy_outlives_its_original,
    a_copy_of_a_copy_is_a_copy,
    an_existing_target_is_refused,
    an_unknown_source_is_refused,
];

async fn a_copy_reads_like_the_original(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "from").await?;
    let other = filled(&world, "other").await?;
    world.saver.copy(&"from".into(), &"to".into()).await?;
    world.agrees("to", &model).await?;
    world.agrees("from", &model).await?;
    world.agrees("other", &other).await?;
    equal("threads", world.listed().await?, ["from", "other", "to"])
}

async fn a_copy_and_its_original_go_their_own_ways(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "from").await?;
    world.saver.copy(&"from".into(), &"to".into()).await?;
    let mut copy = world.writer_after("to", model.clone()).await?;
    let mut original = world.writer_after("from", model).await?;
    copy.commit("", delta(4, 3)).await?;
    copy.note("", 2, vec![done(node(0), "of the copy")]).await?;
    copy.commit("new:1", first(5)).await?;
    original.commit("", delta(6, 2)).await?;
    original
        .note("a:1", 3, vec![done(node(2), "of the original")])
        .await?;
    world.agrees("from", &original.model).await?;
    world.agrees("to", &copy.model).await?;
    let foreign = world.head("from", "new:1", At::Latest).await?;
    equal("the copy's new namespace in the original", foreign, None)
}

async fn a_copy_outlives_its_original(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "from").await?;
    world.saver.copy(&"from".into(), &"to".into()).await?;
    world.saver.delete(&"from".into()).await?;
    world.agrees("to", &model).await?;
    equal("threads", world.listed().await?, ["to"])
}

async fn a_copy_of_a_copy_is_a_copy(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let model = filled(&world, "1").await?;
    world.saver.copy(&"1".into(), &"2".into()).await?;
    let mut writer = world.writer_after("2", model).await?;
    writer.commit("", delta(4, 3)).await?;
    let model = writer.end();
    world.saver.copy(&"2".into(), &"3".into()).await?;
    world.saver.delete(&"2".into()).await?;
    world.agrees("3", &model).await?;
    // The name is free again.
    world.saver.copy(&"3".into(), &"2".into()).await?;
    world.agrees("2", &model).await
}

async fn an_existing_target_is_refused(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    let from = filled(&world, "from").await?;
    let mut writer = world.writer("to").await?;
    writer.commit("", first(9)).await?;
    let to = writer.end();
    let got = world.saver.copy(&"from".into(), &"to".into()).await;
    refused("a copy onto another thread", got, EXISTS)?;
    let got = world.saver.copy(&"from".into(), &"from".into()).await;
    refused("a copy onto itself", got, EXISTS)?;
    world.agrees("from", &from).await?;
    world.agrees("to", &to).await?;
    let below = world.head("to", "a:1", At::Latest).await?;
    equal("a namespace that was not copied", below, None)
}

async fn an_unknown_source_is_refused(bench: &Bench<'_>) -> Verdict {
    let world = bench.open().await?;
    drop(world.lease("leased").await?);
    for from in ["unknown", "leased"] {
        let got = world.saver.copy(&from.into(), &"to".into()).await;
        refused("a copy of nothing", got, NO_THREAD)?;
    }
    equal("threads", world.listed().await?.len(), 0)
}
