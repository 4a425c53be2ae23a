//! An agent in plain text behind any model: a script, or a real one by its name.
//!
//! ```sh
//! cargo run -p superstep-examples --example any_model
//! cargo run -p superstep-examples --features remote --example any_model anthropic:claude-sonnet-4-5
//! ```
//!
//! The second command needs `ANTHROPIC_API_KEY`. The first uses the script `scripts/orders.jsonl` and prints
//!
//! ```text
//! model: script:orders
//! user:  Where is order 7?
//! agent: Order 7 was delivered on Monday.
//! ```

use std::error::Error;

use superstep::{
    model::{self, Model},
    prelude::*,
    tools::{Agent, ToolError, Tools},
};

const SCRIPT: &str = concat!(
    "script:",
    env!("CARGO_MANIFEST_DIR"),
    "/scripts/orders.jsonl"
);

/// Looks up an order.
#[tool(read)]
async fn find_order(
    /// The number of the order.
    number: u32,
) -> Result<String, ToolError> {
    Ok(format!("order {number}: one lamp, delivered on Monday"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1);
    let model = model::open(name.as_deref().unwrap_or(SCRIPT)).await?;
    println!("model: {}", model.id());
    let agent = Agent::new(model)
        .system("You answer questions about orders in one sentence.")
        .tools(Tools::builder().tool(FindOrder).build()?)
        .graph()
        .saver(MemorySaver::default())
        .build()?;

    let question = "Where is order 7?";
    println!("user:  {question}");
    let reply = agent.prompt("chat 1", question).await?.text()?;
    println!("agent: {reply}");
    if !reply.contains("Monday") {
        return Err("the reply should say when the order was delivered".into());
    }
    Ok(())
}
