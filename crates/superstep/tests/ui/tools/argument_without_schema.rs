use serde::Deserialize;
use superstep::{prelude::*, tools::ToolError};

#[derive(Deserialize)]
struct Address {
    _street: String,
}

/// Finds who lives at an address.
#[tool(read)]
async fn who_lives_at(
    /// The address.
    address: Address,
) -> Result<String, ToolError> {
    drop(address);
    Ok(String::new())
}

fn main() {
    let _ = WhoLivesAt;
}
