//! `pause n store`: n threads at once run up to a question, then n answers let all of them finish.
//! The unit is a thread.

use superstep_core::{
    command::{END, START},
    message::Unknown,
    reducer::Reducer,
    run::{Halt, RunInput},
    value::Value,
};
use superstep_engine::{Backends, DynCtx, DynGraph, DynGraphBuilder, Status, input::resume};

use super::message;
use crate::{
    args::Args,
    backend::{Opened, Store},
    error::BenchError,
    meter::{Lap, rss_kb},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, store) = (args.number("n", 1000_usize)?, args.store()?);
    if store == Store::None {
        return Err(BenchError::Args("pause needs a store".to_owned()));
    }
    let opened = store.open()?;
    let graph = graph(opened.backends.clone())?;
    let variant = format!("n={n},store={}", store.name());
    let before = rss_kb()?;
    let lap = Lap::start()?;
    every_thread(
        &graph,
        &opened,
        n,
        Value::map([("messages", Value::list([]))]),
        Status::Waiting,
    )
    .await?;
    let paused = lap.stop()?;
    let grown = (rss_kb()? - before) / n as f64;
    let lap = Lap::start()?;
    every_thread(&graph, &opened, n, resume("ok"), Status::Done).await?;
    let finished = lap.stop()?;
    let extra = format!("\"rss_kb_per_thread\":{grown:.2}");
    Line {
        workload: "pause",
        variant: &variant,
        units: n,
        cost: paused,
        extra: &extra,
    }
    .print();
    Line {
        workload: "unpause",
        variant: &variant,
        units: n,
        cost: finished,
        extra: "",
    }
    .print();
    Ok(())
}

async fn every_thread(
    graph: &DynGraph,
    opened: &Opened,
    n: usize,
    input: impl Into<RunInput>,
    expected: Status,
) -> Result<(), BenchError> {
    let input = input.into();
    let mut runs = Vec::with_capacity(n);
    for thread in 0..n {
        let (graph, input) = (graph.clone(), input.clone());
        let options = opened.on(format!("pause-{thread}"));
        runs.push(tokio::spawn(
            async move { graph.invoke(input, &options).await },
        ));
    }
    for run in runs {
        let status = run.await??.status;
        if status != expected {
            let (expected, got) = (format!("{expected:?}"), format!("{status:?}"));
            return Err(BenchError::Wrong {
                workload: "pause",
                expected,
                got,
            });
        }
    }
    Ok(())
}

fn graph(backends: Backends) -> Result<DynGraph, BenchError> {
    let builder = DynGraphBuilder::new()
        .reduce(
            "messages",
            Reducer::Messages(Unknown::Refuse),
            Value::list([]),
        )
        .last_value("answer")
        .node("plan", plan)
        .node("ask", ask)
        .node("done", done)
        .edge(START, "plan")
        .edge("plan", "ask")
        .edge("ask", "done")
        .edge("done", END)
        .backends(backends);
    Ok(builder.build()?)
}

async fn plan(_: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([(
        "messages",
        Value::list([message::message(message::text())]),
    )]))
}

async fn ask(ctx: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([("answer", ctx.ask("approve?")?)]))
}

async fn done(ctx: DynCtx) -> Result<Value, Halt> {
    let answer = ctx.get("answer");
    let text = answer.as_str().unwrap_or_default();
    Ok(Value::map([(
        "messages",
        Value::list([message::message(text)]),
    )]))
}
