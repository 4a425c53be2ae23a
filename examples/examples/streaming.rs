//! What a run tells while it goes: state, updates, own data, and messages token by token.
//!
//! One stream carries all kinds of events in order; `modes` picks the kinds, `subgraphs` whether
//! the graphs below are heard too. Each event says which graph it comes from. This prints
//!
//! ```text
//! the graph  values   {"topic":"rain"}
//! the graph  custom   {"progress":50}
//! the graph  custom   {"progress":100}
//! the graph  update   research wrote {"topic":"rain in May"}
//! the graph  values   {"topic":"rain in May"}
//! writer     message  compose says "Oh "
//! writer     message  compose says "rain "
//! writer     message  compose says "in "
//! writer     message  compose says "May!"
//! writer     update   compose wrote {"poem":"Oh rain in May!"}
//! writer     values   {"poem":"Oh rain in May!"}
//! the graph  update   writer wrote {"poem":"Oh rain in May!"}
//! the graph  values   {"poem":"Oh rain in May!","topic":"rain in May"}
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    Modes, RunOptions, Value,
    dynamic::{DynCtx, DynGraphBuilder, DynNodeOptions, EventKind, Halt, START},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let writer = DynGraphBuilder::new()
        .last_value("topic")
        .last_value("poem")
        .node("compose", compose)
        .edge(START, "compose")
        .output_schema(vec!["poem".into()])
        .build()?;
    let graph = DynGraphBuilder::new()
        .last_value("topic")
        .last_value("poem")
        .node("research", research)
        .subgraph("writer", writer, DynNodeOptions::default())
        .edge(START, "research")
        .edge("research", "writer")
        .build()?;

    let modes = Modes::VALUES
        .with(Modes::UPDATES)
        .with(Modes::CUSTOM)
        .with(Modes::MESSAGES);
    let options = RunOptions {
        modes,
        subgraphs: true,
        ..RunOptions::default()
    };
    let mut stream = graph.stream(json!({ "topic": "rain" }), &options);
    let mut tokens = String::new();
    while let Some(event) = stream.next().await {
        let from = match event.namespace.path().join("/") {
            root if root.is_empty() => "the graph".to_owned(),
            path => path,
        };
        let (mode, what) = match event.kind {
            EventKind::Values { values, .. } => ("values", values.to_string()),
            EventKind::Update { node, update, .. } => ("update", format!("{node} wrote {update}")),
            EventKind::Custom(data) => ("custom", data.to_string()),
            EventKind::Message { message, node } => {
                let piece = message.get("content").cloned().unwrap_or_default();
                tokens.push_str(piece.as_str().unwrap_or_default());
                ("message", format!("{node} says {piece}"))
            }
            _ => continue,
        };
        println!("{from:9}  {mode:7}  {what}");
    }
    let outcome = stream.outcome().await?;

    let poem = outcome.output.and_then(|state| state.get("poem").cloned());
    if poem != Some(Value::from(tokens)) {
        return Err("the tokens together should be the poem".into());
    }
    Ok(())
}

async fn research(ctx: DynCtx) -> Result<Json, Halt> {
    for percent in [50, 100] {
        ctx.emit(json!({ "progress": percent })).await;
    }
    Ok(json!({ "topic": "rain in May" }))
}

/// Passes pieces on as a model would give them.
async fn compose(ctx: DynCtx) -> Result<Json, Halt> {
    let poem = format!("Oh {}!", ctx.read::<String>("topic")?);
    for token in poem.split_inclusive(' ') {
        let piece = json!({ "type": "ai", "id": "poem-1", "content": token });
        ctx.emit_message(piece.into()).await;
    }
    Ok(json!({ "poem": poem }))
}
