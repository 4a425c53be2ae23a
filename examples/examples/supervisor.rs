//! A supervisor with two agents as its tools, one of which asks a person.
//!
//! Each agent has a conversation of its own, inside the call that the supervisor makes; its questions
//! are the run's. The models are scripts. This prints
//!
//! ```text
//! asked: publish {"text":"Rain is wet."}
//! published: Rain is wet.
//! supervisor: The article is out.
//! ```

use std::{error::Error, sync::Arc};

use serde_json::{Value, json};
use superstep::{
    model::{
        Message, Model,
        script::{Script, Step},
    },
    prelude::*,
    tools::{Agent, Approval, ToolError, Tools, agent::say},
};

/// Looks something up in the encyclopedia.
#[tool(read)]
async fn look_up(
    /// What.
    subject: String,
) -> Result<String, ToolError> {
    Ok(format!("{subject} is wet"))
}

/// Publishes an article.
#[tool(send)]
async fn publish(
    /// The article.
    text: String,
) -> Result<String, ToolError> {
    println!("published: {text}");
    Ok("it is published".to_owned())
}

fn script(steps: [Step; 3]) -> Arc<dyn Model> {
    Arc::new(Script::new(steps))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let researcher = Agent::new(Arc::new(Script::new([
        Step::call("look_up", json!({"subject": "rain"})),
        Step::text("rain is wet"),
    ])));
    let writer = Agent::new(Arc::new(Script::new([
        Step::call("publish", json!({"text": "Rain is wet."})),
        Step::text("done"),
    ])));
    let researcher = researcher.tools(Tools::builder().tool(LookUp).build()?);
    let writer = writer.tools(Tools::builder().tool(Publish).build()?);
    let supervisor = Agent::new(script([
        Step::call("researcher", json!({"task": "what is known of rain?"})),
        Step::call("writer", json!({"task": "an article: rain is wet"})),
        Step::text("The article is out."),
    ]));
    let team = Tools::builder()
        .tool(researcher.into_tool("researcher", "Finds facts.")?)
        .tool(writer.into_tool("writer", "Writes and publishes articles.")?);
    let graph = supervisor.tools(team.build()?).graph();
    let graph = graph.saver(MemorySaver::default()).build()?;

    let outcome = graph
        .run("news", say(Message::user("an article about rain")))
        .await?;
    let ask = outcome.ask::<Approval>()?;
    let action = ask.question.action_request.clone();
    println!("asked: {} {}", action.action, Value::Object(action.args));
    let yes = ask.answer(ask.question.accept());
    let outcome = graph.answer("news", [yes]).await?;
    let last = outcome.state().messages.last().map(Message::text);
    println!("supervisor: {}", last.unwrap_or_default());
    Ok(())
}
