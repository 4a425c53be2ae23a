//! Words that stand for what an earlier answer was about: `their tracks`, `how long is it`, `the second
//! one`. They are never guessed at: `resolve_entity` finds what the last answer named and says so, or
//! asks.

use super::{aspect::Aspect, nouns::kind_of};
use crate::catalogue::EntityType;

const PERSONS: [&str; 9] = [
    "he", "she", "him", "her", "his", "hers", "they", "them", "their",
];
const THINGS: [&str; 2] = ["it", "its"];
const POINTERS: [&str; 3] = ["this", "that", "same"];
const ORDINALS: [&str; 10] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];

/// What asks the same thing for something more: `and favorites?`.
const MORE: [&str; 3] = ["and ", "what about ", "how about "];

/// What something earlier can be asked for in such a way, besides fields.
const ASKED: [&str; 10] = [
    "remixes", "following", "artist", "tags", "wallets", "the", "its", "of", "how", "many",
];

/// A place in the list of an earlier answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListPlace {
    /// From 1.
    At(usize),
    Last,
}

/// The first word for something earlier, and where it is.
pub(crate) fn find(question: &str) -> Option<(usize, String)> {
    let lower = question.to_lowercase();
    let is_end = |c: char| !c.is_alphanumeric() && c != '#';
    let mut at = 0;
    let mut words: Vec<(usize, &str)> = Vec::new();
    for part in lower.split_inclusive(is_end) {
        let word = part.trim_end_matches(is_end);
        if !word.is_empty() {
            words.push((at, word));
        }
        at += part.len();
    }
    let word_at = |at: usize| words.get(at).map_or("", |it| it.1);
    let found = words.iter().enumerate().find_map(|(number, (at, word))| {
        let next = word_at(number + 1);
        let text = match *word {
            word if PERSONS.contains(&word) || THINGS.contains(&word) => word.to_owned(),
            word if POINTERS.contains(&word) && (next == "one" || kind_of(next).is_some()) => {
                format!("{word} {next}")
            }
            "the" if ordinal(next).is_some() => {
                let noun = word_at(number + 2);
                // `The top track` is none of an earlier list.
                (noun == "one" || next != "top" && kind_of(noun).is_some())
                    .then(|| format!("the {next} {noun}"))?
            }
            "number" if counted(next).is_some() => format!("number {next}"),
            word if word
                .strip_prefix('#')
                .is_some_and(|rest| counted(rest).is_some()) =>
            {
                word.to_owned()
            }
            _ => return None,
        };
        Some((*at, text))
    });
    // `and favorites?`
    found.or_else(|| {
        let cue = MORE.iter().find(|cue| lower.starts_with(**cue))?;
        let rest = words.iter().skip(cue.split_whitespace().count());
        let mut rest = rest.map(|(_, word)| *word).peekable();
        rest.peek()?;
        rest.all(|word| ASKED.contains(&word) || Aspect::of_noun(word).is_some())
            .then(|| (0, cue.trim().to_owned()))
    })
}

/// What such a word stands for, if it says so.
pub(crate) fn kind(word: &str) -> Option<EntityType> {
    if PERSONS.contains(&word) {
        return Some(EntityType::User);
    }
    word.split_whitespace().last().and_then(kind_of)
}

/// The place in a list that such a word names.
pub(crate) fn rank(word: &str) -> Option<ListPlace> {
    let mut words = word.split_whitespace();
    match words.next()? {
        "the" => ordinal(words.next()?),
        "number" => counted(words.next()?).map(ListPlace::At),
        word => counted(word.strip_prefix('#')?).map(ListPlace::At),
    }
}

/// What is before whose the one of a list is.
pub(super) const OWNED: [&str; 3] = ["the one by ", "the one from ", "the one of "];

/// Whose the one of a list is, that such a word names: `the one by X`.
pub(crate) fn owner(word: &str) -> Option<&str> {
    let name = OWNED.iter().find_map(|cue| word.strip_prefix(cue))?;
    Some(name.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Whether such a word is one of what an earlier answer lists.
pub(crate) fn is_listed(word: &str) -> bool {
    rank(word).is_some() || owner(word).is_some()
}

/// `second`, `2nd`, `last`.
fn ordinal(word: &str) -> Option<ListPlace> {
    match word {
        "last" => return Some(ListPlace::Last),
        "top" => return Some(ListPlace::At(1)),
        _ => {}
    }
    let written = ORDINALS.iter().position(|known| *known == word);
    let mut ends = ["st", "nd", "rd", "th"].iter();
    let digits = ends.find_map(|end| word.strip_suffix(end));
    let place = written
        .map(|at| at + 1)
        .or_else(|| digits.and_then(counted));
    place.map(ListPlace::At)
}

fn counted(word: &str) -> Option<usize> {
    word.parse().ok().filter(|place| (1..=100).contains(place))
}
