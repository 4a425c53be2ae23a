//! Markdown of a model, made safe to write: no HTML, no pictures, no links of its own, no diagram that was not parsed,
//! no secret.

use superstep::text::{Redactor, sanitize};

use crate::mermaid;

/// The text, and what was left out.
pub fn clean(text: &str) -> (String, Vec<String>) {
    let text = sanitize(&Redactor::standard().document(text));
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
            None => kept.push(plain(line)),
            Some(open) if ticks >= open.ticks && start.trim_matches('`').is_empty() => {
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
            kept.push("*A diagram was left out: it could not be parsed.*".to_owned());
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

/// A line without HTML, pictures and links; code spans stay as they are.
fn plain(line: &str) -> String {
    let mut text = String::new();
    for (number, piece) in line.split('`').enumerate() {
        if number > 0 {
            text.push('`');
        }
        match number % 2 {
            0 => text.push_str(&unlinked(&piece.replace('<', "&lt;"))),
            _ => text.push_str(piece),
        }
    }
    // An odd backtick would make code of the rest of the page.
    if line.matches('`').count() % 2 == 1 {
        text = text.replace('`', "'");
    }
    text
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
