//! `cold`: from the start of a process to the first node of a graph in it. The unit is a start.
//!
//! The process starts itself with `cold first=1`; the child writes a line from inside its node and
//! stays until its input closes, so that its memory and CPU time can be read at that moment.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use superstep_core::{
    command::{END, START},
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{DynCtx, DynGraphBuilder, RunOptions};

use super::chain;
use crate::{
    args::Args,
    error::BenchError,
    meter::{Best, Cost, cpu_nanos_of, least_and_middle, rss_kb_of},
    report::Line,
};

const STARTS: usize = 20;

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    if args.text("first", "0") == "1" {
        return child().await;
    }
    let (mut best, mut seconds, mut rss) = (Best::NONE, Vec::new(), f64::MAX);
    for _ in 0..STARTS {
        let (cost, kb) = start()?;
        best.take(cost);
        seconds.push(cost.wall);
        rss = rss.min(kb);
    }
    let (_, middle) = least_and_middle(seconds);
    let extra = format!(
        "\"p50_us\":{:.1},\"rss_mb\":{:.1}",
        middle * 1e6,
        rss / 1024.0
    );
    Line {
        workload: "cold",
        variant: "graph",
        units: 1,
        cost: best.0,
        extra: &extra,
    }
    .print();
    Ok(())
}

fn start() -> Result<(Cost, f64), BenchError> {
    let program = std::env::current_exe()?;
    let begun = Instant::now();
    let mut child = Command::new(program)
        .args(["cold", "first=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    let wall = begun.elapsed().as_secs_f64();
    let process = format!("/proc/{}", child.id());
    let read = cpu_nanos_of(Path::new(&process))
        .and_then(|cpu| Ok((cpu, rss_kb_of(Path::new(&process))?)));
    drop(child.stdin.take());
    child.wait()?;
    let (cpu, rss) = read?;
    if line.trim() != "first node" {
        let (expected, got) = ("its first node".to_owned(), format!("`{}`", line.trim()));
        return Err(BenchError::Wrong {
            workload: "cold",
            expected,
            got,
        });
    }
    Ok((
        Cost {
            wall,
            cpu: cpu as f64 / 1e9,
        },
        rss,
    ))
}

async fn child() -> Result<(), BenchError> {
    let graph = DynGraphBuilder::new()
        .reduce("x", Reducer::Add, 0)
        .node("n0", announce)
        .edge(START, "n0")
        .edge("n0", END)
        .build()?;
    graph.invoke(chain::input(), &RunOptions::default()).await?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

async fn announce(_: DynCtx) -> Result<Value, Halt> {
    let mut out = std::io::stdout();
    let written = out.write_all(b"first node\n").and_then(|()| out.flush());
    let ok = i64::from(written.is_ok());
    Ok(Value::map([("x", ok.into())]))
}
