//! `recover`: a process is killed in the middle of a long thread; measures how long the next one takes
//! to open the database, load the thread and store a step.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{ExitCode, Stdio},
    sync::{Arc, OnceLock},
    time::Instant,
};

use serde_json::json;
use superstep_core::{command::START, plan::BuildErrors, run::Halt, value::Value};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, RunOptions, input, state::Depth,
};
use superstep_sqlite::Database;

use super::{Summary, Violation};
use crate::{Fallible, harness::Harness, work_dir::WorkDir};

/// What a node does when it runs.
type Hook = Arc<dyn Fn(&DynCtx, i64) + Send + Sync>;

/// An endless loop that writes one value per step.
fn graph(database: &Database, hook: Hook) -> Result<DynGraph, BuildErrors> {
    let say = move |ctx: DynCtx| {
        let hook = hook.clone();
        async move {
            let n = ctx.get("n").as_i64().unwrap_or_default() + 1;
            hook(&ctx, n);
            Ok::<_, Halt>(json!({ "n": n, "log": [format!("step {n}")] }))
        }
    };
    DynGraphBuilder::new()
        .last_value("n")
        .reduce(
            "log",
            superstep_core::reducer::Reducer::Add,
            Value::list([]),
        )
        .node("say", say)
        .edge(START, "say")
        .edge("say", "say")
        .backends(Backends::on(database.saver()))
        .build()
}

fn options(steps: u64) -> RunOptions {
    RunOptions {
        limit: steps.saturating_mul(2) + 100,
        ..RunOptions::on("long")
    }
}

/// Grows, kills, and measures.
pub fn run(steps: u64) -> Fallible<bool> {
    let mut summary = Summary::new("recover");
    let harness = Harness::below(&std::env::temp_dir())?;
    let work_dir = WorkDir::at(harness.folder()?)?;
    let grown = grow_and_kill(&harness, &work_dir, steps)?;
    let runtime = tokio::runtime::Runtime::new()?;

    let begun = Instant::now();
    let database = Database::open(work_dir.database())?;
    let opened = begun.elapsed();
    let running = Arc::new(OnceLock::new());
    let first = running.clone();
    let graph = graph(
        &database,
        Arc::new(move |ctx, _| {
            let _first_alone_counts = first.set(begun.elapsed());
            ctx.drain("enough");
        }),
    )?;
    let ended = runtime.block_on(graph.invoke(input::go_on(), &options(steps)));
    let stored = begun.elapsed();

    if let Err(error) = &ended
        && error.code() != "SS1103"
    {
        return Err(format!("it does not continue: {error:?}").into());
    }
    let now = runtime.block_on(graph.state(&"long".into(), None, Depth::Here))?;
    let n = now
        .values
        .get("n")
        .and_then(Value::as_i64)
        .unwrap_or_default();
    let said = now
        .values
        .get("log")
        .and_then(Value::as_list)
        .map_or(0, <[Value]>::len);
    let promised = i64::try_from(grown)?;
    if n <= promised || i64::try_from(said)? != n {
        summary.wrong([Violation {
            what: format!("{promised} steps were promised; it stands at {n} and said {said}"),
            replay: format!("superstep-crash recover --steps {steps}"),
        }]);
    }
    let ms = |time: std::time::Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    summary.figure("steps", n);
    summary.figure("open", ms(opened));
    let at = running.get().copied().unwrap_or_default();
    summary.figure("open to the next task", ms(at));
    summary.figure("open to the next stored step", ms(stored));
    Ok(summary.close())
}

/// Lets a process run until it has stored so many steps, and kills it while it runs.
fn grow_and_kill(harness: &Harness, work_dir: &WorkDir, steps: u64) -> Fallible<u64> {
    let dir = work_dir.dir().to_string_lossy().into_owned();
    let mut command = harness.command(&["grower", &dir, &steps.to_string()]);
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    let said = child.stdout.take().ok_or("no pipe")?;
    let read = BufReader::new(said).read_line(&mut line);
    child.kill()?;
    child.wait()?;
    read?;
    Ok(line.trim_end().parse()?)
}

/// A process that grows a thread, and says so when it has so many steps.
pub fn child(dir: PathBuf, steps: u64) -> Fallible<ExitCode> {
    let work_dir = WorkDir::at(dir)?;
    let database = Database::open(work_dir.database())?;
    let wanted = i64::try_from(steps)?;
    // When a task runs, all steps before its own are stored.
    let tell = move |_: &DynCtx, n: i64| {
        if n == wanted + 1 {
            println!("{wanted}");
        }
    };
    let graph = graph(&database, Arc::new(tell))?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(graph.invoke(Value::from(json!({ "n": 0 })), &options(steps)))?;
    Ok(ExitCode::SUCCESS)
}

/// A process that grows a thread until an error. It prints each step that is stored, and at last the
/// error's code.
pub fn filler(dir: PathBuf) -> Fallible<ExitCode> {
    let database = Database::open(WorkDir::at(dir)?.database())?;
    // When a task runs, all steps before its own are stored.
    let graph = graph(&database, Arc::new(|_: &DynCtx, n| println!("{}", n - 1)))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let input = Value::from(json!({ "n": 0 }));
    let ended = runtime.block_on(graph.invoke(input, &options(1_000_000)));
    println!(
        "{}",
        ended.map_or_else(|error| error.code().to_owned(), |_| "done".to_owned())
    );
    Ok(ExitCode::SUCCESS)
}
