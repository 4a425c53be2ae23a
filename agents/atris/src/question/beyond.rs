//! What a question asks for that no call can do, although each of its words is known: what two things share, a second
//! question, in which playlists something is, what is like a track. Such a question is refused. Words that no
//! operation knows (`without`, `second`, `more than 1000`) are left by the account of words, which refuses them.

use super::{
    Comparison, Reference, Understanding, is_search,
    maker::GAP,
    nouns::{Noun, is_music, noun},
    numbers::number,
    own_words,
    plain::{Weight, weight},
    shape, wants_write,
};
use crate::catalogue::tokens;

/// Words for what two things share.
const SHARED: [&str; 7] = [
    "both", "common", "mutual", "mutuals", "shared", "together", "between",
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
    if let Some(what) = halves(question, understood) {
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
        && (!words.iter().any(|word| noun(word).is_some()) || words.windows(2).any(is_one))
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
    if let Some(what) = ranked_tips(question) {
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
    None
}

/// A ranking of tips over all of Audius.
fn ranked_tips(question: &str) -> Option<String> {
    let asked = tokens(question);
    let has = |known: &[&str]| asked.iter().any(|word| known.contains(&word.as_str()));
    let is_asked = has(&["tip", "tipper"]) && has(&["leaderboard", "ranking", "tipper"]);
    is_asked.then(|| {
        "a ranking of tips: Audius has none; ask for the latest tips, or for the supporters of a user".to_owned()
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

/// What is like a track or a playlist. Of users there is an operation for that.
fn alike(words: &[String], understood: &Understanding) -> Option<String> {
    understood.references.first()?;
    let mut pairs = words.windows(2);
    pairs.find_map(|pair| {
        let [one, two] = pair else { return None };
        let is_thing = is_music(one) || one == "music";
        let is_like = ["like", "similar", "resembling"].contains(&two.as_str());
        (is_thing && is_like).then(|| {
            format!(
                "\"{one} {two}\": what is like a track or a playlist cannot be asked of Audius; artists like a user can"
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
