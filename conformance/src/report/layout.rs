//! Lays JSON out for reading: what fits on a line stays on it.

use serde_json::Value as Json;

const WIDTH: usize = 88;
const INDENT: usize = 2;

/// The lines of a value.
pub(super) fn lines(value: &Json) -> Vec<String> {
    let mut lines = Vec::new();
    lay_out("", value, 0, "", &mut lines);
    lines
}

fn lay_out(label: &str, value: &Json, indent: usize, end: &str, lines: &mut Vec<String>) {
    let margin = " ".repeat(indent);
    let short = value.to_string();
    let fits = indent + label.len() + short.len() + end.len() <= WIDTH;
    match value {
        Json::Object(map) if !fits && !map.is_empty() => {
            lines.push(format!("{margin}{label}{{"));
            for (index, (key, item)) in map.iter().enumerate() {
                let label = format!("{}: ", Json::from(key.as_str()));
                let end = separator(index, map.len());
                lay_out(&label, item, indent + INDENT, end, lines);
            }
            lines.push(format!("{margin}}}{end}"));
        }
        Json::Array(items) if !fits && !items.is_empty() => {
            lines.push(format!("{margin}{label}["));
            for (index, item) in items.iter().enumerate() {
                let end = separator(index, items.len());
                lay_out("", item, indent + INDENT, end, lines);
            }
            lines.push(format!("{margin}]{end}"));
        }
        _ => lines.push(format!("{margin}{label}{short}{end}")),
    }
}

fn separator(index: usize, length: usize) -> &'static str {
    match index + 1 == length {
        true => "",
        false => ",",
    }
}
