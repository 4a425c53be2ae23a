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

use serde_json::json;
use superstep_core::{
    Failure, Value,
    command::{END, START},
    plan::RouteView,
    reducer::Reducer,
    run::Halt,
};
use superstep_engine::{Ctx, Graph, GraphBuilder, RunOptions};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = build()?;
    for wanted in [3, 9] {
        println!("a text of {wanted} words is wanted:");
        let input = Value::from(json!({ "wanted": wanted }));
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

fn build() -> Result<Graph, Box<dyn Error>> {
    let ways = [("again", "write"), ("good", "publish"), ("give up", END)];
    Ok(GraphBuilder::new()
        .last("wanted")
        .last("good")
        .last("published")
        .reduce("text", Reducer::Append, Vec::<Value>::new())
        .reduce("tries", Reducer::Add, 0)
        .node("write", write)
        .node("review", review)
        .node("publish", publish)
        .edge(START, "write")
        .edge("write", "review")
        .route_map("review", ways, verdict)
        .build()?)
}

fn verdict(state: &RouteView<'_>) -> Result<&'static str, Failure> {
    let good = state.get("good")?.as_bool().unwrap_or(false);
    let tries = state.get("tries")?.as_i64().unwrap_or(0);
    let way = match (good, tries) {
        (true, _) => "good",
        (false, ..4) => "again",
        (false, _) => "give up",
    };
    println!("  verdict: {way}");
    Ok(way)
}

async fn write(_: Ctx) -> Result<Value, Halt> {
    Ok(json!({ "text": "word", "tries": 1 }).into())
}

async fn review(ctx: Ctx) -> Result<Value, Halt> {
    let text = ctx.get("text");
    let words = text.as_list().unwrap_or_default();
    println!("  review:  {} words", words.len());
    let wanted = ctx.get("wanted").as_i64().unwrap_or(0);
    let good = i64::try_from(words.len()).is_ok_and(|words| words >= wanted);
    Ok(json!({ "good": good }).into())
}

async fn publish(_: Ctx) -> Result<Value, Halt> {
    Ok(json!({ "published": true }).into())
}
