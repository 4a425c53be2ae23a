//! A workbook without a run as front ends show it: in words, as tables, as rows of a query.

use serde_json::json;
use superstep_agent::{Block, Notice, Weight, plain, strong};
use superstep_workbook::Workbook;

use super::report::line;
use crate::{Mirror, Rows};

/// The description of a workbook, as a model reads it.
pub fn description_notice(book: &Workbook, tokens: usize) -> Notice {
    let text = book.state(tokens);
    Notice::event(json!({"state": text})).with(data(&text))
}

/// The tables of a workbook, which queries may name.
pub fn tables_notices(mirror: &Mirror) -> Vec<Notice> {
    let tables = mirror.tables().iter().map(|table| {
        Notice::event(json!({
            "table": table.name, "columns": table.columns, "rows": table.rows,
            "sheet": table.sheet, "area": table.area.to_string(),
        }))
    });
    let schema = Notice::people(data(&mirror.schema()));
    tables.chain([schema]).collect()
}

/// The rows of a query.
pub fn rows_notice(rows: &Rows) -> Notice {
    let mut blocks = vec![line(Weight::Data, [strong(rows.columns.join("  "))])];
    for row in &rows.rows {
        let fields: Vec<String> = row.iter().map(ToString::to_string).collect();
        blocks.push(line(Weight::Data, [plain(fields.join("  "))]));
    }
    if rows.is_cut {
        blocks.push(line(Weight::Say, [plain("there are more rows")]));
    }
    let event = json!({"columns": rows.columns, "rows": rows.rows, "is_cut": rows.is_cut});
    Notice::event(event).with(blocks)
}

fn data(text: &str) -> Vec<Block> {
    let lines = text.lines();
    lines
        .map(|text| line(Weight::Data, [plain(text)]))
        .collect()
}
