//! A graph that comes as JSON: from a file, a database, a tool that draws graphs.
//!
//! What nodes can do is in a table of kinds in this program; which nodes there are, and how they are
//! connected, is data. What is wrong with the data is told all at once. This prints
//!
//! ```text
//! wrong: unknown kind `shuot`
//! asked: publish "RAIN IS WET!"?
//! > yes
//! RAIN IS WET!, published: true
//! ```

use std::{collections::BTreeMap, error::Error};

use serde::Deserialize;
use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver, RunOptions, Value,
    dynamic::{Destination, DynCtx, DynGraph, DynGraphBuilder, Halt, input},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    fields: Vec<String>,
    nodes: BTreeMap<String, Node>,
    edges: Vec<(String, String)>,
    /// From a node by the value of a field.
    routes: Vec<Route>,
}

#[derive(Deserialize)]
struct Node {
    kind: String,
    reads: String,
    writes: String,
}

#[derive(Deserialize)]
struct Route {
    from: String,
    by: String,
    to: BTreeMap<String, String>,
}

/// What a node of a kind does with what it reads.
type Kind = fn(&DynCtx, Value) -> Result<Value, Halt>;

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "shout" => |_, text| Ok(text.as_str().unwrap_or_default().to_uppercase().into()),
        "exclaim" => |_, text| Ok(format!("{}!", text.as_str().unwrap_or_default()).into()),
        "ask" => |ctx, text| ctx.ask(format!("publish {}?", text.to_json())),
        "yes" => |_, _| Ok(true.into()),
        _ => return None,
    })
}

fn build(spec: Json, saver: &MemorySaver) -> Result<DynGraph, Box<dyn Error>> {
    let spec: Spec = serde_json::from_value(spec)?;
    let mut graph = DynGraphBuilder::new().backends(Backends::on(saver.clone()));
    for field in spec.fields {
        graph = graph.last_value(field);
    }
    for (name, node) in spec.nodes {
        let run = kind(&node.kind).ok_or_else(|| format!("unknown kind `{}`", node.kind))?;
        graph = graph.node(name, move |ctx: DynCtx| {
            let made = run(&ctx, ctx.get(&node.reads));
            let writes = node.writes.clone();
            async move { Ok::<_, Halt>(Value::map([(writes, made?)])) }
        });
    }
    for (from, to) in spec.edges {
        graph = graph.edge(from, to);
    }
    for Route { from, by, to } in spec.routes {
        graph = graph.route_map(from, to, move |state| state.get(&by).map(Destination::Key));
    }
    Ok(graph.build()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let spec = |first: &str| {
        json!({
            "fields": ["text", "answer", "published"],
            "nodes": {
                "loud": {"kind": first, "reads": "text", "writes": "text"},
                "louder": {"kind": "exclaim", "reads": "text", "writes": "text"},
                "approve": {"kind": "ask", "reads": "text", "writes": "answer"},
                "publish": {"kind": "yes", "reads": "text", "writes": "published"},
            },
            "edges": [["__start__", "loud"], ["loud", "louder"], ["louder", "approve"]],
            "routes": [{"from": "approve", "by": "answer", "to": {"yes": "publish", "no": "__end__"}}],
        })
    };
    let saver = MemorySaver::new();
    if let Err(error) = build(spec("shuot"), &saver) {
        println!("wrong: {error}");
    }
    let graph = build(spec("shout"), &saver)?;
    let options = RunOptions::on("t");
    let outcome = graph
        .invoke(json!({"text": "rain is wet"}), &options)
        .await?;
    for ask in &outcome.asks {
        println!("asked: {}\n> yes", ask.value.as_str().unwrap_or_default());
    }
    let outcome = graph.invoke(input::resume("yes"), &options).await?;
    let state = outcome.output.unwrap_or_default();
    let text = state
        .get("text")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let published = state.get("published").and_then(Value::as_bool);
    println!("{text}, published: {}", published.unwrap_or_default());
    match published {
        Some(true) => Ok(()),
        _ => Err("what was approved should be published".into()),
    }
}
