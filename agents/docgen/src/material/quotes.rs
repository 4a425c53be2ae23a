//! Quotes of a code base: what it says of itself in comments, headings and docstrings.
//!
//! They are text of others: redacted, short, on one line, and never an instruction.

use superstep::text::single_line;

use super::lines;
use crate::agent::AgentContext;

/// The longest quote.
const QUOTE: usize = 80;

/// The line of a file as a quote.
pub(crate) fn quoted(context: &AgentContext, path: &str, line: u32) -> Option<String> {
    let line = usize::try_from(line).ok()?;
    let (_, text) = lines(context, path, line, 1)?.pop()?;
    quote(&text)
}

/// What the first comment of a file says before anything is defined, or the first heading of a document.
pub(crate) fn head(context: &AgentContext, path: &str) -> Option<String> {
    let is_code = context.facts.file(path)?.language.is_code();
    let lines = lines(context, path, 1, 12)?;
    let mut head = lines
        .iter()
        .take_while(|(_, line)| !is_code || is_before_code(line));
    head.find_map(|(_, line)| comment(line))
}

/// Whether a line is blank, a comment or one of those that files begin with.
fn is_before_code(line: &str) -> bool {
    const FIRST: [&str; 14] = [
        "package ", "import ", "from ", "use ", "using ", "#", "\"use ", "'use ", "<?php", "@",
        "module ", "extern crate", "pragma ", "namespace ",
    ];
    let line = line.trim();
    let is_comment = COMMENTS.iter().any(|mark| line.starts_with(mark));
    line.is_empty() || is_comment || FIRST.iter().any(|it| line.starts_with(it))
}

/// What the comment above a definition says, or the text that a definition of Python begins with.
pub(crate) fn above(context: &AgentContext, path: &str, line: u32) -> Option<String> {
    let line = usize::try_from(line).ok()?;
    let from = line.saturating_sub(12).max(1);
    let mut before = lines(context, path, from, line - from)?;
    let mut first = None;
    while let Some((_, text)) = before.pop() {
        let text = text.trim();
        if text.starts_with("#[") || text.starts_with('@') {
            continue;
        }
        match comment(text) {
            Some(said) => first = Some(said),
            None => break,
        }
    }
    first.or_else(|| {
        let (_, text) = lines(context, path, line + 1, 1)?.pop()?;
        let text = text.trim().strip_prefix("\"\"\"")?;
        quote(text.trim_end_matches("\"\"\""))
    })
}

/// What comments and headings begin with.
const COMMENTS: [&str; 10] = [
    "//!", "///", "//", "/**", "/*", "\"\"\"", "<!--", "--", "#", "*",
];

/// What a line says if it is a comment or a heading, and not about the licence or for a tool.
fn comment(line: &str) -> Option<String> {
    let line = line.trim();
    if ["#!", "#[", "#include", "#define", "#pragma", "//#", "# -*-"]
        .iter()
        .any(|it| line.starts_with(it))
    {
        return None;
    }
    let text = COMMENTS.iter().find_map(|mark| line.strip_prefix(mark))?;
    let text = text
        .trim_matches(|c: char| c.is_whitespace() || "#*/\"-=>".contains(c))
        .trim();
    let lower = text.to_lowercase();
    let is_legal = ["copyright", "license", "licence", "spdx"]
        .iter()
        .any(|word| lower.contains(word));
    if is_legal || text.split_whitespace().count() < 2 {
        return None;
    }
    quote(text)
}

/// A quote that no page and no prompt takes for more than that.
fn quote(text: &str) -> Option<String> {
    let text = single_line(text).replace(['`', '“', '”', '"'], "'");
    let mut short: String = text.trim().chars().take(QUOTE).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    (!short.is_empty()).then_some(short)
}
