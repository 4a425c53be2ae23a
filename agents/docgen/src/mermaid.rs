//! Mermaid of a model, parsed before it is written.
//!
//! Five kinds of diagrams are known: flowcharts, sequences, classes, states and entities, each as the subset that
//! the documentation of Mermaid begins with. What is not understood is refused, and so is what could do something in a
//! reader's browser: links, callbacks, directives, HTML.

mod flow;
mod lines;

/// Why a diagram is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: String,
}

/// The longest diagram.
const MOST_LINES: usize = 400;

/// Checks a diagram.
pub fn check(text: &str) -> Result<(), Invalid> {
    let lines: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line.trim()))
        .filter(|(_, line)| {
            !line.is_empty() && (!line.starts_with("%%") || line.starts_with("%%{"))
        })
        .collect();
    let wrong = |line: usize, why: &str| Invalid {
        line,
        why: why.to_owned(),
    };
    let Some((first, rest)) = lines.split_first() else {
        return Err(wrong(1, "it is empty"));
    };
    if lines.len() > MOST_LINES {
        return Err(wrong(MOST_LINES, "it is too long"));
    }
    for (number, line) in &lines {
        let lower = line.to_lowercase();
        let has = |word: &str| lower.contains(word);
        if line.starts_with("%%{")
            || lower.starts_with("click ")
            || has("javascript:")
            || has("href")
            || has("url(")
            || has("](")
        {
            return Err(wrong(
                *number,
                "links, callbacks and directives are not allowed",
            ));
        }
        let markup = lower
            .replace("<br>", "")
            .replace("<br/>", "")
            .replace("<br />", "");
        if markup.contains("<script")
            || markup.contains("</")
            || markup.contains("<img")
            || markup.contains("<a ")
        {
            return Err(wrong(*number, "HTML is not allowed"));
        }
    }
    let mut words = first.1.split_whitespace();
    match words.next() {
        Some("flowchart" | "graph") => {
            let direction = words.next().unwrap_or("TD").trim_end_matches(';');
            if !["TD", "TB", "BT", "LR", "RL"].contains(&direction) || words.next().is_some() {
                return Err(wrong(first.0, "a flowchart goes TD, TB, BT, LR or RL"));
            }
            flow::check(rest)
        }
        Some("sequenceDiagram") => lines::sequence(rest),
        Some("classDiagram") => lines::class(rest),
        Some("stateDiagram" | "stateDiagram-v2") => lines::state(rest),
        Some("erDiagram") => lines::entity(rest),
        _ => Err(wrong(first.0, "this kind of diagram is not known")),
    }
}
