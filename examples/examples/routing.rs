//! Conditional edges: a loop that goes round until a check says it is good.
//!
//! After `review` a router sees the state and names the way: back to `write`, on to `publish`, or,
//! when the tries are used up, to the end. Its map says which node each way leads to, so that the
//! graph can be checked and drawn. This prints
//!
//! ```text
//! a text of 3 words is wanted:
//!   review:  1 words
//!   verdict: again
//!   review:  2 words
//!   verdict: again
//!   review:  3 words
//!   verdict: good
//!   3 tries, published: true
//! a text of 9 words is wanted:
//!   review:  1 words
//!   verdict: again
//!   review:  2 words
//!   verdict: again
//!   review:  3 words
//!   verdict: again
//!   review:  4 words
//!   verdict: give up
//!   4 tries, published: false
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    BuildErrors, RunOptions, Value,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, END, Halt, START},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = build()?;
    for wanted in [3, 9] {
        println!("a text of {wanted} words is wanted:");
        let input = json!({ "wanted": wanted });
        let outcome = graph.invoke(input, &RunOptions::default()).await?;
        let state = outcome.output.ok_or("the run has an output")?;
        let tries = state.get("tries").and_then(Value::as_i64);
        let published = state.get("published").is_some();
        println!("  {} tries, published: {published}", tries.unwrap_or(0));
        let expected = if wanted == 3 {
            (Some(3), true)
        } else {
            (Some(4), false)
        };
        if (tries, published) != expected {
            return Err("the loop should end when the text is good or four tries are used".into());
        }
    }
    Ok(())
}

fn build() -> Result<DynGraph, BuildErrors> {
    let ways = [("again", "write"), ("good", "publish"), ("give up", END)];
    DynGraphBuilder::new()
        .last_value("wanted")
        .last_value("good")
        .last_value("published")
        .reduce("text", DynReducer::Append, Vec::<Value>::new())
        .reduce("tries", DynReducer::Add, 0)
        .node("write", write)
        .node("review", review)
        .node("publish", publish)
        .edge(START, "write")
        .edge("write", "review")
        .route_map("review", ways, |state| {
            let tries = state.get("tries")?;
            state.get("good").map(|good| verdict(&good, &tries))
        })
        .build()
}

fn verdict(good: &Value, tries: &Value) -> &'static str {
    let way = match (good.as_bool(), tries.as_i64()) {
        (Some(true), _) => "good",
        (_, Some(..4)) => "again",
        _ => "give up",
    };
    println!("  verdict: {way}");
    way
}

async fn write(_: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "text": "word", "tries": 1 }))
}

async fn review(ctx: DynCtx) -> Result<Json, Halt> {
    let text: Vec<String> = ctx.read("text")?;
    println!("  review:  {} words", text.len());
    let good = text.len() >= ctx.read("wanted")?;
    Ok(json!({ "good": good }))
}

async fn publish(_: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "published": true }))
}
