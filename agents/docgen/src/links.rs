//! Links of pages: citations become links to lines, and every link and anchor is checked.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::Facts;

/// Makes links of citations in backticks that name a file of the code base.
pub(crate) fn cited(page: &str, facts: &Facts, prefix: Option<&str>) -> String {
    let Some(prefix) = prefix else {
        return page.to_owned();
    };
    let mut in_fence = false;
    let lines = page.lines().map(|line| {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
            return line.to_owned();
        }
        if in_fence || line.starts_with('#') {
            return line.to_owned();
        }
        let mut text = String::new();
        for (number, piece) in line.split('`').enumerate() {
            if number % 2 == 0 {
                text.push_str(piece);
                continue;
            }
            match target(piece, facts) {
                // Not within a link that is there already.
                Some(target) if !text.ends_with('[') => {
                    text.push_str(&format!("[`{piece}`]({prefix}{target})"));
                }
                _ => text.push_str(&format!("`{piece}`")),
            }
        }
        text
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// Where a citation leads, below the root; nowhere if the file has no such line.
fn target(piece: &str, facts: &Facts) -> Option<String> {
    let (path, line) = match piece.rsplit_once(':') {
        Some((path, lines)) => {
            let first = lines.split('-').next().unwrap_or(lines);
            (path, Some(first.parse::<u32>().ok()?))
        }
        None => (piece, None),
    };
    let file = facts.file(path)?;
    if line.is_some_and(|line| line == 0 || line > file.lines) {
        return None;
    }
    if file.path.contains(['(', ')', ' ', '<', '>', '[', ']']) {
        return None;
    }
    Some(match line {
        Some(line) => format!("{path}#L{line}"),
        None => path.to_owned(),
    })
}

/// A page without a link: its text stays.
pub(crate) fn unlinked(page: &str, target: &str) -> String {
    let mark = format!("]({target})");
    let mut text = String::new();
    let mut rest = page;
    while let Some((head, tail)) = rest.split_once(&mark) {
        match head.rsplit_once('[') {
            Some((before, label)) if !label.contains('\n') => {
                text.push_str(before);
                text.push_str(label);
            }
            _ => text.push_str(head),
        }
        rest = tail;
    }
    text.push_str(rest);
    text
}

/// A link that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The page it is on.
    pub page: String,
    /// Where it should lead.
    pub target: String,
}

/// Checks all links of pages. `prefix` leads to the code base.
pub fn check(pages: &BTreeMap<String, String>, facts: &Facts, prefix: Option<&str>) -> Vec<Broken> {
    let anchors: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|(name, text)| (name.as_str(), anchors(text)))
        .collect();
    let mut broken = Vec::new();
    for (name, text) in pages {
        for target in targets(text) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let is_fine = if let Some(file) = prefix.and_then(|prefix| path.strip_prefix(prefix)) {
                let line = anchor
                    .strip_prefix('L')
                    .and_then(|line| line.parse::<u32>().ok());
                facts
                    .file(file)
                    .is_some_and(|file| line.unwrap_or(1) <= file.lines.max(1))
            } else {
                let page = if path.is_empty() { name.as_str() } else { path };
                let known = anchors.get(page);
                known.is_some_and(|known| anchor.is_empty() || known.contains(anchor))
            };
            if !is_fine {
                broken.push(Broken {
                    page: name.clone(),
                    target: target.to_owned(),
                });
            }
        }
    }
    broken
}

/// The addresses of the links of a text, outside of fences and code.
fn targets(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](").filter(|_| !in_fence) {
            let Some((target, behind)) = after.split_once(')') else {
                break;
            };
            found.push(target);
            rest = behind;
        }
    }
    found
}

/// The anchors of headings, as readers of Markdown make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let titles = text.lines().filter(|line| line.starts_with('#'));
    let titles = titles.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let signs = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    titles
        .map(|title| title.chars().filter_map(signs).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_leaves_its_text_and_no_bracket() {
        let page = "see [`a.rs:8`](../a.rs#L8), [b](../b.rs), and ([`a.rs:8`](../a.rs#L8))";
        assert_eq!(
            unlinked(page, "../a.rs#L8"),
            "see `a.rs:8`, [b](../b.rs), and (`a.rs:8`)"
        );
    }
}
