//! Records of threads: who may change them, and what they come and go with.

use superstep_core::{
    id::ThreadId,
    runs::{EnqueueRun, OnBusy},
    saver::{ThreadKind, ThreadQuery},
    thread_record::{StampThread, ThreadExpected, ThreadRecord},
    value::Value,
};

use super::fixture::{BUSY, Bench, EXISTS, Fixture, NO_THREAD, RUN_ENDED, UNSTORABLE, refused};
use super::records::first;
use super::runs::run;
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: a_record_is_made_once_and_reads_as_it_was_made,
    a_stamp_replaces_keys_and_keeps_the_rest,
    an_owner_changes_no_record_but_their_own,
    a_thread_is_found_by_its_uuid,
    a_record_goes_with_its_thread,
    a_record_alone_makes_no_thread,
    a_run_and_the_record_of_its_thread_are_stored_together,
];

fn int(n: i64) -> Value {
    Value::Int(n)
}

fn made(owner: Option<&str>, n: i64) -> StampThread {
    StampThread {
        expected: ThreadExpected::Absent,
        owner: owner.map(Into::into),
        created: n,
        ..StampThread::at(n + 1, Value::map([("n", int(n)), ("same", int(0))]))
    }
}

fn change(owner: Option<&str>, n: i64) -> StampThread {
    StampThread {
        expected: ThreadExpected::Present,
        ..made(owner, n)
    }
}

async fn record(fixture: &Fixture, thread: &str) -> Result<Option<ThreadRecord>, Failure> {
    let records = fixture.saver.thread_records();
    Ok(records.load_record(&thread.into()).await?)
}

/// How many threads have a record.
async fn recorded(fixture: &Fixture) -> Result<usize, Failure> {
    let recorded = ThreadQuery {
        kind: ThreadKind::Recorded,
        ..ThreadQuery::default()
    };
    Ok(fixture.saver.find_threads(&recorded).await?.threads.len())
}

async fn a_record_is_made_once_and_reads_as_it_was_made(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let records = fixture.saver.thread_records();
    equal("a record of no thread", record(&fixture, "t").await?, None)?;
    let thread = ThreadId::from("t");
    let got = records.stamp(&thread, made(Some("ann"), 1)).await?;
    equal("its owner", got.owner.as_deref(), Some("ann"))?;
    equal("when it was made", (got.created, got.updated), (1, 2))?;
    let metadata = Value::map([("n", int(1)), ("same", int(0))]);
    equal("its metadata", &got.metadata, &metadata)?;
    equal("what is read", record(&fixture, "t").await?, Some(got))?;
    let again = records.stamp(&thread, made(Some("ann"), 5)).await;
    refused("a second record", again, EXISTS)?;
    let missing = records.stamp(&"other".into(), change(None, 5)).await;
    refused("a change of none", missing, NO_THREAD)?;
    let deep = (0..300).fold(int(0), |value, _| Value::from(vec![value]));
    let deep = StampThread::at(1, Value::map([("deep", deep)]));
    let deep = records.stamp(&"deep".into(), deep).await;
    refused("metadata that is nested too deep", deep, UNSTORABLE)
}

async fn a_stamp_replaces_keys_and_keeps_the_rest(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let records = fixture.saver.thread_records();
    let thread = ThreadId::from("t");
    records.stamp(&thread, made(Some("ann"), 1)).await?;
    let stamp = StampThread::at(9, Value::map([("n", int(2)), ("new", int(3))]));
    let got = records.stamp(&thread, stamp.clone()).await?;
    let metadata = Value::map([("n", int(2)), ("new", int(3)), ("same", int(0))]);
    equal("its metadata", &got.metadata, &metadata)?;
    equal("its dates", (got.created, got.updated), (1, 9))?;
    equal("its owner", got.owner.as_deref(), Some("ann"))?;
    let same = StampThread {
        updated: 20,
        ..stamp
    };
    let got = records.stamp(&thread, same).await?;
    equal("when it changed, if nothing did", got.updated, 9)?;
    equal("what is read", record(&fixture, "t").await?, Some(got))
}

async fn an_owner_changes_no_record_but_their_own(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let records = fixture.saver.thread_records();
    for (thread, owner) in [("hers", Some("ann")), ("everybodys", None)] {
        let thread = ThreadId::from(thread);
        records.stamp(&thread, made(owner, 1)).await?;
        let by_another = records.stamp(&thread, change(Some("bob"), 2)).await;
        refused("a change by another owner", by_another, NO_THREAD)?;
    }
    let own = records
        .stamp(&"hers".into(), change(Some("ann"), 2))
        .await?;
    equal(
        "the owner's own change",
        own.metadata.get("n"),
        Some(&int(2)),
    )?;
    fixture.writer("stored").await?.commit("", first(1)).await?;
    let taken = records.stamp(&"stored".into(), made(Some("bob"), 1)).await;
    refused("what is stored of nobody", taken, EXISTS)?;
    fixture.writer("begun").await?.commit("", first(1)).await?;
    let adopted = StampThread {
        expected: ThreadExpected::Adopted,
        ..made(Some("ann"), 1)
    };
    let owner = records.stamp(&"begun".into(), adopted.clone()).await?.owner;
    equal(
        "the owner whom its runs name",
        owner.as_deref(),
        Some("ann"),
    )?;
    let again = records.stamp(&"begun".into(), adopted).await;
    refused("a second owner", again, EXISTS)?;
    let whole = records.stamp(&"stored".into(), made(None, 1)).await?;
    equal("a record without an owner", whole.owner, None)
}

async fn a_thread_is_found_by_its_uuid(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let records = fixture.saver.thread_records();
    let uuid = "019812d4-2d6f-7000-8000-000000000001";
    let [named, called] = ["a name", uuid].map(ThreadId::from);
    for thread in [&named, &called] {
        let got = records.thread_of_uuid(thread.uuid()).await?;
        equal("a thread that is not there", got, None)?;
    }
    fixture.writer("a name").await?.commit("", first(1)).await?;
    records.stamp(&called, made(None, 1)).await?;
    for thread in [&named, &called] {
        let got = records.thread_of_uuid(thread.uuid()).await?;
        equal("the thread of a UUID", got.as_ref(), Some(thread))?;
    }
    fixture.saver.delete(&named).await?;
    let got = records.thread_of_uuid(named.uuid()).await?;
    equal("a thread that was deleted", got, None)
}

async fn a_record_goes_with_its_thread(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let records = fixture.saver.thread_records();
    for thread in ["bare", "written"] {
        records.stamp(&thread.into(), made(None, 1)).await?;
    }
    fixture
        .writer("written")
        .await?
        .commit("", first(1))
        .await?;
    fixture
        .saver
        .copy(&"written".into(), &"copy".into())
        .await?;
    equal(
        "the record of a copy",
        record(&fixture, "copy").await?,
        None,
    )?;
    // A lease that ends leaves the record where it is.
    drop(fixture.lease("bare").await?);
    for thread in ["bare", "written"] {
        let found = record(&fixture, thread).await?;
        equal("whether it is there", found.is_some(), true)?;
        fixture.saver.delete(&thread.into()).await?;
        equal("after its thread", record(&fixture, thread).await?, None)?;
    }
    equal("how many have records", recorded(&fixture).await?, 0)
}

async fn a_record_alone_makes_no_thread(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let records = fixture.saver.thread_records();
    records.stamp(&"t".into(), made(None, 1)).await?;
    equal("all threads", fixture.listed().await?, [""; 0])?;
    equal("how many have records", recorded(&fixture).await?, 1)
}

async fn a_run_and_the_record_of_its_thread_are_stored_together(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let queue = fixture.saver.run_queue();
    let new = |n: u64, stamp: StampThread| EnqueueRun {
        stamp: Some(stamp),
        ..EnqueueRun::new("t", run(n), "order")
    };
    let none = queue.enqueue(new(1, change(None, 1))).await;
    refused("a run on a thread that is gone", none, NO_THREAD)?;
    let found = fixture.saver.runs().load_run(run(1)).await?;
    equal("a run that was refused", found, None)?;
    queue.enqueue(new(2, made(Some("ann"), 2))).await?;
    let made_once = record(&fixture, "t").await?;
    let owner = made_once.as_ref().and_then(|it| it.owner.as_deref());
    equal("the owner of the thread", owner, Some("ann"))?;
    let foreign = queue.enqueue(new(3, change(Some("bob"), 3))).await;
    refused("a run on another's thread", foreign, NO_THREAD)?;
    let busy = EnqueueRun {
        on_busy: OnBusy::Reject,
        ..new(4, change(None, 4))
    };
    refused("a run on a busy thread", queue.enqueue(busy).await, BUSY)?;
    let known = queue.enqueue(new(2, change(None, 5))).await;
    refused("a run that is known", known, RUN_ENDED)?;
    equal("the record", record(&fixture, "t").await?, made_once)?;
    queue.enqueue(new(6, change(Some("ann"), 6))).await?;
    let stamped = record(&fixture, "t").await?;
    let n = stamped.as_ref().and_then(|it| it.metadata.get("n"));
    equal("what came with a run", n, Some(&int(6)))
}
