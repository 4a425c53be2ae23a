//! Runs that sleep, and alarms: in the queue until their time, unless another run of the thread begins.

use superstep_core::{
    clock::UnixMillis,
    event::Ending,
    id::{AskId, RunId},
    record::{Pending, Record, StartValue},
    runs::{Alarm, BeginRun, EndRun, EnqueueRun, OnBusy, RunCost, RunQuery, RunRecord, RunStatus},
    saver::Claimed,
    value::Value,
};

use super::fixture::{Bench, Fixture, Writer};
use super::records::first;
use super::run_queue::claim;
use super::runs::{begin, run};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_run_that_sleeps_is_in_the_queue_until_it_wakes,
    a_run_that_sleeps_gives_way_to_one_that_begins,
    a_thread_whose_run_sleeps_is_not_busy,
    an_alarm_is_seen_by_nobody_before_it_is_due,
    an_alarm_gives_way_to_a_run_that_begins,
];

/// Times that every clock has passed, and that none comes to.
const PAST: UnixMillis = 1_000;
const FUTURE: UnixMillis = UnixMillis::MAX / 4;

/// A run without a deadline, at which it would wake.
fn new(writer: &Writer, n: u64) -> BeginRun {
    BeginRun {
        deadline: None,
        ..begin(writer, n)
    }
}

/// Runs to the ending, which the lease goes with, on a thread with one checkpoint.
async fn ended(
    fixture: &Fixture,
    n: u64,
    ending: Ending,
    alarm: Option<Alarm>,
) -> Result<(), Failure> {
    let mut writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(new(&writer, n)).await?;
    let record = Record {
        pending: Pending {
            start: Some(StartValue::Input(Value::Null)),
            ..Pending::default()
        },
        ..first(n)
    };
    writer.commit("", record).await?;
    let end = EndRun {
        thread: writer.thread().clone(),
        epoch: writer.epoch(),
        run: run(n),
        ending,
        cost: RunCost::default(),
        keeps: false,
        hands_back: false,
        alarm,
    };
    let lease = writer.into_lease();
    Ok(fixture.saver.runs().end_run_and_lease(end, lease).await?)
}

async fn sleeps(fixture: &Fixture, n: u64, until: UnixMillis) -> Verdict {
    ended(fixture, n, Ending::Sleeping { until }, None).await
}

async fn asks(fixture: &Fixture, n: u64, alarm: u64, at: UnixMillis) -> Verdict {
    let alarm = Alarm {
        run: run(alarm),
        at,
    };
    ended(fixture, n, Ending::Waiting(vec![AskId(7)]), Some(alarm)).await
}

/// The run that a worker gets.
async fn claimed(fixture: &Fixture) -> Result<Option<Claimed>, Failure> {
    Ok(claim(fixture, &["order"], 1).await?.pop())
}

fn id(claimed: Option<&Claimed>) -> Option<RunId> {
    claimed.map(|claimed| claimed.record.id)
}

async fn load(fixture: &Fixture, n: u64) -> Result<RunRecord, Failure> {
    let found = fixture.saver.runs().load_run(run(n)).await?;
    found.ok_or_else(|| Failure(format!("there is no run {n}")))
}

async fn listed(fixture: &Fixture) -> Result<Vec<RunStatus>, Failure> {
    let all = RunQuery::default();
    let found = fixture.saver.runs().load_runs(&"t".into(), &all).await?;
    Ok(found.iter().map(RunRecord::status).collect())
}

/// A run of the thread begins, and stays.
async fn begins(fixture: &Fixture, n: u64) -> Result<Writer, Failure> {
    let writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(new(&writer, n)).await?;
    Ok(writer)
}

async fn a_run_that_sleeps_is_in_the_queue_until_it_wakes(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    sleeps(&fixture, 1, FUTURE).await?;
    let asleep = load(&fixture, 1).await?;
    equal("its status", asleep.status(), RunStatus::Sleeping)?;
    equal("its ending", asleep.ending.as_ref(), None)?;
    equal("until", asleep.sleeping().map(|it| it.until), Some(FUTURE))?;
    equal("a claim", id(claimed(&fixture).await?.as_ref()), None)?;
    let fixture = bench.open().await?;
    sleeps(&fixture, 1, PAST).await?;
    let woken = claimed(&fixture).await?;
    equal("a claim", id(woken.as_ref()), Some(run(1)))?;
    // It began as a run without a queue, and begins again as it was.
    let begun = load(&fixture, 1).await?;
    equal("its options", begun.options.is_some(), true)
}

async fn a_run_that_sleeps_gives_way_to_one_that_begins(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    sleeps(&fixture, 1, PAST).await?;
    let writer = begins(&fixture, 2).await?;
    let wanted = [RunStatus::Running, RunStatus::Cancelled];
    equal("the runs", listed(&fixture).await?, wanted)?;
    drop(writer);
    equal("a claim", id(claimed(&fixture).await?.as_ref()), None)
}

async fn a_thread_whose_run_sleeps_is_not_busy(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    sleeps(&fixture, 1, FUTURE).await?;
    let queue = fixture.saver.run_queue();
    let new = EnqueueRun {
        on_busy: OnBusy::Reject,
        ..EnqueueRun::new("t", run(2), "order")
    };
    queue.enqueue(new).await?;
    let got = claimed(&fixture).await?;
    equal("a claim", id(got.as_ref()), Some(run(2)))?;
    equal(
        "whether others wait",
        got.as_ref().map(|it| it.others_wait),
        Some(true),
    )?;
    let wanted = [RunStatus::Running, RunStatus::Sleeping];
    equal("the runs", listed(&fixture).await?, wanted)
}

async fn an_alarm_is_seen_by_nobody_before_it_is_due(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    asks(&fixture, 1, 9, FUTURE).await?;
    equal("the runs", listed(&fixture).await?, [RunStatus::Waiting])?;
    equal("a claim", id(claimed(&fixture).await?.as_ref()), None)?;
    let fixture = bench.open().await?;
    asks(&fixture, 1, 9, PAST).await?;
    let woken = claimed(&fixture).await?;
    equal("a claim", id(woken.as_ref()), Some(run(9)))?;
    let metadata = load(&fixture, 1).await?.metadata;
    let found = woken.as_ref().map(|it| it.record.metadata.clone());
    equal("its metadata", found, Some(metadata))?;
    let wanted = [RunStatus::Running, RunStatus::Waiting];
    equal("the runs", listed(&fixture).await?, wanted)
}

async fn an_alarm_gives_way_to_a_run_that_begins(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    asks(&fixture, 1, 9, PAST).await?;
    let alarm = fixture.saver.runs().load_run(run(9)).await?;
    equal("the alarm", alarm.is_some(), true)?;
    drop(begins(&fixture, 2).await?);
    let alarm = fixture.saver.runs().load_run(run(9)).await?;
    equal("the alarm", alarm.is_some(), false)?;
    equal("a claim", id(claimed(&fixture).await?.as_ref()), None)
}
