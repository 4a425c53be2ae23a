//! Where the figures and names of a result come from: a line of a document, the person, the memory, or nowhere.
//!
//! By program, for every profile. It knows words and figures, not meaning: what it finds may still be said wrongly.

use std::fmt;

use serde::Serialize;
use superstep::{
    model::Body,
    text::single_line,
    tools::guided::{Sources, grounding},
};

use crate::{
    citation,
    documents::{DocumentSet, select::Lines},
    state::Analysis,
};

/// How many lines are named for one figure or name.
const MOST: usize = 3;

/// A figure, day or name of a result, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Trace {
    /// As the result writes it.
    pub item: String,
    /// Where it is, few lines only, those that the result cites first; nothing if neither a document nor the person nor the memory has it.
    pub origins: Vec<Origin>,
}

/// Where something comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Origin {
    /// A line of a document, from 1.
    Document {
        /// The document.
        path: String,
        /// The line.
        line: usize,
    },
    /// The words of the person.
    Conversation,
    /// What was remembered of earlier conversations.
    Memory,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document { path, line } => write!(f, "{}:{line}", single_line(path)),
            Self::Conversation => f.write_str("conversation"),
            Self::Memory => f.write_str("memory"),
        }
    }
}

/// All figures, days and names of a text, each once, in its order.
pub(crate) fn traces(text: &str, state: &Analysis, set: &DocumentSet) -> Vec<Trace> {
    let said = state.analysis_history.iter();
    let said = said.filter(|it| matches!(it.body, Body::User { .. }));
    let said: Vec<String> = said.map(|message| message.text().to_string()).collect();
    let mut person = Sources::of(said.iter().map(String::as_str));
    person.add(&state.user_input);
    let memory = Sources::of([state.system_context.as_str()]);
    let mut all: Vec<Trace> = grounding::named(&uncited(text, set))
        .into_iter()
        .map(|item| Trace {
            item,
            origins: Vec::new(),
        })
        .collect();
    let cited = citation::citations(text).into_iter();
    let cited: Vec<Lines> = cited
        .filter_map(|it| citation::lines(&it, set).ok())
        .collect();
    // What the text cites itself tells most.
    let is_cited = |number: usize, line: usize| {
        let cited = &mut cited.iter();
        cited.any(|it| it.document == number && it.lines.contains(&line))
    };
    let mut documents: Vec<_> = set.documents.iter().enumerate().collect();
    documents.sort_by_key(|(number, _)| !cited.iter().any(|it| it.document == *number));
    for (number, document) in documents {
        let sources = Sources::of([document.text.as_str()]);
        let wanted = all.iter_mut().filter(|it| it.origins.len() < MOST);
        let mut wanted: Vec<&mut Trace> = wanted.filter(|it| sources.has(&it.item)).collect();
        let mut lines: Vec<(usize, &str)> = (1..).zip(document.text.lines()).collect();
        lines.sort_by_key(|(line, _)| !is_cited(number, *line));
        for (line, text) in lines {
            if wanted.is_empty() {
                break;
            }
            let sources = Sources::of([text]);
            for trace in wanted.iter_mut().filter(|it| sources.has(&it.item)) {
                trace.origins.push(Origin::Document {
                    path: document.path.clone(),
                    line,
                });
            }
            wanted.retain(|it| it.origins.len() < MOST);
        }
    }
    for trace in &mut all {
        if person.has(&trace.item) {
            trace.origins.push(Origin::Conversation);
        }
        if memory.has(&trace.item) {
            trace.origins.push(Origin::Memory);
        }
    }
    all
}

/// The text without what points at documents or the memory, without the documents' names, and without the numbers of its points.
fn uncited(text: &str, set: &DocumentSet) -> String {
    let cited = citation::citations(text).into_iter();
    let cited = cited.filter(|it| citation::lines(it, set).is_ok());
    let cited: Vec<_> = cited.map(|it| (it.place, String::new())).collect();
    let mut plain = citation::without_marks(&citation::replaced(text, &cited));
    let mut names: Vec<String> = Vec::new();
    for document in &set.documents {
        let path = single_line(&document.path);
        names.extend(path.rsplit('/').next().map(str::to_owned));
        names.push(path);
    }
    // A path goes before the name of its file, which is a part of it.
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names.iter().filter(|name| name.contains('.')) {
        plain = plain.replace(name.as_str(), " ");
    }
    let lines: Vec<&str> = plain.lines().map(unnumbered).collect();
    lines.join("\n")
}

/// A line without the number of its point or heading: `2. `, `**2.1** `, `### 3) `.
fn unnumbered(line: &str) -> &str {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "#*_>-".contains(c));
    let digits = bare
        .bytes()
        .take_while(|it| it.is_ascii_digit() || *it == b'.')
        .count();
    let (number, rest) = bare.split_at_checked(digits).unwrap_or((bare, ""));
    let is_marked = number.ends_with('.')
        || rest.starts_with(')')
        || (number.contains('.') && rest.starts_with(['*', '_']));
    let ends = rest.trim_start_matches([')', '*', '_', ':']);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit());
    match is_number && is_marked && (ends.starts_with(' ') || ends.is_empty()) {
        true => ends,
        false => line.trim_start(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::Document;

    fn traced(text: &str) -> Vec<(String, String)> {
        let document = |path: &str, text: &str| Document {
            path: path.into(),
            text: text.into(),
            sha256: String::new(),
        };
        let set = DocumentSet {
            documents: vec![
                document("a.md", "# Shop\n\nIt has 40 cafés.\nLena runs it."),
                document("b 2.md", "40 cafés pay 1,200 EUR."),
            ],
            ..DocumentSet::default()
        };
        let state = Analysis {
            user_input: "Ask Tom until 3 May".into(),
            ..Analysis::default()
        };
        let all = traces(text, &state, &set).into_iter().map(|it| {
            let origins: Vec<String> = it.origins.iter().map(ToString::to_string).collect();
            (it.item, origins.join(", "))
        });
        all.collect()
    }

    #[test]
    fn every_figure_and_name_has_the_lines_it_is_in() {
        let text =
            "## Summary\n\n1. The 40 cafés [b 2.md:1] of Lena pay 1200 EUR.\n2. Then ask Tom.\n";
        let wanted = [
            // What the text cites comes first.
            ("40", "b 2.md:1, a.md:3"),
            ("Lena", "a.md:4"),
            ("1200", "b 2.md:1"),
            ("EUR", "b 2.md:1"),
            ("Tom", "conversation"),
        ];
        assert_eq!(
            traced(text),
            wanted.map(|(item, from)| (item.into(), from.into()))
        );
    }

    #[test]
    fn numbers_of_points_and_names_of_files_are_no_figures() {
        let text = "## 7. Costs\n\n**7.1** As b 2.md says [a.md:3, 4; b 2.md:1]:\n\n9) `b 2.md`\n- 40 cafés\n";
        let items: Vec<String> = traced(text).into_iter().map(|(item, _)| item).collect();
        assert_eq!(items, ["40"]);
    }

    #[test]
    fn the_digits_of_marked_citations_and_dates_of_notes_are_no_figures() {
        let text = "It has 40 [a.md:3; a.md:9000 — not found] [memory 2026-11-19] [x].";
        let items: Vec<String> = traced(text).into_iter().map(|(item, _)| item).collect();
        assert_eq!(items, ["40"]);
    }

    #[test]
    fn what_nobody_named_comes_from_nowhere() {
        let found = traced("It costs [about 900 EUR] says Bert [c.md:4].");
        let nowhere: Vec<&str> = found
            .iter()
            .filter(|(_, from)| from.is_empty())
            .map(|(item, _)| item.as_str())
            .collect();
        // A citation of a document that was not read is no citation.
        assert_eq!(nowhere, ["900", "Bert", "c.md:4"]);
    }
}
