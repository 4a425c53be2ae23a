//! Words of a question that nothing was made of. They are told to the person: a question that was read in
//! part is not answered as if it had been read whole. If one of them is what a question is about ([`SUBJECTS`]),
//! it was read as another question, and is not answered at all.

use super::{Aspect, Computation, Understanding, is_search, values};
use crate::catalogue::{Catalogue, Operation, genre_in, has_words, is_known, mood_in, tokens};

/// What questions are about, as [`tokens`] gives it. Left out, a question is another one.
const SUBJECTS: [&str; 46] = [
    "album",
    "app",
    "balance",
    "challenge",
    "coin",
    "collectible",
    "comment",
    "contest",
    "download",
    "event",
    "favorite",
    "feed",
    "fewer",
    "follow",
    "follower",
    "following",
    "genre",
    "history",
    "less",
    "library",
    "listen",
    "listener",
    "mutual",
    "nft",
    "notification",
    "play",
    "playlist",
    "price",
    "prize",
    "purchase",
    "related",
    "remix",
    "repost",
    "reward",
    "sale",
    "selling",
    "stem",
    "subscriber",
    "supporter",
    "supporting",
    "tag",
    "tip",
    "trending",
    "underground",
    "wallet",
    "winner",
];

/// Subjects that are one: who does it to whom is told by the order of the words.
const SAME_SUBJECT: [&[&str]; 4] = [
    &["follow", "follower", "following"],
    &["supporter", "supporting", "tip"],
    &["listen", "listener", "history"],
    &["purchase", "sale", "selling"],
];

/// The words of a question that say what it is about and that the operation knows nothing of.
pub(crate) fn ignored(
    catalogue: &Catalogue,
    question: &str,
    understood: &Understanding,
    operation: &Operation,
) -> Vec<String> {
    // What is searched for may have any words.
    if is_search(question) {
        return Vec::new();
    }
    let mut rest = question.to_lowercase();
    for name in &understood.references {
        rest = rest.replace(&name.text().to_lowercase(), " ");
    }
    let mut asked: Vec<&str> = Computation::words_in(question);
    if understood.aspect.is_some() {
        asked.extend(Aspect::words_in(question));
    }
    let values = values::of(question, operation);
    let said: Vec<String> = values
        .values()
        .map(|value| value.to_string().to_lowercase())
        .collect();
    let mut found: Vec<String> = Vec::new();
    for word in rest.split(|c: char| !c.is_alphanumeric()) {
        let Some(token) = tokens(word).into_iter().next() else {
            continue;
        };
        let is_subject = SUBJECTS.contains(&token.as_str());
        let same = SAME_SUBJECT.iter().find(|it| it.contains(&token.as_str()));
        let mut same = same.copied().unwrap_or_default().iter();
        let is_read = catalogue.says(operation, &token)
            || same.any(|it| catalogue.says(operation, it))
            || asked.contains(&word)
            || said.iter().any(|value| value.contains(&token))
            || operation.parameter(&token).is_some() && values.contains_key(&token);
        if is_subject && !is_read && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found
}

/// Turns of phrase that ask for a value. Without a field that answers them, they were not understood.
const VALUES: [&str; 9] = [
    "how much",
    "how often",
    "how old",
    "how big",
    "how far",
    "how come",
    "why",
    "when",
    "where",
];

/// Words that say a time, which some operations have no parameter for.
const TIMES: [&str; 9] = [
    "today",
    "yesterday",
    "week",
    "weekly",
    "month",
    "monthly",
    "year",
    "yearly",
    "ever",
];

/// The most words that are told.
const MOST: usize = 6;

/// The words that neither the operation, nor a parameter, nor a name, nor a field accounts for.
pub fn unread(
    catalogue: &Catalogue,
    question: &str,
    understood: &Understanding,
    operation: &Operation,
) -> Vec<String> {
    let mut rest = question.to_lowercase();
    for name in &understood.references {
        rest = rest.replace(&name.text().to_lowercase(), " ");
    }
    let values = values::of(question, operation);
    let said: Vec<String> = values
        .values()
        .map(|value| value.to_string().to_lowercase())
        .collect();
    let is_of_operation = |word: &str| {
        let mut tokens = tokens(word).into_iter();
        tokens.any(|token| catalogue.says(operation, &token))
    };
    let mut found: Vec<String> = Vec::new();
    let is_answered = understood.aspect.is_some()
        || understood.computation.is_some()
        || operation.id.contains("Count");
    if !is_answered {
        let asked = VALUES.iter().find(|cue| has_words(&rest, cue));
        found.extend(
            asked
                .filter(|cue| !is_of_operation(cue))
                .map(|cue| (*cue).to_owned()),
        );
    }
    let has = |names: &[&str]| names.iter().any(|name| values.contains_key(*name));
    if !has(&["genre", "query"]) {
        let genre = genre_in(&rest).map(|(_, words)| words);
        found.extend(genre.filter(|genre| !is_of_operation(genre)));
    }
    if !has(&["mood", "query"]) {
        let mood = mood_in(&rest).map(str::to_lowercase);
        found.extend(mood.filter(|mood| !is_of_operation(mood)));
    }
    let has_time = has(&["time", "time_range", "window", "query"]);
    let page = values::page_in(question).filter(|_| operation.parameter("offset").is_some());
    let page = page.map(|page| page.to_string());
    for word in rest.split(|c: char| !c.is_alphanumeric()) {
        let is_number = word.chars().all(|c| c.is_ascii_digit());
        let is_time = TIMES.contains(&word) && !has_time;
        let is_value =
            said.iter().any(|value| value.contains(word)) || page.as_deref() == Some(word);
        let is_plain = is_known(word) && !is_number && !is_time;
        if word.len() < 2 && !is_number || is_plain || is_value || is_of_operation(word) {
            continue;
        }
        let is_told = found
            .iter()
            .any(|known| known.split(' ').any(|part| part == word));
        if !word.is_empty() && !is_told && found.len() < MOST {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn unread_of(question: &str, operation: &str) -> Vec<String> {
        let catalogue = Catalogue::get().unwrap();
        let understood = Understanding::of(question);
        let operation = catalogue.operation(operation).unwrap();
        unread(catalogue, question, &understood, operation)
    }

    #[test]
    fn what_was_read_whole_leaves_nothing() {
        for (question, operation) in [
            ("top 10 trending tracks this week", "getTrendingTracks"),
            ("How many followers does Nova Kane have?", "getUser"),
            ("longest track by Nova Kane", "getTracksByUser"),
            ("search tracks about midnight rain", "searchTracks"),
            ("trending tracks page 2", "getTrendingTracks"),
            ("What is the price of $NOVA?", "getCoinByTicker"),
            ("When was \"First Light\" released?", "getTrack"),
        ] {
            assert_eq!(unread_of(question, operation), [""; 0], "{question}");
        }
    }

    #[test]
    fn a_subject_that_the_operation_knows_nothing_of_is_ignored() {
        let catalogue = Catalogue::get().unwrap();
        let of = |question: &str, operation: &str| {
            let operation = catalogue.operation(operation).unwrap();
            ignored(catalogue, question, &Understanding::of(question), operation)
        };
        let question = "tracks by Nova Kane with many comments";
        assert_eq!(of(question, "getTracksByUser"), ["comments"]);
        let question = "does Mira Voss have more followers than Nova Kane";
        assert_eq!(of(question, "getUser"), [""; 0]);
        assert_eq!(of("who follows Nova Kane", "getFollowers"), [""; 0]);
        assert_eq!(of("find tracks about tips", "searchTracks"), [""; 0]);
    }

    #[test]
    fn what_nothing_was_made_of_is_left() {
        assert_eq!(unread_of("latest tips this month", "getTips"), ["month"]);
        assert_eq!(
            unread_of(
                "trending jazz playlists with saxophone",
                "getTrendingPlaylists"
            ),
            ["jazz", "saxophone"]
        );
        assert_eq!(
            unread_of("trending tracks of 2019", "getTrendingTracks"),
            ["2019"]
        );
        assert_eq!(
            unread_of("how much are the tips of Nova Kane", "getSupporters"),
            ["how much"]
        );
    }
}
