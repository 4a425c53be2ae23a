//! What a model reads to answer a question: an overview, what fits the question, and code.

use std::collections::BTreeSet;

use superstep::{fs::is_secret_name, text::Redactor};

use super::{Hit, find::words};
use crate::{
    agent::AgentContext,
    inert,
    material::{self, Material},
};

/// How many hits are shown with their lines.
const EXCERPTS: usize = 6;

/// Lines in front of a hit, and in all.
const AHEAD: usize = 3;
const LINES: usize = 30;

/// What an overview is made of.
const OVERVIEW: &[Material] = &[
    Material::Counts,
    Material::EntryPoints,
    Material::Components,
    Material::Dependencies,
    Material::Tree,
];

/// The prompt of a question, within the room of the context. It has facts also if nothing is called as the question says.
pub fn prompt(question: &str, hits: &[Hit], context: &AgentContext) -> String {
    let mut text = format!("The question: {question}\n\nFacts:\n");
    for hit in hits {
        let fact = format!("{} {} ({})", hit.kind, hit.name, hit.place);
        text.push_str(&format!("- {}\n", inert::line(&fact)));
    }
    let secret = context.facts.files.iter().map(|it| &*it.path);
    for path in secret.filter(|path| is_secret_name(path)).take(10) {
        let path = inert::line(path);
        text.push_str(&format!("- {path} may hold secrets and is not read\n"));
    }
    // The fewer hits there are, the more the rest has to say.
    let share = if hits.is_empty() { 2 } else { 3 };
    let overview = AgentContext {
        room: context.room / share,
        ..context.clone()
    };
    text.push_str(&material::render(OVERVIEW, &overview));
    let mut shown = BTreeSet::new();
    for hit in hits.iter().take(EXCERPTS) {
        let (path, line) = hit.place.rsplit_once(':').unwrap_or((&hit.place, "1"));
        let from = line.parse::<usize>().unwrap_or(1).saturating_sub(AHEAD);
        // Hits that are near each other are in one excerpt.
        let is_new = shown.insert((path, from / LINES));
        if is_new
            && let Some(lines) = material::excerpt(context, path, from.max(1), LINES)
            && text.len() + lines.len() < context.room
        {
            text.push_str(&lines);
        }
    }
    let words = words(question);
    // A stem finds more: `starts` is about `start`.
    let stems = words.iter().map(|word| {
        let stem = word.strip_suffix('s').filter(|stem| stem.len() > 2);
        stem.unwrap_or(word)
    });
    let stems: Vec<&str> = stems.filter(|stem| stem.len() > 2).collect();
    let left = context.room.saturating_sub(text.len());
    if !stems.is_empty() && left > 0 {
        let files = shown.iter().map(|(path, _)| *path).collect();
        text.push_str(&material::besides(&files, &stems, context, left));
    }
    Redactor::standard().document(&text).into_owned()
}
