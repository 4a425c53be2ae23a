//! The functional style: one async function instead of nodes and edges, made durable by tasks.
//!
//! An entrypoint is an ordinary function; what it calls through `ctx.call` is stored. When the run
//! stops at a question and continues later, the function starts again from its top, but tasks that
//! have ended return their stored results. `previous` is what the last run of the thread saved.
//! This prints
//!
//! ```text
//! an essay on cats
//!   the function starts
//!   task: cats, opening
//!   task: cats, ending
//!   question: {"good?":["an opening on cats","an ending on cats"]}
//!   the function starts
//!   {"number":1,"review":"fine","text":["an opening on cats","an ending on cats"]}
//! an essay on dogs
//!   the function starts
//!   task: dogs, opening
//!   task: dogs, ending
//!   question: {"good?":["an opening on dogs","an ending on dogs"]}
//!   the function starts
//!   {"number":2,"review":"fine","text":["an opening on dogs","an ending on dogs"]}
//! ```

use std::error::Error;

use serde_json::json;
use superstep::{
    Backends, MemorySaver, RunOptions, Value,
    dynamic::{CallTask, DynCtx, DynGraphBuilder, DynNodeOptions, Halt, Output, Status, input},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let backends = Backends::on(MemorySaver::new());
    let graph = DynGraphBuilder::entrypoint("essay", essay, DynNodeOptions::default(), backends)?;
    let options = RunOptions::on("t");

    for (topic, expected) in [("cats", 1), ("dogs", 2)] {
        println!("an essay on {topic}");
        let asked = graph.invoke(Value::from(topic), &options).await?;
        if asked.status != Status::Waiting {
            return Err("the essay asks for a review".into());
        }
        for ask in &asked.asks {
            println!("  question: {}", ask.value);
        }
        let outcome = graph.invoke(input::resume("fine"), &options).await?;
        let essay = outcome.output.ok_or("the entrypoint returns something")?;
        println!("  {essay}");
        if essay.get("number").and_then(Value::as_i64) != Some(expected) {
            return Err("the number should grow from run to run".into());
        }
    }
    Ok(())
}

async fn essay(ctx: DynCtx) -> Result<Output, Halt> {
    println!("  the function starts");
    let draft = CallTask::new("draft", draft);
    let topic = ctx.input();

    // Both tasks run at the same time.
    let opening = ctx.call(&draft, vec![topic.clone(), "opening".into()]);
    let ending = ctx.call(&draft, vec![topic.clone(), "ending".into()]);
    let (opening, ending) = (opening.await?, ending.await?);

    let review = ctx.ask(json!({ "good?": [opening, ending] }))?;
    let number = ctx.previous().as_i64().unwrap_or(0) + 1;
    let value = json!({ "number": number, "text": [opening, ending], "review": review });
    Ok(Output::Final {
        value: value.into(),
        save: number.into(),
    })
}

/// Prints when it really runs.
async fn draft(_: DynCtx, args: Vec<Value>) -> Result<Value, Halt> {
    let words: Vec<&str> = args.iter().filter_map(Value::as_str).collect();
    println!("  task: {}", words.join(", "));
    Ok(format!(
        "an {}",
        words.iter().rev().copied().collect::<Vec<_>>().join(" on ")
    )
    .into())
}
