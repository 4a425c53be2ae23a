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
use superstep::{Backends, prelude::*, schemars::JsonSchema};
use superstep_agent::{Card, GraphAgent, Site};

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

fn graph(backends: Backends) -> Result<Graph<Poem, Step>, BuildErrors> {
    Graph::<Poem, Step>::builder()
        .name("poet")
        .backends(backends)
        .node(Step::Write, write)
        .node(Step::Publish, publish)
        .start(Step::Write)
        .edge(Step::Write, Step::Publish)
        .finish(Step::Publish)
        .build()
}

fn main() -> ExitCode {
    let card = Card::new("poet", "Writes a poem, and asks before it publishes it")
        .taking("topic")
        .without_model();
    let agent = GraphAgent::new(card, |site: Site| Ok(graph(site.backends)?.into()));
    superstep_cli::app().agent(agent).run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_is_published_before_a_person_agrees() -> Result<(), Box<dyn std::error::Error>>
    {
        let graph = graph(Backends::on(MemorySaver::default()))?;
        let outcome = graph.run("t", Poem::update().topic("the sea")).await?;
        let ask = outcome.ask::<Publish>()?;
        assert!(ask.question.poem.contains("the sea"));
        let outcome = graph.answer("t", [ask.answer(true)]).await?;
        assert!(outcome.state().published);
        Ok(())
    }
}
