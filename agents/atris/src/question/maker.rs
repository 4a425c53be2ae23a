//! Whoever made something: `who made X`, `X's artist`, and questions about them, `tracks by the artist of X`.

use super::plain::{Weight, weight};

/// What a question says about whoever made the thing that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Maker {
    /// It asks who that is: the record of the thing says so.
    Asked(Vec<String>),
    /// It is about them: these words stand for them.
    Subject(Vec<String>),
}

impl Maker {
    /// The words that say it.
    pub(crate) fn words(&self) -> &[String] {
        match self {
            Self::Asked(words) | Self::Subject(words) => words,
        }
    }
}

/// What stands for a name in the words of a question.
pub(super) const GAP: &str = "ꙮ";

const NOUNS: [&str; 12] = [
    "artist", "maker", "creator", "author", "singer", "producer", "composer", "owner", "curator",
    "musician", "songwriter", "uploader",
];

const VERBS: [&str; 16] = [
    "made", "makes", "make", "created", "produced", "wrote", "sings", "sang", "sung", "composed",
    "recorded", "performs", "performed", "curated", "uploaded", "released",
];

/// Words beside a name that say what it is.
const KINDS: [&str; 7] = [
    "track", "song", "tune", "single", "playlist", "album", "the",
];

/// What the words of a question, with [`GAP`] for its name, say about its maker.
pub(crate) fn of(words: &[String], is_earlier: bool) -> Option<Maker> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let gap = words.iter().position(|word| *word == GAP)?;
    // The words directly before the name, without those that say what it is.
    let before = (0..gap)
        .rev()
        .find(|at| !words.get(*at).is_some_and(|it| KINDS.contains(it)));
    let at = |place: Option<usize>| {
        place
            .and_then(|it| words.get(it))
            .copied()
            .unwrap_or_default()
    };
    let back = |place: Option<usize>, by: usize| place.and_then(|it| it.checked_sub(by));
    let (last, second, third) = (at(before), at(back(before, 1)), at(back(before, 2)));
    let is_of = ["of", "behind", "on"].contains(&last);
    let own: Option<(usize, usize)> = match before {
        Some(end) if is_of && NOUNS.contains(&second) => Some((end.saturating_sub(1), gap)),
        // `the person who made`, `whoever made`
        Some(end) if VERBS.contains(&last) && second == "whoever" => {
            Some((end.saturating_sub(1), gap))
        }
        Some(end)
            if VERBS.contains(&last)
                && ["who", "that"].contains(&second)
                && ([NOUNS.as_slice(), &["person", "one", "user", "people"]].concat())
                    .contains(&third) =>
        {
            Some((end.saturating_sub(2), gap))
        }
        _ => {
            // `X's artist`, `its artist`
            let owns = words.get(gap + 1) == Some(&"s");
            let noun = gap + 1 + usize::from(owns);
            let is_noun = words.get(noun).is_some_and(|it| NOUNS.contains(it));
            (is_noun && (owns || is_earlier)).then_some((gap, noun))
        }
    };
    let first = words.first().copied().unwrap_or_default();
    if let Some((from, to)) = own {
        let is_own = |place: usize| (from..=to).contains(&place);
        let is_rest = |place: usize, word: &str| {
            let before = at(back(Some(place), 1));
            let behind = at(Some(place + 1));
            !is_own(place)
                && word != GAP
                && !KINDS.contains(&word)
                && weight(word, before, behind) == Weight::Content
        };
        let has_rest = words
            .iter()
            .enumerate()
            .any(|(place, word)| is_rest(place, word));
        let said = words.get(from..=to).unwrap_or_default();
        let said = said.iter().filter(|word| **word != GAP);
        let said: Vec<String> = said.map(|word| (*word).to_owned()).collect();
        return Some(match has_rest {
            true => Maker::Subject(said),
            false => Maker::Asked(said),
        });
    }
    // `who made X`, `which artist wrote X`, `who is behind X`, `whose track is X`
    let asks = ["who", "whos", "whose"].contains(&first)
        || ["which", "what"].contains(&first)
            && words
                .get(1)
                .is_some_and(|it| NOUNS.contains(it) || *it == "user");
    let is_known = |word: &&str| {
        NOUNS.contains(word)
            || VERBS.contains(word)
            || KINDS.contains(word)
            || ["behind", "whose", "user", "written", "by", GAP].contains(word)
            || weight(word, "", "").is_plain()
    };
    let is_said = |word: &&str| VERBS.contains(word) || NOUNS.contains(word) || **word == *"behind";
    let is_before = words.iter().take(gap).any(is_said) || first == "whose";
    let is_done = words.iter().skip(gap).any(|word| VERBS.contains(word));
    if !asks || !is_before || is_done || !words.iter().all(is_known) {
        return None;
    }
    let said = words.iter().filter(|word| **word != GAP);
    Some(Maker::Asked(said.map(|word| (*word).to_owned()).collect()))
}
