//! An agent that asks two questions at once, each with answers to choose from:
//!
//! ```sh
//! cargo run -p superstep-cli --example survey -- run survey shirts
//! cargo run -p superstep-cli --example survey -- inbox list
//! ```

use std::process::ExitCode;

use serde_json::json;
use superstep::dynamic::{DynCtx, DynGraphBuilder, Halt, START};
use superstep_agent::{AgentError, Card, GraphAgent, PlainAgent, Site};

async fn color(ctx: DynCtx) -> Result<serde_json::Value, Halt> {
    let color = ctx.ask(json!({"question": "Which color?", "options": ["red", "green"]}))?;
    Ok(json!({"color": color}))
}

async fn size(ctx: DynCtx) -> Result<serde_json::Value, Halt> {
    let sizes = json!({
        "question": "Which size?", "options": ["small", "large"], "answers": ["S", "L"],
    });
    let size = ctx.ask(sizes)?;
    Ok(json!({"size": size}))
}

fn survey(site: Site) -> Result<PlainAgent, AgentError> {
    let graph = DynGraphBuilder::new()
        .name("survey")
        .last_value("topic")
        .last_value("color")
        .last_value("size")
        .node("color", color)
        .node("size", size)
        .edge(START, "color")
        .edge(START, "size")
        .backends(site.backends)
        .build()?;
    Ok(graph.into())
}

fn main() -> ExitCode {
    let card = Card::new("survey", "Asks what people like");
    let card = card.taking("topic").without_model();
    let agent = GraphAgent::new(card, survey);
    superstep_cli::app().agent(agent).run()
}
