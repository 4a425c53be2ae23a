//! Finding threads by what a saver shows of them.

use superstep_core::{
    event::Ending,
    id::AskId,
    runs::{EndRun, RunStatus},
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
