//! Markdown of a model, made safe to write: no HTML, no pictures, no links of its own, no diagram that was not parsed,
//! no secret.

use superstep::text::sanitize;

use crate::{inert, mermaid};

/// The text, and what was left out.
pub fn clean(text: &str) -> (String, Vec<String>) {
    let text = sanitize(&inert::markdown(text));
    let mut kept: Vec<String> = Vec::new();
    let mut warnings = Vec::new();
    let mut block: Option<Block> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let ticks = start.len() - start.trim_start_matches('`').len();
        match &mut block {
            None if ticks >= 3 => {
                let language = start.trim_start_matches('`').trim().to_lowercase();
                block = Some(Block {
                    ticks,
                    language,
                    lines: Vec::new(),
                });
            }
            None => {
                let (mark, said) = line.split_at(container(line));
                kept.push(match said {
                    // It would make a heading of the line before, or begin a block of settings.
                    _ if is_underline(said) => mark.trim_end().to_owned(),
                    _ if !mark.trim().is_empty() && said.starts_with('#') => {
                        format!("{mark}\\{}", plain(said))
                    }
                    _ => format!("{mark}{}", plain(said)),
                });
            }
            Some(open) if ticks >= open.ticks && start.trim_matches('`').trim().is_empty() => {
                if let Some(block) = block.take() {
                    block.end(&mut kept, &mut warnings);
                }
            }
            Some(open) => open.lines.push(line.to_owned()),
        }
    }
    // A block that was cut off ends here.
    if let Some(block) = block {
        block.end(&mut kept, &mut warnings);
    }
    (kept.join("\n"), warnings)
}

/// What is wrong with the diagrams of an analysis, for its author.
pub(crate) fn diagram_problems(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut diagram: Option<Vec<&str>> = None;
    let mut number = 0;
    for line in text.lines() {
        let start = line.trim_start();
        match &mut diagram {
            None if start.starts_with("```mermaid") => diagram = Some(Vec::new()),
            Some(lines) if start.starts_with("```") => {
                number += 1;
                if let Err(invalid) = mermaid::check(&lines.join("\n")) {
                    let mermaid::Invalid { line, why } = invalid;
                    problems.push(format!("diagram {number}, line {line}: {why}"));
                }
                diagram = None;
            }
            Some(lines) => lines.push(line),
            None => {}
        }
    }
    problems
}

struct Block {
    ticks: usize,
    language: String,
    lines: Vec<String>,
}

impl Block {
    fn end(self, kept: &mut Vec<String>, warnings: &mut Vec<String>) {
        if self.language.starts_with("mermaid")
            && let Err(invalid) = mermaid::check(&self.lines.join("\n"))
        {
            warnings.push(format!(
                "A diagram was left out: line {}: {}",
                invalid.line, invalid.why
            ));
            kept.push(format!(
                "*A diagram was left out: {}.*",
                plain(&invalid.why)
            ));
            return;
        }
        let fence = "`".repeat(self.ticks);
        let is_word = |c: char| c.is_alphanumeric() || "+-#".contains(c);
        let language: String = self.language.chars().take_while(|c| is_word(*c)).collect();
        kept.push(format!("{fence}{language}"));
        kept.extend(self.lines);
        kept.push(fence);
    }
}

/// How long the marks of quotes and list items at the beginning of a line are, with blanks: a heading behind them is one.
fn container(line: &str) -> usize {
    let mut rest = line.trim_start();
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let behind = rest.get(digits..).unwrap_or_default();
        let marks: &[char] = match digits {
            0 => &['>', '-', '*', '+'],
            _ => &['.', ')'],
        };
        let Some(after) = behind.strip_prefix(marks) else {
            break;
        };
        let is_mark = behind.starts_with('>') || after.starts_with([' ', '\t']);
        if !is_mark {
            break;
        }
        rest = after.trim_start();
    }
    line.len() - rest.len()
}

/// Whether a line underlines what is above it.
fn is_underline(line: &str) -> bool {
    let line = line.trim_end();
    !line.is_empty() && (line.chars().all(|c| c == '=') || line.chars().all(|c| c == '-'))
}

/// A line without HTML, pictures and links; code spans stay as they are. Backticks that open no span of this line are
/// none afterwards: they would make code, or a block, of what follows. A row of a table is cut at its bars before spans are
/// found in its cells, so a bar in a span is escaped where a cut would set something free.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let lower = line.to_ascii_lowercase();
    let acts = ["<", "](", "]:", "://", "www."];
    let is_cut_free = line.contains('|') && acts.iter().any(|it| lower.contains(it));
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let (before, from) = rest.split_at(at);
        push(&mut text, &inert(before));
        let length = from.len() - from.trim_start_matches('`').len();
        let (run, after) = from.split_at(length);
        let escapes = before.len() - before.trim_end_matches('\\').len();
        let end = (escapes % 2 == 0).then(|| closing(after, length)).flatten();
        match end {
            Some(end) => {
                let (code, after) = after.split_at(end);
                apart(&mut text);
                text.push_str(run);
                match is_cut_free {
                    true => text.push_str(&escaped(code)),
                    false => text.push_str(code),
                }
                rest = after;
            }
            None => {
                text.push_str(&"'".repeat(length));
                rest = after;
            }
        }
    }
    push(&mut text, &inert(rest));
    text
}

/// Adds a text, which may begin with a code span of its own.
fn push(text: &mut String, more: &str) {
    if more.starts_with('`') {
        apart(text);
    }
    text.push_str(more);
}

/// Backticks of two spans that touch would be one run of them.
fn apart(text: &mut String) {
    if text.ends_with('`') {
        text.push(' ');
    }
}

/// Code whose bars do not end a cell.
fn escaped(code: &str) -> String {
    let mut text = String::new();
    let mut is_escaped = false;
    for c in code.chars() {
        if c == '|' && !is_escaped {
            text.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        text.push(c);
    }
    text
}

/// Where a code span ends whose content begins here: behind the next run of as many backticks.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('`') {
        let start = at + found;
        let run = text.get(start..)?;
        let run = run.len() - run.trim_start_matches('`').len();
        if run == length {
            return Some(start + run);
        }
        at = start + run;
    }
    None
}

/// Text that is text alone: no HTML, no links of any form, no other kind of fence.
fn inert(text: &str) -> String {
    let text = text.replace('<', "&lt;").replace("~~~", "~");
    // What is left of a link over several lines, and definitions that links refer to.
    let text = unlinked(&text).replace("](", "] (").replace("]:", "] :");
    let mut shown = String::new();
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let starts = ["http://", "https://", "ftp://", "www."];
        let lower = word.to_ascii_lowercase();
        let at = starts.iter().filter_map(|it| lower.find(it)).min();
        match at.and_then(|at| word.split_at_checked(at)) {
            // Addresses become links by themselves.
            Some((before, address)) => {
                let blank = piece.get(word.len()..).unwrap_or_default();
                shown.push_str(&format!("{before}`{address}`{blank}"));
            }
            None => shown.push_str(piece),
        }
    }
    shown
}

/// `[words](address)` and `![words](address)` as their words.
fn unlinked(text: &str) -> String {
    let mut left = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, after) = rest.split_at(at);
        let end = after.find(')');
        let open = before.rfind('[');
        let (Some(end), Some(open)) = (end, open) else {
            break;
        };
        left.push_str(before.get(..open).unwrap_or_default().trim_end_matches('!'));
        left.push_str(before.get(open + 1..).unwrap_or_default());
        rest = after.get(end + 1..).unwrap_or_default();
    }
    left.push_str(rest);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_ends_also_before_blanks_and_tabs_and_nothing_acts_behind_it() {
        for blank in ["", " ", "\t", " \t "] {
            let (text, _) = clean(&format!("```\ncode\n```{blank}\n<script>x</script>\n"));
            assert_eq!(text, "```\ncode\n```\n&lt;script>x&lt;/script>");
            let diagram =
                format!("```mermaid\nflowchart TD\nclick A \"http://a\"\n```{blank}\nBehind.");
            let (text, warnings) = clean(&diagram);
            assert!(text.ends_with("*\nBehind."), "{text}");
            assert_eq!(warnings.len(), 1);
        }
    }

    #[test]
    fn spans_stay_spans_beside_addresses_and_in_tables() {
        for (said, written) in [
            (
                "``<img src=x>``https://e.example",
                "``<img src=x>`` `https://e.example`",
            ),
            ("https://e.example`<b>`", "`https://e.example` `<b>`"),
            ("| a ` | <img src=x> ` |", "| a ` \\| <img src=x> ` |"),
            ("| ` | x ` y ` <img> ` |", "| ` \\| x ` y ` <img> ` |"),
            ("`a \\| <b>` \\\\", "`a \\| <b>` \\\\"),
            ("`a || b` is fine", "`a || b` is fine"),
            ("| `Vec<T>` | b |", "| `Vec<T>` | b |"),
        ] {
            assert_eq!(clean(said).0, written, "{said}");
        }
    }

    #[test]
    fn headings_behind_the_marks_of_quotes_and_items_are_none() {
        for (said, written) in [
            ("> # One", "> \\# One"),
            ("- # One", "- \\# One"),
            ("1) > # One", "1) > \\# One"),
            ("> Under\n> ===", "> Under\n>"),
            ("- [ ] a task", "- [ ] a task"),
            ("-5 degrees", "-5 degrees"),
        ] {
            assert_eq!(clean(said).0, written, "{said}");
        }
    }
}
