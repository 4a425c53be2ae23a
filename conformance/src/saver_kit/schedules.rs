//! Schedules: what is due, and one run for each time.

use superstep_core::{
    event::Ending,
    runs::{OnBusy, QueuedInput, QueuedOptions, Release},
    schedules::{CronSchedule, FireSchedule, Firing, Missed},
    value::Value,
};

use super::fixture::{Bench, Fixture, UNSTORABLE, refused};
use super::run_queue::claim;
use super::runs::{begin, run};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_schedule_reads_as_it_was_stored,
    a_schedule_is_replaced_and_deleted_by_its_id,
    schedules_that_are_due_come_in_order,
    a_schedule_fires_once_for_each_time,
    two_workers_fire_a_schedule_once,
    a_time_at_which_the_thread_is_busy_can_be_left_out,
    schedules_outlive_threads,
];

fn hourly(id: &str, next: i64) -> CronSchedule {
    CronSchedule {
        graph: "order".into(),
        next: Some(next),
        ..CronSchedule::new(id, "0 * * * *")
    }
}

fn fire(schedule: &CronSchedule, n: u64, next: Option<i64>) -> FireSchedule {
    FireSchedule {
        id: schedule.id.clone(),
        due: schedule.next.unwrap_or_default(),
        at: 77,
        next,
        run: Some(schedule.run(run(n))),
        problem: None,
    }
}

async fn due(fixture: &Fixture, now: i64) -> Result<Vec<String>, Failure> {
    let due = fixture.saver.schedules().due_schedules(now).await?;
    Ok(due.iter().map(|schedule| schedule.id.to_string()).collect())
}

async fn queued(fixture: &Fixture) -> Result<Option<u128>, Failure> {
    let Some(claimed) = claim(fixture, &["order"], 1).await?.pop() else {
        return Ok(None);
    };
    // It does not come again.
    let (run, done) = (claimed.record.id, Release::Refused(Ending::Done));
    fixture
        .saver
        .run_queue()
        .release(run, claimed.lease, done)
        .await?;
    Ok(Some(run.0))
}

async fn a_schedule_reads_as_it_was_stored(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let value = Value::map([("x", Value::from("ä\u{0}")), ("n", Value::UInt(u64::MAX))]);
    let full = CronSchedule {
        thread: Some("t".into()),
        zone: "Europe/Berlin".into(),
        input: QueuedInput::Value(value.clone()),
        options: QueuedOptions {
            limit: Some(9),
            context: Some(value.clone()),
            ..QueuedOptions::default()
        },
        on_busy: OnBusy::Interrupt,
        attempts: 7,
        metadata: value.clone(),
        missed: Missed::Each,
        end: Some(i64::MAX),
        created: -1,
        last: Some(Firing {
            due: 1,
            at: 2,
            run: Some(run(3)),
        }),
        problem: Some("late".into()),
        ..hourly("b", i64::MIN)
    };
    let least = CronSchedule {
        next: None,
        ..hourly("a ü", 0)
    };
    let schedules = fixture.saver.schedules();
    for schedule in [&full, &least] {
        schedules.put_schedule(schedule.clone()).await?;
        let read = schedules.load_schedule(&schedule.id).await?;
        equal("a schedule", read.as_ref(), Some(schedule))?;
    }
    let all = schedules.list_schedules().await?;
    equal("all schedules", all, vec![least, full])?;
    let mut deep = Value::Null;
    for _ in 0..=superstep_core::value::MAX_DEPTH {
        deep = Value::list([deep]);
    }
    let deep = CronSchedule {
        metadata: deep,
        ..hourly("deep", 0)
    };
    let got = schedules.put_schedule(deep).await;
    refused("a schedule that is too deep", got, UNSTORABLE)
}

async fn a_schedule_is_replaced_and_deleted_by_its_id(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let schedules = fixture.saver.schedules();
    schedules.put_schedule(hourly("a", 10)).await?;
    schedules.put_schedule(hourly("a", 20)).await?;
    equal("due at the time before", due(&fixture, 15).await?.len(), 0)?;
    equal("due at its time", due(&fixture, 20).await?, ["a"])?;
    equal("deleted", schedules.delete_schedule("a").await?, true)?;
    equal(
        "deleted again",
        schedules.delete_schedule("a").await?,
        false,
    )?;
    equal("is there", schedules.load_schedule("a").await?, None)?;
    let fired = schedules
        .fire_schedule(fire(&hourly("a", 20), 1, None))
        .await?;
    equal("whether it fires", fired, false)?;
    equal("the queue", queued(&fixture).await?, None)
}

async fn schedules_that_are_due_come_in_order(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let schedules = fixture.saver.schedules();
    for (id, next) in [("late", 30), ("first", -5), ("second", 10)] {
        schedules.put_schedule(hourly(id, next)).await?;
    }
    let never = CronSchedule {
        next: None,
        ..hourly("never", 0)
    };
    schedules.put_schedule(never).await?;
    equal("due at 9", due(&fixture, 9).await?, ["first"])?;
    equal("due at 10", due(&fixture, 10).await?, ["first", "second"])?;
    equal("ever due", due(&fixture, i64::MAX).await?.len(), 3)
}

async fn a_schedule_fires_once_for_each_time(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let schedules = fixture.saver.schedules();
    let at_ten = hourly("a", 10);
    schedules.put_schedule(at_ten.clone()).await?;
    let first = schedules.fire_schedule(fire(&at_ten, 1, Some(20))).await?;
    equal("the first", first, true)?;
    let again = schedules.fire_schedule(fire(&at_ten, 2, Some(20))).await?;
    equal("the same time again", again, false)?;
    equal("the queue", queued(&fixture).await?, Some(run(1).0))?;
    equal("the rest of the queue", queued(&fixture).await?, None)?;
    let stored = schedules.load_schedule("a").await?;
    let stored = stored.ok_or_else(|| Failure("the schedule is gone".into()))?;
    equal("its next time", stored.next, Some(20))?;
    let last = Firing {
        due: 10,
        at: 77,
        run: Some(run(1)),
    };
    equal("what it did last", stored.last.as_ref(), Some(&last))?;
    let second = schedules.fire_schedule(fire(&stored, 2, None)).await?;
    equal("the second time", second, true)?;
    equal("the queue", queued(&fixture).await?, Some(run(2).0))?;
    equal("ever due", due(&fixture, i64::MAX).await?.len(), 0)?;
    // Without a thread of its own, each run has one.
    let threads = [1, 2].map(|n| fire(&stored, n, None).run.map(|run| run.thread));
    let [one, two] = threads;
    equal("whether they share a thread", one == two, false)
}

async fn two_workers_fire_a_schedule_once(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let schedules = fixture.saver.schedules();
    for n in 0..20 {
        let schedule = hourly("a", n);
        schedules.put_schedule(schedule.clone()).await?;
        let one = schedules.fire_schedule(fire(&schedule, 100 + 2 * n as u64, None));
        let two = schedules.fire_schedule(fire(&schedule, 101 + 2 * n as u64, None));
        let (one, two) = tokio::join!(one, two);
        equal("whether just one fires", one? != two?, true)?;
        let claimed = queued(&fixture).await?;
        equal("whether a run waits", claimed.is_some(), true)?;
        equal("whether another does", queued(&fixture).await?, None)?;
    }
    Ok(())
}

async fn a_time_at_which_the_thread_is_busy_can_be_left_out(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let schedules = fixture.saver.schedules();
    let schedule = CronSchedule {
        thread: Some("t".into()),
        on_busy: OnBusy::Reject,
        ..hourly("a", 10)
    };
    schedules.put_schedule(schedule.clone()).await?;
    let writer = fixture.writer("t").await?;
    fixture.saver.runs().begin_run(begin(&writer, 1)).await?;
    let fired = schedules
        .fire_schedule(fire(&schedule, 2, Some(20)))
        .await?;
    equal("whether it fires", fired, true)?;
    equal(
        "its run",
        fixture.saver.runs().load_run(run(2)).await?,
        None,
    )?;
    let stored = schedules.load_schedule("a").await?;
    let stored = stored.ok_or_else(|| Failure("the schedule is gone".into()))?;
    equal("its next time", stored.next, Some(20))?;
    equal("its last run", stored.last.and_then(|last| last.run), None)
}

async fn schedules_outlive_threads(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let schedule = CronSchedule {
        thread: Some("t".into()),
        ..hourly("a", 10)
    };
    let schedules = fixture.saver.schedules();
    schedules.put_schedule(schedule.clone()).await?;
    schedules
        .fire_schedule(fire(&schedule, 1, Some(20)))
        .await?;
    fixture.saver.delete(&"t".into()).await?;
    equal("the queue", queued(&fixture).await?, None)?;
    equal("due", due(&fixture, 20).await?, ["a"])?;
    equal("threads", fixture.listed().await?.len(), 0)
}
