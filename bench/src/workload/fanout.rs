//! `fanout n store`: one step sends n tasks, a node behind them sums their results. The unit is a
//! task.

use superstep_core::{
    command::{END, START, Send},
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{Backends, DynCtx, DynGraph, DynGraphBuilder};

use super::check;
use crate::{
    args::Args,
    error::BenchError,
    meter::{Best, Lap},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, store) = (args.number("n", 100_usize)?, args.store()?);
    let opened = store.open()?;
    let graph = graph(opened.backends.clone())?;
    let input = Value::map([("n", Value::Int(n as i64))]);
    let sum = (n * n.saturating_sub(1) / 2) as i64;
    let outcome = graph.invoke(input.clone(), &opened.on("warm-up")).await?;
    check("fanout", &outcome, "total", sum)?;
    let mut best = Best::NONE;
    for sample in 0..7 {
        let options = opened.on(format!("fanout-{sample}"));
        let lap = Lap::start()?;
        graph.invoke(input.clone(), &options).await?;
        best.take(lap.stop()?);
    }
    let variant = format!("n={n},store={}", store.name());
    Line {
        workload: "fanout",
        variant: &variant,
        units: n,
        cost: best.0,
        extra: "",
    }
    .print();
    Ok(())
}

fn graph(backends: Backends) -> Result<DynGraph, BenchError> {
    let builder = DynGraphBuilder::new()
        .last_value("n")
        .reduce("results", Reducer::Add, Value::list([]))
        .last_value("total")
        .node("work", work)
        .node("join", join)
        .route(START, |state| {
            let n = state.get("n")?.as_i64().unwrap_or(0);
            let send = |i: i64| Send::new("work", Value::map([("i", i.into())]));
            Ok((0..n).map(send).collect::<Vec<Send>>())
        })
        .edge("work", "join")
        .edge("join", END)
        .backends(backends);
    Ok(builder.build()?)
}

async fn work(ctx: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([("results", Value::list([ctx.get("i")]))]))
}

async fn join(ctx: DynCtx) -> Result<Value, Halt> {
    let results = ctx.get("results");
    let sum: i64 = results
        .as_list()
        .into_iter()
        .flatten()
        .filter_map(Value::as_i64)
        .sum();
    Ok(Value::map([("total", sum.into())]))
}
