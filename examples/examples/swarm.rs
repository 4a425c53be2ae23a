//! Agents that hand a conversation over to each other.
//!
//! Every member has a tool that hands over to each other one. Whoever has the conversation keeps it: the
//! user's next message goes there, after a restart too. The model is a script. This prints
//!
//! ```text
//! user: I want a lamp
//! sales: This one is nice.
//! user: mine is broken
//! repairs: Please send it in.
//! user: thank you
//! repairs: You are welcome.
//! ```

use std::{error::Error, sync::Arc};

use serde_json::json;
use superstep::{
    model::{
        Message, Model,
        script::{Script, Step, When},
    },
    prelude::*,
    tools::{Agent, AgentNode, AgentState, Team, agent::say},
};

/// The program as it is after each start.
fn start(saver: &MemorySaver) -> Result<Graph<AgentState, AgentNode>, Box<dyn Error>> {
    let sales: Arc<dyn Model> = Arc::new(Script::new([
        Step::call("transfer_to_repairs", json!({})).when(When::contains("broken")),
        Step::text("sales: This one is nice.").always(),
    ]));
    let repairs: Arc<dyn Model> = Arc::new(Script::new([
        Step::text("repairs: You are welcome.").when(When::contains("thank you")),
        Step::text("repairs: Please send it in.").always(),
    ]));
    let team = Team::new("sales", "sells lamps", Agent::new(sales)).member(
        "repairs",
        "repairs what is broken",
        Agent::new(repairs),
    );
    Ok(team.graph()?.saver(saver.clone()).build()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let saver = MemorySaver::new();
    let mut said = Vec::new();
    for words in ["I want a lamp", "mine is broken", "thank you"] {
        println!("user: {words}");
        let outcome = start(&saver)?
            .run("shop", say(Message::user(words)))
            .await?;
        let last = outcome
            .state()
            .messages
            .last()
            .map(Message::text)
            .unwrap_or_default();
        println!("{last}");
        said.push(last);
    }
    match said.iter().filter(|it| it.starts_with("repairs")).count() {
        2 => Ok(()),
        _ => Err("the conversation should stay with whom it was handed to".into()),
    }
}
