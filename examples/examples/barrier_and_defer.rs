//! Two ways to wait: a join waits for named nodes, a deferred node waits until nothing else runs.
//!
//! Two branches of different length lead to `sum`. With plain edges it runs whenever one of them
//! arrives. A join runs it once, when both have; but if a router leaves one branch out, a join
//! waits for ever and a deferred node does not. This prints
//!
//! ```text
//! branches ["short", "long"]
//!   Plain: sum runs in step 2 on long + short, in step 3 on long + short + longer
//!   Join:  sum runs in step 3 on long + short + longer
//!   Defer: sum runs in step 3 on long + short + longer
//! branches ["short"]
//!   Plain: sum runs in step 2 on short
//!   Join:  sum runs never
//!   Defer: sum runs in step 2 on short
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    BuildErrors, Failure, RunOptions, Value,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, DynReducer, Halt, START},
};

/// How `sum` is reached.
#[derive(Clone, Copy, Debug)]
enum Wait {
    Plain,
    Join,
    Defer,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for branches in [["short", "long"].as_slice(), &["short"]] {
        println!("branches {branches:?}");
        for wait in [Wait::Plain, Wait::Join, Wait::Defer] {
            let graph = build(wait)?;
            let input = json!({ "branches": branches });
            let outcome = graph.invoke(input, &RunOptions::default()).await?;
            let state = outcome.output.ok_or("the run has an output")?;
            let sums = state
                .get("sums")
                .and_then(Value::as_list)
                .unwrap_or_default();
            let runs: Vec<&str> = sums.iter().filter_map(Value::as_str).collect();
            let runs = if runs.is_empty() {
                "never".to_owned()
            } else {
                runs.join(", ")
            };
            println!("  {:6} sum runs {runs}", format!("{wait:?}:"));
            let expected = match (wait, branches.len()) {
                (Wait::Plain, 2) => 2,
                (Wait::Join, 1) => 0,
                _ => 1,
            };
            if sums.len() != expected {
                return Err(format!("{expected} runs of sum were expected").into());
            }
        }
    }
    Ok(())
}

fn build(wait: Wait) -> Result<DynGraph, BuildErrors> {
    let defer = matches!(wait, Wait::Defer);
    let graph = DynGraphBuilder::new()
        .last_value("branches")
        .reduce("parts", DynReducer::Append, Vec::<Value>::new())
        .reduce("sums", DynReducer::Append, Vec::<Value>::new())
        .node("short", part)
        .node("long", part)
        .node("longer", part)
        .node_with(
            "sum",
            sum,
            DynNodeOptions {
                defer,
                ..DynNodeOptions::default()
            },
        )
        .route(START, |state| -> Result<Vec<String>, Failure> {
            Ok(state.get("branches")?.take()?)
        })
        .edge("long", "longer");
    match wait {
        Wait::Join => graph.join(["short", "longer"], "sum"),
        Wait::Plain | Wait::Defer => graph.edge("short", "sum").edge("longer", "sum"),
    }
    .build()
}

async fn part(ctx: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "parts": &**ctx.node() }))
}

async fn sum(ctx: DynCtx) -> Result<Json, Halt> {
    let parts: Vec<String> = ctx.read("parts")?;
    let seen = format!("in step {} on {}", ctx.step(), parts.join(" + "));
    Ok(json!({ "sums": seen }))
}
