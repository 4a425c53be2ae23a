//! What a question names: links, handles, ids, and names of people and things.

use serde::{Deserialize, Serialize};

use super::{aspect::Aspect, earlier};
use crate::catalogue::{EntityType, genre, genre_in, has_words, is_known, is_part_of_genre};

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
    /// A title and whose it is, as they were written: `First Light by Nova Kane`.
    By {
        /// The title.
        name: String,
        /// Whose it is.
        by: String,
    },
    /// A word for what an earlier answer was about: `their`, `that track`, `the second one`.
    Earlier(String),
}

impl Reference {
    /// What was written.
    pub fn text(&self) -> &str {
        match self {
            Self::Url(text)
            | Self::Handle(text)
            | Self::Id(text)
            | Self::Name(text)
            | Self::By { name: text, .. }
            | Self::Earlier(text) => text,
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
    let words: Vec<&str> = question.split_whitespace().collect();
    let push = |found: &mut Vec<Reference>, reference: Reference| {
        if !found.contains(&reference) && found.len() < MOST {
            found.push(reference);
        }
    };
    for word in &words {
        let word = word.trim_matches(|c: char| is_quote(c) || ",;?!()".contains(c));
        let word = word.trim_end_matches('.');
        if word.contains("audius.co/") {
            push(&mut found, Reference::Url(url(word)));
        } else if let Some(handle) = word.strip_prefix('@') {
            let handle = handle.strip_suffix("'s").unwrap_or(handle);
            let handle = handle.strip_suffix("’s").unwrap_or(handle);
            if !handle.is_empty() && handle.chars().all(is_handle) {
                push(&mut found, Reference::Handle(handle.to_owned()));
            }
        }
    }
    if !found.is_empty() {
        return with_earlier(question, found);
    }
    for name in quoted_in(question) {
        push(&mut found, Reference::Name(name));
    }
    for pair in words.windows(2) {
        let [before, word] = pair else { continue };
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let says_id = before.eq_ignore_ascii_case("id");
        let is_thing = ["track", "song", "user", "artist", "playlist", "album"]
            .iter()
            .any(|thing| before.eq_ignore_ascii_case(thing));
        if says_id && !word.is_empty() || is_thing && is_id(word) {
            push(&mut found, Reference::Id(word.to_owned()));
        }
    }
    if found.is_empty() {
        let bare = words
            .iter()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        found.extend(
            bare.filter(|word| is_bare_id(word))
                .take(MOST)
                .map(|word| Reference::Id(word.to_owned())),
        );
    }
    if found.is_empty() {
        let ticker = ticker_in(&words);
        let is_name = |word: &&&str| Some(bare(word)) != ticker;
        let words: Vec<&str> = words.iter().filter(is_name).copied().collect();
        found = names(&words)
            .into_iter()
            .take(MOST)
            .map(Reference::Name)
            .collect();
    }
    let found = owned(question, found);
    with_earlier(question, found)
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Words that are about coins.
pub(super) const COINS: [&str; 9] = [
    "coin", "coins", "token", "price", "worth", "cost", "costs", "market", "ticker",
];

/// The ticker of a coin that is written without its `$`: one word of capitals in a question about coins.
pub(super) fn ticker_in<'a>(words: &[&'a str]) -> Option<&'a str> {
    let is_coin = |word: &&&str| COINS.contains(&bare(word).to_lowercase().as_str());
    words.iter().find(is_coin)?;
    let is_capitals = |at: usize| {
        let word = words.get(at).map_or("", |word| bare(word));
        (2..=8).contains(&word.len()) && word.chars().all(|c| c.is_ascii_uppercase())
    };
    let at = (0..words.len()).find(|at| {
        let is_alone = at.checked_sub(1).is_none_or(|at| !is_capitals(at));
        is_capitals(*at) && is_alone && !is_capitals(at + 1)
    })?;
    words.get(at).map(|word| bare(word))
}

/// What lists are made of that may be by somebody themselves: `comments on X by Y`.
const WRITTEN: [&str; 8] = [
    "comment", "comments", "remix", "remixes", "repost", "reposts", "favorite", "favorites",
];

/// A title and whose it is are one thing: `First Light by Nova Kane`.
fn owned(question: &str, mut named: Vec<Reference>) -> Vec<Reference> {
    let lower = question.to_lowercase();
    if WRITTEN.iter().any(|word| has_words(&lower, word)) {
        return named;
    }
    let mut at = 0;
    while let (Some(Reference::Name(name)), Some(Reference::Name(by))) =
        (named.get(at), named.get(at + 1))
    {
        let between = lower.find(&name.to_lowercase()).and_then(|from| {
            let behind = lower.get(from + name.to_lowercase().len()..)?;
            behind.get(..behind.find(&by.to_lowercase())?)
        });
        let is_by = between.is_some_and(|it| bare(it) == "by");
        if is_by {
            let (name, by) = (name.clone(), by.clone());
            named.splice(at..at + 2, [Reference::By { name, by }]);
        }
        at += 1;
    }
    named
}

/// What names of things are preceded by when two are compared.
const COMPARES: [&str; 7] = ["compare", "more", "fewer", "less", "than", "vs", "or"];

/// What a question names together with its words for something earlier: those count if nothing else is
/// named, or if it is compared with something.
fn with_earlier(question: &str, mut named: Vec<Reference>) -> Vec<Reference> {
    let lower = question.to_lowercase();
    // `the one by Nova Kane` is one of a list.
    if let [Reference::Name(name) | Reference::Handle(name)] = named.as_slice() {
        let name = name.to_lowercase();
        let mut cues = earlier::OWNED.iter().map(|cue| (cue, lower.find(cue)));
        let found = cues.find_map(|(cue, at)| Some(at? + cue.len()));
        let behind = found.and_then(|at| lower.get(at..));
        if behind.is_some_and(|it| {
            it.trim_start_matches(|c: char| !c.is_alphanumeric())
                .starts_with(&name)
        }) {
            let at = lower.find("the one ").unwrap_or_default();
            let to = lower.find(&name).map_or(lower.len(), |it| it + name.len());
            let said = lower.get(at..to).unwrap_or_default().to_owned();
            return vec![Reference::Earlier(said)];
        }
    }
    let Some((at, word)) = earlier::find(question) else {
        return named;
    };
    match named.as_slice() {
        [] => named.push(Reference::Earlier(word)),
        [one] if COMPARES.iter().any(|cue| has_words(&lower, cue)) => {
            let other = lower.find(&one.text().to_lowercase());
            let is_first = other.is_some_and(|other| at < other);
            let place = usize::from(!is_first);
            named.insert(place, Reference::Earlier(word));
        }
        _ => {}
    }
    named
}

/// Words that names come after, so that they need no capitals there.
const BEFORE: [&str; 19] = [
    "by", "of", "does", "did", "has", "artist", "user", "track", "song", "playlist", "album",
    "follows", "named", "called", "plays", "compare", "than", "to", "for",
];

/// Words between two names.
const BETWEEN: [&str; 4] = ["and", "or", "vs", "with"];

/// Words of questions that begin names often enough: `First Light`, `Seven Lions`.
const OPENERS: [&str; 16] = [
    "first", "second", "last", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "free", "good", "time", "key",
];

/// Nouns beside a name that say what it is, and are no part of it.
const NOUNS: [&str; 26] = [
    "track", "tracks", "song", "songs", "tune", "single", "playlist", "playlists", "album",
    "albums", "artist", "artists", "user", "users", "dj", "producer", "musician", "band", "remix",
    "remixes", "comments", "followers", "coin", "coins", "ep", "lp",
];

/// Small words inside names.
const LINKS: [&str; 2] = ["of", "the"];

/// A word of a question.
struct Word<'a> {
    text: &'a str,
    lower: String,
    is_capital: bool,
    is_known: bool,
    /// Whether nothing behind it belongs to it: punctuation, or a genitive.
    ends: bool,
    has_owner: bool,
}

impl<'a> Word<'a> {
    fn of(written: &'a str) -> Self {
        let bare = written.trim_matches(|c: char| !c.is_alphanumeric() && c != '$');
        let owner = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s"));
        let text = owner.unwrap_or(bare);
        // `I'd`, `we're`: what is before the apostrophe counts.
        let stem = text.split(['\'', '’']).next().unwrap_or(text);
        Self {
            text,
            lower: text.to_lowercase(),
            is_capital: text.chars().next().is_some_and(char::is_uppercase),
            is_known: text.is_empty() || text.starts_with('$') || is_known(stem),
            ends: written.ends_with([',', ';', '?', '!', ':', '.']) || owner.is_some(),
            has_owner: owner.is_some(),
        }
    }

    fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.lower.as_str())
    }

    fn is_number(&self) -> bool {
        !self.lower.is_empty() && self.lower.chars().all(|c| c.is_ascii_digit())
    }

    /// Whether it can be inside a name beside a word that is no word of questions: `Glass House`.
    fn can_join(&self) -> bool {
        let is_sound = genre_in(&self.lower).is_some() || is_part_of_genre(&self.lower);
        !self.text.is_empty() && (!self.is_known || self.is(&OPENERS) || is_sound)
    }
}

/// Runs of words that are names: capitalized words of which one is no word of questions, else such words
/// behind one that names come after.
fn names(words: &[&str]) -> Vec<String> {
    let words: Vec<Word<'_>> = words.iter().map(|word| Word::of(word)).collect();
    let mut names = capitalized(&words);
    if names.is_empty() {
        names = behind_cues(&words);
    }
    if names.is_empty() {
        names.extend(beside_noun(&words));
    }
    names.dedup();
    names
}

/// What a name in small letters is beside: `nova kane followers`, `first light plays`.
const ASKED: [&str; 16] = [
    "followers", "following", "fans", "plays", "supporters", "bio", "bpm", "tempo", "genre",
    "mood", "likes", "comments", "reposts", "remixes", "duration", "length",
];

/// A run of words that no question is made of, and one noun, and nothing else.
fn beside_noun(words: &[Word<'_>]) -> Option<String> {
    let (last, before) = words.split_last()?;
    // A word alone that is none of questions: a handle, mostly.
    if before.is_empty() && !last.is_known && last.text.len() > 3 {
        let is_slip = matches!(genre(&last.lower), Err(Some(_)));
        return (!is_slip).then(|| last.text.to_owned());
    }
    let run: Vec<&Word<'_>> = before.iter().collect();
    let is_name = run.iter().enumerate().all(|(at, word)| {
        let is_numbered = at > 0 && at + 1 == run.len() && word.is_number();
        (word.can_join() || is_numbered) && !word.ends
    });
    // What is nearly a genre is a slip of the pen.
    let is_slip = |word: &&Word<'_>| matches!(genre(&word.lower), Err(Some(_)));
    (last.is(&ASKED) && is_name && !run.iter().any(is_slip)).then(|| name(&run))?
}

fn capitalized(words: &[Word<'_>]) -> Vec<String> {
    let mut names = Vec::new();
    let mut run: Vec<&Word<'_>> = Vec::new();
    let mut is_start = true;
    for (at, word) in words.iter().enumerate() {
        // `Velvet Rivers 3`, but not `Nova Kane 5 tracks`.
        let counts = !word.ends && words.get(at + 1).is_some_and(|next| next.is(&NOUNS));
        let numbered = word.is_number() && !run.is_empty() && !counts;
        // A question begins with a capital, whatever it begins with.
        let opens = is_start && word.is_known && !word.is(&OPENERS);
        let belongs = word.is_capital && !word.text.starts_with('$') && !opens;
        is_start = false;
        // `Queens of the Stone Age`.
        let mut behind = words.iter().skip(at + 1);
        let links = !run.is_empty()
            && word.is(&LINKS)
            && behind
                .find(|next| !next.is(&LINKS))
                .is_some_and(|next| next.is_capital);
        let is_owner = word.has_owner && !word.is_known && run.is_empty();
        let belongs = belongs || numbered || links || is_owner;
        if belongs {
            run.push(word);
        }
        if !belongs || word.ends {
            names.extend(name(&run));
            run.clear();
        }
        if word.ends && !word.has_owner {
            is_start = true;
        }
    }
    names.extend(name(&run));
    names
}

fn behind_cues(words: &[Word<'_>]) -> Vec<String> {
    let asks_who = words.first().is_some_and(|it| it.is(&["who", "whos"]));
    let sentence: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let asks_field = Aspect::of(&sentence.join(" ")).is_some();
    let mut names: Vec<String> = Vec::new();
    let mut run: Vec<&Word<'_>> = Vec::new();
    let mut is_open = false;
    for (at, word) in words.iter().enumerate() {
        // `velvet rivers 3`, but not `nova kane 5 tracks`.
        let counts = !word.ends && words.get(at + 1).is_some_and(|next| next.is(&NOUNS));
        let is_numbered = word.is_number() && !run.is_empty() && !counts;
        let joins = is_open && (word.can_join() || is_numbered);
        if joins {
            run.push(word);
        } else if word.has_owner && !word.is_known {
            run = vec![word];
        }
        if !joins || word.ends {
            names.extend(name(&run));
            run.clear();
            is_open = word.is(&BEFORE)
                || word.is(&["is", "was"]) && (asks_who || asks_field)
                || word.is(&BETWEEN) && !names.is_empty();
        }
    }
    names.extend(name(&run));
    names
}

/// A run as a name, without the nouns around it; nothing if it is made of words of questions alone.
fn name(run: &[&Word<'_>]) -> Option<String> {
    let is_edge = |word: &&&Word<'_>| {
        word.is_known && !word.can_join() && !word.is_number() || word.is(&NOUNS)
    };
    let from = run.iter().take_while(is_edge).count();
    let to = run.len() - run.iter().rev().take_while(is_edge).count();
    let run = run.get(from..to)?;
    let texts: Vec<&str> = run.iter().map(|word| word.text).collect();
    run.iter()
        .any(|word| !word.is_known)
        .then(|| texts.join(" "))
}

pub(super) fn quoted_in(question: &str) -> Vec<String> {
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

/// Whether a word is an id by its form: small letters, a capital inside, and digits, all mixed, or capitals and
/// several digits.
fn is_bare_id(word: &str) -> bool {
    let has = |is: fn(&char) -> bool| word.chars().any(|c| is(&c));
    let is_mixed = has(char::is_ascii_lowercase) && has(char::is_ascii_uppercase);
    // `KFG793`; a name may be like that too, and is looked for if it is no id.
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let is_coded = word.starts_with(|c: char| c.is_ascii_uppercase())
        && !has(char::is_ascii_lowercase)
        && (2..word.len()).contains(&digits)
        && !is_known(word);
    is_id(word) && word.len() >= 5 && digits > 0 && (is_mixed || is_coded)
}

/// What a link leads to, by its form: a profile, a track of it, or a playlist of it.
pub(super) fn kind_of_link(url: &str) -> EntityType {
    let path = url.split_once("audius.co/").map_or("", |(_, path)| path);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [_, "playlist" | "album", ..] => EntityType::Playlist,
        [_, _, ..] => EntityType::Track,
        _ => EntityType::User,
    }
}

fn url(word: &str) -> String {
    let at = word.find("audius.co/").unwrap_or(0);
    let path = word.get(at..).unwrap_or(word);
    format!("https://{}", path.trim_end_matches('/'))
}
