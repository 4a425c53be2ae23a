//! Map and reduce: a router sends each item to its own task, one node collects the results.
//!
//! A `Send` runs a node with an input of its own instead of the state. All sends of a step run at
//! the same time; `report` follows them by a plain edge and so runs once, when all are done.
//! Results are applied in the order of the sends, whatever order the tasks end in. This prints
//!
//! ```text
//! counted "short"
//! counted "a longer page"
//! counted "a long long long page"
//! result: {"page":"a long long long page","words":5}
//! result: {"page":"a longer page","words":3}
//! result: {"page":"short","words":1}
//! 3 pages, 9 words, in one report
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    RunOptions, Value,
    dynamic::{DynCtx, DynGraphBuilder, DynReducer, END, Halt, START, Send},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = DynGraphBuilder::new()
        .last_value("pages")
        .last_value("report")
        .reduce("counts", DynReducer::Append, Vec::<Value>::new())
        .node("count", count)
        .node("report", report)
        .route(START, |state| state.get("pages").map(one_task_a_page))
        .edge("count", "report")
        .edge("report", END)
        .build()?;

    let pages = json!({ "pages": ["a long long long page", "a longer page", "short"] });
    let outcome = graph
        .invoke(Value::from(pages), &RunOptions::default())
        .await?;
    let state = outcome.output.ok_or("the run has an output")?;
    for count in state
        .get("counts")
        .and_then(Value::as_list)
        .unwrap_or_default()
    {
        println!("result: {count}");
    }
    let report = state
        .get("report")
        .and_then(Value::as_str)
        .unwrap_or_default();
    println!("{report}");
    if report != "3 pages, 9 words, in one report" {
        return Err("the report should have seen all three results".into());
    }
    Ok(())
}

fn one_task_a_page(pages: Value) -> Vec<Send> {
    let send = |page: &Value| Send::new("count", Value::map([("page", page.clone())]));
    let pages = pages.as_list().unwrap_or_default();
    pages.iter().map(send).collect()
}

/// Sees its page only: the other pages are not part of its input.
async fn count(ctx: DynCtx) -> Result<Json, Halt> {
    let page: String = ctx.read("page")?;
    let words = page.split(' ').count();
    // The longest page takes the most turns, so that tasks end in the reverse of their order.
    for _ in 0..words {
        tokio::task::yield_now().await;
    }
    println!("counted {page:?}");
    Ok(json!({ "counts": { "page": page, "words": words } }))
}

async fn report(ctx: DynCtx) -> Result<Json, Halt> {
    let counts = ctx.get("counts");
    let counts = counts.as_list().unwrap_or_default();
    let words = counts
        .iter()
        .filter_map(|count| count.get("words")?.as_i64())
        .sum::<i64>();
    let report = format!("{} pages, {words} words, in one report", counts.len());
    Ok(json!({ "report": report }))
}
