use superstep::prelude::*;

/// Reads a page.
#[tool(net)]
fn read_page(
    /// Its address.
    url: String,
) -> Result<String, superstep::tools::ToolError> {
    Ok(url)
}

fn main() {}
