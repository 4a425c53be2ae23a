//! Where the figures and names of a result come from: a line of a document, the person, or nowhere.
//!
//! By program, for every profile. It knows words and figures, not meaning: what it finds may still be said wrongly.

use std::fmt;

use serde::Serialize;
use superstep::{
    model::Body,
    text::single_line,
    tools::guided::{Sources, grounding},
};

use crate::{documents::DocumentSet, state::Analysis};

/// How many lines are named for one figure or name.
const MOST: usize = 3;

/// A figure, day or name of a result, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Trace {
    /// As the result writes it.
    pub item: String,
    /// Where it is, the first lines only; nothing if neither a document nor the person has it.
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
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document { path, line } => write!(f, "{}:{line}", single_line(path)),
            Self::Conversation => f.write_str("conversation"),
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
    let mut lines = Vec::new();
    for document in &set.documents {
        for (line, text) in (1..).zip(document.text.lines()) {
            lines.push((document.path.as_str(), line, Sources::of([text])));
        }
    }
    let found = |item: &str| -> Vec<Origin> {
        let has = lines.iter().filter(|(_, _, sources)| sources.has(item));
        let documents = has.map(|(path, line, _)| Origin::Document {
            path: (*path).to_owned(),
            line: *line,
        });
        let person = person.has(item).then_some(Origin::Conversation);
        documents.take(MOST).chain(person).collect()
    };
    let items = grounding::named(&uncited(text, set));
    let all = items.into_iter().map(|item| Trace {
        origins: found(&item),
        item,
    });
    all.collect()
}

/// The text without what points at documents and without the numbers of its points.
fn uncited(text: &str, set: &DocumentSet) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.lines() {
        let mut rest = unnumbered(line);
        while let Some((before, behind)) = rest.split_once('[') {
            plain.push_str(before);
            rest = match behind.split_once(']') {
                Some((cited, behind)) if is_citation(cited, set) => behind,
                _ => {
                    plain.push(' ');
                    behind
                }
            };
        }
        plain.push_str(rest);
        plain.push('\n');
    }
    plain
}

fn is_citation(text: &str, set: &DocumentSet) -> bool {
    let (path, line) = text.rsplit_once(':').unwrap_or((text, ""));
    line.bytes().all(|byte| byte.is_ascii_digit())
        && set.documents.iter().any(|it| single_line(&it.path) == path)
}

fn unnumbered(line: &str) -> &str {
    let bare = line.trim_start();
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let rest = bare.get(digits..).unwrap_or_default();
    rest.strip_prefix(". ")
        .or_else(|| rest.strip_prefix(") "))
        .filter(|_| digits > 0)
        .unwrap_or(bare)
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
            is_cut: false,
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
            ("40", "a.md:3, b 2.md:1"),
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
