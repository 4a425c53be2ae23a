//! The smallest typed graph: a state, two nodes, and the edges between them.
//!
//! The state is a plain struct; `derive(State)` makes one channel of each field and an update type
//! with one setter a field. A node takes what it needs as arguments and returns an update: what it
//! does not set stays as it is, and `Append` adds to what is there. `#[node]` checks a function where it
//! is written, so that a mistake is shown at the argument that is wrong. This prints
//!
//! ```text
//! Greeting { name: "Ada", text: Some("HELLO, ADA!"), log: ["greeted", "shouted"] }
//! ```

use std::error::Error;

use serde::{Deserialize, Serialize};
use superstep::prelude::*;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Greeting {
    name: String,
    text: Option<String>,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Greet,
    Shout,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let graph = Graph::<Greeting, Node>::builder()
        .node(Node::Greet, greet)
        .node(Node::Shout, shout)
        .start(Node::Greet)
        .edge(Node::Greet, Node::Shout)
        .finish(Node::Shout)
        .build()?;

    let outcome = graph.run("t", Greeting::update().name("Ada")).await?;
    let greeting = outcome.done().ok_or("nothing is left to run")?;
    println!("{greeting:?}");

    if greeting.text.as_deref() != Some("HELLO, ADA!") || greeting.log.len() != 2 {
        return Err("both nodes should have changed the text and logged it".into());
    }
    Ok(())
}

#[node(Greeting, Node)]
async fn greet(greeting: Snap<Greeting>) -> GreetingUpdate {
    Greeting::update()
        .text(format!("Hello, {}!", greeting.name))
        .log(["greeted"])
}

/// A node that can fail returns a result; `?` passes any error on.
#[node(Greeting, Node)]
async fn shout(greeting: Snap<Greeting>) -> Result<GreetingUpdate, NodeError> {
    let text = greeting.text.as_ref().ok_or(NodeError::msg("no text"))?;
    Ok(Greeting::update()
        .text(text.to_uppercase())
        .log(["shouted"]))
}
