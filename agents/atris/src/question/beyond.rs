//! What a question says that no call can do: leave something out, say yes or no about two things, find what
//! two things share, know who is asking. Such a question is refused and the words are named. Answered
//! without them, it would be answered with something else, often with the opposite.

use super::{
    Comparison, Computation, Reference, Understanding, is_search,
    maker::GAP,
    nouns::{Noun, noun},
    numbers::number,
    own_words,
    plain::{Weight, weight},
    shape, wants_write,
};
use crate::catalogue::tokens;

/// Words that leave something out or turn a question round.
const NEGATIONS: [&str; 21] = [
    "no", "not", "omit", "omitting", "never", "without", "excluding", "exclude", "excludes",
    "except", "besides", "neither", "nor", "none", "nobody", "nothing", "cannot", "lacking",
    "minus", "non", "isnt",
];

/// The same in two words: `anyone but X`, `other than X`.
const TURNS: [(&str, &str); 16] = [
    ("other", "than"),
    ("rather", "than"),
    ("apart", "from"),
    ("aside", "from"),
    ("instead", "of"),
    ("outside", "of"),
    ("leave", "out"),
    ("leaving", "out"),
    ("all", "but"),
    ("any", "but"),
    ("anyone", "but"),
    ("anybody", "but"),
    ("anything", "but"),
    ("everyone", "but"),
    ("everything", "but"),
    ("anywhere", "but"),
];

/// Words for the other end of an order.
const LEAST: [&str; 6] = [
    "least", "fewest", "lowest", "worst", "smallest", "unpopular",
];

/// Words for what two things share.
const SHARED: [&str; 7] = [
    "both", "common", "mutual", "mutuals", "shared", "together", "between",
];

/// Words for a place in an order that no call sorts to.
const PLACES: [&str; 11] = [
    "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "runner",
    "penultimate",
];

/// Words that compare with a number behind them.
const LIMITS: [&str; 5] = ["over", "above", "under", "below", "than"];

/// Words for numbers that are no number of records.
const NUMBERS: [&str; 10] = [
    "one", "thousand", "million", "billion", "hundreds", "thousands", "millions", "dozens",
    "minute", "hour",
];

/// Words for what an earlier answer lists.
const ONES: [&str; 4] = ["one", "ones", "them", "those"];

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
    let words = own_words(question, &understood.references);
    let has = |known: &[&str]| {
        let mut words = words.iter().map(String::as_str);
        words.find(|word| known.contains(word)).map(str::to_owned)
    };
    let mut pairs = words.windows(2);
    let turn = pairs.find_map(|pair| match pair {
        [one, two] if TURNS.contains(&(one, two)) => Some(format!("{one} {two}")),
        _ => None,
    });
    let negation = words.iter().find(|word| word.ends_with("n't")).cloned();
    if let Some(word) = turn.or(negation).or_else(|| has(&NEGATIONS)) {
        return Some(format!(
            "\"{word}\": what is left out or turned round cannot be asked of Audius"
        ));
    }
    if let Some(what) = halves(question, understood) {
        return Some(what);
    }
    if let Some(what) = heard(&words, understood) {
        return Some(what);
    }
    if let Some(what) = holders(question, understood).or_else(|| judged(question, understood)) {
        return Some(what);
    }
    if let Some(what) = alike(&words, understood) {
        return Some(what);
    }
    if let Some(at) = words.iter().position(|word| word == "page")
        && words
            .get(at + 1)
            .is_some_and(|word| number(word) == Some(0))
    {
        return Some("\"page 0\": pages are counted from 1".to_owned());
    }
    let compared = Comparison::of(&words, !understood.references.is_empty())
        .map(|it| it.words)
        .unwrap_or_default();
    let is_one = |pair: &[String]| match pair {
        [word, one] => compared.contains(word) && ["one", "ones"].contains(&one.as_str()),
        _ => false,
    };
    if let (true, Some(word)) = (understood.references.is_empty(), has(&ONES))
        && (!is_kind_said(&words) || words.windows(2).any(is_one))
    {
        return Some(format!(
            "\"{word}\" of an earlier list: ask which that is without other words (the third one, the longest one), \
             or say of what"
        ));
    }
    let is_of_them = |pair: &[String]| match pair {
        [of, them] => of == "of" && ["them", "those", "these"].contains(&them.as_str()),
        _ => false,
    };
    let is_named = |it: &Reference| !matches!(it, Reference::Earlier(_));
    if understood.references.iter().any(is_named) && words.windows(2).any(is_of_them) {
        return Some(
            "\"of them\" and a name: what an earlier list has to do with somebody else is not worked out".to_owned(),
        );
    }
    // Of two things that are compared the words are used by the comparison.
    let is_least = matches!(understood.computation, Some(Computation::Least(_)))
        || understood.references.len() > 1 && understood.aspect.is_some();
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

/// Words that begin a question.
const ASKS: [&str; 19] = [
    "who", "whom", "whose", "what", "which", "how", "when", "where", "why", "is", "are", "was",
    "were", "does", "do", "did", "has", "have", "can",
];

/// Words that begin an order to show something.
const SHOWS: [&str; 7] = ["list", "show", "tell", "give", "find", "search", "compare"];

/// A second question in the same breath: `how long is X and who made it`. One answer is of one of them.
fn halves(question: &str, understood: &Understanding) -> Option<String> {
    let shape = shape(question, &understood.references);
    let word = |at: usize| shape.get(at).map_or("", String::as_str);
    let is_link = |word: &str| ["also", "then", "please", "so", "now"].contains(&word);
    let second = (1..shape.len()).find_map(|at| {
        if !["and", "plus", "but", "then"].contains(&word(at)) {
            return None;
        }
        let next = (at + 1..shape.len()).find(|at| !is_link(word(*at)))?;
        let asks = ASKS.iter().chain(&SHOWS).any(|it| *it == word(next));
        asks.then_some((at, shape.len()))
    });
    let said = |(from, to): (usize, usize)| {
        let words = (from..to).map(|at| match word(at) {
            GAP => "…",
            word => word,
        });
        words.collect::<Vec<_>>().join(" ")
    };
    let second = second
        .map(said)
        .or_else(|| sentence(question, understood))?;
    Some(format!(
        "\"{second}\" is a second question: one is answered at a time; ask it afterwards"
    ))
}

/// A second sentence that is a question too.
fn sentence(question: &str, understood: &Understanding) -> Option<String> {
    let first_of = |part: &str| {
        let part = part.to_lowercase();
        let word = part.split_whitespace().next();
        word.map(str::to_owned).unwrap_or_default()
    };
    let mut parts = question.split([',', ';', '?', '!']);
    let first = parts.next()?;
    // `Who won? Show the winners` asks for one thing.
    let asks = |part: &str| ASKS.contains(&first_of(part).as_str());
    let own = own_words(first, &understood.references);
    let is_content = |word: &String| weight(word, "", "") == Weight::Content;
    let is_shown = SHOWS.contains(&first_of(first).as_str());
    if !(asks(first) || is_shown) || !own.iter().any(is_content) {
        return None;
    }
    let second = parts.find(|part| asks(part) && part.split_whitespace().nth(1).is_some())?;
    Some(second.trim().to_owned())
}

/// In which playlists something is: lists of playlists are of whoever made them.
fn holders(question: &str, understood: &Understanding) -> Option<String> {
    let shape = shape(question, &understood.references);
    let gap = shape.iter().position(|word| word == GAP)?;
    let before = shape.get(..gap)?;
    let list = before
        .iter()
        .position(|word| matches!(noun(word), Some((Noun::Playlist, _))))?;
    let holds = [
        "contain", "contains", "containing", "include", "includes", "including", "feature",
        "features", "featuring", "hold", "holds", "have", "with",
    ];
    let between = before.get(list + 1..)?;
    let is_held = between.iter().any(|word| holds.contains(&word.as_str()));
    let inside = ["in", "on", "inside", "part"];
    let is_in = |word: Option<&String>| word.is_some_and(|it| inside.contains(&it.as_str()));
    let is_first = is_in(shape.first()) && ["which", "what"].contains(&shape.get(1)?.as_str());
    let is_last = is_in(shape.last()) && shape.last() != before.last();
    // `playlist with the id K75Ja3` is the playlist itself.
    let says_name = ["id", "called", "named", "titled", "name", "title", "link"];
    let is_itself = between
        .iter()
        .any(|word| says_name.contains(&word.as_str()));
    let is_thing = understood.references.len() == 1 && !is_itself;
    // `playlists Nova Kane has` are those she made.
    (is_thing && (is_held || is_first || is_last)).then(|| {
        format!(
            "\"{}\": in which playlists something is cannot be asked of Audius; the playlists of a user can, and the tracks in one",
            before.get(list).map_or("", String::as_str)
        )
    })
}

/// What somebody or something is said to be, which no field of a record says: `is X a top artist`, `is X popular`.
fn judged(question: &str, understood: &Understanding) -> Option<String> {
    let [name] = understood.references.as_slice() else {
        return None;
    };
    let shape = shape(question, &understood.references);
    let gap = shape.iter().position(|word| word == GAP)?;
    let is_asked = ["is", "are", "was", "were"].contains(&shape.first()?.as_str());
    let is_name_next = shape
        .get(1..gap)?
        .iter()
        .all(|word| word == "the" || noun(word).is_some());
    let is_known = understood.aspect.is_some()
        || shape.iter().any(|word| word.starts_with("remix"))
        || shape.get(gap + 1..)?.is_empty();
    (is_asked && is_name_next && !is_known).then(|| {
        format!(
            "a yes or no about {}: no record says that; ask for one of its fields, or for the list",
            name.text()
        )
    })
}

/// Whether a question says what kind of things it is about.
fn is_kind_said(words: &[String]) -> bool {
    const KINDS: [&str; 15] = [
        "track", "user", "playlist", "album", "coin", "genre", "contest", "event", "tip",
        "comment", "remix", "remixe", "release", "tag", "follower",
    ];
    let said = tokens(&words.join(" "));
    said.iter().any(|word| KINDS.contains(&word.as_str()))
}

/// An order to play or fetch sound, which is none to change something.
fn heard(words: &[String], understood: &Understanding) -> Option<String> {
    understood.references.first()?;
    let [first, rest @ ..] = words else {
        return None;
    };
    let is_order = ["play", "listen", "hear", "download"].contains(&first.as_str());
    let is_noun = rest.first().is_some_and(|word| {
        ["count", "counts", "history", "number", "numbers"].contains(&word.as_str())
    });
    (is_order && !is_noun).then(|| {
        format!("\"{first}\": sound is neither played nor fetched here; ask about the track")
    })
}

/// What is like a track or a playlist. Of users there is an operation for that.
fn alike(words: &[String], understood: &Understanding) -> Option<String> {
    understood.references.first()?;
    let mut pairs = words.windows(2);
    pairs.find_map(|pair| {
        let [one, two] = pair else { return None };
        let is_thing = ["song", "songs", "track", "tracks", "playlist", "playlists", "album", "albums", "music"]
            .contains(&one.as_str());
        let is_like = ["like", "similar", "resembling"].contains(&two.as_str());
        (is_thing && is_like).then(|| {
            format!(
                "\"{one} {two}\": what is like a track or a playlist cannot be asked of Audius; artists like a user can"
            )
        })
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
        // `over 140`, `more than a thousand`, `under three minutes`
        let at_number = match word(at + 1) {
            "a" | "an" | "half" => at + 2,
            _ => at + 1,
        };
        let said = word(at_number);
        let is_number = said.starts_with(|c: char| c.is_ascii_digit())
            || number(said).is_some()
            || NUMBERS.contains(&said);
        let is_tempo = (2..5).any(|more| word(at + more) == "bpm");
        (is_limit && is_number && !is_tempo).then(|| {
            let said: Vec<&str> = (at..=at_number).map(word).collect();
            format!(
                "\"{}\": more or less than a number cannot be asked of Audius",
                said.join(" ")
            )
        })
    })
}

/// That a question wants a yes or a no, and gets a list.
pub(crate) fn wants_yes_or_no(question: &str, understood: &Understanding) -> bool {
    understood.aspect.is_none() && is_yes_or_no(&own_words(question, &understood.references))
}

fn is_yes_or_no(words: &[String]) -> bool {
    let first = words.first().map(String::as_str).unwrap_or_default();
    YES_OR_NO.contains(&first) && words.get(1).is_none_or(|word| word != "you")
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
            "tracks with more than a thousand plays",
            "songs shorter than two minutes",
            "top artists other than Mira Voss",
            "tracks by anyone but Nova Kane",
            "no techno, just trending tracks",
            "songs like First Light",
            "play First Light",
            "the verified ones",
            "comments on the longest one",
            "how long is First Light and who made it",
            "who made First Light, and is it downloadable?",
            "how many followers has Nova Kane? what genre is First Light?",
            "in which playlists is Nova Kane",
            "which playlists contain First Light",
            "which playlists is First Light on",
            "is Nova Kane a top artist",
            "is Nova Kane in the top artists",
            "is Glass House popular",
            "do any of them follow Nova Kane",
            "listen to \"First Light\"",
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
            "play count of First Light",
            "does Nova Kane have any albums?",
            "how long is the second one?",
            "search tracks over 140 bpm about rain",
            "techno tracks over 140 bpm",
            "which one of the trending tracks is longest",
            "trending tracks over the last 7 days",
            "tracks in the playlist Night Drive",
            "what songs does the playlist Night Drive contain",
            "playlists by Nova Kane",
            "playlist with the id 4xq",
            "is First Light a remix",
            "hi, who follows Nova Kane?",
            "Who won the weekly trending? Show the trending winners",
            "Nova Kane, how many followers does she have?",
            "compare the plays of First Light and Paper Moons",
        ] {
            assert_eq!(beyond_of(question), None, "{question}");
        }
        let question = "does Nova Kane have any albums?";
        assert!(wants_yes_or_no(question, &Understanding::of(question)));
    }
}
