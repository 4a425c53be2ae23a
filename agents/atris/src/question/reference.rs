//! What a question names: links, handles, ids, and names of people and things.

use serde::{Deserialize, Serialize};

use crate::catalogue::is_known;

/// The most that a question may name.
const MOST: usize = 4;

/// Something that a question names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", content = "text")]
pub enum Reference {
    /// A link to Audius.
    Url(String),
    /// A handle, without its `@`.
    Handle(String),
    /// An id.
    Id(String),
    /// A name, as it was written.
    Name(String),
}

impl Reference {
    /// What was written.
    pub fn text(&self) -> &str {
        match self {
            Self::Url(text) | Self::Handle(text) | Self::Id(text) | Self::Name(text) => text,
        }
    }

    /// What an answer to "which one?" means.
    pub fn of_answer(answer: &str) -> Self {
        let answer = answer.trim();
        let found = references(answer).into_iter().next();
        match found {
            Some(found @ (Self::Url(_) | Self::Handle(_) | Self::Id(_))) => found,
            _ if is_id(answer) => Self::Id(answer.to_owned()),
            _ => Self::Name(answer.trim_matches(is_quote).to_owned()),
        }
    }
}

/// Everything that a question names, in order.
pub fn references(question: &str) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut push = |reference: Reference| {
        if !found.contains(&reference) && found.len() < MOST {
            found.push(reference);
        }
    };
    let words: Vec<&str> = question.split_whitespace().collect();
    for word in &words {
        let word = word.trim_matches(|c: char| is_quote(c) || ",;?!()".contains(c));
        let word = word.trim_end_matches('.');
        if word.contains("audius.co/") {
            push(Reference::Url(url(word)));
        } else if let Some(handle) = word.strip_prefix('@') {
            let handle = handle.strip_suffix("'s").unwrap_or(handle);
            let handle = handle.strip_suffix("’s").unwrap_or(handle);
            if !handle.is_empty() && handle.chars().all(is_handle) {
                push(Reference::Handle(handle.to_owned()));
            }
        }
    }
    if !found.is_empty() {
        return found;
    }
    let mut push = |reference: Reference| {
        if !found.contains(&reference) && found.len() < MOST {
            found.push(reference);
        }
    };
    for name in quoted(question) {
        push(Reference::Name(name));
    }
    for pair in words.windows(2) {
        let [before, word] = pair else { continue };
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let says_id = before.eq_ignore_ascii_case("id");
        let is_thing = ["track", "song", "user", "artist", "playlist", "album"]
            .iter()
            .any(|thing| before.eq_ignore_ascii_case(thing));
        if says_id && !word.is_empty() || is_thing && is_id(word) {
            push(Reference::Id(word.to_owned()));
        }
    }
    if found.is_empty() {
        found = names(&words)
            .into_iter()
            .take(MOST)
            .map(Reference::Name)
            .collect();
    }
    found
}

/// Runs of words that are names: capitalised words that questions are not made of, or any such word
/// behind one that names come after.
fn names(words: &[&str]) -> Vec<String> {
    const BEFORE: [&str; 19] = [
        "by", "of", "does", "did", "has", "artist", "user", "track", "song", "playlist", "album",
        "follows", "named", "called", "plays", "compare", "than", "and", "vs",
    ];
    let mut names: Vec<String> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut before = "";
    for written in words {
        let bare = written.trim_matches(|c: char| !c.is_alphanumeric() && c != '$');
        let owner = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s"));
        let word = owner.unwrap_or(bare);
        let is_capital = word.chars().next().is_some_and(char::is_uppercase);
        let is_small = open
            .first()
            .is_some_and(|it| !it.starts_with(char::is_uppercase));
        let follows = BEFORE.contains(&before) || is_small;
        let can = !word.is_empty() && !word.starts_with('$') && !is_known(word);
        let ends = written.ends_with([',', ';', '?', '!', ':']) || owner.is_some();
        if can && (is_capital || follows || owner.is_some()) {
            open.push(word);
        } else if !open.is_empty() && is_capital && !before.is_empty() && !is_stop(word) {
            // A known word inside a name: `Tropical Thunder`.
            open.push(word);
        } else if !open.is_empty() {
            names.push(open.join(" "));
            open.clear();
        }
        if ends && !open.is_empty() {
            names.push(open.join(" "));
            open.clear();
        }
        before = match BEFORE.iter().find(|cue| cue.eq_ignore_ascii_case(word)) {
            Some(cue) => cue,
            None => "",
        };
        if !before.is_empty() && !open.is_empty() && open.last() == Some(&word) {
            before = "";
        }
    }
    if !open.is_empty() {
        names.push(open.join(" "));
    }
    names.dedup();
    names
}

fn is_stop(word: &str) -> bool {
    ["and", "or", "vs", "the", "a", "on", "in", "of", "by"].contains(&&*word.to_lowercase())
}

fn quoted(question: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (open, close) in [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“')] {
        let mut rest = question;
        while let Some((_, behind)) = rest.split_once(open) {
            let Some((name, after)) = behind.split_once(close) else {
                break;
            };
            let name = name.trim();
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
            rest = after;
        }
        if !names.is_empty() {
            break;
        }
    }
    names
}

fn is_quote(c: char) -> bool {
    "\"'“”„«»`".contains(c)
}

fn is_handle(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Whether a word looks like an id: short, letters and digits mixed, or a capital inside.
fn is_id(word: &str) -> bool {
    let length = word.chars().count();
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric());
    let digit = word.chars().any(|c| c.is_ascii_digit());
    let letter = word.chars().any(|c| c.is_ascii_alphabetic());
    let inside = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
    let small = word.chars().any(|c| c.is_ascii_lowercase());
    plain && (4..=9).contains(&length) && letter && inside && (small || digit)
}

fn url(word: &str) -> String {
    let at = word.find("audius.co/").unwrap_or(0);
    let path = word.get(at..).unwrap_or(word);
    format!("https://{}", path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::{Reference::*, *};

    fn named(question: &str) -> Vec<Reference> {
        references(question)
    }

    #[test]
    fn links_handles_and_ids_are_found() {
        let url = "https://audius.co/nova/first-light".to_owned();
        assert_eq!(
            named("what is https://audius.co/nova/first-light?"),
            [Url(url.clone())]
        );
        assert_eq!(named("open audius.co/nova/first-light/"), [Url(url)]);
        assert_eq!(named("tracks by @nova_k's."), [Handle("nova_k".into())]);
        assert_eq!(named("comments on track D7KyD"), [Id("D7KyD".into())]);
        assert_eq!(named("the playlist with id 4xq"), [Id("4xq".into())]);
    }

    #[test]
    fn names_are_found_in_quotes_by_capitals_and_behind_cues() {
        let name = |text: &str| vec![Name(text.into())];
        assert_eq!(named("who reposted \"First Light\"?"), name("First Light"));
        assert_eq!(
            named("How many followers does Nova Kane have?"),
            name("Nova Kane")
        );
        assert_eq!(
            named("how many followers does deadmau5 have"),
            name("deadmau5")
        );
        assert_eq!(named("Skrillex's latest tracks"), name("Skrillex"));
        let both = [Name("First Light".into()), Name("Low Tide".into())];
        assert_eq!(named("compare plays of “First Light” and “Low Tide”"), both);
        let both = [Name("Nova Kane".into()), Name("Orbit".into())];
        assert_eq!(named("Compare followers of Nova Kane and Orbit"), both);
    }

    #[test]
    fn ordinary_questions_name_nothing() {
        for question in [
            "What are the trending tracks on Audius?",
            "top 10 electronic tracks this week",
            "Which genres are the most popular?",
            "Recommend me some deep house",
            "Show the best new releases of the month",
            "",
        ] {
            assert_eq!(named(question), [], "{question}");
        }
    }

    #[test]
    fn an_answer_is_taken_as_what_it_looks_like() {
        assert_eq!(Reference::of_answer(" @nova "), Handle("nova".into()));
        assert_eq!(Reference::of_answer("D7KyD"), Id("D7KyD".into()));
        assert_eq!(Reference::of_answer("\"the sun\""), Name("the sun".into()));
    }
}
