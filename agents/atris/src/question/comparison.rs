//! What a question puts in order, and by what: `the 3 longest`, `played most`, `lowest tempo`, `sorted by plays`.
//!
//! A comparison is a degree (`most`, `fewest`, `highest`) with what is measured before or behind it, or one word for
//! both (`longest`), or an order (`by plays`). A number before it is how many of the order are wanted; a number behind it
//! (`the longest of the top 5`) is of what is compared. The `top` and the `best` of what somebody has are those with the most plays
//! or followers, which the answer says.

use super::{
    aspect::Aspect,
    nouns::{Noun, is_music, is_people, is_several, noun},
    numbers::number,
};
use crate::catalogue::Operation;

/// A comparison of the records of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// What is compared.
    pub(crate) aspect: Aspect,
    /// Whether the most comes first.
    pub(crate) is_most: bool,
    /// How many of the order are wanted, if the question says so.
    pub(crate) first: Option<u64>,
    /// Whether a list is wanted, and not the first of it.
    pub(crate) is_list: bool,
    /// Whether things that belong to what is named are compared: `the longest track`.
    pub(crate) is_of_things: bool,
    /// The words that say it.
    pub(crate) words: Vec<String>,
    /// Where the degree and its measure are among the words of the question: the first and the last of them.
    at: (usize, usize),
}

/// Degrees, and whether they are of the most.
const DEGREES: [(&str, bool); 8] = [
    ("most", true),
    ("least", false),
    ("fewest", false),
    ("highest", true),
    ("lowest", false),
    ("largest", true),
    ("greatest", true),
    ("smallest", false),
];

/// Degrees with what they measure.
const WHOLE: [(&str, Aspect, bool); 5] = [
    ("longest", Aspect::Duration, true),
    ("shortest", Aspect::Duration, false),
    ("fastest", Aspect::Bpm, true),
    ("slowest", Aspect::Bpm, false),
    ("oldest", Aspect::ReleaseDate, false),
];

/// What may be between a degree and what it measures.
const BETWEEN: [&str; 7] = ["the", "often", "number", "of", "amount", "total", "been"];

/// Words for those that come first, whatever is measured.
const RANKS: [&str; 5] = ["top", "best", "biggest", "hottest", "greatest"];

/// People who have nothing to rank them by.
const UNRANKED: [&str; 6] = [
    "supporter", "supporters", "listener", "listeners", "fan", "fans",
];

/// Whether a word is a degree of something.
pub(super) fn is_degree(word: &str) -> bool {
    let is_whole = WHOLE.iter().any(|(known, _, _)| *known == word);
    is_whole || DEGREES.iter().any(|(known, _)| *known == word)
}

impl Comparison {
    /// The comparison of a question, of which these are the words besides names, and whether it names something. Coins
    /// are put in order by their API.
    pub(crate) fn of(words: &[String], is_named: bool) -> Option<Self> {
        if words.iter().any(|word| word.starts_with("coin")) {
            return None;
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut found = (0..words.len())
            .find_map(|at| whole(&words, at).or_else(|| degree(&words, at)))
            .or_else(|| order(&words))
            .or_else(|| ranked(&words).filter(|_| is_named))?;
        if found.comparison.first.is_none() {
            found.say_how_many(&words);
        }
        Some(found.comparison)
    }

    /// The words of a question without the degree and its measure.
    pub(crate) fn rest(&self, words: &[String]) -> Vec<String> {
        let (from, to) = self.at;
        let rest = words.iter().enumerate();
        let rest = rest.filter(|(at, _)| !(from..=to).contains(at));
        rest.map(|(_, word)| word.clone()).collect()
    }

    /// The words of a second comparison in the same question, of which one answer says nothing.
    pub(crate) fn second(&self, words: &[String]) -> Vec<String> {
        let second = Self::of(&self.rest(words), false);
        second.map(|it| it.words).unwrap_or_default()
    }

    /// How an API calls this order, if it is one that APIs sort by.
    pub(super) fn sort(&self) -> Option<&'static str> {
        (self.is_most && self.aspect == Aspect::Plays).then_some("plays")
    }

    /// Whether an operation sorts by it.
    pub(crate) fn is_sorted_by(&self, operation: &Operation) -> bool {
        let Some(sort) = self.sort() else {
            return false;
        };
        let mut sorts = ["sort", "sort_method"].into_iter();
        sorts.any(|name| {
            let parameter = operation.parameter(name);
            parameter.is_some_and(|it| it.values.iter().any(|value| value == sort))
        })
    }

    /// How many of the order are shown: one if none is said and no list is wanted.
    pub(crate) fn shown(&self, usual: u64) -> Option<u64> {
        self.first.or(self.is_list.then_some(usual))
    }
}

/// A comparison and where its words begin.
struct ComparisonFound {
    comparison: Comparison,
    at: usize,
}

impl ComparisonFound {
    fn new((aspect, is_most): (Aspect, bool), words: &[&str], at: (usize, usize)) -> Self {
        let own = words.get(at.0..=at.1).unwrap_or_default();
        let behind = words.get(at.1 + 1).copied().unwrap_or_default();
        let last = own.last().copied().unwrap_or_default();
        let is_noun = matches!(Aspect::measured_by(last), Some((_, false)));
        Self {
            comparison: Comparison {
                aspect,
                is_most,
                first: None,
                is_list: !is_noun && is_several(behind),
                is_of_things: !is_noun && is_thing(behind),
                words: own.iter().map(|word| (*word).to_owned()).collect(),
                at,
            },
            at: at.0,
        }
    }

    /// Reads `3 longest`, `top 3 longest` and `the 3 followers with the most …`.
    fn say_how_many(&mut self, words: &[&str]) {
        let before = words.get(..self.at).unwrap_or_default();
        let counted = before.iter().enumerate().rev().find_map(|(at, word)| {
            let count = number(word)?;
            let is_beside = at + 1 == self.at;
            // `the 3 with the most plays`
            let is_thing = before
                .get(at + 1)
                .is_some_and(|it| is_several(it) || *it == "with");
            (is_beside || is_thing).then_some((at, count))
        });
        if let Some((at, count)) = counted {
            self.comparison.first = Some(count);
            self.comparison.is_list = true;
            let top = at.checked_sub(1).and_then(|at| before.get(at));
            let top = top.filter(|word| ["top", "first"].contains(*word));
            let said = top.into_iter().chain(before.get(at));
            self.comparison
                .words
                .extend(said.map(|it| (*it).to_owned()));
        } else if before.last() == Some(&"top") {
            self.comparison.words.push("top".to_owned());
        }
    }
}

/// Whether a word names a kind of things that somebody has.
fn is_thing(word: &str) -> bool {
    is_several(word) || is_music(word)
}

/// `longest`.
fn whole(words: &[&str], at: usize) -> Option<ComparisonFound> {
    let word = words.get(at)?;
    let (_, aspect, is_most) = WHOLE.iter().find(|(known, _, _)| known == word)?;
    Some(ComparisonFound::new((*aspect, *is_most), words, (at, at)))
}

/// `most plays`, `lowest tempo`, `played the most`, `reposted most often`.
fn degree(words: &[&str], at: usize) -> Option<ComparisonFound> {
    let word = words.get(at)?;
    let (_, is_most) = DEGREES.iter().find(|(known, _)| known == word)?;
    if *word == "least" && at > 0 && words.get(at - 1) == Some(&"at") {
        return None;
    }
    let is_between = |at: &usize| words.get(*at).is_some_and(|it| BETWEEN.contains(it));
    let behind = (at + 1..words.len()).find(|at| !is_between(at));
    if let Some(behind) = behind
        && let Some(aspect) = measure(words, behind, *is_most)
    {
        return Some(ComparisonFound::new(
            (aspect, *is_most),
            words,
            (at, behind),
        ));
    }
    let before = (0..at).rev().find(|at| !is_between(at))?;
    if !words.get(before).is_some_and(|it| is_done(it)) {
        return None;
    }
    let aspect = measure(words, before, *is_most)?;
    let to = match words.get(at + 1) {
        Some(&"often") => at + 1,
        _ => at,
    };
    Some(ComparisonFound::new(
        (aspect, *is_most),
        words,
        (before, to),
    ))
}

/// What is measured by a word. What is popular is sorted by the API; what is not has few plays or followers.
fn measure(words: &[&str], at: usize, is_most: bool) -> Option<Aspect> {
    let word = words.get(at)?;
    if *word == "popular" && !is_most {
        let has_people = words.iter().any(|word| *word == "who" || is_people(word));
        let has_music = words.iter().any(|word| is_music(word));
        return match (has_people, has_music) {
            (true, _) => Some(Aspect::Followers),
            (_, true) => Some(Aspect::Plays),
            _ => None,
        };
    }
    Aspect::measured_by(word).map(|(aspect, _)| aspect)
}

/// Whether a word says what is done to a thing. It may be before its degree, `played most`, and have a noun behind it.
fn is_done(word: &str) -> bool {
    word == "popular" || matches!(Aspect::measured_by(word), Some((_, true)))
}

/// `top 3 followers`, `best songs`: the most played or the most followed of what somebody has.
fn ranked(words: &[&str]) -> Option<ComparisonFound> {
    let at = words.iter().position(|word| RANKS.contains(word))?;
    let count = words.get(at + 1).and_then(|word| number(word));
    let last = at + usize::from(count.is_some());
    let (thing, is_list) = noun(words.get(last + 1)?)?;
    let word = words.get(last + 1).copied().unwrap_or_default();
    let aspect = match thing {
        Noun::Track => Aspect::Plays,
        // What they gave or heard is what these are ranked by, and how big a follower is, nobody knows.
        Noun::Person if UNRANKED.contains(&word) => return None,
        Noun::Person if ["biggest", "greatest"].contains(words.get(at)?) => return None,
        Noun::Person => Aspect::Followers,
        Noun::Other if ["reposts", "favorites"].contains(&word) => Aspect::Plays,
        Noun::Playlist | Noun::Other => return None,
    };
    let mut found = ComparisonFound::new((aspect, true), words, (at, last));
    found.comparison.first = count;
    found.comparison.is_list = is_list;
    found.comparison.is_of_things = true;
    Some(found)
}

/// `sorted by plays`, `by play count`, `ordered by followers, ascending`.
fn order(words: &[&str]) -> Option<ComparisonFound> {
    (0..words.len()).find_map(|at| {
        if words.get(at) != Some(&"by") {
            return None;
        }
        let is_between = |at: &usize| words.get(*at).is_some_and(|it| BETWEEN.contains(it));
        let measured = (at + 1..words.len()).find(|at| !is_between(at))?;
        let is_count = words.get(measured + 1) == Some(&"count");
        let (aspect, false) = Aspect::measured_by(words.get(measured)?)? else {
            return None;
        };
        let sorts = [
            "sorted", "sort", "ordered", "order", "ranked", "rank", "ascending", "descending",
        ];
        let ends = ["ascending", "asc"];
        let is_least = words.iter().any(|word| ends.contains(word));
        let to = measured + usize::from(is_count);
        let mut found = ComparisonFound::new((aspect, !is_least), words, (at, to));
        found.comparison.is_list = true;
        let said = words
            .iter()
            .filter(|it| sorts.contains(it) || ends.contains(it));
        found
            .comparison
            .words
            .extend(said.map(|it| (*it).to_owned()));
        Some(found)
    })
}
