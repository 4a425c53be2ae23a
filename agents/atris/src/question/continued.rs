//! Questions about the list of an earlier answer: another page of it, one of its records by an order (`the most
//! played one`), or the same of somebody else (`and Mira Voss?`).

use super::{
    Comparison, Computation, Reference, aspect::Aspect, nouns::noun, numbers::number, own_words,
    plain::weight, references,
};
use crate::catalogue::{USUAL_LIMIT, is_part_of_genre, mood};

/// How a question continues an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Continued {
    /// A page of its list, from 1.
    Page(u64),
    /// The page behind the one that was shown.
    Next,
    /// The page before it.
    Previous,
    /// One of what was listed, by an order, or so many of it.
    Extreme(Computation, Option<u64>),
    /// The same question about somebody or something else.
    Other(String),
    /// Its list with other values: these words, and whether they can be nothing else.
    Narrowed(String, bool),
}

/// What asks for the record of a list that is first by a date.
const NEWEST: [&str; 3] = ["newest", "latest", "recent"];

/// What a question that continues another one begins with.
const CUES: [&str; 8] = [
    "and ", "what about ", "how about ", "same for ", "only ", "just ", "now ", "but ",
];

/// What stands for the records of a list.
const ONES: [&str; 4] = ["one", "ones", "them", "those"];

/// How a question continues an earlier one, if it says nothing else.
pub(crate) fn of(question: &str) -> Option<Continued> {
    let words = own_words(question, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    page(&words)
        .or_else(|| extreme(question, &words))
        .or_else(|| other(question))
        .or_else(|| narrowed(question))
}

/// Whether all words but these ask for nothing.
fn is_rest_plain(words: &[&str], own: &[&str]) -> bool {
    words.iter().enumerate().all(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
        let behind = words.get(at + 1).copied();
        own.contains(word)
            || weight(word, before.unwrap_or_default(), behind.unwrap_or_default()).is_plain()
    })
}

fn page(words: &[&str]) -> Option<Continued> {
    let at = words.iter().position(|word| *word == "page");
    let numbered = at.and_then(|at| words.get(at + 1).copied());
    if let Some(count) = numbered.and_then(number) {
        let own = ["page", numbered.unwrap_or_default()];
        return is_rest_plain(words, &own).then_some(Continued::Page(count));
    }
    let has = |known: &str| words.contains(&known);
    let own = ["next", "more", "previous", "page", "results", "continue"];
    if words.is_empty() || !is_rest_plain(words, &own) {
        return None;
    }
    match (
        has("previous"),
        has("next") || has("more") || has("continue"),
    ) {
        (true, _) => Some(Continued::Previous),
        (_, true) => Some(Continued::Next),
        _ => None,
    }
}

fn extreme(question: &str, words: &[&str]) -> Option<Continued> {
    let is_of_list = words.iter().any(|word| ONES.contains(word));
    // `and the longest?` says of what as little as `the longest one`; `who has the most followers` is of all.
    let lower = question.to_lowercase();
    let begins = [
        "the ", "sort ", "sorted ", "order ", "ordered ", "which is the ", "which was the ",
        "what is the ", "what's the ",
    ];
    let mut begins = begins.iter().chain(&CUES);
    if !is_of_list && !begins.any(|it| lower.starts_with(it)) {
        return None;
    }
    let owned: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut first = None;
    let (computation, own) = match Comparison::of(&owned, false) {
        Some(found) => {
            first = found.shown(USUAL_LIMIT);
            (Computation::of_comparison(&found), found.words)
        }
        None if !is_of_list => return None,
        None => {
            let newest = words.iter().find(|word| NEWEST.contains(word))?;
            let said = vec![(*newest).to_owned(), "most".to_owned()];
            (Computation::Most(Aspect::ReleaseDate), said)
        }
    };
    let own: Vec<&str> = own
        .iter()
        .map(String::as_str)
        .chain(ONES)
        .chain(["sort", "sorted", "order", "ordered"])
        .collect();
    is_rest_plain(words, &own).then_some(Continued::Extreme(computation, first))
}

fn other(question: &str) -> Option<Continued> {
    let lower = question.to_lowercase();
    let cues = ["and ", "what about ", "how about ", "same for "];
    let cue = cues.iter().find(|cue| lower.starts_with(**cue))?;
    let rest = question.get(cue.len()..)?.trim();
    let named = references(rest);
    let [name @ (Reference::Name(_) | Reference::Handle(_))] = named.as_slice() else {
        return None;
    };
    let more = own_words(rest, &named);
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let name = match name {
        Reference::Handle(handle) => format!("@{handle}"),
        name => name.text().to_owned(),
    };
    is_rest_plain(&more, &[]).then_some(Continued::Other(name))
}

/// `and jazz?`, `this month`, `only the top 3`: words that name nobody, and may be values of a list's parameters.
fn narrowed(question: &str) -> Option<Continued> {
    const MOST: usize = 6;
    let lower = question.to_lowercase();
    let cue = CUES.iter().find(|cue| lower.starts_with(**cue));
    let rest = question.get(cue.map_or(0, |cue| cue.len())..)?.trim();
    let words = own_words(rest, &[]);
    let is_short = (1..=MOST).contains(&words.len());
    // What has a verb or a kind of things of its own is a whole question.
    let has_noun = words.iter().any(|word| noun(word).is_some());
    let is_whole = has_noun && cue.is_none();
    let is_named = !references(rest).is_empty();
    let is_and = cue.is_some_and(|cue| ["and ", "what about ", "how about "].contains(cue));
    let asks = words.iter().any(|word| !weight(word, "", "").is_plain());
    let is_part = is_and && !has_noun || asks && words.iter().all(|word| is_value(word));
    (is_short && !is_whole && !is_named).then(|| Continued::Narrowed(rest.to_owned(), is_part))
}

/// Whether a word is a value and nothing else: `jazz`, `top 3`, `this month`. Alone it does not say of what.
fn is_value(word: &str) -> bool {
    let plain = weight(word, "", "").is_plain();
    let known = [
        "top", "best", "first", "last", "week", "month", "year", "today", "weekly", "monthly",
        "yearly",
    ];
    plain
        || known.contains(&word)
        || number(word).is_some()
        || is_part_of_genre(word)
        || mood(word).is_ok()
}
