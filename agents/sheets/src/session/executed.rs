//! A program on a workbook as front ends show it: its output, then its result.

use std::path::Path;

use serde_json::json;
use superstep_agent::{Block, Notice, Weight, bad, faint, plain};

use super::report::{LISTED, line, not_calculated, tables, warnings, written};
use crate::{Executed, Execution};

/// The output of a program, which may have failed. `limit` is how many bytes of it are kept.
pub fn printed_notice(ran: &Execution, sandbox: &str, limit: usize) -> Notice {
    let (text, dropped) = ran.printed();
    let lines = text.lines();
    let mut blocks: Vec<Block> = lines
        .map(|text| line(Weight::Data, [plain(text)]))
        .collect();
    if dropped > 0 {
        let more = format!(
            "the program printed {dropped} bytes more, which are kept nowhere: {} MiB are, let it print less",
            limit >> 20
        );
        blocks.push(line(Weight::Say, [bad(more)]));
    }
    let event = Notice::event(json!({
        "sandbox": sandbox, "failed": true, "stdout": text, "stdout_dropped": dropped,
    }));
    event.with(blocks)
}

/// The result of a program, and the file that it was written to.
pub fn executed_notice(done: &Executed, sandbox: &str, output: Option<&Path>) -> Notice {
    let mut changes = done.changes.clone();
    changes.cells.truncate(LISTED);
    changes.formats.truncate(LISTED);
    let event = Notice::event(json!({
        "sandbox": sandbox,
        "output": output.map(|it| it.display().to_string()),
        "stdout": done.stdout,
        "stdout_dropped": done.stdout_dropped,
        "took_ms": done.took.as_millis(),
        "changes": changes,
        "warnings": done.warnings,
        "calculation": done.calculation,
    }));
    let changed = done.changes.to_string();
    let changed = changed.lines().map(|it| line(Weight::Note, [faint(it)]));
    let mut blocks: Vec<Block> = changed.collect();
    blocks.extend(tables(&done.book, &done.changes));
    blocks.extend(done.calculation.told().map(not_calculated));
    blocks.extend(warnings(&done.warnings));
    if !done.warnings.is_empty() {
        let about = "write these anew in the program, or run it with --sandbox embedded, which moves and keeps them";
        blocks.push(line(Weight::Say, [faint(about)]));
    }
    blocks.push(written(output));
    event.with(blocks)
}
