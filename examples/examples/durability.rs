//! When a run is stored: before the next step, while it runs, or at the end.
//!
//! `Sync` stores each step before the next one starts. `Async` stores the same steps behind the
//! run, so a crash may cost the newest ones. `Exit` stores the end alone: cheapest, with one
//! checkpoint for a whole run, and nothing at all if the process dies in the middle. An effect
//! (`ctx.once`) and an answer by id are stored at once under all three, with the steps they stand
//! on. This prints
//!
//! ```text
//! what `done` is in each checkpoint of a run that ends:
//!   Sync   "" -> "" -> "a" -> "ab" -> "abc"
//!   Async  "" -> "" -> "a" -> "ab" -> "abc"
//!   Exit   "abc"
//! a run whose process dies in the third node:
//!   Sync   stored: {"done":"ab"}, next: ["c"]
//!   Exit   stored: {}, next: []
//! a run whose process dies there, after an effect:
//!   Sync   stored: {"done":"ab"}, next: ["c"]
//!   Exit   stored: {"done":"ab"}, next: ["c"]
//! ```

use std::{error::Error, future::pending, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, BuildErrors, Durability, HistoryQuery, MemorySaver, RunOptions,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, Halt, START, state::Depth},
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
        let graph = build(Third::Works, Arc::default())?;
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        graph.invoke(json!({}), &options).await?;
        let query = HistoryQuery::default();
        let history = graph.history(&"t".into(), &"".into(), &query).await?;
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

    for (third, what, exit) in [
        (Third::Dies, "in the third node", None),
        (Third::ActsAndDies, "there, after an effect", Some("c")),
    ] {
        println!("a run whose process dies {what}:");
        for (durability, next) in [(Durability::Sync, Some("c")), (Durability::Exit, exit)] {
            let crash = Arc::new(Notify::new());
            let graph = build(third, crash.clone())?;
            let options = RunOptions {
                durability,
                ..RunOptions::on("t")
            };
            tokio::select! {
                _ = graph.invoke(json!({}), &options) => return Err("no crash".into()),
                () = crash.notified() => {}
            }
            let state = graph.state(&"t".into(), None, Depth::Here).await?;
            println!(
                "  {:6} stored: {}, next: {:?}",
                format!("{durability:?}"),
                state.values,
                state.next
            );
            if state.next.first().map(|node| &**node) != next {
                return Err(format!("{next:?} should be next").into());
            }
        }
    }
    Ok(())
}

/// What the third node does.
#[derive(Clone, Copy)]
enum Third {
    Works,
    Dies,
    ActsAndDies,
}

/// Three nodes in a row.
fn build(third: Third, crash: Arc<Notify>) -> Result<DynGraph, BuildErrors> {
    let last = move |ctx: DynCtx| {
        let crash = crash.clone();
        async move {
            if matches!(third, Third::Works) {
                return work(ctx).await;
            }
            if matches!(third, Third::ActsAndDies) {
                ctx.once("letter", || async { Ok(()) }).await?;
            }
            crash.notify_one();
            pending().await
        }
    };
    DynGraphBuilder::new()
        .reduce("done", DynReducer::Add, "")
        .node("a", work)
        .node("b", work)
        .node("c", last)
        .edge(START, "a")
        .edge("a", "b")
        .edge("b", "c")
        .backends(Backends::on(MemorySaver::new()))
        .build()
}

async fn work(ctx: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "done": &**ctx.node() }))
}
