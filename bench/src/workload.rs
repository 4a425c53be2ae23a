//! Workloads, one module each, and the set that `all` runs.

mod chain;
mod cold;
mod fanout;
mod looping;
mod message;
mod nested;
mod pause;
mod stream;
mod typed;
mod upstream;

use std::process::Command;

use superstep_core::{id::ThreadId, value::Value};
use superstep_engine::{DynOutcome, RunOptions};

use crate::{args::Args, error::BenchError};

/// What `all` runs.
const ALL: &[&str] = &[
    "chain n=10",
    "chain n=100",
    "chain n=1000",
    "chain n=10 layer=typed",
    "chain n=10 store=memory",
    "chain n=100 store=memory",
    "chain n=10 store=memory layer=typed",
    "chain n=10 store=sqlite",
    "chain n=100 store=sqlite",
    "chain n=10 store=sqlite_normal",
    "chain n=100 store=sqlite_async",
    "fanout n=100",
    "fanout n=1000",
    "fanout n=10000",
    "fanout n=1000 layer=typed",
    "fanout n=1000 store=memory",
    "loop n=1000 store=memory tail=1",
    "pause n=1000 store=memory",
    "pause n=1000 store=memory layer=typed",
    "pause n=1000 store=sqlite",
    "stream n=100000",
    "stream n=100000 kind=messages",
    "nested",
    "nested store=memory",
    "nested layer=typed",
    "upstream name=sequential_1000",
    "upstream name=fanout_to_subgraph_100x",
    "cold",
];

/// Runs what the words say.
pub(crate) async fn run(args: Args) -> Result<(), BenchError> {
    if args.workload != "all" {
        return one(&args).await;
    }
    for line in ALL {
        alone(line)?;
    }
    Ok(())
}

/// Runs a workload in a process of its own: it must not find memory that another has left.
fn alone(line: &str) -> Result<(), BenchError> {
    let mut command = Command::new(std::env::current_exe()?);
    let status = command.args(line.split_whitespace()).status()?;
    match status.success() {
        true => Ok(()),
        false => Err(BenchError::Failed(line.to_owned())),
    }
}

async fn one(args: &Args) -> Result<(), BenchError> {
    match args.workload.as_str() {
        "chain" => chain::run(args).await,
        "fanout" => fanout::run(args).await,
        "loop" => looping::run(args).await,
        "pause" => pause::run(args).await,
        "stream" => stream::run(args).await,
        "nested" => nested::run(args).await,
        "upstream" => upstream::run(args).await,
        "cold" => cold::run(args).await,
        other => Err(BenchError::Args(format!(
            "no workload `{other}`; `superstep-bench --help` lists them"
        ))),
    }
}

/// A run without a limit that matters, on a thread of its own.
fn on(thread: impl Into<ThreadId>) -> RunOptions {
    RunOptions {
        limit: 10_000_000,
        ..RunOptions::on(thread)
    }
}

/// [`check`] of a typed graph: a field of its state.
fn check_state(workload: &'static str, got: i64, expected: i64) -> Result<(), BenchError> {
    if got == expected {
        return Ok(());
    }
    Err(BenchError::Wrong {
        workload,
        expected: expected.to_string(),
        got: got.to_string(),
    })
}

/// A figure of a wrong result would say nothing: checks one key of what a run gave.
fn check(
    workload: &'static str,
    outcome: &DynOutcome,
    key: &str,
    expected: impl Into<Value>,
) -> Result<(), BenchError> {
    let expected = expected.into();
    let got = outcome.output.as_ref().and_then(|output| output.get(key));
    if got == Some(&expected) {
        return Ok(());
    }
    let got = got.map_or_else(|| "nothing".to_owned(), Value::to_string);
    Err(BenchError::Wrong {
        workload,
        expected: expected.to_string(),
        got,
    })
}
