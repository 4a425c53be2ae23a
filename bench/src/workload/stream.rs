//! `stream n [kind=custom|messages]`: one node emits n small pieces to a reader that takes each as
//! it comes. The unit is a piece.

use superstep_core::{
    command::{END, START},
    event::Modes,
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{DynCtx, DynGraph, DynGraphBuilder, RunOptions};

use super::chain;
use crate::{
    args::Args,
    error::BenchError,
    meter::{Best, Lap},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, kind) = (
        args.number("n", 100_000_usize)?,
        args.text("kind", "custom"),
    );
    let (graph, modes) = match kind {
        "custom" => (custom(n)?, Modes::CUSTOM),
        "messages" => (messages(n)?, Modes::MESSAGES),
        other => return Err(BenchError::Args(format!("no kind `{other}`"))),
    };
    let mut best = Best::NONE;
    for _ in 0..3 {
        let options = RunOptions {
            modes,
            ..RunOptions::default()
        };
        let lap = Lap::start()?;
        let mut events = graph.stream(chain::input(), &options);
        let mut read = 0;
        while let Some(event) = events.next().await {
            read += usize::from(modes.has(event.kind.mode()));
        }
        events.outcome().await?;
        best.take(lap.stop()?);
        if read != n {
            let (expected, got) = (n.to_string(), read.to_string());
            return Err(BenchError::Wrong {
                workload: "stream",
                expected,
                got,
            });
        }
    }
    let variant = format!("n={n},kind={kind}");
    let extra = format!("\"chunks_per_s\":{:.0}", n as f64 / best.0.wall);
    Line {
        workload: "stream",
        variant: &variant,
        units: n,
        cost: best.0,
        extra: &extra,
    }
    .print();
    Ok(())
}

fn graph(builder: DynGraphBuilder) -> Result<DynGraph, BenchError> {
    Ok(builder
        .reduce("x", Reducer::Add, 0)
        .edge(START, "n")
        .edge("n", END)
        .build()?)
}

fn custom(n: usize) -> Result<DynGraph, BenchError> {
    graph(
        DynGraphBuilder::new().node("n", move |ctx: DynCtx| async move {
            for _ in 0..n {
                ctx.emit("tok12345").await;
            }
            done()
        }),
    )
}

fn messages(n: usize) -> Result<DynGraph, BenchError> {
    graph(
        DynGraphBuilder::new().node("n", move |ctx: DynCtx| async move {
            for _ in 0..n {
                let piece = Value::map([("type", "ai".into()), ("content", "tok12345".into())]);
                ctx.emit_message(piece).await;
            }
            done()
        }),
    )
}

fn done() -> Result<Value, Halt> {
    Ok(Value::map([("x", 1.into())]))
}
