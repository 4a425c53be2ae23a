//! Results of a node kept for equal inputs, over threads and for a time.
//!
//! `translate` is expensive, so its results are kept for an hour and depend on the text only, not
//! on who asks. Prices change all the time, so those of `price` are kept for a millisecond. An
//! update says whether it came from the cache. This prints
//!
//! ```text
//! Ann asks for a translation of `tea`
//!   {"price":3}              made now
//!   {"translation":"TEA"}    made now
//! Bob, on another thread, asks the same
//!   {"price":3}              made now
//!   {"translation":"TEA"}    from the cache
//! Bob asks for another text
//!   {"price":3}              made now
//!   {"translation":"MILK"}   made now
//! the cache is cleared, and Ann asks again
//!   {"price":3}              made now
//!   {"translation":"TEA"}    made now
//! four questions, 3 translations
//! ```

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, CachePolicy, Failure, MemoryCache, MemorySaver, RunOptions, Value,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, EventKind, Halt, START},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = runs.clone();
    let by_text = |input: &Value| -> Result<Value, Failure> {
        Ok(input.get("text").cloned().unwrap_or_default())
    };
    let kept = |ttl, key| DynNodeOptions {
        cache: Some(CachePolicy {
            ttl: Some(ttl),
            key,
        }),
        ..DynNodeOptions::default()
    };
    let translate = move |ctx: DynCtx| {
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            let text = ctx.read::<String>("text")?.to_uppercase();
            Ok::<_, Halt>(json!({ "translation": text }))
        }
    };
    let graph = DynGraphBuilder::new()
        .last_value("text")
        .last_value("who")
        .last_value("translation")
        .last_value("price")
        .node_with(
            "translate",
            translate,
            kept(Duration::from_secs(3600), Some(Arc::new(by_text))),
        )
        .node_with("price", price, kept(Duration::from_millis(1), None))
        .edge(START, "translate")
        .edge(START, "price")
        .backends(Backends {
            cache: Some(Arc::new(MemoryCache::new())),
            ..Backends::on(MemorySaver::new())
        })
        .build()?;

    println!("Ann asks for a translation of `tea`");
    show(&graph, "ann", "tea").await?;
    println!("Bob, on another thread, asks the same");
    show(&graph, "bob", "tea").await?;
    println!("Bob asks for another text");
    show(&graph, "bob", "milk").await?;
    graph.clear_cache(Some(&["translate".into()])).await?;
    println!("the cache is cleared, and Ann asks again");
    show(&graph, "ann", "tea").await?;

    let runs = runs.load(Ordering::SeqCst);
    println!("four questions, {runs} translations");
    if runs != 3 {
        return Err("three translations should have been made".into());
    }
    Ok(())
}

/// Runs the graph and shows its updates, a little later than any price is good.
async fn show(graph: &DynGraph, who: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let input = json!({ "who": who, "text": text });
    let mut stream = graph.stream(input, &RunOptions::on(who));
    let mut lines = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Update { update, cached, .. } = event.kind {
            let from = if cached { "from the cache" } else { "made now" };
            lines.push(format!("  {:24} {from}", update.to_string()));
        }
    }
    stream.outcome().await?;
    tokio::time::sleep(Duration::from_millis(5)).await;
    lines.sort();
    println!("{}", lines.join("\n"));
    Ok(())
}

async fn price(_: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "price": 3 }))
}
