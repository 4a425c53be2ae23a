//! `chain n store`: n nodes in a row, each adding one to a number. The unit is a superstep.

use superstep_core::{
    command::{END, START},
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{Backends, DynCtx, DynGraph, DynGraphBuilder};

use super::check;
use crate::{
    args::Args,
    backend::Store,
    error::BenchError,
    meter::{Best, Lap},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, store) = (args.number("n", 10_usize)?, args.store()?);
    let opened = store.open()?;
    let graph = graph(n, opened.backends.clone())?;
    let outcome = graph.invoke(input(), &opened.on("warm-up")).await?;
    check("chain", &outcome, "x", n as i64)?;
    let steps = match store {
        Store::None => 5000,
        Store::Memory => 2000,
        Store::Sqlite | Store::SqliteNormal | Store::SqliteAsync => 500,
    };
    let before = opened.bytes()?;
    let (reps, mut best, mut run) = ((steps / n).max(1), Best::NONE, 0_u64);
    for _ in 0..7 {
        let lap = Lap::start()?;
        for _ in 0..reps {
            run += 1;
            graph
                .invoke(input(), &opened.on(format!("chain-{run}")))
                .await?;
        }
        best.take(lap.stop()?);
    }
    let grown = opened
        .bytes()?
        .zip(before)
        .map(|(now, before)| now - before);
    let extra = grown.map(|bytes| {
        let steps = 7 * reps * n;
        format!("\"bytes_per_step\":{:.1}", bytes as f64 / steps as f64)
    });
    let variant = format!("n={n},store={}", store.name());
    let line = Line {
        workload: "chain",
        variant: &variant,
        units: n * reps,
        cost: best.0,
        extra: extra.as_deref().unwrap_or_default(),
    };
    line.print();
    Ok(())
}

/// What a run is fed.
pub(super) fn input() -> Value {
    Value::map([("x", 0.into())])
}

/// The nodes in a row.
pub(super) fn graph(n: usize, backends: Backends) -> Result<DynGraph, BenchError> {
    let mut builder = DynGraphBuilder::new()
        .reduce("x", Reducer::Add, 0)
        .backends(backends);
    let mut before = START.to_owned();
    for node in 0..n {
        let name = format!("n{node}");
        builder = builder
            .node(name.as_str(), add_one)
            .edge(before, name.as_str());
        before = name;
    }
    Ok(builder.edge(before, END).build()?)
}

async fn add_one(_: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([("x", 1.into())]))
}
