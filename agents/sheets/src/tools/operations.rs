//! `ApplyOperations`: changes of the workbook as data, for models that write no programs.

use serde_json::{Map, Value as Json, json};
use superstep::{
    future::BoxFuture,
    model::ToolSpec,
    tools::{Access, ParsedCall, Tool, ToolCtx, ToolError, ToolOutput},
};
use superstep_workbook::Operation;

use crate::workbench::Workbench;

/// The tool.
pub(super) struct ApplyOperations;

/// What a model is told about operations: the ones that most instructions need.
const ABOUT: &str = "Change the workbook by a list of operations, applied together or not at all. \
    Each is an object with `op`: \
    set {sheet, cell, value}; set_rows {sheet, cell, rows: [[value]]}; clear {sheet, area}; \
    format {sheet, area, style: {named, bold, italic, fill, color, number_format, horizontal}}; \
    define_style {name, style}; \
    merge/unmerge {sheet, area}; column_width {sheet, columns, width}; freeze {sheet, cell}; \
    filter {sheet, area}; sort {sheet, area, keys: [{column, descending}], has_header}; \
    conditional_format {sheet, area, condition: {cell: {operator, formulas}}, style}; \
    insert_rows {sheet, before, count}; delete_rows {sheet, first, count}; \
    insert_columns {sheet, before, count}; delete_columns {sheet, first, count}; \
    add_sheet {name}; rename_sheet {sheet, name}; delete_sheet {sheet}; \
    add_chart {sheet, chart: {kind: column|bar|line|pie|scatter|area, at, title, series: [{sheet, values, \
    categories, name}]}}; \
    define_name {name, refers_to}; comment {sheet, cell, comment: {text, author}}; \
    add_table {sheet, table: {name, area}}; validate {sheet, area, validation: {list: [text]}}; \
    link {sheet, cell, address}; page {sheet, page: {orientation, areas, title_rows}}. \
    A value is a number, true, false, null (empties the cell), a formula that begins with =, such as \
    \"=SUM(A1:A9)\", or a text. {\"date\": \"2025-06-10\"} is a date, {\"text\": \"=x\"} a text that begins with =. \
    For example: {\"operations\": [{\"op\": \"set\", \"sheet\": \"Sheet1\", \"cell\": \"D1\", \"value\": \"Total\"}, \
    {\"op\": \"set\", \"sheet\": \"Sheet1\", \"cell\": \"D2\", \"value\": \"=SUM(B2:B9)\"}]}";

impl Tool for ApplyOperations {
    fn spec(&self) -> &ToolSpec {
        static SPEC: std::sync::LazyLock<ToolSpec> = std::sync::LazyLock::new(|| ToolSpec {
            name: "ApplyOperations".into(),
            description: ABOUT.into(),
            parameters: json!({
                "type": "object",
                "properties": {"operations": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "properties": {"op": {"type": "string"}},
                        "required": ["op"],
                    },
                }},
                "required": ["operations"],
                "additionalProperties": false,
            }),
        });
        &SPEC
    }

    fn access(&self) -> Access {
        Access::default()
    }

    fn parse(&self, args: &Map<String, Json>) -> Result<Box<dyn ParsedCall>, Vec<String>> {
        let Some(Json::Array(items)) = args.get("operations") else {
            return Err(vec!["`operations` must be a list of operations".into()]);
        };
        let mut operations = Vec::new();
        let mut wrong = Vec::new();
        for (number, item) in (1..).zip(items) {
            match serde_json::from_value::<Operation>(with_plain_values(item.clone())) {
                Ok(operation) => operations.push(operation),
                Err(error) => wrong.push(format!("operation {number}: {error}")),
            }
        }
        if items.is_empty() {
            wrong.push("there is no operation".into());
        }
        match wrong.is_empty() {
            true => Ok(Box::new(Proposed(operations))),
            false => Err(wrong),
        }
    }
}

/// An operation whose plain values are tagged, as operations are stored.
fn with_plain_values(mut operation: Json) -> Json {
    if let Some(value) = operation.get_mut("value") {
        tag(value);
    }
    let rows = operation.get_mut("rows").and_then(Json::as_array_mut);
    let rows = rows.into_iter().flatten().filter_map(Json::as_array_mut);
    rows.flatten().for_each(tag);
    operation
}

/// Tags a plain value: text that begins with `=` is a formula.
fn tag(value: &mut Json) {
    *value = match value.take() {
        Json::Null => json!("empty"),
        Json::Bool(is) => json!({"bool": is}),
        Json::Number(number) => json!({"number": number}),
        Json::String(text) if text == "empty" => json!(text),
        Json::String(text) if text.len() > 1 && text.starts_with('=') => json!({"formula": text}),
        Json::String(text) => json!({"text": text}),
        tagged @ (Json::Array(_) | Json::Object(_)) => tagged,
    };
}

struct Proposed(Vec<Operation>);

impl ParsedCall for Proposed {
    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let bench = ctx.service::<Workbench>()?;
            bench.propose(self.0.iter().cloned());
            Ok(String::new().into())
        })
    }
}
