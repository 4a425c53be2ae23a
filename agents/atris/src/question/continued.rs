//! Questions about the list of an earlier answer: another page of it, one of its records by an order (`the most
//! played one`), or the same of somebody else (`and Mira Voss?`).

use super::{
    Comparison, Computation, Reference, aspect::Aspect, numbers::number, own_words, plain::weight,
    references,
};
use crate::catalogue::USUAL_LIMIT;

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
}

/// What asks for the record of a list that is first by a date.
const NEWEST: [&str; 3] = ["newest", "latest", "recent"];

/// What stands for the records of a list.
const ONES: [&str; 4] = ["one", "ones", "them", "those"];

/// How a question continues an earlier one, if it says nothing else.
pub(crate) fn of(question: &str) -> Option<Continued> {
    let words = own_words(question, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    page(&words)
        .or_else(|| extreme(&words))
        .or_else(|| other(question))
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

fn extreme(words: &[&str]) -> Option<Continued> {
    if !words.iter().any(|word| ONES.contains(word)) {
        return None;
    }
    let owned: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut first = None;
    let (computation, own) = match Comparison::of(&owned) {
        Some(found) => {
            first = found.shown(USUAL_LIMIT);
            (Computation::of_comparison(&found), found.words)
        }
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
        .chain(["sort"])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_continues_a_list_is_told_from_whole_questions() {
        for (question, continued) in [
            ("page 2", Continued::Page(2)),
            ("show me page 3 please", Continued::Page(3)),
            ("next page", Continued::Next),
            ("show more", Continued::Next),
            ("previous page", Continued::Previous),
            (
                "the most played one",
                Continued::Extreme(Computation::Most(Aspect::Plays), None),
            ),
            (
                "which of them is the shortest?",
                Continued::Extreme(Computation::Least(Aspect::Duration), None),
            ),
            (
                "the newest one",
                Continued::Extreme(Computation::Most(Aspect::ReleaseDate), None),
            ),
            (
                "sort them by followers",
                Continued::Extreme(Computation::Most(Aspect::Followers), Some(10)),
            ),
            ("and Mira Voss?", Continued::Other("Mira Voss".into())),
            ("what about @miravoss", Continued::Other("@miravoss".into())),
        ] {
            assert_eq!(of(question), Some(continued), "{question}");
        }
        for question in [
            "trending tracks page 2",
            "more tracks by Nova Kane",
            "longest track by Nova Kane",
            "the third one",
            "and favorites?",
            "and the followers of Mira Voss?",
            "comments on the longest one",
            "",
        ] {
            assert_eq!(of(question), None, "{question}");
        }
    }
}
