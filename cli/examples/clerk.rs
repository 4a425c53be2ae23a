//! An agent with a model and tools: it looks up orders freely, and asks before it refunds one.
//!
//! ```sh
//! cargo run -p superstep-cli --example clerk -- run clerk "Refund order 7, please" --model ollama:qwen3
//! cargo run -p superstep-cli --example clerk -- threads resume last
//! ```

use std::process::ExitCode;

use superstep::{
    prelude::*,
    tools::{Agent, ToolError, Tools},
};
use superstep_agent::{AgentError, Card, GraphAgent, PlainAgent, Site};

/// Looks up an order.
#[tool(read)]
async fn find_order(
    /// The number of the order.
    number: u32,
) -> Result<String, ToolError> {
    Ok(format!("order {number}: 30 euros, delivered on Monday"))
}

/// Refunds an order.
#[tool(write)]
async fn refund(
    /// The number of the order.
    number: u32,
    /// How many euros the customer gets back.
    euros: u32,
) -> Result<String, ToolError> {
    Ok(format!("refunded {euros} euros for order {number}"))
}

fn clerk(site: Site) -> Result<PlainAgent, AgentError> {
    let tools = Tools::builder().tool(FindOrder).tool(Refund).build()?;
    let agent = Agent::new(site.model())
        .system("You help customers of a shop. Look up an order before you refund it.")
        .tools(tools);
    let graph = agent
        .graph()
        .name("clerk")
        .backends(site.backends)
        .build()?;
    Ok(graph.into())
}

fn main() -> ExitCode {
    let card = Card::new("clerk", "Answers customers, and asks before it refunds").chatting();
    superstep_cli::app()
        .agent(GraphAgent::new(card, clerk))
        .run()
}
