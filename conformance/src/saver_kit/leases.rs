//! Leases: who may write, and until when.

use superstep_core::{
    error::SaverError,
    policy::Durability,
    saver::{At, Commit, Lease, Notes},
};

use super::fixture::{BUSY, Bench, CONFLICT, Fixture, refused};
use super::records::{delta, done, first, id, node};
use crate::kit::{Failure, Verdict, cases, equal, together};

cases![
    SaverCheck: a_thread_is_busy_while_its_lease_is_held,
    a_thread_is_free_once_its_lease_is_dropped,
    each_lease_has_a_greater_epoch,
    epochs_grow_over_a_deletion,
    leases_of_two_threads_are_independent,
    of_many_claims_at_once_one_wins,
    a_lease_alone_makes_no_thread,
    reading_needs_no_lease,
    a_commit_with_an_old_epoch_is_refused,
    a_note_with_an_old_epoch_is_refused,
    an_epoch_nobody_was_given_is_refused,
];

async fn a_thread_is_busy_while_its_lease_is_held(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    let second = fixture.saver.lease(&"t".into()).await;
    refused("a second lease", second, BUSY)?;
    writer.commit("", first(1)).await?;
    let third = fixture.saver.lease(&"t".into()).await;
    refused("a lease after a commit", third, BUSY)?;
    // The refused claims must not have taken the right away from its holder.
    writer.commit("", delta(2, 1)).await?;
    fixture.agrees("t", &writer.model).await
}

async fn a_thread_is_free_once_its_lease_is_dropped(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let mut model = writer.end();
    for number in 2..5 {
        let mut writer = fixture.writer_after("t", model).await?;
        writer.commit("", delta(number, number - 1)).await?;
        model = writer.end();
    }
    fixture.agrees("t", &model).await
}

async fn each_lease_has_a_greater_epoch(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut last = fixture.lease("t").await?.epoch;
    for round in 0..10 {
        let lease = fixture.lease("t").await?;
        if lease.epoch <= last {
            let epoch = lease.epoch;
            return Err(Failure(format!("epoch {epoch} came after {last}")));
        }
        last = lease.epoch;
        drop(lease);
        if round == 5 {
            let mut writer = fixture.writer("t").await?;
            writer.commit("", first(1)).await?;
            last = writer.epoch();
        }
    }
    Ok(())
}

async fn epochs_grow_over_a_deletion(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let before = writer.epoch();
    drop(writer);
    fixture.saver.delete(&"t".into()).await?;
    let late = commit(&fixture, before, 2).await;
    refused("a commit from before the deletion", late, CONFLICT)?;
    let lease = fixture.lease("t").await?;
    if lease.epoch <= before {
        let epoch = lease.epoch;
        return Err(Failure(format!("epoch {epoch} came after {before}")));
    }
    let late = commit(&fixture, before, 2).await;
    refused("a commit from before the deletion", late, CONFLICT)
}

async fn leases_of_two_threads_are_independent(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut left = fixture.writer("left").await?;
    let mut right = fixture.writer("right").await?;
    left.commit("", first(1)).await?;
    right.commit("", first(1)).await?;
    let left = left.end();
    let taken = fixture.saver.lease(&"right".into()).await;
    refused("a lease of the other thread", taken, BUSY)?;
    let left = fixture.writer_after("left", left).await?;
    right.commit("", delta(2, 1)).await?;
    fixture.agrees("left", &left.model).await?;
    fixture.agrees("right", &right.model).await
}

async fn of_many_claims_at_once_one_wins(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for _ in 0..4 {
        let claims = (0..64).map(|_| async { fixture.saver.lease(&"t".into()).await });
        let claims: Vec<Result<Lease, SaverError>> = together(claims.collect()).await;
        let won = claims.iter().filter(|claim| claim.is_ok()).count();
        equal("claims that won", won, 1)?;
        for claim in claims.into_iter().filter(Result::is_err) {
            refused("a claim that lost", claim, BUSY)?;
        }
    }
    Ok(())
}

async fn a_lease_alone_makes_no_thread(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let lease = fixture.lease("t").await?;
    equal("threads while it is held", fixture.listed().await?.len(), 0)?;
    drop(lease);
    equal("threads afterwards", fixture.listed().await?.len(), 0)?;
    equal("its newest", fixture.head("t", "", At::Latest).await?, None)
}

async fn reading_needs_no_lease(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    writer.note("", 2, vec![done(node(0), 1)]).await?;
    fixture.agrees("t", &writer.model).await?;
    equal("threads", fixture.listed().await?, ["t"])
}

async fn a_commit_with_an_old_epoch_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let old = writer.epoch();
    let mut writer = {
        let model = writer.end();
        fixture.writer_after("t", model).await?
    };
    refused("an old commit", commit(&fixture, old, 2).await, CONFLICT)?;
    writer.commit("", delta(2, 1)).await?;
    refused("an old commit", commit(&fixture, old, 3).await, CONFLICT)?;
    fixture.agrees("t", &writer.model).await
}

async fn a_note_with_an_old_epoch_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let old = writer.epoch();
    let model = writer.end();
    let mut writer = fixture.writer_after("t", model).await?;
    let notes = Notes {
        thread: "t".into(),
        namespace: "".into(),
        epoch: old,
        durability: Durability::Sync,
        checkpoint: id(1),
        notes: vec![done(node(0), 1)],
        events: Vec::new(),
    };
    refused("an old note", fixture.saver.note(notes).await, CONFLICT)?;
    writer.note("", 1, vec![done(node(1), 2)]).await?;
    fixture.agrees("t", &writer.model).await
}

async fn an_epoch_nobody_was_given_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for epoch in [0, 1, u64::MAX] {
        let got = commit(&fixture, epoch, 1).await;
        refused("a commit without any lease", got, CONFLICT)?;
    }
    equal("threads", fixture.listed().await?.len(), 0)?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let later = writer.epoch() + 1;
    let got = commit(&fixture, later, 2).await;
    refused("a commit of a lease to come", got, CONFLICT)?;
    fixture.agrees("t", &writer.model).await
}

async fn commit(fixture: &Fixture, epoch: u64, number: u64) -> Result<(), SaverError> {
    let record = match number {
        1 => first(1),
        _ => delta(number, number - 1),
    };
    let commit = Commit {
        thread: "t".into(),
        namespace: "".into(),
        epoch,
        record: record.into(),
        events: Vec::new(),
    };
    fixture.saver.commit(commit).await.map(drop)
}
