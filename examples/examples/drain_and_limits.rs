//! Stopping between steps: a limit by count, a drain on request. Neither loses anything.
//!
//! A count to ten is stopped three times: by the step limit, by a node, and by the program that
//! runs it (as on a shutdown). Each time the run ends with an error that says so, and the thread
//! continues from there. A request to drain stands for all runs that share it, until it is cleared.
//! This prints
//!
//! ```text
//! with a limit of four steps:
//!   [SS1102] the limit of 4 steps ran out (step 5, thread `t`)
//!   stored: {"n":4}, next: ["count"]
//! going on, until a node asks for a drain:
//!   [SS1103] stopped between steps: a pause after seven (step 8, thread `t`)
//!   stored: {"n":7}, next: ["count"]
//! going on with a drain that is asked for already:
//!   [SS1103] stopped between steps: the machine is shut down (step 8, thread `t`)
//!   stored: {"n":7}, next: ["count"]
//! going on, with the request taken back:
//!   Done: {"n":10}
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    Backends, ErrorKind, MemorySaver, RunOptions, Value,
    dynamic::{
        DynCtx, DynGraph, DynGraphBuilder, DynReducer, END, Halt, RunInput, START, Status, input,
        state::Depth,
    },
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = DynGraphBuilder::new()
        .reduce("n", DynReducer::Add, 0)
        .node("count", count)
        .edge(START, "count")
        .route("count", |state| {
            let end = |n: Value| n.as_i64() >= Some(10);
            state.get("n").map(|n| if end(n) { END } else { "count" })
        })
        .backends(Backends::on(MemorySaver::new()))
        .build()?;

    println!("with a limit of four steps:");
    let limited = RunOptions {
        limit: 4,
        ..RunOptions::on("t")
    };
    let four = stopped(&graph, json!({}).into(), &limited).await?;

    println!("going on, until a node asks for a drain:");
    let seven = stopped(&graph, input::go_on(), &RunOptions::on("t")).await?;

    println!("going on with a drain that is asked for already:");
    let options = RunOptions::on("t");
    options.drain.request("the machine is shut down");
    let still = stopped(&graph, input::go_on(), &options).await?;

    println!("going on, with the request taken back:");
    options.drain.clear();
    let outcome = graph.invoke(input::go_on(), &options).await?;
    println!(
        "  {:?}: {}",
        outcome.status,
        outcome.output.unwrap_or_default()
    );

    if (four, seven, still, outcome.status) != (4, 7, 7, Status::Done) {
        return Err("each run should continue where the one before was stopped".into());
    }
    Ok(())
}

/// Runs until the run is stopped, and returns the stored count.
async fn stopped(
    graph: &DynGraph,
    input: RunInput,
    options: &RunOptions,
) -> Result<i64, Box<dyn Error>> {
    let error = graph
        .invoke(input, options)
        .await
        .err()
        .ok_or("the run should be stopped")?;
    if !matches!(
        *error.kind,
        ErrorKind::Drained { .. } | ErrorKind::StepLimit { .. }
    ) {
        return Err(error.into());
    }
    println!("  {error}");
    let state = graph.state(&"t".into(), None, Depth::Here).await?;
    println!("  stored: {}, next: {:?}", state.values, state.next);
    Ok(state
        .values
        .get("n")
        .and_then(Value::as_i64)
        .ok_or("the count is stored")?)
}

async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    if ctx.read::<i64>("n")? == 6 {
        ctx.drain("a pause after seven");
    }
    Ok(json!({ "n": 1 }))
}
