//! Runs of one graph, one after the other: each begins anew, whatever the ones before it left.

use serde_json::json;
use superstep_core::{Failure, Value, command::Send, reducer::Reducer, run::Halt};
use superstep_engine::{DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions};

use crate::fixture::object;

/// Sends `n` tasks that add one each; the fortieth fails.
fn counts() -> DynGraph {
    DynGraphBuilder::new()
        .last_value("n")
        .reduce("sum", Reducer::Add, 0)
        .node("add", |ctx: DynCtx| async move {
            match ctx.get("i").as_i64() {
                Some(40) => Err(Halt::from(Failure::new("Full", "no room"))),
                _ => Ok(json!({ "sum": 1 })),
            }
        })
        .route("__start__", |state| {
            let n = state.get("n")?.as_i64().unwrap_or_default();
            let send = |i: i64| Send::new("add", Value::map([("i", Value::from(i))]));
            Ok((1..=n).map(send).collect::<Vec<Send>>())
        })
        .edge("add", "__end__")
        .build()
        .unwrap()
}

fn within(graph: DynGraph) -> DynGraph {
    DynGraphBuilder::new()
        .last_value("n")
        .reduce("sum", Reducer::Add, 0)
        .subgraph("below", graph, DynNodeOptions::default())
        .edge("__start__", "below")
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_run_finds_nothing_of_those_before_it() {
    for graph in [counts(), within(counts()), within(within(counts()))] {
        for n in [3, 60, 2, 40, 30, 1, 3] {
            let input = object(json!({ "n": n }));
            let outcome = graph.invoke(input, &RunOptions::default()).await;
            match n {
                40.. => assert_eq!(outcome.unwrap_err().code(), "SS1001"),
                _ => {
                    let output = outcome.unwrap().output.unwrap();
                    assert_eq!(output.get("sum"), Some(&Value::from(n)));
                }
            }
        }
    }
}
