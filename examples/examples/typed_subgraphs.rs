//! A typed graph as a node of another: fields of the same name are shared, its events have a path, and it can hand
//! over to a node of the graph above.
//!
//! The writer knows the topic and the article of the team, and an outline of its own. Without facts it hands over
//! to research, which leads back to it. This prints
//!
//! ```text
//! at ["write"]: Sun is hot.
//! log: ["writer: needs facts", "research: sun is hot", "writer: done"]
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{Command, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Team {
    topic: String,
    facts: String,
    article: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Top {
    Write,
    Research,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Writing {
    facts: String,
    article: String,
    outline: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Inner {
    Outline,
    Draft,
}

async fn outline(writing: Snap<Writing>) -> Result<Command<Writing, Inner>, NodeError> {
    if writing.facts.is_empty() {
        let team = Team::update().log(["writer: needs facts"]);
        return Ok(team.goto(Top::Research).to_parent().into());
    }
    let outline = Writing::update().outline(writing.facts.to_uppercase());
    Ok(Command::update(outline))
}

async fn draft(writing: Snap<Writing>, ctx: Ctx) -> Result<WritingUpdate, NodeError> {
    let (first, rest) = writing.outline.split_at(1);
    let article = format!("{first}{}.", rest.to_lowercase());
    let message = json!({ "type": "ai", "id": "1", "content": article });
    ctx.emit_message(&message).await?;
    let log = ["writer: done".to_owned()];
    Ok(Writing::update().article(article).log(log))
}

async fn research(team: Snap<Team>) -> TeamUpdate {
    let facts = format!("{} is hot", team.topic);
    let log = [format!("research: {facts}")];
    Team::update().facts(facts).log(log)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let writer = Graph::<Writing, Inner>::builder()
        .nested()
        .node(Inner::Outline, outline)
        .node(Inner::Draft, draft)
        .start(Inner::Outline)
        .edge(Inner::Outline, Inner::Draft)
        .finish(Inner::Draft)
        .build()?;
    let team = Graph::<Team, Top>::builder()
        .saver(MemorySaver::new())
        .subgraph_shared(Top::Write, &writer)
        .node(Top::Research, research)
        .start(Top::Write)
        .may_goto(Top::Write, &[Top::Research])
        .edge(Top::Research, Top::Write)
        .build()?;

    let team = team.with_options(|options| options.subgraphs = true);
    let mut stream = team.stream("t", Team::update().topic("sun"));
    while let Some(event) = stream.next().await {
        if let Some(token) = event.token() {
            println!("at {:?}: {token}", event.path());
        }
    }
    let outcome = stream.outcome().await?;
    println!("log: {:?}", outcome.state().log);
    match outcome.state().article.as_str() {
        "Sun is hot." => Ok(()),
        _ => Err("the article of the writer is the team's".into()),
    }
}
