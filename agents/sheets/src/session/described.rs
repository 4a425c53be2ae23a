//! A workbook without a run as front ends show it: in words, as tables, as rows of a query, calculated, saved.

use std::path::Path;

use serde_json::{Value as Json, json};
use superstep_agent::{Block, Notice, Weight, bad, count, plain, strong};
use superstep_workbook::{Calculation, Workbook};

use super::report::{line, written};
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

/// The values of formulas that were calculated, in a file.
pub fn calculated_notice(calculation: &Calculation, output: &Path) -> Notice {
    let (formulas, changed) = match calculation {
        Calculation::Done {
            formulas, changed, ..
        } => (*formulas, *changed),
        _ => (0, 0),
    };
    let values = count(changed, "value");
    let values = format!("{}, {values} new", count(formulas, "formula"));
    let mut blocks = vec![line(Weight::Data, [plain(values)])];
    if let Some(why) = calculation.told() {
        let what = bad("some are not calculated: ");
        blocks.push(line(Weight::Say, [what, plain(why)]));
    }
    let mut about = json!(calculation);
    if let Some(fields) = about.as_object_mut() {
        fields.remove("calculation");
    }
    let mut notice = written_notice(about, output);
    notice.blocks.splice(0..0, blocks);
    notice
}

/// A file that was written, with facts about it for programs.
pub fn written_notice(mut about: Json, output: &Path) -> Notice {
    if let Some(fields) = about.as_object_mut() {
        fields.insert("output".into(), output.display().to_string().into());
    }
    Notice::event(about).with(vec![written(Some(output))])
}

fn data(text: &str) -> Vec<Block> {
    let lines = text.lines();
    lines
        .map(|text| line(Weight::Data, [plain(text)]))
        .collect()
}
