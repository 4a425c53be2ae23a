use superstep::prelude::*;

#[tool(net)]
async fn read_page(
    /// Its address.
    url: String,
) -> Result<String, superstep::tools::ToolError> {
    Ok(url)
}

fn main() {}
