//! The queue of runs: who may claim what, and what becomes of claims that nobody keeps.

use std::{sync::Arc, time::Duration};

use superstep_core::{
    ask::Resume,
    caller::Caller,
    checkpoint::CheckpointRef,
    command::Command,
    event::{Ending, Modes},
    id::{AskId, RunId},
    plan::Pauses,
    policy::Durability,
    record::{Pending, Record, StartValue},
    runs::{
        Allowance, Cancel, CancelRequest, ClaimGraph, ClaimRuns, EndRun, EnqueueRun, OnBusy,
        QueuedInput, QueuedOptions, Release, RunBudget, RunCost, RunRecord, RunStatus,
    },
    saver::Claimed,
    value::Value,
};

use super::fixture::{BUSY, Bench, CONFLICT, Fixture, RUN_ENDED, UNSTORABLE, refused};
use super::model::{Model, same};
use super::records::{delta, first, id};
use super::runs::{begin, run};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_queued_run_is_claimed_once,
    what_a_queued_run_brings_along_survives,
    runs_of_a_thread_are_claimed_one_after_the_other,
    the_run_that_is_due_longest_is_claimed_first,
    a_worker_takes_only_runs_of_its_graphs,
    a_claim_takes_at_most_what_is_asked_for,
    owners_take_turns,
    owners_whose_runs_sleep_hold_up_nobody,
    a_claim_brings_the_newest_checkpoint,
    a_claim_ends_with_its_lease,
    a_run_is_claimed_although_another_was_dropped_on_its_thread,
    a_released_run_is_claimed_again,
    a_refused_run_has_ended,
    a_queued_run_that_was_cut_short_goes_back_until_its_attempts_are_used_up,
    a_run_whose_worker_stops_goes_back_without_counting_the_attempt,
    a_busy_thread_refuses_a_run_if_asked_to,
    a_run_in_place_of_others_has_them_cancelled,
    a_run_that_waits_is_cancelled_at_once,
    a_worker_is_woken_by_a_new_run,
    runs_are_dated_by_the_clock_of_the_saver,
];

const HOUR: Duration = Duration::from_secs(3600);

/// A worker that is not woken within this time is never woken.
const WAIT_LIMIT: Duration = Duration::from_secs(3);

fn new(thread: &str, n: u64) -> EnqueueRun {
    EnqueueRun::new(thread, run(n), "order")
}

async fn put(fixture: &Fixture, new: EnqueueRun) -> Verdict {
    fixture.saver.run_queue().enqueue(new).await?;
    Ok(())
}

/// Runs of these graphs, as a worker claims them.
fn wanted(graphs: &[&str], limit: usize) -> ClaimRuns {
    let share = ClaimGraph {
        limit: usize::MAX,
        mark: id(0),
    };
    let graphs = graphs.iter().map(|name| (Arc::from(*name), share));
    ClaimRuns {
        graphs: graphs.collect(),
        limit,
    }
}

pub(super) async fn claim(
    fixture: &Fixture,
    graphs: &[&str],
    limit: usize,
) -> Result<Vec<Claimed>, Failure> {
    let wanted = wanted(graphs, limit);
    Ok(fixture.saver.run_queue().claim(&wanted).await?)
}

async fn claim_one(fixture: &Fixture) -> Result<Option<Claimed>, Failure> {
    Ok(claim(fixture, &["chat", "order"], 1).await?.pop())
}

fn ids(claimed: &[Claimed]) -> Vec<RunId> {
    claimed.iter().map(|claimed| claimed.record.id).collect()
}

/// Demands that a worker gets this run.
async fn gets(fixture: &Fixture, n: u64) -> Result<Claimed, Failure> {
    let claimed = claim_one(fixture).await?;
    let got = claimed.as_ref().map(|claimed| claimed.record.id);
    equal("the run that was claimed", got, Some(run(n)))?;
    claimed.ok_or_else(|| Failure("nothing was claimed".into()))
}

async fn gets_nothing(fixture: &Fixture) -> Verdict {
    let claimed = claim_one(fixture).await?.map(|claimed| claimed.record.id);
    equal("the run that was claimed", claimed, None)
}

async fn record(fixture: &Fixture, n: u64) -> Result<RunRecord, Failure> {
    let found = fixture.saver.runs().load_run(run(n)).await?;
    found.ok_or_else(|| Failure(format!("there is no run {n}")))
}

async fn status(fixture: &Fixture, n: u64) -> Result<RunStatus, Failure> {
    Ok(record(fixture, n).await?.status())
}

fn ending(claimed: &Claimed) -> EndRun {
    EndRun {
        thread: claimed.record.thread.clone(),
        epoch: claimed.lease.epoch,
        run: claimed.record.id,
        ending: Ending::Done,
        cost: RunCost::default(),
        keeps: false,
        hands_back: false,
        alarm: None,
    }
}

/// Ends a claimed run; its lease stays.
async fn end(fixture: &Fixture, claimed: &Claimed) -> Verdict {
    Ok(fixture.saver.runs().end_run(ending(claimed)).await?)
}

fn unfinished(n: u64) -> Record {
    Record {
        pending: Pending {
            start: Some(StartValue::Input(Value::Null)),
            ..Pending::default()
        },
        ..first(n)
    }
}

async fn a_queued_run_is_claimed_once(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    gets_nothing(&fixture).await?;
    put(&fixture, new("t", 1)).await?;
    equal("its status", status(&fixture, 1).await?, RunStatus::Queued)?;
    let again = fixture.saver.run_queue().enqueue(new("u", 1)).await;
    refused("the same id again", again, RUN_ENDED)?;
    equal("threads", fixture.listed().await?.len(), 0)?;
    let claimed = gets(&fixture, 1).await?;
    equal("its attempt", claimed.record.attempt, 1)?;
    equal("its lease", claimed.record.epoch, Some(claimed.lease.epoch))?;
    equal(
        "whether it has a checkpoint",
        matches!(claimed.loaded, Ok(Some(_))),
        false,
    )?;
    equal(
        "its record",
        record(&fixture, 1).await?,
        claimed.record.clone(),
    )?;
    equal("its status", status(&fixture, 1).await?, RunStatus::Running)?;
    refused("its thread", fixture.saver.lease(&"t".into()).await, BUSY)?;
    gets_nothing(&fixture).await?;
    end(&fixture, &claimed).await?;
    drop(claimed);
    equal("its status", status(&fixture, 1).await?, RunStatus::Done)?;
    gets_nothing(&fixture).await
}

/// Options of a run: none, some, or all of them.
fn options(n: u64, value: &Value) -> QueuedOptions {
    let at = CheckpointRef {
        namespace: "a|b:1".into(),
        id: Some(id(n)),
        parents: std::sync::Arc::new([("a".into(), id(9))].into()),
        repeats: n.is_multiple_of(2),
    };
    match n {
        1 => QueuedOptions::default(),
        2 => QueuedOptions {
            context: Some(Value::Null),
            caller: Some(Caller::local()),
            pause_before: Some(Pauses::All),
            pause_after: Some(Pauses::None),
            ..QueuedOptions::default()
        },
        _ => QueuedOptions {
            at: Some(at),
            limit: Some(u64::MAX),
            max_concurrency: Some(3),
            durability: Some(Durability::Exit),
            context: Some(value.clone()),
            context_unstored: true,
            caller: Some(Caller::new("ann").role("clerk")),
            pause_before: Some(Pauses::Nodes(vec!["a".into(), "b".into()])),
            pause_after: Some(Pauses::Nodes(Vec::new())),
            strict_resume: Some(true),
            strict_input: Some(false),
            keep_asks: Some(true),
            log: Some(Modes::VALUES.with(Modes::MESSAGES)),
            grace: Some(Duration::from_millis(1500)),
            budget: Some(RunBudget {
                run: Allowance::tokens(7),
                thread: Allowance::micro_usd(u64::MAX),
            }),
            traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
                .parse()
                .ok(),
            state_version: Some(4),
            state_shape: Some(u64::MAX),
        },
    }
}

async fn what_a_queued_run_brings_along_survives(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let value = Value::map([("x", Value::from("\u{0}ä")), ("n", Value::UInt(u64::MAX))]);
    let answers = [(AskId(u128::MAX), value.clone())].into();
    let inputs = [
        QueuedInput::Nothing,
        QueuedInput::Value(value.clone()),
        QueuedInput::Command(Command::default(), Some(Resume::Next(value.clone()))),
        QueuedInput::Command(Command::default(), Some(Resume::ById(answers))),
    ];
    let mut claimed = Vec::new();
    for (n, input) in (1..).zip(inputs) {
        let thread = format!("t{n}");
        let wanted = EnqueueRun {
            input,
            deadline: Some(77),
            attempts: 5,
            metadata: value.clone(),
            options: options(n, &value),
            ..new(&thread, n)
        };
        put(&fixture, wanted.clone()).await?;
        claimed.push(gets(&fixture, n).await?);
        let got = record(&fixture, n).await?;
        equal("its thread", &got.thread, &wanted.thread)?;
        equal("its graph", &got.graph, &wanted.graph)?;
        equal("its deadline", got.deadline, wanted.deadline)?;
        equal("its metadata", &got.metadata, &wanted.metadata)?;
        equal("its kind", got.input, wanted.input.kind())?;
        let queued = got
            .queued
            .map(|queued| (queued.input, queued.attempts, queued.options));
        let wanted = (wanted.input, 5, wanted.options);
        equal("what it is fed, and how", queued, Some(wanted))?;
    }
    let mut deep = Value::Null;
    for _ in 0..=superstep_core::value::MAX_DEPTH {
        deep = Value::list([deep]);
    }
    let deep = EnqueueRun {
        input: QueuedInput::Value(deep),
        ..new("deep", 9)
    };
    let got = fixture.saver.run_queue().enqueue(deep).await;
    refused("an input that is too deep", got, UNSTORABLE)
}

async fn runs_of_a_thread_are_claimed_one_after_the_other(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for n in [2, 1, 3] {
        put(&fixture, new("t", n)).await?;
    }
    for n in [2, 1, 3] {
        let claimed = gets(&fixture, n).await?;
        gets_nothing(&fixture).await?;
        end(&fixture, &claimed).await?;
        // Whoever holds the thread may be about to write.
        gets_nothing(&fixture).await?;
    }
    gets_nothing(&fixture).await
}

async fn the_run_that_is_due_longest_is_claimed_first(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let late = EnqueueRun {
        after: HOUR,
        ..new("late", 1)
    };
    put(&fixture, late).await?;
    let soon = EnqueueRun {
        after: Duration::from_millis(30),
        ..new("soon", 2)
    };
    put(&fixture, soon).await?;
    put(&fixture, new("now", 3)).await?;
    let _third = gets(&fixture, 3).await?;
    let claimed = loop {
        if let Some(claimed) = claim_one(&fixture).await? {
            break claimed;
        }
        tokio::task::yield_now().await;
    };
    equal("the next", claimed.record.id, run(2))?;
    // One that is not due holds up nobody.
    put(&fixture, new("late", 4)).await?;
    let _fourth = gets(&fixture, 4).await?;
    gets_nothing(&fixture).await
}

async fn a_worker_takes_only_runs_of_its_graphs(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    for (graphs, wanted) in [
        (&[] as &[&str], Vec::new()),
        (&["Order", ""], Vec::new()),
        (&["chat", "order"], vec![run(1)]),
    ] {
        let got = claim(&fixture, graphs, 1).await?;
        equal("runs", ids(&got), wanted)?;
    }
    Ok(())
}

async fn a_claim_takes_at_most_what_is_asked_for(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for n in 1..=8 {
        let graph = if n <= 5 { "order" } else { "chat" };
        let run = EnqueueRun {
            graph: graph.into(),
            ..new(&format!("t{n}"), n)
        };
        put(&fixture, run).await?;
    }
    equal("none", claim(&fixture, &["order"], 0).await?.len(), 0)?;
    let two = claim(&fixture, &["order", "chat"], 2).await?;
    equal("two runs", ids(&two), vec![run(1), run(2)])?;
    let mut few = wanted(&["order", "chat"], 4);
    if let Some(order) = few.graphs.get_mut("order") {
        order.limit = 1;
    }
    let more = fixture.saver.run_queue().claim(&few).await?;
    let got = vec![run(3), run(6), run(7), run(8)];
    equal("one of a graph and four in all", ids(&more), got)
}

async fn owners_take_turns(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (n, owner) in (1..).zip(["ann", "ann", "ann", "bob", "bob", "ann"]) {
        let options = QueuedOptions {
            caller: Some(Caller::new(owner)),
            ..QueuedOptions::default()
        };
        let run = EnqueueRun {
            options,
            ..new(&format!("t{n}"), n)
        };
        put(&fixture, run).await?;
    }
    let first = claim(&fixture, &["order"], 3).await?;
    equal("the first runs", ids(&first), vec![run(1), run(4), run(2)])?;
    // Those that are under way count too.
    let second = claim(&fixture, &["order"], 2).await?;
    equal("the next runs", ids(&second), vec![run(5), run(3)])?;
    for claimed in first.iter().chain(&second) {
        end(&fixture, claimed).await?;
    }
    drop((first, second));
    gets(&fixture, 6).await.map(drop)
}

async fn owners_whose_runs_sleep_hold_up_nobody(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let of = |n: u64, owner: &str, after: Duration| {
        let options = QueuedOptions {
            caller: Some(Caller::new(owner)),
            ..QueuedOptions::default()
        };
        EnqueueRun {
            options,
            after,
            ..new(&format!("t{n}"), n)
        }
    };
    for n in 1..=40 {
        put(&fixture, of(n, &format!("owner{n}"), HOUR)).await?;
    }
    for (n, owner) in (51..).zip(["owner1", "owner1", "ann", "owner2"]) {
        put(&fixture, of(n, owner, Duration::ZERO)).await?;
    }
    let first = claim(&fixture, &["order"], 3).await?;
    equal("the first runs", ids(&first), [51, 53, 54].map(run))?;
    let second = claim(&fixture, &["order"], 50).await?;
    equal("the others", ids(&second), [run(52)])
}

async fn a_claim_brings_the_newest_checkpoint(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    let model = writer.end();
    put(&fixture, new("t", 3)).await?;
    let claimed = gets(&fixture, 3).await?;
    equal("its base", claimed.record.base, Some(id(2)))?;
    let wanted = model.reading(&"".into(), id(2));
    same(
        "what it begins from",
        claimed.loaded?.as_ref(),
        wanted.as_ref(),
    )
}

async fn a_run_is_claimed_although_another_was_dropped_on_its_thread(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", unfinished(1)).await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    put(&fixture, new("t", 2)).await?;
    gets_nothing(&fixture).await?;
    writer.end();
    let claimed = gets(&fixture, 2).await?;
    let left = status(&fixture, 1).await?;
    equal("the status of the other", left, RunStatus::Interrupted)?;
    end(&fixture, &claimed).await
}

async fn a_claim_ends_with_its_lease(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    let first = gets(&fixture, 1).await?;
    drop(first);
    equal("its status", status(&fixture, 1).await?, RunStatus::Queued)?;
    let second = gets(&fixture, 1).await?;
    equal("its attempt", second.record.attempt, 2)?;
    let other = fixture.lease("u").await?;
    let again = Release::Later(Duration::ZERO);
    let queue = fixture.saver.run_queue();
    let got = queue.release(run(1), other, again).await;
    refused("releasing it under another lease", got, CONFLICT)?;
    // That lease ends all the same.
    drop(fixture.lease("u").await?);
    equal("its status", status(&fixture, 1).await?, RunStatus::Running)
}

async fn a_released_run_is_claimed_again(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    put(&fixture, new("t", 2)).await?;
    let queue = fixture.saver.run_queue();
    for after in [Duration::ZERO, HOUR] {
        let Claimed { record, lease, .. } = gets(&fixture, 1).await?;
        equal("its attempt", record.attempt, 1)?;
        queue.release(run(1), lease, Release::Later(after)).await?;
        equal("its status", status(&fixture, 1).await?, RunStatus::Queued)?;
    }
    let Claimed { record, lease, .. } = gets(&fixture, 2).await?;
    let stale = Release::Stale {
        after: Duration::ZERO,
        problem: "of another version".to_owned(),
    };
    queue.release(run(2), lease, stale).await?;
    let found = queue.stale_runs(&record.graph).await?;
    let found: Vec<_> = found
        .iter()
        .map(|run| (run.id, run.problem.as_deref()))
        .collect();
    let known = vec![(run(2), Some("of another version"))];
    equal("the stale runs of the graph", found, known)?;
    let others = queue.stale_runs("another graph").await?;
    equal("those of another graph", others.len(), 0)?;
    gets(&fixture, 2).await.map(drop)
}

async fn a_refused_run_has_ended(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    let claimed = gets(&fixture, 1).await?;
    let ending = Ending::Failed {
        code: "SS1105".into(),
        message: "the answered question is not open".into(),
    };
    let (queue, refuse) = (fixture.saver.run_queue(), Release::Refused(ending.clone()));
    queue.release(run(1), claimed.lease, refuse).await?;
    let read = record(&fixture, 1).await?;
    equal("its ending", read.ending, Some(ending))?;
    equal("when it began", (read.started, read.attempt), (None, 0))?;
    gets_nothing(&fixture).await?;
    let writer = fixture.writer("t").await?;
    let got = fixture.saver.runs().begin_run(begin(&writer, 1)).await;
    refused("beginning it", got, RUN_ENDED)
}

async fn a_queued_run_that_was_cut_short_goes_back_until_its_attempts_are_used_up(
    bench: &Bench<'_>,
) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    let mut model = writer.end();
    let twice = EnqueueRun {
        attempts: 2,
        ..new("t", 1)
    };
    put(&fixture, twice).await?;
    for attempt in [1, 2] {
        let claimed = gets(&fixture, 1).await?;
        equal("its attempt", claimed.record.attempt, attempt)?;
        equal("its base", claimed.record.base, Some(id(1)))?;
        let mut writer = fixture.writer_of(claimed, model);
        // It says again what it runs with, under the same lease.
        let begun = fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
        equal("its attempt", begun.attempt, attempt)?;
        writer
            .commit("", unfinished(1 + u64::from(attempt)))
            .await?;
        model = writer.end();
        let wanted = match attempt {
            1 => RunStatus::Queued,
            _ => RunStatus::Interrupted,
        };
        equal("its status", status(&fixture, 1).await?, wanted)?;
    }
    gets_nothing(&fixture).await?;
    let cut = fixture.saver.runs().interrupted(None).await?;
    equal("what was cut short", cut.len(), 1)
}

async fn a_run_whose_worker_stops_goes_back_without_counting_the_attempt(
    bench: &Bench<'_>,
) -> Verdict {
    let fixture = bench.open().await?;
    let once = EnqueueRun {
        attempts: 1,
        ..new("t", 1)
    };
    put(&fixture, once).await?;
    let mut model = Model::default();
    for n in 1..=3 {
        let claimed = gets(&fixture, 1).await?;
        equal(
            "its attempt",
            claimed.record.attempt,
            u32::try_from(n).unwrap_or_default(),
        )?;
        let stopped = EndRun {
            ending: Ending::Drained {
                reason: "a deploy".into(),
            },
            hands_back: true,
            ..ending(&claimed)
        };
        let mut writer = fixture.writer_of(claimed, model);
        writer.commit("", unfinished(n)).await?;
        fixture.saver.runs().end_run(stopped).await?;
        equal("its status", status(&fixture, 1).await?, RunStatus::Queued)?;
        model = writer.end();
    }
    gets(&fixture, 1).await.map(drop)
}

async fn a_busy_thread_refuses_a_run_if_asked_to(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let rejecting = |n| EnqueueRun {
        on_busy: OnBusy::Reject,
        ..new("t", n)
    };
    put(&fixture, rejecting(1)).await?;
    let queue = fixture.saver.run_queue();
    let got = queue.enqueue(rejecting(2)).await;
    refused("a run beside one that waits", got, BUSY)?;
    let claimed = gets(&fixture, 1).await?;
    let got = queue.enqueue(rejecting(2)).await;
    refused("a run beside one that runs", got, BUSY)?;
    end(&fixture, &claimed).await?;
    let got = queue.enqueue(rejecting(2)).await;
    refused("a run on a thread that is leased", got, BUSY)?;
    equal("a run", fixture.saver.runs().load_run(run(2)).await?, None)?;
    drop(claimed);
    put(&fixture, rejecting(2)).await?;
    gets(&fixture, 2).await.map(drop)
}

async fn a_run_in_place_of_others_has_them_cancelled(bench: &Bench<'_>) -> Verdict {
    for (on_busy, how) in [
        (OnBusy::Interrupt, Cancel::Now),
        (OnBusy::Rollback, Cancel::Rollback),
        (OnBusy::RollbackRepeating, Cancel::RollbackRepeating),
    ] {
        let fixture = bench.open().await?;
        put(&fixture, new("t", 1)).await?;
        let claimed = gets(&fixture, 1).await?;
        put(&fixture, new("t", 2)).await?;
        put(&fixture, new("other", 3)).await?;
        let instead = EnqueueRun {
            on_busy,
            ..new("t", 4)
        };
        put(&fixture, instead).await?;
        let asked = fixture.saver.runs().cancel_requested(run(1)).await?;
        equal(
            "how it is cancelled",
            asked.map(|asked| asked.how),
            Some(how),
        )?;
        equal(
            "the one that waited",
            status(&fixture, 2).await?,
            RunStatus::Cancelled,
        )?;
        let _third = gets(&fixture, 3).await?;
        gets_nothing(&fixture).await?;
        end(&fixture, &claimed).await?;
        drop(claimed);
        gets(&fixture, 4).await?;
    }
    Ok(())
}

async fn a_run_that_waits_is_cancelled_at_once(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    put(&fixture, new("t", 2)).await?;
    for n in [1, 2] {
        let request = CancelRequest {
            how: Cancel::Now,
            reason: "enough".into(),
            at: 5,
        };
        let asked = fixture.saver.runs().request_cancel(run(n), request).await?;
        equal("whether it could be cancelled", asked, true)?;
        equal(
            "its status",
            status(&fixture, n).await?,
            RunStatus::Cancelled,
        )?;
    }
    gets_nothing(&fixture).await
}

async fn a_worker_is_woken_by_a_new_run(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let queue = fixture.saver.run_queue();
    let waiting = tokio::time::timeout(WAIT_LIMIT, queue.queue_changed());
    let coming = async {
        tokio::task::yield_now().await;
        put(&fixture, new("t", 1)).await
    };
    let (woken, came) = tokio::join!(waiting, coming);
    came?;
    let asleep = |_| Failure("a worker was not woken".into());
    woken.map_err(asleep)??;
    gets(&fixture, 1).await.map(drop)
}

async fn runs_are_dated_by_the_clock_of_the_saver(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let before = fixture.saver.now().await?;
    put(&fixture, new("t", 1)).await?;
    let after = fixture.saver.now().await?;
    let created = record(&fixture, 1).await?.created;
    let is_between = (before..=after).contains(&created);
    equal("whether it was made in between", is_between, true)
}
