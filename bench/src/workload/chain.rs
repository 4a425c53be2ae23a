//! `chain n store`: n nodes in a row, each adding one to a number. The unit is a superstep.

use superstep::Graph;
use superstep_core::{
    command::{END, START},
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{Backends, DynCtx, DynGraph, DynGraphBuilder};

use super::{
    check, check_state,
    typed::{self, Sum, Ten},
};
use crate::{
    args::{Args, Layer},
    backend::{Opened, Store},
    error::BenchError,
    meter::{Best, Lap},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, store) = (args.number("n", 10_usize)?, args.store()?);
    let (opened, layer) = (store.open()?, args.layer()?);
    let chain = match layer {
        Layer::Dynamic => Chain::Dynamic(graph(n, opened.backends.clone())?),
        Layer::Typed => Chain::Typed(Box::new(typed::chain(n, &opened)?)),
    };
    chain.run(n, &opened, "warm-up".to_owned()).await?;
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
            chain.run(n, &opened, format!("chain-{run}")).await?;
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
    let variant = format!("n={n},store={}{}", store.name(), layer.suffix());
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

enum Chain {
    Dynamic(DynGraph),
    Typed(Box<Graph<Sum, Ten>>),
}

impl Chain {
    async fn run(&self, n: usize, opened: &Opened, thread: String) -> Result<(), BenchError> {
        match self {
            Self::Dynamic(graph) => {
                let outcome = graph.invoke(input(), &opened.on(thread)).await?;
                check("chain", &outcome, "x", n as i64)
            }
            Self::Typed(graph) => {
                let outcome = graph.run(thread, Sum::update().x(0)).await?;
                check_state("chain", outcome.state().x, n as i64)
            }
        }
    }
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
