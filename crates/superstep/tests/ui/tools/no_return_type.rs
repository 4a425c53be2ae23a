use superstep::prelude::*;

/// Reads a page.
#[tool(net)]
async fn read_page(
    /// Its address.
    url: String,
) {
    drop(url);
}

fn main() {}
