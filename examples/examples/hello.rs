//! The smallest graph: two nodes that work on one channel, one after the other.
//!
//! A graph has channels (its state), nodes (async functions) and edges. A node reads the state and
//! returns an update: an object with the channels it changes. This prints
//!
//! ```text
//! in:  {"text":"Ada"}
//!      greet sees Ada
//!      shout sees Hello, Ada!
//! out: {"text":"HELLO, ADA!"}
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    RunOptions,
    dynamic::{DynCtx, DynGraphBuilder, END, Halt, START},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = DynGraphBuilder::new()
        .last_value("text")
        .node("greet", greet)
        .node("shout", shout)
        .edge(START, "greet")
        .edge("greet", "shout")
        .edge("shout", END)
        .build()?;

    let input = json!({ "text": "Ada" });
    println!("in:  {input}");
    let outcome = graph.invoke(input, &RunOptions::default()).await?;
    let output = outcome
        .output
        .ok_or("a run that changed the state has an output")?;
    println!("out: {output}");

    if output != json!({ "text": "HELLO, ADA!" }).into() {
        return Err("both nodes should have changed the text".into());
    }
    Ok(())
}

async fn greet(ctx: DynCtx) -> Result<Json, Halt> {
    let name: String = ctx.read("text")?;
    println!("     greet sees {name}");
    Ok(json!({ "text": format!("Hello, {name}!") }))
}

async fn shout(ctx: DynCtx) -> Result<Json, Halt> {
    let text: String = ctx.read("text")?;
    println!("     shout sees {text}");
    Ok(json!({ "text": text.to_uppercase() }))
}
