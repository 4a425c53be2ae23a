//! `SheetSelector`: reads the workbook by one SQL query, without another model.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::{
    future::BoxFuture,
    model::ToolSpec,
    tools::{Access, ParsedCall, Tool, ToolCtx, ToolError, ToolOutput},
};

use crate::workbench::Workbench;

/// The tool.
pub(super) struct SheetSelector;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    sql: String,
}

impl Tool for SheetSelector {
    fn spec(&self) -> &ToolSpec {
        static SPEC: std::sync::LazyLock<ToolSpec> = std::sync::LazyLock::new(|| {
            ToolSpec {
            name: "SheetSelector".into(),
            description: "Read the workbook by one SELECT of SQLite. Each table of a sheet is a table \
                          named like its sheet, with its headers as columns and `_row`, the row in the \
                          sheet; write names in double quotes. It changes nothing."
                .into(),
            parameters: json!({
                "type": "object",
                "properties": {"sql": {"type": "string", "description": "One SELECT"}},
                "required": ["sql"],
                "additionalProperties": false,
            }),
        }
        });
        &SPEC
    }

    fn access(&self) -> Access {
        Access::default()
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let args = Json::Object(args.clone());
        match serde_json::from_value::<Query>(args) {
            Ok(query) => Ok(Box::new(query)),
            Err(error) => Err(vec![error.to_string()]),
        }
    }
}

impl ParsedCall for Query {
    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let bench: Arc<Workbench> = ctx.service::<Workbench>()?.0;
            let sql = self.sql.clone();
            let read = move || -> Result<String, String> {
                let mirror = bench.mirror().map_err(|error| error.to_string())?;
                mirror
                    .query(&sql)
                    .map(|rows| rows.to_string())
                    .map_err(|error| format!("{error}. What there is:\n{}", mirror.schema()))
            };
            let read = tokio::task::spawn_blocking(read).await?;
            read.map(ToolOutput::from).map_err(ToolError::Failed)
        })
    }
}
