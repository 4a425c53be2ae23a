//! Questions to a person: a run stops at them and continues later, in another process.
//!
//! Two reviewers ask at the same time. The run ends with both questions open; nothing waits in
//! memory. Later a new graph object on the same saver, as after a restart, reads the questions from
//! the thread and answers them by id, one after the other. On every resume a node with an open
//! question starts again from its top; one that is done does not. This prints
//!
//! ```text
//! first process
//!   (editor starts)
//!   (lawyer starts)
//!   the run is Waiting; open questions: 2
//! second process
//!   [SS1104] one answer for 2 open questions (thread `contract 7`)
//!   hint: answer by ask id
//!   {"question":"is it good?","text":"We owe you.","to":"lawyer"}
//!     answer: yes
//!   (editor starts)
//!   (lawyer starts)
//!   (lawyer is done)
//!     the run is Waiting; open questions: 1
//!   {"question":"is it good?","text":"We owe you.","to":"editor"}
//!     answer: shorter, please
//!   (editor starts)
//!   (editor is done)
//!     the run is Done; open questions: 0
//! verdicts: {"editor":"shorter, please","lawyer":"yes"}
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    Backends, BuildErrors, MemorySaver, RunOptions, Value,
    dynamic::{
        DynCtx, DynGraph, DynGraphBuilder, DynReducer, Halt, START, Status, input, state::Depth,
    },
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let saver = MemorySaver::new();
    let options = RunOptions::on("contract 7");

    println!("first process");
    let graph = build(&saver)?;
    let outcome = graph
        .invoke(json!({ "text": "We owe you." }), &options)
        .await?;
    println!(
        "  the run is {:?}; open questions: {}",
        outcome.status,
        outcome.asks.len()
    );
    drop(graph);

    println!("second process");
    let graph = build(&saver)?;
    let refused = graph.invoke(input::resume("yes"), &options).await;
    let refused = refused
        .err()
        .ok_or("one answer cannot be for two questions")?;
    println!("  {refused:?}");
    let answers = [("lawyer", "yes"), ("editor", "shorter, please")];
    for (who, answer) in answers {
        let state = graph.state(&"contract 7".into(), None, Depth::Here).await?;
        let is_for = |ask: &Value| ask.get("to").and_then(Value::as_str) == Some(who);
        let ask = state
            .asks()
            .find(|ask| is_for(&ask.value))
            .ok_or("the question is open")?;
        println!("  {}", ask.value);
        println!("    answer: {answer}");
        let outcome = graph
            .invoke(input::answers([(ask.id, answer.into())]), &options)
            .await?;
        println!(
            "    the run is {:?}; open questions: {}",
            outcome.status,
            outcome.asks.len()
        );
    }

    let state = graph.state(&"contract 7".into(), None, Depth::Here).await?;
    println!(
        "verdicts: {}",
        state.values.get("verdicts").cloned().unwrap_or_default()
    );
    if !state.next.is_empty() || outcome.status != Status::Waiting {
        return Err("the run should have waited, and be done after both answers".into());
    }
    Ok(())
}

fn build(saver: &MemorySaver) -> Result<DynGraph, BuildErrors> {
    DynGraphBuilder::new()
        .last_value("text")
        .reduce("verdicts", DynReducer::Merge, json!({}))
        .node("lawyer", review)
        .node("editor", review)
        .edge(START, "lawyer")
        .edge(START, "editor")
        .backends(Backends::on(saver.clone()))
        .build()
}

async fn review(ctx: DynCtx) -> Result<Json, Halt> {
    println!("  ({} starts)", ctx.node());
    let question =
        json!({ "to": &**ctx.node(), "question": "is it good?", "text": ctx.get("text") });
    let answer = ctx.ask(question)?;
    println!("  ({} is done)", ctx.node());
    Ok(json!({ "verdicts": { (&**ctx.node()): answer } }))
}
