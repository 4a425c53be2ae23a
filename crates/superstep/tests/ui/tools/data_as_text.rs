use superstep::{prelude::*, tools::ToolError};

struct Order {
    _number: u32,
}

/// Finds an order.
#[tool(read)]
async fn find_order(
    /// Its number.
    number: u32,
) -> Result<Order, ToolError> {
    Ok(Order { _number: number })
}

fn main() {
    let _ = FindOrder;
}
