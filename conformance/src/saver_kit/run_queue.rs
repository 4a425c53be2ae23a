//! The queue of runs: who may claim what, and what becomes of claims that nobody keeps.

use std::time::Duration;

use superstep_core::{
    ask::Resume,
    caller::Caller,
    checkpoint::CheckpointRef,
    command::Command,
    event::{Ending, Modes},
    id::AskId,
    plan::Pauses,
    policy::Durability,
    record::{Pending, Record, StartValue},
    runs::{
        Cancel, CancelRequest, Claim, ClaimRuns, EndRun, EnqueueRun, OnBusy, QueuedInput,
        QueuedOptions, RunCost, RunStatus,
    },
    value::Value,
};

use super::fixture::{BUSY, Bench, CONFLICT, Fixture, RUN_ENDED, UNSTORABLE, Writer, refused};
use super::records::{first, id};
use super::runs::{begin, run};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_queued_run_is_claimed_once,
    what_a_queued_run_brings_along_survives,
    runs_of_a_thread_are_claimed_one_after_the_other,
    the_run_that_is_due_longest_is_claimed_first,
    a_worker_takes_only_runs_of_its_graphs,
    a_claim_ends_with_its_time,
    a_released_run_is_claimed_again,
    a_refused_run_has_ended,
    a_queued_run_that_was_cut_short_goes_back_until_its_attempts_are_used_up,
    a_run_whose_worker_stops_goes_back_without_counting_the_attempt,
    a_busy_thread_refuses_a_run_if_asked_to,
    a_run_in_place_of_others_has_them_cancelled,
    a_run_that_waits_is_cancelled_at_once,
    a_worker_is_woken_by_a_new_run,
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

async fn claim_for(fixture: &Fixture, lease: Duration) -> Result<Option<Claim>, Failure> {
    let wanted = ClaimRuns {
        graphs: vec!["chat".into(), "order".into()],
        lease,
    };
    Ok(fixture.saver.run_queue().claim(&wanted).await?)
}

async fn claim(fixture: &Fixture) -> Result<Option<Claim>, Failure> {
    claim_for(fixture, HOUR).await
}

/// Demands that a worker gets this run.
async fn gets(fixture: &Fixture, n: u64) -> Result<Claim, Failure> {
    let claimed = claim(fixture).await?;
    let got = claimed.as_ref().map(|claim| claim.record.id);
    equal("the run that was claimed", got, Some(run(n)))?;
    claimed.ok_or_else(|| Failure("nothing was claimed".into()))
}

async fn gets_nothing(fixture: &Fixture) -> Verdict {
    let claimed = claim(fixture).await?.map(|claim| claim.record.id);
    equal("the run that was claimed", claimed, None)
}

async fn status(fixture: &Fixture, n: u64) -> Result<RunStatus, Failure> {
    let found = fixture.saver.runs().load_run(run(n)).await?;
    let found = found.ok_or_else(|| Failure(format!("there is no run {n}")))?;
    Ok(found.status())
}

fn ending(writer: &Writer, n: u64) -> EndRun {
    EndRun {
        thread: writer.thread().clone(),
        epoch: writer.epoch(),
        run: run(n),
        ending: Ending::Done,
        cost: RunCost::default(),
        keeps: false,
        hands_back: false,
        alarm: None,
    }
}

async fn end(fixture: &Fixture, writer: &Writer, n: u64) -> Verdict {
    let end = ending(writer, n);
    Ok(fixture.saver.runs().end_run(end).await?)
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
    gets(&fixture, 1).await?;
    gets_nothing(&fixture).await?;
    let writer = fixture.writer("t").await?;
    let begun = fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    equal("its attempt", begun.attempt, 1)?;
    equal("its status", status(&fixture, 1).await?, RunStatus::Running)?;
    gets_nothing(&fixture).await?;
    end(&fixture, &writer, 1).await?;
    drop(writer);
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
            state_version: Some(4),
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
        let got = gets(&fixture, n).await?.record;
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
        gets(&fixture, n).await?;
        gets_nothing(&fixture).await?;
        let writer = fixture.writer("t").await?;
        gets_nothing(&fixture).await?;
        fixture.saver.runs().begin_run(begin(&writer, n)).await?;
        gets_nothing(&fixture).await?;
        end(&fixture, &writer, n).await?;
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
    gets(&fixture, 3).await?;
    let claimed = loop {
        if let Some(claimed) = claim(&fixture).await? {
            break claimed;
        }
        tokio::task::yield_now().await;
    };
    equal("the next", claimed.record.id, run(2))?;
    // One that is not due holds up nobody.
    put(&fixture, new("late", 4)).await?;
    gets(&fixture, 4).await?;
    gets_nothing(&fixture).await
}

async fn a_worker_takes_only_runs_of_its_graphs(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    for (graphs, wanted) in [
        (Vec::new(), None),
        (vec!["Order".into(), "".into()], None),
        (vec!["chat".into(), "order".into()], Some(run(1))),
    ] {
        let wants = ClaimRuns {
            graphs,
            lease: HOUR,
        };
        let got = fixture.saver.run_queue().claim(&wants).await?;
        equal("a run", got.map(|claim| claim.record.id), wanted)?;
    }
    Ok(())
}

async fn a_claim_ends_with_its_time(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    let first = claim_for(&fixture, Duration::ZERO).await?;
    let first = first.ok_or_else(|| Failure("nothing was claimed".into()))?;
    let second = gets(&fixture, 1).await?;
    equal(
        "whether claims are counted",
        second.token > first.token,
        true,
    )?;
    let queue = fixture.saver.run_queue();
    let got = queue.renew(&first, HOUR).await;
    refused("renewing a claim that is over", got, CONFLICT)?;
    let got = queue.release(&first, Duration::ZERO).await;
    refused("releasing it", got, CONFLICT)?;
    let got = queue.refuse(&first, Ending::Done).await;
    refused("refusing its run", got, CONFLICT)?;
    gets_nothing(&fixture).await?;
    queue.renew(&second, Duration::ZERO).await?;
    gets(&fixture, 1).await.map(drop)
}

async fn a_released_run_is_claimed_again(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    put(&fixture, new("t", 2)).await?;
    let first = gets(&fixture, 1).await?;
    let queue = fixture.saver.run_queue();
    queue.release(&first, Duration::ZERO).await?;
    let got = queue.release(&first, Duration::ZERO).await;
    refused("releasing it again", got, CONFLICT)?;
    let second = gets(&fixture, 1).await?;
    equal("its attempt", second.record.attempt, 0)?;
    queue.release(&second, HOUR).await?;
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
    let queue = fixture.saver.run_queue();
    queue.refuse(&claimed, ending.clone()).await?;
    let read = fixture.saver.runs().load_run(run(1)).await?;
    equal(
        "its ending",
        read.and_then(|read| read.ending),
        Some(ending),
    )?;
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
        equal("attempts before", claimed.record.attempt, attempt - 1)?;
        let mut writer = fixture.writer_after("t", model).await?;
        let begun = fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
        equal("its attempt", begun.attempt, attempt)?;
        equal("its base", begun.base, Some(id(1)))?;
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
    let mut model = None;
    for n in 1..=3 {
        gets(&fixture, 1).await?;
        let mut writer = match model {
            None => fixture.writer("t").await?,
            Some(model) => fixture.writer_after("t", model).await?,
        };
        fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
        writer.commit("", unfinished(n)).await?;
        let stopped = EndRun {
            ending: Ending::Drained {
                reason: "a deploy".into(),
            },
            hands_back: true,
            ..ending(&writer, 1)
        };
        fixture.saver.runs().end_run(stopped).await?;
        equal("its status", status(&fixture, 1).await?, RunStatus::Queued)?;
        model = Some(writer.end());
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
    gets(&fixture, 1).await?;
    let writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    let got = queue.enqueue(rejecting(2)).await;
    refused("a run beside one that runs", got, BUSY)?;
    end(&fixture, &writer, 1).await?;
    let got = queue.enqueue(rejecting(2)).await;
    refused("a run on a thread that is leased", got, BUSY)?;
    equal("a run", fixture.saver.runs().load_run(run(2)).await?, None)?;
    drop(writer);
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
        let writer = fixture.writer("t").await?;
        fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
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
        gets(&fixture, 3).await?;
        gets_nothing(&fixture).await?;
        end(&fixture, &writer, 1).await?;
        drop(writer);
        gets(&fixture, 4).await?;
    }
    Ok(())
}

async fn a_run_that_waits_is_cancelled_at_once(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    put(&fixture, new("t", 1)).await?;
    put(&fixture, new("t", 2)).await?;
    let claimed = gets(&fixture, 1).await?;
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
    let got = fixture.saver.run_queue().renew(&claimed, HOUR).await;
    refused("renewing its claim", got, CONFLICT)?;
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
