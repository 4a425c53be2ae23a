use superstep::prelude::*;

/// Reads a page.
#[tool(net)]
async fn read_page<T: Into<String>>(
    /// Its address.
    url: T,
) -> Result<String, superstep::tools::ToolError> {
    Ok(url.into())
}

fn main() {}
