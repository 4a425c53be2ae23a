use superstep::prelude::*;

struct Browser;

impl Browser {
    /// Reads a page.
    #[tool(net)]
    async fn read_page(
        &self,
        /// Its address.
        url: String,
    ) -> Result<String, superstep::tools::ToolError> {
        Ok(url)
    }
}

fn main() {}
