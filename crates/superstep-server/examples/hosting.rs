//! A graph of one's own over HTTP: `cargo run -p superstep-server --example hosting -- 127.0.0.1:2024`.
//!
//! It writes a draft and asks whether to publish it. Any client of the LangGraph server API can run it:
//!
//! ```text
//! curl localhost:2024/runs/wait -d '{"assistant_id": "writer", "input": {"topic": "rust"}}'
//! ```

use std::{env, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep::{
    Backends, MemorySaver, MemoryStore,
    prelude::*,
    schemars::{self, JsonSchema},
};
use superstep_server::Server;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State, JsonSchema)]
struct Text {
    /// What to write about.
    topic: String,
    draft: Option<String>,
    is_published: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Write,
    Review,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct Publish {
    draft: String,
}

async fn write(text: Snap<Text>) -> TextUpdate {
    Text::update().draft(format!("All about {}", text.topic))
}

async fn review(text: Snap<Text>, ctx: Ctx) -> Result<TextUpdate, NodeError> {
    let draft = text.draft.clone().unwrap_or_default();
    Ok(Text::update().is_published(ctx.ask(Publish { draft })?))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let graph = Graph::<Text, Node>::builder()
        .node(Node::Write, write)
        .node(Node::Review, review)
        .start(Node::Write)
        .edge(Node::Write, Node::Review)
        .finish(Node::Review)
        .asks::<Publish>()
        .build()?;
    // Threads of a `Database` of the feature `sqlite` outlive the process.
    let backends = Backends {
        store: Some(Arc::new(MemoryStore::default())),
        ..Backends::on(MemorySaver::default())
    };
    let address = env::args().nth(1).unwrap_or("127.0.0.1:2024".to_owned());
    let server = Server::on(backends)
        .graph("writer", &graph)
        .bind(address)
        .await?;
    println!("http://{}", server.address());
    server.serve(std::future::pending()).await?;
    Ok(())
}
