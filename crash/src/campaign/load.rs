//! `load`: many threads that run at the same time, then as many that wait for an answer.

use std::{fs, sync::Arc, time::Instant};

use serde_json::json;
use superstep_core::{
    command::{END, START},
    error::Failure,
    plan::BuildErrors,
    run::Halt,
    saver::Saver,
    value::Value,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, RunOptions, Status, state::Depth,
};
use superstep_sqlite::Database;
use tokio::{sync::Semaphore, task::JoinSet};

use super::{Summary, Violation};
use crate::{Fallible, harness::Harness, work_dir::WorkDir};

/// So many run at once.
const AT_ONCE: usize = 64;
/// So many steps each.
const STEPS: i64 = 10;

fn graph(database: &Database) -> Result<DynGraph, BuildErrors> {
    let step = |ctx: DynCtx| async move {
        let n = ctx.get("n").as_i64().unwrap_or_default() + 1;
        Ok::<_, Halt>(json!({ "n": n }))
    };
    let ask = |ctx: DynCtx| async move {
        let answer = ctx.ask("continue?")?;
        Ok::<_, Halt>(json!({ "answer": answer.to_json() }))
    };
    DynGraphBuilder::new()
        .last_value("n")
        .last_value("end")
        .last_value("answer")
        .node("step", step)
        .node("ask", ask)
        .route(START, |view| {
            let asks = view.get("end")?.as_i64() == Some(0);
            Ok::<_, Failure>(if asks { "ask" } else { "step" })
        })
        .route("step", |view| {
            let more = view.get("n")?.as_i64() < view.get("end")?.as_i64();
            Ok::<_, Failure>(if more { "step" } else { END })
        })
        .backends(Backends::on(database.saver()))
        .build()
}

/// Runs and parks so many threads.
pub fn run(threads: u64) -> Fallible<bool> {
    let mut summary = Summary::new("load");
    let harness = Harness::below(&std::env::temp_dir())?;
    let work_dir = WorkDir::at(harness.folder()?)?;
    let database = Database::open(work_dir.database())?;
    let graph = graph(&database)?;
    let runtime = tokio::runtime::Runtime::new()?;

    let begun = Instant::now();
    let ran = runtime.block_on(start(&graph, threads, "run", STEPS, Status::Done));
    let running = begun.elapsed();
    let begun = Instant::now();
    let parked = runtime.block_on(start(&graph, threads, "parked", 0, Status::Waiting));
    let parking = begun.elapsed();

    let saver: Arc<dyn Saver> = Arc::new(database.saver());
    let begun = Instant::now();
    let listed = runtime.block_on(async { saver.threads().await })?.len() as u64;
    let listing = begun.elapsed();
    let begun = Instant::now();
    let asks = runtime.block_on(questions(&graph, threads))?;
    let asking = begun.elapsed();

    for what in ran.into_iter().chain(parked) {
        summary.wrong([violation(what, threads)]);
    }
    if listed != 2 * threads {
        let what = format!("{listed} threads are listed, not {}", 2 * threads);
        summary.wrong([violation(what, threads)]);
    }
    if asks != threads {
        let what = format!("{asks} questions are open, not {threads}");
        summary.wrong([violation(what, threads)]);
    }
    let steps = threads as f64 * STEPS as f64 / running.as_secs_f64();
    summary.figure("threads", format!("{threads} x {STEPS} steps"));
    summary.figure(
        "running",
        format!("{:.1} s ({steps:.0} steps/s)", running.as_secs_f64()),
    );
    summary.figure("parking", format!("{:.1} s", parking.as_secs_f64()));
    summary.figure("list", format!("{:.1} ms", listing.as_secs_f64() * 1e3));
    summary.figure(
        "all questions",
        format!("{:.1} ms", asking.as_secs_f64() * 1e3),
    );
    summary.figure("memory", format!("{} MiB", resident()?));
    let size = fs::metadata(work_dir.database())?.len();
    summary.figure("file", format!("{} MiB", size >> 20));
    Ok(summary.close())
}

fn violation(what: String, threads: u64) -> Violation {
    let replay = format!("superstep-crash load --threads {threads}");
    Violation { what, replay }
}

/// Starts threads, some at once; what went wrong.
async fn start(
    graph: &DynGraph,
    threads: u64,
    name: &str,
    end: i64,
    wanted: Status,
) -> Vec<String> {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for n in 0..threads {
        let (graph, room) = (graph.clone(), room.clone());
        let thread = format!("{name} {n}");
        running.spawn(async move {
            let _place = room.acquire().await;
            let input = Value::from(json!({ "n": 0, "end": end }));
            match graph.invoke(input, &RunOptions::on(&thread)).await {
                Ok(outcome) if outcome.status == wanted => None,
                Ok(outcome) => Some(format!("{thread} ends as {:?}", outcome.status)),
                Err(error) => Some(format!("{thread}: {error:?}")),
            }
        });
    }
    let ends = running.join_all().await;
    ends.into_iter().flatten().collect()
}

async fn questions(graph: &DynGraph, threads: u64) -> Fallible<u64> {
    let mut open = 0;
    for n in 0..threads {
        let thread = format!("parked {n}");
        let state = graph.state(&thread.into(), None, Depth::Here).await?;
        open += state.asks().count() as u64;
    }
    Ok(open)
}

/// Resident memory of this process, in MiB.
fn resident() -> Fallible<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
    Ok(kib.unwrap_or_default() >> 10)
}
