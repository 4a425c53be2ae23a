//! `fanout n store`: one step sends n tasks, a node behind them sums their results. The unit is a
//! task.

use superstep::Graph;
use superstep_core::{
    command::{END, START, Send},
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{Backends, DynCtx, DynGraph, DynGraphBuilder};

use super::{
    check, check_state,
    typed::{self, Fan, Spread},
};
use crate::{
    args::{Args, Layer},
    backend::Opened,
    error::BenchError,
    meter::{Best, Lap},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, store) = (args.number("n", 100_usize)?, args.store()?);
    let (opened, layer) = (store.open()?, args.layer()?);
    let fanout = match layer {
        Layer::Dynamic => Fanout::Dynamic(graph(opened.backends.clone())?),
        Layer::Typed => Fanout::Typed(Box::new(typed::fanout(&opened)?)),
    };
    fanout.run(n as i64, &opened, "warm-up".to_owned()).await?;
    let mut best = Best::NONE;
    for sample in 0..7 {
        let thread = format!("fanout-{sample}");
        let lap = Lap::start()?;
        fanout.run(n as i64, &opened, thread).await?;
        best.take(lap.stop()?);
    }
    let variant = format!("n={n},store={}{}", store.name(), layer.suffix());
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

enum Fanout {
    Dynamic(DynGraph),
    Typed(Box<Graph<Fan, Spread>>),
}

impl Fanout {
    async fn run(&self, n: i64, opened: &Opened, thread: String) -> Result<(), BenchError> {
        let sum = n * (n - 1) / 2;
        match self {
            Self::Dynamic(graph) => {
                let input = Value::map([("n", n.into())]);
                let outcome = graph.invoke(input, &opened.on(thread)).await?;
                check("fanout", &outcome, "total", sum)
            }
            Self::Typed(graph) => {
                let outcome = graph.run(thread, Fan::update().n(n)).await?;
                check_state("fanout", outcome.state().total, sum)
            }
        }
    }
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
