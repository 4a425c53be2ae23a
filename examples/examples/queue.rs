//! A queue of runs: who accepts work does not do it, and workers come and go.
//!
//! `enqueue` stores a run and returns; a worker of any process claims it. Runs of one thread go one after
//! the other. Here three messages of one thread and one of another wait when the worker starts; a run that
//! comes in place of others has those that wait cancelled. This prints
//!
//! ```text
//! 4 runs wait
//! ann: ["one","two","three"]
//! bob: ["hello"]
//! the first is cancelled, the second is done
//! ann: ["one","two","three","five"]
//! nothing waits
//! ```

use std::{error::Error, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver, RunOptions, RunStatus,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, Halt, START, Worker, state::Depth},
    runs::{EnqueueRun, OnBusy, QueuedInput},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = DynGraphBuilder::new()
        .name("inbox")
        .last_value("text")
        .reduce("log", DynReducer::Add, json!([]))
        .backends(Backends::on(MemorySaver::new()))
        .node("keep", keep)
        .edge(START, "keep")
        .build()?;
    for (thread, text) in [
        ("ann", "one"),
        ("ann", "two"),
        ("bob", "hello"),
        ("ann", "three"),
    ] {
        graph.enqueue(graph.queued(thread, message(text))).await?;
    }
    println!("4 runs wait");

    let worker = Arc::new(Worker::new([graph.clone()], RunOptions::default())?);
    while let Some(worked) = worker.work_once().await? {
        worked.outcome?;
    }
    for thread in ["ann", "bob"] {
        println!("{thread}: {}", log(&graph, thread).await?);
    }

    let first = graph.enqueue(graph.queued("ann", message("four"))).await?;
    let second = EnqueueRun {
        on_busy: OnBusy::Interrupt,
        ..graph.queued("ann", message("five"))
    };
    let second = graph.enqueue(second).await?;
    while let Some(worked) = worker.work_once().await? {
        worked.outcome?;
    }
    let status = |run: superstep::RunRecord| run.status();
    let first = graph.find_run(first.id).await?.map(status);
    let second = graph.find_run(second.id).await?.map(status);
    assert_eq!(first, Some(RunStatus::Cancelled));
    assert_eq!(second, Some(RunStatus::Done));
    println!("the first is cancelled, the second is done");
    println!("ann: {}", log(&graph, "ann").await?);
    assert!(worker.work_once().await?.is_none());
    println!("nothing waits");
    Ok(())
}

fn message(text: &str) -> QueuedInput {
    QueuedInput::Value(json!({ "text": text }).into())
}

async fn keep(ctx: DynCtx) -> Result<Json, Halt> {
    let text: String = ctx.read("text")?;
    Ok(json!({ "log": [text] }))
}

async fn log(graph: &DynGraph, thread: &str) -> Result<String, superstep::Error> {
    let state = graph.state(&thread.into(), None, Depth::Here).await?;
    Ok(state
        .values
        .get("log")
        .map(ToString::to_string)
        .unwrap_or_default())
}
