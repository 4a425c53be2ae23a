//! An agent of one's own with the whole command line:
//!
//! ```sh
//! cargo run -p superstep-cli --example poet -- run poet the sea
//! cargo run -p superstep-cli --example poet -- threads list
//! cargo run -p superstep-cli --example poet -- serve
//! ```
//!
//! It needs no model, and asks before it publishes. A program of your own has the same `main`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use superstep::{prelude::*, schemars::JsonSchema};
use superstep_agent::{AgentError, Card, GraphAgent, PlainAgent, Site};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State, JsonSchema)]
#[schemars(crate = "superstep::schemars")]
struct Poem {
    topic: String,
    text: String,
    published: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Step {
    Write,
    Publish,
}

/// The question before anything leaves the desk.
#[derive(Debug, Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct Publish {
    poem: String,
}

async fn write(poem: Snap<Poem>) -> PoemUpdate {
    let topic = &poem.topic;
    Poem::update()
        .text(format!("Roses are red,\n{topic} is blue."))
        .published(false)
}

async fn publish(poem: Snap<Poem>, ctx: Ctx) -> Result<PoemUpdate, NodeError> {
    let text = poem.text.clone();
    let published = ctx.ask(Publish { poem: text })?;
    Ok(Poem::update().published(published))
}

fn graph(site: Site) -> Result<PlainAgent, AgentError> {
    let graph = Graph::<Poem, Step>::builder()
        .name("poet")
        .backends(site.backends)
        .node(Step::Write, write)
        .node(Step::Publish, publish)
        .start(Step::Write)
        .edge(Step::Write, Step::Publish)
        .finish(Step::Publish)
        .build()?;
    Ok(graph.into())
}

fn main() -> ExitCode {
    let card = Card::new("poet", "Writes a poem, and asks before it publishes it")
        .taking("topic")
        .without_model();
    superstep_cli::app()
        .agent(GraphAgent::new(card, graph))
        .run()
}
