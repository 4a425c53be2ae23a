//! What a question says that no call can do: leave something out, say yes or no about two things, find what
//! two things share, know who is asking. Such a question is refused and the words are named. Answered
//! without them, it would be answered with something else, often with the opposite.

use super::{Computation, Reference, Understanding, is_search, wants_write};

/// Words that leave something out or turn a question round.
const NEGATIONS: [&str; 18] = [
    "not",
    "never",
    "without",
    "excluding",
    "exclude",
    "excludes",
    "except",
    "besides",
    "neither",
    "nor",
    "none",
    "nobody",
    "nothing",
    "cannot",
    "lacking",
    "minus",
    "non",
    "isnt",
];

/// Words for the other end of an order.
const LEAST: [&str; 6] = [
    "least",
    "fewest",
    "lowest",
    "worst",
    "smallest",
    "unpopular",
];

/// Words for what two things share.
const SHARED: [&str; 7] = [
    "both", "common", "mutual", "mutuals", "shared", "together", "between",
];

/// Words for a place in an order that no call sorts to.
const PLACES: [&str; 11] = [
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "runner",
    "penultimate",
];

/// Words that compare with a number behind them.
const LIMITS: [&str; 5] = ["over", "above", "under", "below", "than"];

/// Words that a question begins with if it wants a yes or a no.
const YES_OR_NO: [&str; 11] = [
    "is", "are", "does", "do", "did", "has", "have", "was", "were", "will", "should",
];

/// What a question says that cannot be done, in words for the person.
pub(crate) fn beyond(question: &str, understood: &Understanding) -> Option<String> {
    // What is searched for or written may have any words.
    if is_search(question) || wants_write(question) {
        return None;
    }
    let words = own_words(question, understood);
    let has = |known: &[&str]| {
        let mut words = words.iter().map(String::as_str);
        words.find(|word| known.contains(word)).map(str::to_owned)
    };
    let is_no = |at: usize, word: &str| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        word.ends_with("n't")
            || word == "no"
                && before.is_some_and(|it| ["with", "have", "has", "by"].contains(&&**it))
    };
    let mut numbered = words.iter().enumerate();
    let negation = numbered
        .find(|(at, word)| is_no(*at, word))
        .map(|(_, word)| word.clone());
    if let Some(word) = negation.or_else(|| has(&NEGATIONS)) {
        return Some(format!(
            "\"{word}\": what is left out or turned round cannot be asked of Audius"
        ));
    }
    let is_least = matches!(understood.computation, Some(Computation::Least(_)));
    let is_sorted = words.iter().any(|word| word.starts_with("coin"));
    if let (false, false, Some(word)) = (is_least, is_sorted, has(&LEAST)) {
        return Some(format!("\"{word}\": of what is not understood"));
    }
    if let Some(what) = place_in(&words, understood).or_else(|| number_in(&words)) {
        return Some(what);
    }
    if understood.references.len() < 2 {
        return None;
    }
    let asks_which = words
        .first()
        .is_some_and(|word| ["who", "which", "what", "whos"].contains(&word.as_str()));
    if let (true, Some(word)) = (understood.aspect.is_none(), has(&SHARED))
        && (asks_which || word != "both")
    {
        return Some(format!(
            "\"{word}\": what two things share cannot be asked of Audius; ask about each"
        ));
    }
    let asks_yes_or_no = understood.aspect.is_none() && is_yes_or_no(&words);
    asks_yes_or_no.then(|| {
        let names: Vec<&str> = understood.references.iter().map(Reference::text).collect();
        format!(
            "a yes or no about {}: Audius is asked for lists, not for that; ask for the list of one of them",
            names.join(" and ")
        )
    })
}

/// A place in an order, such as `the second most played`. `The second one` is of an earlier answer.
fn place_in(words: &[String], understood: &Understanding) -> Option<String> {
    let is_earlier = |it: &Reference| matches!(it, Reference::Earlier(_));
    if understood.references.iter().any(is_earlier) {
        return None;
    }
    let is_counted = |word: &str| {
        let ends = ["nd", "rd", "th"].iter();
        ends.filter_map(|end| word.strip_suffix(end))
            .any(|digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit()))
    };
    let is_place = |word: &&String| PLACES.contains(&word.as_str()) || is_counted(word);
    let word = words.iter().find(is_place)?;
    Some(format!(
        "\"{word}\": a single place of an order cannot be asked of Audius; ask for the list"
    ))
}

/// A number that something must have more or less of. Of tempo there are parameters for that.
fn number_in(words: &[String]) -> Option<String> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    (0..words.len()).find_map(|at| {
        let is_limit =
            LIMITS.contains(&word(at)) || word(at) == "least" && at > 0 && word(at - 1) == "at";
        let is_number = word(at + 1).starts_with(|c: char| c.is_ascii_digit());
        let is_tempo = (2..5).any(|more| word(at + more) == "bpm");
        (is_limit && is_number && !is_tempo).then(|| {
            format!(
                "\"{} {}\": more or less than a number cannot be asked of Audius",
                word(at),
                word(at + 1)
            )
        })
    })
}

/// That a question wants a yes or a no, and gets a list.
pub(crate) fn wants_yes_or_no(question: &str, understood: &Understanding) -> bool {
    understood.aspect.is_none() && is_yes_or_no(&own_words(question, understood))
}

/// The word that means whoever asks, such as `my`.
pub(crate) fn asker(question: &str, understood: &Understanding) -> Option<String> {
    let words = own_words(question, understood);
    words
        .into_iter()
        .find(|word| ["my", "mine"].contains(&word.as_str()))
}

fn is_yes_or_no(words: &[String]) -> bool {
    let first = words.first().map(String::as_str).unwrap_or_default();
    YES_OR_NO.contains(&first) && words.get(1).is_none_or(|word| word != "you")
}

/// The words of a question without those of names and quotes.
fn own_words(question: &str, understood: &Understanding) -> Vec<String> {
    let mut rest = question.to_lowercase().replace('’', "'");
    for name in &understood.references {
        if !matches!(name, Reference::Earlier(_)) {
            rest = rest.replace(&name.text().to_lowercase(), " ");
        }
    }
    let is_end = |c: char| !c.is_alphanumeric() && c != '\'';
    let words = rest.split(is_end).map(|word| word.trim_matches('\''));
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beyond_of(question: &str) -> Option<String> {
        beyond(question, &Understanding::of(question))
    }

    #[test]
    fn what_leaves_something_out_is_beyond() {
        for question in [
            "tracks by Nova Kane that are not electronic",
            "trending tracks excluding hip hop",
            "playlists without jazz",
            "users who don't follow Nova Kane",
            "tracks with no comments",
            "least popular genres",
            "who is following both Nova Kane and Mira Voss?",
            "does Nova Kane follow Mira Voss?",
            "followers that Nova Kane and Mira Voss have in common",
            "the second most played track",
            "3rd longest track by Nova Kane",
            "tracks with more than 1000 plays",
            "artists with at least 50 followers",
        ] {
            assert!(beyond_of(question).is_some(), "{question}");
        }
    }

    #[test]
    fn what_can_be_asked_is_not() {
        for question in [
            "her least played song",
            "search tracks about not alone",
            "how long is \"Not Without You\"?",
            "does Mira Voss have more followers than Nova Kane",
            "compare the followers of both Nova Kane and Mira Voss",
            "coins with the lowest price",
            "is Nova Kane verified?",
            "does Nova Kane have any albums?",
            "how long is the second one?",
            "search tracks over 140 bpm about rain",
            "techno tracks over 140 bpm",
            "trending tracks over the last 7 days",
        ] {
            assert_eq!(beyond_of(question), None, "{question}");
        }
        let question = "does Nova Kane have any albums?";
        assert!(wants_yes_or_no(question, &Understanding::of(question)));
        let question = "my followers";
        let understood = Understanding::of(question);
        assert_eq!(asker(question, &understood).as_deref(), Some("my"));
    }
}
