//! History: every step of a thread is kept, and any of them can be the start of another branch.
//!
//! A trip is planned in three steps. Then an old checkpoint is run again as it is (a replay), and
//! once more with the choice of the city edited before (a fork). Nothing is lost: all branches stay
//! in the history. This prints
//!
//! ```text
//! plan: 3 nights at Rome Inn
//! again from the checkpoint before `book`:
//! plan: 3 nights at Rome Inn
//! the same checkpoint, with another city:
//! plan: 3 nights at Porto Inn
//! history, newest first:
//!   #11 after #10 loop   next -          Porto | Porto Inn | 3 nights at Porto Inn
//!   #10 after #9  loop   next write      Porto | Porto Inn
//!   #9  after #3  update next book       Porto
//!   #8  after #7  loop   next -          Rome | Rome Inn | 3 nights at Rome Inn
//!   #7  after #6  loop   next write      Rome | Rome Inn
//!   #6  after #3  fork   next book       Rome
//!   #5  after #4  loop   next -          Rome | Rome Inn | 3 nights at Rome Inn
//!   #4  after #3  loop   next write      Rome | Rome Inn
//!   #3  after #2  loop   next book       Rome
//!   #2  after #1  loop   next choose
//!   #1  after -   input  next __start__
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    Backends, CheckpointRef, HistoryQuery, MemorySaver, RunOptions, ThreadId, Value,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynUpdate, Halt, Output, START, input},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = DynGraphBuilder::new()
        .last_value("city")
        .last_value("hotel")
        .last_value("plan")
        .node("choose", choose)
        .node("book", book)
        .node("write", write)
        .edge(START, "choose")
        .edge("choose", "book")
        .edge("book", "write")
        .backends(Backends::on(MemorySaver::new()))
        .build()?;
    let thread = ThreadId::from("trip");
    let options = RunOptions::on(thread.clone());

    let first = graph.invoke(json!({}), &options).await?;
    println!("plan: {}", plan(first.output.as_ref()));

    println!("again from the checkpoint before `book`:");
    let history = graph
        .history(&thread, &"".into(), &HistoryQuery::default())
        .await?;
    let old = history
        .iter()
        .find(|step| step.next.iter().any(|node| **node == *"book"));
    let at = CheckpointRef::from(old.ok_or("there is such a checkpoint")?);
    let there = RunOptions {
        at: Some(at.clone()),
        ..options.clone()
    };
    let again = graph.invoke(input::go_on(), &there).await?;
    println!("plan: {}", plan(again.output.as_ref()));

    println!("the same checkpoint, with another city:");
    let edit = DynUpdate {
        output: Output::from(json!({ "city": "Porto" })),
        as_node: Some("choose".into()),
    };
    let edited = graph.update_state(&thread, Some(&at), edit).await?;
    let there = RunOptions {
        at: Some(edited),
        ..options
    };
    let forked = graph.invoke(input::go_on(), &there).await?;
    println!("plan: {}", plan(forked.output.as_ref()));
    println!("history, newest first:");
    let branches = show_history(&graph, &thread).await?;

    if first.output != again.output || forked.output == first.output || branches != 3 {
        return Err("a replay is the same, a fork differs, and all three are kept".into());
    }
    Ok(())
}

/// Prints the checkpoints of a thread, newest first, numbered by age; returns how many are ends.
async fn show_history(graph: &DynGraph, thread: &ThreadId) -> Result<usize, Box<dyn Error>> {
    let history = graph
        .history(thread, &"".into(), &HistoryQuery::default())
        .await?;
    let ids: Vec<_> = history.iter().rev().map(|step| step.checkpoint).collect();
    let number = |id| match ids.iter().position(|other| *other == id) {
        Some(at) => format!("#{}", at + 1),
        None => "-".to_owned(),
    };
    for step in &history {
        let (id, parent) = (number(step.checkpoint), number(step.parent));
        let source = step.origin.map_or("", |(source, _)| source.as_str());
        let next = step.next.first().map_or("-", |node| &**node);
        let values = step.values.as_map().into_iter().flatten();
        let values: Vec<&str> = values.filter_map(|(_, value)| value.as_str()).collect();
        println!(
            "  {id:3} after {parent:3} {source:6} next {next:9}  {}",
            values.join(" | ")
        );
    }
    Ok(history.iter().filter(|step| step.next.is_empty()).count())
}

fn plan(output: Option<&Value>) -> &str {
    let plan = output.and_then(|state| state.get("plan"));
    plan.and_then(Value::as_str).unwrap_or_default()
}

async fn choose(_: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "city": "Rome" }))
}

async fn book(ctx: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "hotel": format!("{} Inn", ctx.read::<String>("city")?) }))
}

async fn write(ctx: DynCtx) -> Result<Json, Halt> {
    let hotel: String = ctx.read("hotel")?;
    Ok(json!({ "plan": format!("3 nights at {hotel}") }))
}
