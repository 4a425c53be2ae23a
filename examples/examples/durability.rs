//! When a run is stored: before the next step, while it runs, or at the end.
//!
//! `Sync` stores each step before the next one starts. `Async` stores the same steps behind the
//! run, so a crash may cost the newest ones. `Exit` stores the end alone: cheapest, with one
//! checkpoint for a whole run, and nothing at all if the process dies in the middle. This prints
//!
//! ```text
//! what `done` is in each checkpoint of a run that ends:
//!   Sync   "" -> "" -> "a" -> "ab" -> "abc"
//!   Async  "" -> "" -> "a" -> "ab" -> "abc"
//!   Exit   "abc"
//! a run whose process dies in the third node:
//!   Sync   stored: {"done":"ab"}, next: ["c"]
//!   Exit   stored: {}, next: []
//! ```

use std::{error::Error, future::pending, sync::Arc};

use serde_json::json;
use superstep_core::{
    Value,
    command::START,
    id::Namespace,
    plan::BuildErrors,
    reducer::Reducer,
    run::{Durability, Halt},
    saver::HistoryQuery,
};
use superstep_engine::{
    Backends, Ctx, Graph, GraphBuilder, RunOptions, memory::MemorySaver, state::Depth,
};
use tokio::sync::Notify;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("what `done` is in each checkpoint of a run that ends:");
    for (durability, expected) in [
        (Durability::Sync, 5),
        (Durability::Async, 5),
        (Durability::Exit, 1),
    ] {
        let graph = build(None)?;
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        graph.invoke(Value::from(json!({})), &options).await?;
        let query = HistoryQuery::default();
        let history = graph
            .history(&"t".into(), &Namespace::default(), &query)
            .await?;
        let done = history
            .iter()
            .rev()
            .filter_map(|step| step.values.get("done"));
        let done: Vec<String> = done.map(ToString::to_string).collect();
        println!("  {:6} {}", format!("{durability:?}"), done.join(" -> "));
        if history.len() != expected {
            return Err(format!("{expected} checkpoints were expected").into());
        }
    }

    println!("a run whose process dies in the third node:");
    for (durability, expected) in [(Durability::Sync, Some("c")), (Durability::Exit, None)] {
        let crash = Arc::new(Notify::new());
        let graph = build(Some(crash.clone()))?;
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        tokio::select! {
            _ = graph.invoke(Value::from(json!({})), &options) => return Err("no crash".into()),
            () = crash.notified() => {}
        }
        let state = graph.state(&"t".into(), None, Depth::Here).await?;
        println!(
            "  {:6} stored: {}, next: {:?}",
            format!("{durability:?}"),
            state.values,
            state.next
        );
        if state.next.first().map(|node| &**node) != expected {
            return Err(format!("{expected:?} should be next").into());
        }
    }
    Ok(())
}

/// Three nodes in a row; with a `crash` the third one never ends.
fn build(crash: Option<Arc<Notify>>) -> Result<Graph, BuildErrors> {
    let last = move |ctx: Ctx| {
        let crash = crash.clone();
        async move {
            if let Some(crash) = crash {
                crash.notify_one();
                pending::<()>().await;
            }
            work(ctx).await
        }
    };
    GraphBuilder::new()
        .reduce("done", Reducer::Add, "")
        .node("a", work)
        .node("b", work)
        .node("c", last)
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c")
        .backends(Backends {
            saver: Some(Arc::new(MemorySaver::new())),
            ..Backends::default()
        })
        .build()
}

async fn work(ctx: Ctx) -> Result<Value, Halt> {
    Ok(json!({ "done": &**ctx.node() }).into())
}
