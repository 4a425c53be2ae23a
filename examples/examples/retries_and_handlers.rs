//! What happens when a node fails: retries, limits on its time, and a handler that runs instead.
//!
//! - `fetch` fails twice and is tried again by its policy;
//! - `hang` runs past its limit, and its error handler gives a substitute;
//! - `silent` gives no sign of life, which its idle limit notices;
//! - `busy` runs longer than its idle limit in all, but its heartbeats keep it alive;
//! - `broken` has no handler: its error ends the run, and what was done before is kept.
//!
//! This prints
//!
//! ```text
//! fetch, attempt 1
//! fetch, attempt 2
//! fetch, attempt 3
//! the run ends: [SS1001] Refused: no such account (node `broken`, step 3, thread `t`)
//!   busy    ran for 120 ms under an idle limit of 100 ms
//!   fetch   came at the third attempt
//!   hang    substituted, because it ran longer than 20ms
//!   silent  substituted, because it was silent for 20ms
//!   left to do: ["broken"]
//! ```

use std::{error::Error, future::pending, io, sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Failure, MemorySaver, RetryPolicy, RunOptions, Timeouts, Value,
    dynamic::{
        DynCommand, DynCtx, DynGraphBuilder, DynNodeOptions, DynReducer, Halt, START, state::Depth,
    },
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let retry = DynNodeOptions {
        retry: vec![RetryPolicy {
            max_attempts: 3,
            initial: Duration::from_millis(1),
            jitter: Duration::ZERO,
            ..RetryPolicy::default()
        }],
        ..DynNodeOptions::default()
    };
    let limited = |run: Option<u64>, idle: Option<u64>| DynNodeOptions {
        timeouts: Timeouts {
            run: run.map(Duration::from_millis),
            idle: idle.map(Duration::from_millis),
            ..Timeouts::default()
        },
        on_error: Some(Arc::new(substitute)),
        ..DynNodeOptions::default()
    };
    let graph = DynGraphBuilder::new()
        .reduce("results", DynReducer::Merge, json!({}))
        .node_with("fetch", fetch, retry)
        .node_with("hang", hang, limited(Some(20), None))
        .node_with("silent", hang, limited(None, Some(20)))
        .node_with("busy", busy, limited(None, Some(100)))
        .node("broken", broken)
        .edge(START, "fetch")
        .edge("fetch", "hang")
        .edge("fetch", "silent")
        .edge("fetch", "busy")
        .edge("busy", "broken")
        .backends(Backends::on(MemorySaver::new()))
        .build()?;

    let result = graph.invoke(json!({}), &RunOptions::on("t")).await;
    let error = result.err().ok_or("`broken` should end the run")?;
    println!("the run ends: {error}");
    let state = graph.state(&"t".into(), None, Depth::Here).await?;
    let results = state
        .values
        .get("results")
        .and_then(Value::as_map)
        .ok_or("results are kept")?;
    for (node, result) in results {
        println!("  {node:7} {}", result.as_str().unwrap_or_default());
    }
    println!("  left to do: {:?}", state.next);
    if results.len() != 4 || state.next.len() != 1 {
        return Err("the work of four nodes should be kept, and one node left to do".into());
    }
    Ok(())
}

fn result(ctx: &DynCtx, said: impl Into<String>) -> Result<Json, Halt> {
    Ok(json!({ "results": { (&**ctx.node()): said.into() } }))
}

async fn fetch(ctx: DynCtx) -> Result<Json, Halt> {
    println!("fetch, attempt {}", ctx.attempt());
    if ctx.attempt() < 3 {
        Err(io::Error::other("connection reset"))?;
    }
    result(&ctx, "came at the third attempt")
}

async fn hang(_: DynCtx) -> Result<Json, Halt> {
    pending().await
}

/// Each pause is far below the idle limit, all of them together are above it.
async fn busy(ctx: DynCtx) -> Result<Json, Halt> {
    for _ in 0..12 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        ctx.heartbeat();
    }
    result(&ctx, "ran for 120 ms under an idle limit of 100 ms")
}

async fn broken(_: DynCtx) -> Result<Json, Halt> {
    Err(Failure::new("Refused", "no such account")
        .permanent()
        .into())
}

/// Runs in place of the node that failed. The edges of that node are not taken, so this says where
/// to go.
async fn substitute(ctx: DynCtx) -> Result<DynCommand, Halt> {
    let (node, error) = ctx
        .error()
        .ok_or_else(|| Failure::new("Misuse", "nothing failed"))?;
    let said = format!("substituted, because it {}", error.message);
    let result = Value::map([(node.clone(), Value::from(said))]);
    Ok(DynCommand::goto("broken").set("results", result))
}
