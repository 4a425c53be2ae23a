//! Finding threads by what a saver shows of them.

use superstep_core::{
    event::Ending,
    id::{AskId, ThreadId},
    runs::{BeginRun, EndRun, RunCost, RunStatus},
    saver::{
        StampThread, ThreadCursor, ThreadExpected, ThreadInfo, ThreadKind, ThreadOrder, ThreadQuery,
    },
    value::Value,
};

use super::fixture::{Bench, Fixture};
use super::records::{first, id, int};
use super::runs::{begin, run};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: threads_are_found_by_what_is_known_of_them,
    threads_are_found_page_by_page,
    threads_are_found_by_what_they_are_now,
    threads_are_found_by_their_records,
    threads_come_in_the_order_that_is_asked_for,
    pages_have_each_thread_once_while_threads_change,
    a_page_begins_after_a_thread_that_is_gone,
    threads_are_counted_by_status,
    what_runs_cost_is_added_up,
];

/// Threads with a run that is done, one that waits, one that runs, one that was edited since, none.
async fn filled(fixture: &Fixture) -> Result<Vec<superstep_core::saver::Lease>, Failure> {
    let mut held = Vec::new();
    for (n, thread) in (1..).zip(["done", "waits", "edited", "runs", "bare"]) {
        let mut writer = fixture.writer(thread).await?;
        if thread != "bare" {
            for old in [n + 10, n] {
                fixture.saver.runs().begin_run(begin(&writer, old)).await?;
            }
        }
        writer.commit("", first(n)).await?;
        let ending = match thread {
            "waits" | "edited" => Ending::Waiting(vec![AskId(1)]),
            _ => Ending::Done,
        };
        if !["runs", "bare"].contains(&thread) {
            let (thread, epoch) = (writer.thread().clone(), writer.epoch());
            let run = run(n);
            let end = EndRun {
                thread,
                epoch,
                run,
                ending,
                cost: RunCost::default(),
                keeps: false,
                hands_back: false,
                alarm: None,
            };
            fixture.saver.runs().end_run(end).await?;
        }
        if thread == "edited" {
            writer.commit("", first(n + 20)).await?;
        }
        if thread == "runs" {
            held.push(writer.into_lease());
        }
    }
    Ok(held)
}

async fn find(fixture: &Fixture, query: ThreadQuery) -> Result<Vec<ThreadInfo>, Failure> {
    Ok(fixture.saver.find_threads(&query).await?.threads)
}

async fn names(fixture: &Fixture, query: ThreadQuery) -> Result<Vec<String>, Failure> {
    let order = ThreadOrder::Name;
    let found = find(fixture, ThreadQuery { order, ..query }).await?;
    Ok(found.iter().map(|info| info.id.to_string()).collect())
}

async fn threads_are_found_by_what_is_known_of_them(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let _held = filled(&fixture).await?;
    let by = ThreadQuery::default;
    for (status, wanted) in [
        (RunStatus::Done, vec!["done"]),
        (RunStatus::Waiting, vec!["waits"]),
        (RunStatus::Running, vec!["runs"]),
        (RunStatus::Idle, vec!["bare", "edited"]),
        (RunStatus::Failed, vec![]),
    ] {
        let status = vec![status];
        let got = names(&fixture, ThreadQuery { status, ..by() }).await?;
        equal("threads of a status", got, wanted)?;
    }
    let metadata = Value::map([("n", int(2))]);
    let got = names(&fixture, ThreadQuery { metadata, ..by() }).await?;
    equal("threads with metadata", got, ["waits"])?;
    for (search, wanted) in [("UN", vec!["runs"]), ("nobody", vec![])] {
        let search = Some(search.to_owned());
        let got = names(&fixture, ThreadQuery { search, ..by() }).await?;
        equal("threads with a text", got, wanted)?;
    }
    for (graph, count) in [("order", 5), ("chat", 0)] {
        let graphs = vec![graph.into()];
        let got = names(&fixture, ThreadQuery { graphs, ..by() }).await?;
        equal("threads of a graph", got.len(), count)?;
    }
    let all = find(&fixture, by()).await?;
    let waits = all.iter().find(|info| info.id.as_str() == "waits");
    let waits = waits.ok_or_else(|| Failure("a thread is missing".into()))?;
    equal("its run", waits.run, Some(run(2)))?;
    equal("its checkpoint", waits.checkpoint, Some(id(2)))?;
    equal("its graph", waits.graph.as_deref(), Some("order"))?;
    equal("its dates", waits.updated >= waits.created, true)?;
    let (created_from, created_before) = (waits.created, waits.created);
    let since = ThreadQuery {
        created_from,
        ..by()
    };
    let got = names(&fixture, since).await?.contains(&"waits".to_owned());
    equal("whether it is found since it was made", got, true)?;
    let before = ThreadQuery {
        created_before,
        ..by()
    };
    let got = names(&fixture, before).await?.contains(&"waits".to_owned());
    equal("whether it was made before", got, false)?;
    let updated_before = waits.created;
    let early = ThreadQuery {
        updated_before,
        ..by()
    };
    let got = names(&fixture, early).await?.contains(&"waits".to_owned());
    equal("whether it is found before it was made", got, false)
}

/// A page of a query: the names on it, and where the next one begins.
async fn page(
    fixture: &Fixture,
    query: &ThreadQuery,
    after: Option<ThreadCursor>,
) -> Result<(Vec<String>, Option<ThreadCursor>), Failure> {
    let query = ThreadQuery {
        after,
        ..query.clone()
    };
    let page = fixture.saver.find_threads(&query).await?;
    let names = page.threads.iter().map(|info| info.id.to_string());
    Ok((names.collect(), page.next))
}

/// The names on a page and on those that follow it.
async fn from_here(
    fixture: &Fixture,
    query: &ThreadQuery,
    mut after: Option<ThreadCursor>,
) -> Result<Vec<String>, Failure> {
    let mut seen = Vec::new();
    // More pages than there are threads do not end.
    for _ in 0..20 {
        let (names, next) = page(fixture, query, after).await?;
        seen.extend(names);
        if next.is_none() {
            break;
        }
        after = next;
    }
    Ok(seen)
}

async fn threads_are_found_page_by_page(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let _held = filled(&fixture).await?;
    let by_name = ThreadQuery {
        limit: Some(2),
        order: ThreadOrder::Name,
        ..ThreadQuery::default()
    };
    let (first, _) = page(&fixture, &by_name, None).await?;
    equal("the first page", first, ["bare", "done"])?;
    let seen = from_here(&fixture, &by_name, None).await?;
    let all = ["bare", "done", "edited", "runs", "waits"];
    equal("all pages", seen, all)?;
    let by_use = ThreadQuery {
        limit: Some(2),
        ..ThreadQuery::default()
    };
    let mut seen = from_here(&fixture, &by_use, None).await?;
    seen.sort();
    equal("all pages by use", seen, all)
}

/// Makes or changes the record of a thread; one of an owner is made.
async fn stamped(
    fixture: &Fixture,
    thread: &str,
    owner: Option<&str>,
    (created, updated): (i64, i64),
) -> Verdict {
    let metadata = Value::map([("changed", Value::Int(updated)), ("team", int(7))]);
    let expected = match owner {
        Some(_) => ThreadExpected::Adopted,
        None => ThreadExpected::Anything,
    };
    let stamp = StampThread {
        expected,
        owner: owner.map(Into::into),
        created,
        ..StampThread::at(updated, metadata)
    };
    let records = fixture.saver.thread_records();
    records.stamp(&ThreadId::from(thread), stamp).await?;
    Ok(())
}

fn recorded() -> ThreadQuery {
    ThreadQuery {
        kind: ThreadKind::Recorded,
        ..ThreadQuery::default()
    }
}

async fn threads_are_found_by_their_records(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let _held = filled(&fixture).await?;
    for (thread, owner) in [("new", Some("ann")), ("waits", Some("bob")), ("bare", None)] {
        stamped(&fixture, thread, owner, (1, 1)).await?;
    }
    let owner = |name: &str| ThreadQuery {
        owner: Some(name.into()),
        ..recorded()
    };
    let got = names(&fixture, recorded()).await?;
    equal("threads with a record", got, ["bare", "new", "waits"])?;
    equal("ann's", names(&fixture, owner("ann")).await?, ["new"])?;
    equal("bob's", names(&fixture, owner("bob")).await?, ["waits"])?;
    let stored = ThreadQuery {
        kind: ThreadKind::Stored,
        ..owner("ann")
    };
    let got = names(&fixture, stored).await?;
    equal("ann's with a checkpoint", got, [""; 0])?;
    let unrecorded = ThreadQuery {
        kind: ThreadKind::Unrecorded,
        graphs: vec!["order".into(), "chat".into()],
        ..ThreadQuery::default()
    };
    let got = names(&fixture, unrecorded).await?;
    equal("threads without a record", got, ["done", "edited", "runs"])?;
    let team = ThreadQuery {
        metadata: Value::map([("team", int(7))]),
        ..ThreadQuery::default()
    };
    let got = names(&fixture, team).await?;
    equal("by the metadata of a record", got, ["bare", "waits"])?;
    let of_run = ThreadQuery {
        metadata: Value::map([("n", int(2))]),
        ..ThreadQuery::default()
    };
    let got = names(&fixture, of_run).await?;
    equal("by that of a run, with a record", got, [""; 0])?;
    let uuid = ThreadId::of_uuid(ThreadId::from("done").uuid());
    let ids = ["waits".into(), uuid, "nobody".into(), "waits".into()];
    let ids = ThreadQuery {
        ids: Some(ids.to_vec()),
        ..ThreadQuery::default()
    };
    let got = names(&fixture, ids.clone()).await?;
    equal("by names and UUIDs", got, ["done", "waits"])?;
    let both = ThreadQuery {
        owner: Some("bob".into()),
        ..ids
    };
    equal("and by owner", names(&fixture, both).await?, ["waits"])?;
    let none = ThreadQuery {
        ids: Some(Vec::new()),
        ..ThreadQuery::default()
    };
    equal("by no name", names(&fixture, none).await?, [""; 0])?;
    let all = find(&fixture, recorded()).await?;
    let new = all.iter().find(|info| info.id.as_str() == "new");
    let owner = new.and_then(ThreadInfo::owner).map(ToString::to_string);
    equal("the owner that is shown", owner.as_deref(), Some("ann"))
}

async fn threads_come_in_the_order_that_is_asked_for(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (thread, times) in [("a", (3, 30)), ("b", (1, 50)), ("c", (2, 40))] {
        stamped(&fixture, thread, None, times).await?;
    }
    let mut by_uuid = ["a", "b", "c"];
    by_uuid.sort_by_key(|name| ThreadId::from(name).uuid());
    for (order, mut wanted) in [
        (ThreadOrder::Created, ["a", "c", "b"]),
        (ThreadOrder::Changed, ["a", "c", "b"]),
        (ThreadOrder::Updated, ["b", "c", "a"]),
        (ThreadOrder::Name, ["a", "b", "c"]),
        (ThreadOrder::Uuid, by_uuid),
    ] {
        for reversed in [false, true] {
            let query = ThreadQuery {
                order,
                reversed,
                limit: Some(1),
                ..recorded()
            };
            let got = from_here(&fixture, &query, None).await?;
            equal(&format!("threads by {order:?}"), got, wanted)?;
            wanted.reverse();
        }
    }
    for thread in ["d", "e"] {
        fixture.writer(thread).await?.commit("", first(1)).await?;
    }
    let by_use = ThreadQuery {
        order: ThreadOrder::Used,
        ..ThreadQuery::default()
    };
    let found = find(&fixture, by_use).await?;
    let is_sorted = found.iter().is_sorted_by(|a, b| a.used >= b.used);
    equal("how many were used", found.len(), 2)?;
    equal("whether those used last come first", is_sorted, true)
}

async fn pages_have_each_thread_once_while_threads_change(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (n, thread) in (1..).zip(["f", "e", "d", "c", "b", "a"]) {
        stamped(&fixture, thread, None, (n, n)).await?;
    }
    let query = ThreadQuery {
        limit: Some(2),
        ..recorded()
    };
    let (names, next) = page(&fixture, &query, None).await?;
    equal("the first page", names, ["a", "b"])?;
    // One that was seen comes first again, and there is a new one.
    stamped(&fixture, "b", None, (5, 20)).await?;
    stamped(&fixture, "new", None, (30, 30)).await?;
    let (names, next) = page(&fixture, &query, next).await?;
    equal("the second page", names, ["c", "d"])?;
    fixture.saver.delete(&"a".into()).await?;
    fixture.saver.delete(&"e".into()).await?;
    let rest = from_here(&fixture, &query, next).await?;
    equal("the last page", rest, ["f"])
}

async fn a_page_begins_after_a_thread_that_is_gone(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    for (n, thread) in (1..).zip(["a", "b", "c"]) {
        stamped(&fixture, thread, None, (n, n)).await?;
    }
    for (order, first, rest) in [
        (ThreadOrder::Name, "a", ["b", "c"]),
        (ThreadOrder::Created, "c", ["b", "a"]),
    ] {
        let query = ThreadQuery {
            limit: Some(1),
            order,
            ..recorded()
        };
        let (names, next) = page(&fixture, &query, None).await?;
        equal("the first page", names, [first])?;
        fixture.saver.delete(&first.into()).await?;
        let got = from_here(&fixture, &query, next).await?;
        equal("the rest", got, rest)?;
        stamped(&fixture, first, None, (1, 1)).await?;
    }
    Ok(())
}

async fn threads_are_counted_by_status(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let _held = filled(&fixture).await?;
    for thread in ["new", "newer"] {
        stamped(&fixture, thread, Some("ann"), (1, 1)).await?;
    }
    let saver = &fixture.saver;
    let count = |query: ThreadQuery| async move {
        let counts = saver.count_threads(&query).await?;
        let mut sums = Vec::new();
        for status in RunStatus::ALL {
            let of = counts.iter().filter(|((of, _), _)| *of == status);
            let n: u64 = of.map(|(_, n)| n).sum();
            sums.extend((n > 0).then_some((status, n)));
        }
        Ok::<_, Failure>(sums)
    };
    let all = [
        (RunStatus::Idle, 2),
        (RunStatus::Running, 1),
        (RunStatus::Done, 1),
        (RunStatus::Waiting, 1),
    ];
    let paged = ThreadQuery {
        limit: Some(1),
        ..ThreadQuery::default()
    };
    for query in [ThreadQuery::default(), paged] {
        equal("all threads", count(query).await?, all)?;
    }
    let owned = ThreadQuery {
        owner: Some("ann".into()),
        ..recorded()
    };
    equal("ann's", count(owned).await?, [(RunStatus::Idle, 2)])?;
    let one = ThreadQuery {
        metadata: Value::map([("n", int(2))]),
        ..ThreadQuery::default()
    };
    equal("by metadata", count(one).await?, [(RunStatus::Waiting, 1)])?;
    let text = ThreadQuery {
        search: Some("UN".to_owned()),
        ..ThreadQuery::default()
    };
    equal("by text", count(text).await?, [(RunStatus::Running, 1)])
}

/// Runs a thread once more, with other metadata.
async fn run_again(fixture: &Fixture, thread: &str, n: u64, user: &str, cost: RunCost) -> Verdict {
    let mut writer = fixture.writer(thread).await?;
    let metadata = Value::map([("user", Value::from(user))]);
    let begin = BeginRun {
        metadata,
        ..begin(&writer, n)
    };
    fixture.saver.runs().begin_run(begin).await?;
    writer.commit("", first(n)).await?;
    let end = EndRun {
        thread: writer.thread().clone(),
        epoch: writer.epoch(),
        run: run(n),
        ending: Ending::Done,
        cost,
        keeps: false,
        hands_back: false,
        alarm: None,
    };
    Ok(fixture.saver.runs().end_run(end).await?)
}

fn of_user(user: &str) -> ThreadQuery {
    ThreadQuery {
        metadata: Value::map([("user", Value::from(user))]),
        ..ThreadQuery::default()
    }
}

async fn threads_are_found_by_what_they_are_now(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let held = filled(&fixture).await?;
    // Found once, so that an index has them.
    let got = names(&fixture, of_user("ann")).await?;
    equal("ann's", got, ["done", "edited", "runs", "waits"])?;
    run_again(&fixture, "waits", 40, "bob", RunCost::default()).await?;
    equal("bob's", names(&fixture, of_user("bob")).await?, ["waits"])?;
    let got = names(&fixture, of_user("ann")).await?;
    equal("what is left to ann", got, ["done", "edited", "runs"])?;
    let status = |status| ThreadQuery {
        status: vec![status],
        ..ThreadQuery::default()
    };
    let got = names(&fixture, status(RunStatus::Done)).await?;
    equal("done by now", got, ["done", "waits"])?;
    let all = find(&fixture, ThreadQuery::default()).await?;
    let waits = all.iter().find(|info| info.id.as_str() == "waits");
    let used = waits.and_then(|info| info.updated);
    let is_last = all.iter().all(|info| info.updated <= used);
    equal(
        "whether the one that ran again was used last",
        is_last,
        true,
    )?;
    let times: Vec<_> = all.iter().map(|info| info.updated).collect();
    let is_sorted = times.is_sorted_by(|a, b| a >= b);
    equal(
        "whether those that were used last come first",
        is_sorted,
        true,
    )?;
    drop(held);
    let got = names(&fixture, status(RunStatus::Running)).await?;
    equal("running without a lease", got, [""; 0])?;
    let saver = &fixture.saver;
    saver.delete(&"done".into()).await?;
    saver.copy(&"waits".into(), &"copy".into()).await?;
    let got = names(&fixture, status(RunStatus::Done)).await?;
    equal(
        "without the deleted one",
        got.contains(&"done".to_owned()),
        false,
    )?;
    let got = names(&fixture, ThreadQuery::default()).await?;
    equal("with the copy", got.contains(&"copy".to_owned()), true)?;
    // A name that is used again is another thread.
    run_again(&fixture, "done", 50, "carl", RunCost::default()).await?;
    equal("carl's", names(&fixture, of_user("carl")).await?, ["done"])
}

async fn what_runs_cost_is_added_up(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let cost = RunCost {
        calls: 2,
        input_tokens: 100,
        output_tokens: 10,
        micro_usd: 7,
        unpriced: 1,
    };
    run_again(&fixture, "t", 1, "ann", cost).await?;
    run_again(&fixture, "t", 2, "ann", cost).await?;
    let found = find(&fixture, ThreadQuery::default()).await?;
    let got = found.first().map(|info| info.cost);
    equal("what all runs cost", got, Some(cost.and(cost)))?;
    let record = fixture.saver.runs().load_run(run(1)).await?;
    equal("what one cost", record.map(|run| run.cost), Some(cost))
}
