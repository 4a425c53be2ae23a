//! Runs: how they begin and end, who was cut short, and requests to cancel them.

use std::{sync::Arc, time::Duration};

use superstep_core::{
    caller::Caller,
    clock::Clock,
    event::Ending,
    id::{AskId, RunId},
    record::{Pending, StartValue},
    runs::{
        BeginRun, Cancel, CancelRequest, EndRun, InputKind, QueuedOptions, RunCost, RunQuery,
        RunRecord, RunStatus,
    },
    saver::Keep,
    value::Value,
};
use superstep_engine::clock::SystemClock;

use super::fixture::{Bench, CONFLICT, Fixture, NO_RUN, RUN_ENDED, UNSTORABLE, Writer, refused};
use super::records::{delta, first, id, int};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_run_is_read_as_it_began,
    runs_are_listed_newest_first,
    a_list_of_runs_is_of_what_was_asked_for,
    a_run_keeps_its_ending,
    a_run_ends_with_its_lease,
    a_run_whose_lease_is_gone_was_cut_short,
    what_was_cut_short_is_found_until_another_run_follows,
    a_run_that_stored_its_last_step_is_done,
    a_run_with_an_old_epoch_is_refused,
    an_ended_run_stays_ended,
    a_run_that_begins_again_keeps_its_base,
    a_request_to_cancel_is_read_by_others,
    who_waits_is_told_of_a_request_to_cancel,
    who_waits_is_told_of_an_ending,
    an_unknown_run_is_refused,
    runs_of_two_threads_keep_apart,
    a_run_alone_is_kept_and_makes_no_thread,
    a_deleted_thread_has_no_runs,
    a_copied_thread_has_no_runs,
    pruning_drops_the_runs_of_what_it_drops,
];

/// Whoever is not told within this time is never told.
const WAIT_LIMIT: Duration = Duration::from_secs(3);

/// A run id as wide as those of the engine.
pub(super) fn run(n: u64) -> RunId {
    RunId(id(n).0)
}

/// A run of the writer's thread that begins.
pub(super) fn begin(writer: &Writer, n: u64) -> BeginRun {
    BeginRun {
        thread: writer.thread().clone(),
        epoch: writer.epoch(),
        run: run(n),
        graph: "order".into(),
        input: InputKind::Input,
        deadline: Some(7_000 + i64::try_from(n).unwrap_or_default()),
        metadata: Value::map([("user", Value::from("ann")), ("n", int(n))]),
        mark: id(0),
        noted: n,
        options: Arc::new(QueuedOptions {
            limit: Some(n),
            context: Some(Value::map([("tone", Value::from("formal"))])),
            caller: Some(Caller::new("ann").role("clerk")),
            ..QueuedOptions::default()
        }),
        answers: vec![AskId(n.into())],
    }
}

fn end(writer: &Writer, n: u64, ending: Ending) -> EndRun {
    EndRun {
        thread: writer.thread().clone(),
        epoch: writer.epoch(),
        run: run(n),
        ending,
        cost: RunCost::default(),
        keeps: false,
        hands_back: false,
        alarm: None,
    }
}

fn request(reason: &str) -> CancelRequest {
    CancelRequest {
        how: Cancel::Rollback,
        reason: reason.to_owned(),
        at: 12,
    }
}

async fn load(fixture: &Fixture, n: u64) -> Result<RunRecord, Failure> {
    let found = fixture.saver.runs().load_run(run(n)).await?;
    found.ok_or_else(|| Failure(format!("there is no run {n}")))
}

async fn listed(fixture: &Fixture, thread: &str, query: RunQuery) -> Result<Vec<RunId>, Failure> {
    let found = fixture.saver.runs().load_runs(&thread.into(), &query);
    Ok(found.await?.iter().map(|record| record.id).collect())
}

async fn cut_short(fixture: &Fixture, thread: Option<&str>) -> Result<Vec<RunId>, Failure> {
    let thread = thread.map(Into::into);
    let found = fixture.saver.runs().interrupted(thread.as_ref()).await?;
    let endings = found.iter().map(|record| record.ending.clone());
    let wanted = vec![Some(Ending::Interrupted); found.len()];
    equal("how they ended", endings.collect::<Vec<_>>(), wanted)?;
    let mut ids: Vec<RunId> = found.iter().map(|record| record.id).collect();
    ids.sort();
    Ok(ids)
}

/// A record that leaves something to run.
fn unfinished(n: u64) -> superstep_core::record::Record {
    superstep_core::record::Record {
        pending: Pending {
            start: Some(StartValue::Input(Value::Null)),
            ..Pending::default()
        },
        ..first(n)
    }
}

async fn a_run_is_read_as_it_began(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(4)).await?;
    let before = SystemClock.now();
    let wanted = begin(&writer, 1);
    let begun = fixture.saver.runs().begin_run(wanted.clone()).await?;
    let read = load(&fixture, 1).await?;
    equal("what was answered", &begun, &read)?;
    equal("its thread", read.thread.as_str(), "t")?;
    equal("its graph", &*read.graph, "order")?;
    equal("its input", read.input, InputKind::Input)?;
    equal("its deadline", read.deadline, wanted.deadline)?;
    equal("its metadata", &read.metadata, &wanted.metadata)?;
    equal("its options", read.options.as_ref(), Some(&wanted.options))?;
    equal("its caller", read.caller().owner(), Some("ann"))?;
    equal("what it answers", &read.answers, &wanted.answers)?;
    equal("its lease", read.epoch, Some(writer.epoch()))?;
    equal("its base", read.base, Some(id(4)))?;
    equal("its attempt", read.attempt, 1)?;
    equal("its status", read.status(), RunStatus::Running)?;
    let now = SystemClock.now();
    let is_dated = |at: i64| (before..=now).contains(&at);
    equal("whether it is dated", is_dated(read.created), true)?;
    equal("when it began", read.started, Some(read.created))?;
    equal("when it ended", read.ended, None)?;
    let mut deep = Value::Null;
    for _ in 0..=superstep_core::value::MAX_DEPTH {
        deep = Value::list([deep]);
    }
    let metadata = BeginRun {
        metadata: deep.clone(),
        ..begin(&writer, 2)
    };
    let got = fixture.saver.runs().begin_run(metadata).await;
    refused("metadata that is too deep", got, UNSTORABLE)?;
    let context = QueuedOptions {
        context: Some(deep),
        ..QueuedOptions::default()
    };
    let context = BeginRun {
        options: Arc::new(context),
        ..begin(&writer, 2)
    };
    let got = fixture.saver.runs().begin_run(context).await;
    refused("a context that is too deep", got, UNSTORABLE)
}

async fn runs_are_listed_newest_first(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    // Ids that do not grow: the order is that of the calls.
    for n in [3, 1, 2] {
        let writer = fixture.writer("t").await?;
        fixture.saver.runs().begin_run(begin(&writer, n)).await?;
        let done = end(&writer, n, Ending::Done);
        fixture.saver.runs().end_run(done).await?;
    }
    let got = listed(&fixture, "t", RunQuery::default()).await?;
    equal("runs", got, [run(2), run(1), run(3)])?;
    let got = listed(&fixture, "other", RunQuery::default()).await?;
    equal("runs of an unknown thread", got.len(), 0)
}

async fn a_list_of_runs_is_of_what_was_asked_for(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for n in 1..=6 {
        let writer = fixture.writer("t").await?;
        fixture.saver.runs().begin_run(begin(&writer, n)).await?;
        let ending = match n % 2 {
            0 => Ending::Done,
            _ => Ending::Waiting(vec![AskId(n.into())]),
        };
        fixture
            .saver
            .runs()
            .end_run(end(&writer, n, ending))
            .await?;
    }
    let waiting = RunQuery {
        status: Some(RunStatus::Waiting),
        limit: Some(2),
        before: Some(run(5)),
    };
    equal(
        "runs",
        listed(&fixture, "t", waiting).await?,
        [run(3), run(1)],
    )?;
    let latest = RunQuery {
        limit: Some(1),
        ..RunQuery::default()
    };
    equal("the latest", listed(&fixture, "t", latest).await?, [run(6)])?;
    let before = RunQuery {
        before: Some(run(9)),
        ..RunQuery::default()
    };
    let got = listed(&fixture, "t", before).await?;
    equal("runs before an unknown one", got.len(), 0)
}

async fn a_run_keeps_its_ending(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let reason = "why \u{0} not".to_owned();
    let endings = [
        (Ending::Done, RunStatus::Done),
        (Ending::Waiting(vec![AskId(u128::MAX)]), RunStatus::Waiting),
        (Ending::Paused, RunStatus::Paused),
        (
            Ending::Failed {
                code: "SS1001".into(),
                message: reason.clone(),
            },
            RunStatus::Failed,
        ),
        (
            Ending::Drained {
                reason: reason.clone(),
            },
            RunStatus::Drained,
        ),
        (Ending::Cancelled { reason }, RunStatus::Cancelled),
        (Ending::Interrupted, RunStatus::Interrupted),
    ];
    for (n, (ending, status)) in (1..).zip(endings) {
        let mut writer = fixture.writer("t").await?;
        fixture.saver.runs().begin_run(begin(&writer, n)).await?;
        writer.commit("", first(n)).await?;
        let ended = end(&writer, n, ending.clone());
        fixture.saver.runs().end_run(ended).await?;
        for leased in [Some(writer), None] {
            let read = load(&fixture, n).await?;
            equal("its ending", read.ending.as_ref(), Some(&ending))?;
            equal("its status", read.status(), status)?;
            equal("where it ended", read.checkpoint, Some(id(n)))?;
            equal("whether it is dated", read.ended >= read.started, true)?;
            drop(leased);
        }
    }
    Ok(())
}

async fn a_run_ends_with_its_lease(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let runs = fixture.saver.runs();
    let mut writer = fixture.writer("t").await?;
    runs.begin_run(begin(&writer, 1)).await?;
    writer.commit("", unfinished(1)).await?;
    let paused = end(&writer, 1, Ending::Paused);
    runs.end_run_and_lease(paused, writer.into_lease()).await?;
    equal(
        "its status",
        load(&fixture, 1).await?.status(),
        RunStatus::Paused,
    )?;
    // Refused or not, the lease is over, as the next writer shows.
    let writer = fixture.writer("t").await?;
    let unknown = end(&writer, 2, Ending::Done);
    let got = runs.end_run_and_lease(unknown, writer.into_lease()).await;
    refused("an unknown run", got, NO_RUN)?;
    let writer = fixture.writer("t").await?;
    runs.begin_run(begin(&writer, 3)).await?;
    let (done, lease) = (end(&writer, 3, Ending::Done), writer.into_lease());
    drop(runs.end_run_and_lease(done, lease));
    let _writer = fixture.writer("t").await?;
    Ok(())
}

async fn a_run_whose_lease_is_gone_was_cut_short(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    writer.commit("", unfinished(1)).await?;
    equal(
        "its status",
        load(&fixture, 1).await?.status(),
        RunStatus::Running,
    )?;
    drop(writer);
    let wanted = RunStatus::Interrupted;
    equal("its status", load(&fixture, 1).await?.status(), wanted)?;
    let query = RunQuery {
        status: Some(wanted),
        ..RunQuery::default()
    };
    equal("runs", listed(&fixture, "t", query).await?, [run(1)])?;
    let read = load(&fixture, 1).await?;
    equal("where it ended", read.checkpoint, Some(id(1)))?;
    // Nor does it run under the lease of another.
    let writer = fixture.writer("t").await?;
    equal("its status", load(&fixture, 1).await?.status(), wanted)?;
    fixture.saver.runs().begin_run(begin(&writer, 2)).await?;
    equal("its status", load(&fixture, 1).await?.status(), wanted)?;
    equal(
        "the next",
        load(&fixture, 2).await?.status(),
        RunStatus::Running,
    )?;
    // Nor beside another under one lease.
    fixture.saver.runs().begin_run(begin(&writer, 3)).await?;
    equal("the one before", load(&fixture, 2).await?.status(), wanted)
}

async fn what_was_cut_short_is_found_until_another_run_follows(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    equal(
        "in an empty saver",
        cut_short(&fixture, None).await?.len(),
        0,
    )?;
    for (n, thread) in (1..).zip(["cut", "runs", "done", "too"]) {
        let mut writer = fixture.writer(thread).await?;
        fixture.saver.runs().begin_run(begin(&writer, n)).await?;
        writer.commit("", unfinished(1)).await?;
        if thread == "done" {
            let done = end(&writer, n, Ending::Done);
            fixture.saver.runs().end_run(done).await?;
        }
    }
    let writer = fixture.writer("runs").await?;
    fixture.saver.runs().begin_run(begin(&writer, 9)).await?;
    for _ in 0..2 {
        equal("all", cut_short(&fixture, None).await?, [run(1), run(4)])?;
        equal("one", cut_short(&fixture, Some("too")).await?, [run(4)])?;
        let others = ["runs", "done", "unknown"];
        for thread in others {
            let got = cut_short(&fixture, Some(thread)).await?;
            equal(&format!("of {thread}"), got.len(), 0)?;
        }
    }
    let writer = fixture.writer("cut").await?;
    fixture.saver.runs().begin_run(begin(&writer, 10)).await?;
    equal("all", cut_short(&fixture, None).await?, [run(4)])
}

async fn a_run_that_stored_its_last_step_is_done(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    writer.commit("", unfinished(1)).await?;
    writer.commit("", delta(2, 1)).await?;
    drop(writer);
    equal(
        "its status",
        load(&fixture, 1).await?.status(),
        RunStatus::Done,
    )?;
    equal("cut short", cut_short(&fixture, None).await?.len(), 0)?;
    equal(
        "its status",
        load(&fixture, 1).await?.status(),
        RunStatus::Done,
    )?;
    // One that stored nothing is not done, although the thread is.
    let writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 2)).await?;
    drop(writer);
    let got = load(&fixture, 2).await?.status();
    equal("its status", got, RunStatus::Interrupted)
}

async fn a_run_with_an_old_epoch_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut old = fixture.writer("t").await?;
    old.commit("", unfinished(1)).await?;
    fixture.saver.runs().begin_run(begin(&old, 1)).await?;
    let (late_begin, late_end) = (begin(&old, 2), end(&old, 1, Ending::Done));
    drop(old);
    let runs = fixture.saver.runs();
    let got = runs.begin_run(late_begin.clone()).await;
    refused("a run without a lease", got, CONFLICT)?;
    let got = runs.end_run(late_end.clone()).await;
    refused("an ending without a lease", got, CONFLICT)?;
    let writer = fixture.writer("t").await?;
    let got = runs.begin_run(late_begin).await;
    refused("a run of an old lease", got, CONFLICT)?;
    let got = runs.end_run(late_end).await;
    refused("an ending of an old lease", got, CONFLICT)?;
    // Nor may a newer lease end what it did not begin.
    let got = runs.end_run(end(&writer, 1, Ending::Done)).await;
    refused("an ending by another", got, CONFLICT)?;
    let got = load(&fixture, 1).await?.status();
    equal("its status", got, RunStatus::Interrupted)
}

async fn an_ended_run_stays_ended(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let writer = fixture.writer("t").await?;
    let runs = fixture.saver.runs();
    runs.begin_run(begin(&writer, 1)).await?;
    runs.end_run(end(&writer, 1, Ending::Paused)).await?;
    let got = runs.begin_run(begin(&writer, 1)).await;
    refused("beginning again", got, RUN_ENDED)?;
    let got = runs.end_run(end(&writer, 1, Ending::Done)).await;
    refused("ending again", got, CONFLICT)?;
    let other = fixture.writer("other").await?;
    let got = runs.begin_run(begin(&other, 1)).await;
    refused("its id on another thread", got, RUN_ENDED)?;
    let got = load(&fixture, 1).await?;
    equal("its ending", got.ending, Some(Ending::Paused))
}

async fn a_run_that_begins_again_keeps_its_base(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    writer.commit("", first(1)).await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    writer.commit("", unfinished(2)).await?;
    let model = writer.end();
    let writer = fixture.writer_after("t", model).await?;
    let again = fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    let read = load(&fixture, 1).await?;
    equal("what was answered", &again, &read)?;
    equal("its base", read.base, Some(id(1)))?;
    equal("its attempt", read.attempt, 2)?;
    equal("its lease", read.epoch, Some(writer.epoch()))?;
    equal("its status", read.status(), RunStatus::Running)?;
    let done = end(&writer, 1, Ending::Done);
    fixture.saver.runs().end_run(done).await?;
    let got = listed(&fixture, "t", RunQuery::default()).await?;
    equal("runs", got, [run(1)])
}

async fn a_request_to_cancel_is_read_by_others(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let writer = fixture.writer("t").await?;
    let runs = fixture.saver.runs();
    for n in [1, 2] {
        runs.begin_run(begin(&writer, n)).await?;
        equal("a request", runs.cancel_requested(run(n)).await?, None)?;
    }
    let asked = runs.request_cancel(run(2), request("enough")).await?;
    equal("whether it can be cancelled", asked, true)?;
    // The first request stays.
    runs.request_cancel(run(2), request("again")).await?;
    let wanted = Some(request("enough"));
    let got = runs.cancel_requested(run(2)).await?;
    equal("the request", got.as_ref(), wanted.as_ref())?;
    equal("in its record", load(&fixture, 2).await?.cancel, wanted)?;
    equal("of another", runs.cancel_requested(run(1)).await?, None)?;
    let reason = "enough".to_owned();
    let cancelled = EndRun {
        keeps: true,
        hands_back: false,
        ..end(&writer, 2, Ending::Cancelled { reason })
    };
    runs.end_run(cancelled).await?;
    let how = load(&fixture, 2).await?.cancel.map(|cancel| cancel.how);
    equal("how, as it keeps what it stored", how, Some(Cancel::Now))?;
    // One that was cut short has ended as well.
    for n in [1, 2] {
        let asked = runs.request_cancel(run(n), request("late")).await?;
        equal("whether an ended run can be cancelled", asked, false)?;
    }
    equal("of another", runs.cancel_requested(run(1)).await?, None)
}

async fn who_waits_is_told_of_a_request_to_cancel(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let writer = fixture.writer("t").await?;
    let runs = fixture.saver.runs();
    runs.begin_run(begin(&writer, 1)).await?;
    let silent = |_| Failure("nobody was told of the request".into());
    let waiting = tokio::time::timeout(WAIT_LIMIT, runs.cancelling(run(1)));
    let asking = async {
        tokio::task::yield_now().await;
        runs.request_cancel(run(1), request("enough")).await
    };
    let (heard, asked) = tokio::join!(waiting, asking);
    asked?;
    equal("the request", heard.map_err(silent)??, request("enough"))?;
    let late = tokio::time::timeout(WAIT_LIMIT, runs.cancelling(run(1)));
    let heard = late.await.map_err(silent)??;
    equal("the request", heard, request("enough"))
}

async fn an_unknown_run_is_refused(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let runs = fixture.saver.runs();
    equal("a run", runs.load_run(run(1)).await?, None)?;
    let writer = fixture.writer("t").await?;
    runs.begin_run(begin(&writer, 2)).await?;
    equal("a run", runs.load_run(run(1)).await?, None)?;
    let got = runs.end_run(end(&writer, 1, Ending::Done)).await;
    refused("its ending", got, NO_RUN)?;
    let got = runs.request_cancel(run(1), request("")).await;
    refused("a request to cancel it", got, NO_RUN)?;
    let got = runs.cancel_requested(run(1)).await;
    refused("looking for a request", got, NO_RUN)?;
    let waiting = tokio::time::timeout(WAIT_LIMIT, runs.cancelling(run(1)));
    let silent = |_| Failure("nobody was told that there is no run".into());
    let got = waiting.await.map_err(silent)?;
    refused("waiting for a request", got, NO_RUN)
}

async fn runs_of_two_threads_keep_apart(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let (left, right) = (
        fixture.writer("left").await?,
        fixture.writer("right").await?,
    );
    let runs = fixture.saver.runs();
    runs.begin_run(begin(&left, 1)).await?;
    runs.begin_run(begin(&right, 2)).await?;
    drop(left);
    equal(
        "left",
        listed(&fixture, "left", RunQuery::default()).await?,
        [run(1)],
    )?;
    equal(
        "right",
        listed(&fixture, "right", RunQuery::default()).await?,
        [run(2)],
    )?;
    equal(
        "the one that runs",
        load(&fixture, 2).await?.status(),
        RunStatus::Running,
    )?;
    let got = runs.end_run(EndRun {
        run: run(1),
        ..end(&right, 1, Ending::Done)
    });
    refused("ending the run of another thread", got.await, NO_RUN)?;
    equal("cut short", cut_short(&fixture, None).await?, [run(1)])
}

async fn a_run_alone_is_kept_and_makes_no_thread(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    equal("threads", fixture.listed().await?.len(), 0)?;
    drop(writer);
    equal("threads", fixture.listed().await?.len(), 0)?;
    let read = load(&fixture, 1).await?;
    equal("its base", read.base, None)?;
    equal("its status", read.status(), RunStatus::Interrupted)?;
    drop(fixture.lease("t").await?);
    let got = listed(&fixture, "t", RunQuery::default()).await?;
    equal("runs", got, [run(1)])
}

async fn a_deleted_thread_has_no_runs(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (n, thread) in (1..).zip(["t", "other", "bare"]) {
        let mut writer = fixture.writer(thread).await?;
        fixture.saver.runs().begin_run(begin(&writer, n)).await?;
        if thread != "bare" {
            writer.commit("", first(1)).await?;
        }
    }
    for thread in ["t", "bare"] {
        fixture.saver.delete(&thread.into()).await?;
        let got = listed(&fixture, thread, RunQuery::default()).await?;
        equal(&format!("runs of {thread}"), got.len(), 0)?;
    }
    for n in [1, 3] {
        equal("a run", fixture.saver.runs().load_run(run(n)).await?, None)?;
    }
    let got = listed(&fixture, "other", RunQuery::default()).await?;
    equal("runs of another", got, [run(2)])?;
    // Its id is free again.
    let writer = fixture.writer("t").await?;
    let again = fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    equal("its base", again.base, None)
}

async fn a_copied_thread_has_no_runs(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let mut writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    writer.commit("", first(1)).await?;
    fixture.saver.copy(&"t".into(), &"copy".into()).await?;
    let got = listed(&fixture, "copy", RunQuery::default()).await?;
    equal("runs of the copy", got.len(), 0)?;
    fixture.saver.delete(&"copy".into()).await?;
    let got = listed(&fixture, "t", RunQuery::default()).await?;
    equal("runs of the original", got, [run(1)])
}

async fn pruning_drops_the_runs_of_what_it_drops(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for n in 1..=4 {
        let mut writer = fixture.writer("t").await?;
        fixture.saver.runs().begin_run(begin(&writer, n)).await?;
        let record = match n {
            1 => first(1),
            _ => delta(n, n - 1),
        };
        writer.commit("", record).await?;
        let done = end(&writer, n, Ending::Done);
        fixture.saver.runs().end_run(done).await?;
    }
    fixture.saver.prune(&"t".into(), Keep::Last(2)).await?;
    let got = listed(&fixture, "t", RunQuery::default()).await?;
    equal("runs", got, [run(4), run(3)])?;
    equal("a run", fixture.saver.runs().load_run(run(1)).await?, None)
}

async fn who_waits_is_told_of_an_ending(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let runs = fixture.saver.runs();
    let wait = |n| tokio::time::timeout(WAIT_LIMIT, runs.ended(run(n)));
    let late = |_| Failure("who waits for an ending is not told".into());
    let unknown = wait(9).await.map_err(late)?;
    refused("waiting for an unknown run", unknown, NO_RUN)?;
    for (n, is_cut) in [(1, false), (2, true)] {
        let writer = fixture.writer("t").await?;
        runs.begin_run(begin(&writer, n)).await?;
        let waiting = wait(n);
        let ending = async {
            tokio::task::yield_now().await;
            match is_cut {
                true => drop(writer),
                false => runs.end_run(end(&writer, n, Ending::Paused)).await?,
            }
            Ok::<_, Failure>(())
        };
        let (told, ended) = tokio::join!(waiting, ending);
        ended?;
        let wanted = match is_cut {
            true => Ending::Interrupted,
            false => Ending::Paused,
        };
        equal("its ending", told.map_err(late)??.ending, Some(wanted))?;
        // Whoever comes later is told at once.
        let again = wait(n).await.map_err(late)??;
        equal("its id", again.id, run(n))?;
    }
    Ok(())
}
