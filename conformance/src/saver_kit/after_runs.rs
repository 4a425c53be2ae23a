//! Work after runs: who claims it, and what holds it up.

use std::time::Duration;

use superstep_core::{
    runs::{AfterClaim, AfterRun, Cancel, CancelRequest, EnqueueRun, ReadAlong},
    value::Value,
};

use super::fixture::{Bench, CONFLICT, Fixture, refused};
use super::runs::run;
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: work_after_a_run_is_claimed_once_it_has_ended,
    work_after_a_run_is_done_by_one_at_a_time,
    what_is_left_after_a_run_is_claimed_again,
    readers_hold_up_the_removal_of_a_thread,
];

const HOUR: Duration = Duration::from_secs(3600);

const ALL: AfterRun = AfterRun {
    calls: true,
    removes_thread: true,
};

const REMOVAL: AfterRun = AfterRun {
    calls: false,
    removes_thread: true,
};

const NOTHING: AfterRun = AfterRun {
    calls: false,
    removes_thread: false,
};

/// Puts a run into the queue.
async fn put(fixture: &Fixture, n: u64, after_run: AfterRun, reader: Option<ReadAlong>) -> Verdict {
    let new = EnqueueRun {
        after_run,
        reader,
        metadata: Value::map([("n", Value::from("é"))]),
        ..EnqueueRun::new(format!("t{n}"), run(n), "order")
    };
    fixture.saver.run_queue().enqueue(new).await?;
    Ok(())
}

/// Ends a run that waits.
async fn end(fixture: &Fixture, n: u64) -> Verdict {
    let request = CancelRequest {
        how: Cancel::Now,
        reason: "enough".to_owned(),
        at: 1,
    };
    fixture.saver.runs().request_cancel(run(n), request).await?;
    Ok(())
}

async fn claim(fixture: &Fixture, lease: Duration) -> Result<Vec<AfterClaim>, Failure> {
    Ok(fixture.saver.after_runs().claim_after(10, lease).await?)
}

async fn one(fixture: &Fixture, lease: Duration) -> Result<AfterClaim, Failure> {
    let mut claims = claim(fixture, lease).await?;
    equal("how many claims there are", claims.len(), 1)?;
    claims.pop().ok_or_else(|| Failure("no claim".into()))
}

async fn gets_nothing(fixture: &Fixture) -> Verdict {
    equal("what is claimed", claim(fixture, HOUR).await?, [])
}

async fn work_after_a_run_is_claimed_once_it_has_ended(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (n, after) in [(1, ALL), (2, NOTHING), (3, ALL)] {
        put(&fixture, n, after, None).await?;
    }
    gets_nothing(&fixture).await?;
    end(&fixture, 2).await?;
    gets_nothing(&fixture).await?;
    end(&fixture, 1).await?;
    let claim = one(&fixture, HOUR).await?;
    equal("the run", claim.record.id, run(1))?;
    equal("whether it has ended", claim.record.ending.is_some(), true)?;
    equal(
        "its metadata",
        claim.record.metadata.get("n"),
        Some(&Value::from("é")),
    )?;
    equal("what there is to do", claim.left, ALL)?;
    end(&fixture, 3).await?;
    equal("the next", one(&fixture, HOUR).await?.record.id, run(3))?;
    let runs = fixture.saver.after_runs();
    equal("at most none", runs.claim_after(0, HOUR).await?, [])
}

async fn work_after_a_run_is_done_by_one_at_a_time(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, 1, ALL, None).await?;
    end(&fixture, 1).await?;
    let after = fixture.saver.after_runs();
    let lost = one(&fixture, Duration::ZERO).await?;
    let held = one(&fixture, HOUR).await?;
    gets_nothing(&fixture).await?;
    let old = after.renew_after(&lost, HOUR).await;
    refused("a claim that was lost", old, CONFLICT)?;
    let old = after.settle_after(&lost, NOTHING, Duration::ZERO).await;
    refused("settling a claim that was lost", old, CONFLICT)?;
    after.renew_after(&held, HOUR).await?;
    gets_nothing(&fixture).await?;
    after.settle_after(&held, NOTHING, Duration::ZERO).await?;
    gets_nothing(&fixture).await?;
    let again = after.settle_after(&held, ALL, Duration::ZERO).await;
    refused("settling what is done", again, CONFLICT)
}

async fn what_is_left_after_a_run_is_claimed_again(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, 1, ALL, None).await?;
    end(&fixture, 1).await?;
    let after = fixture.saver.after_runs();
    let called = one(&fixture, HOUR).await?;
    after.settle_after(&called, REMOVAL, Duration::ZERO).await?;
    let removal = one(&fixture, HOUR).await?;
    equal("what is left", removal.left, REMOVAL)?;
    after.settle_after(&removal, REMOVAL, HOUR).await?;
    gets_nothing(&fixture).await?;
    fixture.saver.delete(&"t1".into()).await?;
    let gone = after.settle_after(&removal, NOTHING, HOUR).await;
    refused("settling after the thread is gone", gone, CONFLICT)
}

async fn readers_hold_up_the_removal_of_a_thread(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let after = fixture.saver.after_runs();
    let reader = |reader| ReadAlong {
        reader,
        lease: HOUR,
    };
    put(&fixture, 1, REMOVAL, Some(reader(7))).await?;
    let held = after.read_along(run(1), reader(8)).await?;
    equal("whether a second reader holds it up", held, true)?;
    end(&fixture, 1).await?;
    gets_nothing(&fixture).await?;
    let left = after.leave(run(1), 7, HOUR).await?;
    equal("what the first to leave claims", left, None)?;
    gets_nothing(&fixture).await?;
    let last = after.leave(run(1), 8, HOUR).await?;
    let last = last.map(|claim| claim.left);
    equal("what the last to leave claims", last, Some(REMOVAL))?;
    gets_nothing(&fixture).await?;
    // A mark that is not renewed ends.
    let ended = ReadAlong {
        reader: 9,
        lease: Duration::ZERO,
    };
    put(&fixture, 2, REMOVAL, Some(ended)).await?;
    end(&fixture, 2).await?;
    equal("the run", one(&fixture, HOUR).await?.record.id, run(2))?;
    // Nothing is removed after other runs, and nothing holds up a webhook.
    put(&fixture, 3, NOTHING, Some(reader(7))).await?;
    let held = after.read_along(run(3), reader(8)).await?;
    equal("whether a reader of another run holds it up", held, false)?;
    put(&fixture, 4, ALL, Some(reader(7))).await?;
    end(&fixture, 4).await?;
    equal("the run", one(&fixture, HOUR).await?.record.id, run(4))?;
    let unknown = after.read_along(run(5), reader(8)).await?;
    equal("whether a reader of no run holds it up", unknown, false)?;
    let unknown = after.leave(run(5), 8, HOUR).await?;
    equal("what the reader of no run claims", unknown, None)
}
