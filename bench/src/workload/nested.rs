//! `nested store`: a graph of one node inside ten others. The unit is a run.

use superstep::Graph;
use superstep_core::{
    command::{END, START},
    reducer::Reducer,
};
use superstep_engine::{Backends, DynGraph, DynGraphBuilder, DynNodeOptions};

use super::{
    chain, check, check_state,
    typed::{self, One, Sum},
};
use crate::{
    args::{Args, Layer},
    backend::Opened,
    error::BenchError,
    meter::{Best, Lap},
    report::Line,
};

const RUNS: usize = 50;

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (depth, store) = (args.number("depth", 10_usize)?, args.store()?);
    let (opened, layer) = (store.open()?, args.layer()?);
    let nested = match layer {
        Layer::Dynamic => Nested::Dynamic(graph(depth, &opened.backends)?),
        Layer::Typed => Nested::Typed(Box::new(typed::nested(depth, &opened)?)),
    };
    nested.run(&opened, "warm-up".to_owned()).await?;
    let (mut best, mut run) = (Best::NONE, 0_u64);
    for _ in 0..7 {
        let lap = Lap::start()?;
        for _ in 0..RUNS {
            run += 1;
            nested.run(&opened, format!("nested-{run}")).await?;
        }
        best.take(lap.stop()?);
    }
    let variant = format!("depth={depth},store={}{}", store.name(), layer.suffix());
    Line {
        workload: "nested",
        variant: &variant,
        units: RUNS,
        cost: best.0,
        extra: "",
    }
    .print();
    Ok(())
}

enum Nested {
    Dynamic(DynGraph),
    Typed(Box<Graph<Sum, One>>),
}

impl Nested {
    async fn run(&self, opened: &Opened, thread: String) -> Result<(), BenchError> {
        match self {
            Self::Dynamic(graph) => {
                let outcome = graph.invoke(chain::input(), &opened.on(thread)).await?;
                check("nested", &outcome, "x", 1)
            }
            Self::Typed(graph) => {
                let outcome = graph.run(thread, Sum::update().x(0)).await?;
                check_state("nested", outcome.state().x, 1)
            }
        }
    }
}

/// Only the outermost graph has the store; those inside it are kept in the same.
fn graph(depth: usize, backends: &Backends) -> Result<DynGraph, BenchError> {
    let mut graph = chain::graph(1, Backends::default())?;
    for level in 1..=depth {
        let backends = match level == depth {
            true => backends.clone(),
            false => Backends::default(),
        };
        graph = DynGraphBuilder::new()
            .reduce("x", Reducer::Add, 0)
            .subgraph("sub", graph, DynNodeOptions::default())
            .edge(START, "sub")
            .edge("sub", END)
            .backends(backends)
            .build()?;
    }
    Ok(graph)
}
