//! A graph as a node of another, and how long its own state lives.
//!
//! The child counts its visits, looks something up and asks a question. Each mode is run twice on
//! one thread, with an answer in between:
//!
//! - `PerCall`, the default: the child keeps its place while it waits, then forgets everything;
//! - `PerThread`: it remembers over all runs of the thread;
//! - `Off`: nothing of it is stored, so an answer makes it start again and look up twice.
//!
//! This prints
//!
//! ```text
//! mode       visits seen by the child  look-ups in two runs
//! PerCall    [1, 1]                    2
//! PerThread  [1, 2]                    2
//! Off        [1, 1]                    4
//! ```

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, BuildErrors, MemorySaver, Persist, RunOptions, Value,
    dynamic::{
        DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, DynReducer, Halt, START, Status, input,
    },
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    println!("mode       visits seen by the child  look-ups in two runs");
    let expected = [
        (Persist::PerCall, [1, 1], 2),
        (Persist::PerThread, [1, 2], 2),
        (Persist::Off, [1, 1], 4),
    ];
    for (mode, visits, lookups) in expected {
        let counted = Arc::new(AtomicUsize::new(0));
        let graph = build(mode, counted.clone())?;
        let options = RunOptions::on("a thread");
        let mut seen = Vec::new();
        for _ in 0..2 {
            let asked = graph.invoke(json!({ "topic": "tea" }), &options).await?;
            if asked.status != Status::Waiting {
                return Err("the child asks, and so the run waits".into());
            }
            let outcome = graph.invoke(input::resume("yes"), &options).await?;
            let state = outcome.output.ok_or("the run has an output")?;
            seen.extend(state.get("report").and_then(Value::as_i64));
        }
        let counted = counted.load(Ordering::SeqCst);
        println!(
            "{:10} {:25} {counted}",
            format!("{mode:?}"),
            format!("{seen:?}")
        );
        if seen != visits || counted != lookups {
            return Err(format!("{mode:?} should give {visits:?} and {lookups}").into());
        }
    }
    Ok(())
}

/// The parent knows `topic` and `report`; `visits` is the child's alone.
fn build(mode: Persist, counted: Arc<AtomicUsize>) -> Result<DynGraph, BuildErrors> {
    let look_up = move |_: DynCtx| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, Halt>(json!({ "visits": 1 })) }
    };
    let child = DynGraphBuilder::new()
        .last_value("topic")
        .last_value("report")
        .reduce("visits", DynReducer::Add, 0)
        .node("look up", look_up)
        .node("confirm", confirm)
        .edge(START, "look up")
        .edge("look up", "confirm")
        .output_schema(vec!["report".into()])
        .persist(mode)
        .build()?;
    DynGraphBuilder::new()
        .last_value("topic")
        .last_value("report")
        .subgraph("research", child, DynNodeOptions::default())
        .edge(START, "research")
        .backends(Backends::on(MemorySaver::new()))
        .build()
}

async fn confirm(ctx: DynCtx) -> Result<Json, Halt> {
    ctx.ask("is this what you meant?")?;
    Ok(json!({ "report": ctx.get("visits") }))
}
