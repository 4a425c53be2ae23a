//! Finding threads by what a saver shows of them.

use superstep_core::{
    event::Ending,
    id::AskId,
    runs::{BeginRun, EndRun, RunCost, RunStatus},
    saver::{ThreadInfo, ThreadOrder, ThreadQuery, find_threads},
    value::Value,
};

use super::fixture::{Bench, Fixture, NO_THREAD, refused};
use super::records::{first, id, int};
use super::runs::{begin, run};
use crate::kit::{Failure, Verdict, cases, equal};

cases![
    SaverCheck: threads_are_found_by_what_is_known_of_them,
    threads_are_found_page_by_page,
    threads_are_found_by_what_they_are_now,
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
    Ok(find_threads(&*fixture.saver, &query).await?)
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
        let graph = Some(graph.into());
        let got = names(&fixture, ThreadQuery { graph, ..by() }).await?;
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

async fn threads_are_found_page_by_page(bench: &Bench<'_>) -> Verdict {
    let fixture = bench.open().await?;
    let _held = filled(&fixture).await?;
    let (mut after, mut seen) = (None, Vec::new());
    loop {
        let query = ThreadQuery {
            limit: Some(2),
            after: after.clone(),
            order: ThreadOrder::Name,
            ..ThreadQuery::default()
        };
        let page = find(&fixture, query).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        seen.extend(page.iter().map(|info| info.id.to_string()));
    }
    equal(
        "all pages",
        seen,
        ["bare", "done", "edited", "runs", "waits"],
    )?;
    let gone = ThreadQuery {
        after: Some("gone".into()),
        ..ThreadQuery::default()
    };
    let got = find_threads(&*fixture.saver, &gone).await;
    refused("a page after a thread that is gone", got, NO_THREAD)
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
