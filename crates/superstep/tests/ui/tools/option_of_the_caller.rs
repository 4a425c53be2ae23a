use superstep::{Caller, prelude::*, tools::ToolError};

/// Lists the orders of the caller.
#[tool(pure)]
async fn list_orders(caller: Option<Caller>) -> Result<String, ToolError> {
    Ok(format!("{caller:?}"))
}

fn main() {}
