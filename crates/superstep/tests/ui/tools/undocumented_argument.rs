use superstep::prelude::*;

/// Reads a page.
#[tool(net)]
async fn read_page(
    /// Its address.
    url: String,
    depth: u32,
) -> Result<String, superstep::tools::ToolError> {
    Ok(format!("{url} {depth}"))
}

fn main() {}
