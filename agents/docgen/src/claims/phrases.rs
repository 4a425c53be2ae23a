//! The grammar of numbers of things: which words a number counts, and whether anything narrows that down.
//!
//! A number says how much there is of something in all only in a sentence that says nothing else: a head of known
//! words ("The project has"), the number with its noun, a list of more of these, and an end. Whatever else stands
//! there may make it the number of a part.

use std::ops::Range;

use super::{
    numerals::spelled,
    setting::{GENERAL, WHOLE},
};

/// A word, a number or a sign of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) place: Range<usize>,
    pub(super) text: String,
    pub(super) number: Option<u64>,
}

/// A number with what it counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Phrase {
    /// Which tokens are the number and the first one behind the phrase.
    pub(super) at: usize,
    pub(super) next: usize,
    pub(super) noun: String,
    /// The word before the noun, or the language behind it.
    pub(super) of: Option<String>,
    /// Whether it is about lines of code.
    pub(super) is_code: bool,
    /// Whether the noun stands before the number: `Files: 52`.
    pub(super) is_label: bool,
}

pub(super) const NOUNS: [&str; 9] = [
    "files", "folders", "directories", "lines", "dependencies", "components", "crates", "packages",
    "symbols",
];

/// Words of a head that leave a number what it is, besides those that speak of the whole.
const HEAD: &[&str] = &[
    "a", "about", "all", "altogether", "and", "approximately", "around", "compact", "comprises",
    "consists", "contains", "counts", "currently", "exactly", "has", "have", "holds", "includes",
    "it", "large", "medium", "modest", "roughly", "sized", "small", "spans", "there", "tiny",
    "with", "(", ":", ",",
];

/// Words that leave room around a number.
const ABOUT: &[&str] = &["about", "approximately", "around", "roughly"];

/// Words of a label: `Total number of files`.
const LABEL: &[&str] = &[
    "total", "number", "of", "the", "count", "in", "all", "overall",
];

/// The tokens of a sentence. Emphasis is none, and code is one unless it is a number.
pub(super) fn tokens(unit: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut at = 0;
    for (piece_number, piece) in unit.split('`').enumerate() {
        match piece_number % 2 {
            0 => found.extend(plain(piece, at)),
            _ => found.push(Token {
                place: at..at + piece.len(),
                text: "`".into(),
                number: value(piece),
            }),
        }
        at += piece.len() + 1;
    }
    with_spelled(found)
}

fn plain(piece: &str, start: usize) -> Vec<Token> {
    const SIGNS: &str = ",;:.()|!?\"[]";
    let mut found = Vec::new();
    let mut at = start;
    for chunk in piece.split_inclusive(|c: char| c.is_whitespace() || c == '*') {
        let word = chunk.trim_end_matches(|c: char| c.is_whitespace() || c == '*');
        let mut push = |place: Range<usize>, text: &str| {
            if !text.is_empty() {
                found.push(Token {
                    place,
                    text: text.to_lowercase(),
                    number: value(text),
                });
            }
        };
        let head = word.len()
            - word
                .trim_start_matches(|c| SIGNS.contains(c) || c == '~')
                .len();
        let body = word.trim_end_matches(|c| SIGNS.contains(c)).len().max(head);
        for (offset, sign) in word.get(..head).unwrap_or_default().char_indices() {
            let text = if sign == '~' {
                "about".to_owned()
            } else {
                sign.to_string()
            };
            push(at + offset..at + offset + 1, &text);
        }
        push(
            at + head..at + body,
            word.get(head..body).unwrap_or_default(),
        );
        for (offset, sign) in word.get(body..).unwrap_or_default().char_indices() {
            push(
                at + body + offset..at + body + offset + 1,
                &sign.to_string(),
            );
        }
        at += chunk.len();
    }
    found
}

/// The number of digits, with or without commas.
fn value(text: &str) -> Option<u64> {
    let is_digits = text.starts_with(|c: char| c.is_ascii_digit());
    is_digits.then(|| text.replace(',', "").parse().ok())?
}

/// Numbers in words as one token each.
fn with_spelled(tokens: Vec<Token>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut rest = tokens.as_slice();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        let mut token = first.clone();
        let all = std::iter::once(first).chain(others);
        if let Some((number, count)) = spelled(all.map(|it| it.text.as_str())) {
            let (more, behind) = others.split_at_checked(count - 1).unwrap_or_default();
            let end = more.last().map_or(first.place.end, |it| it.place.end);
            token.place.end = end;
            token.number = Some(number);
            rest = behind;
        }
        found.push(token);
    }
    found
}

fn text(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |it| it.text.as_str())
}

/// The phrase whose number is at a place. `is_language` says whether a word is a language of the code base.
pub(super) fn phrase(
    tokens: &[Token],
    at: usize,
    is_language: impl Fn(&str) -> bool,
) -> Option<Phrase> {
    tokens.get(at)?.number?;
    let (first, second) = (text(tokens, at + 1), text(tokens, at + 2));
    let made = |noun: &str, of: Option<&str>, is_code: bool, next: usize| Phrase {
        at,
        next,
        noun: noun.to_owned(),
        of: of.map(str::to_owned),
        is_code,
        is_label: false,
    };
    if NOUNS.contains(&first) {
        let third = text(tokens, at + 3);
        return Some(match (first, second) {
            ("lines", "of") if third == "code" => made(first, None, true, at + 4),
            ("lines", "of") | ("files", "in") if is_language(third) => {
                let is_code = text(tokens, at + 4) == "code";
                made(first, Some(third), false, at + 4 + usize::from(is_code))
            }
            _ => made(first, None, false, at + 2),
        });
    }
    if NOUNS.contains(&second) && first.starts_with(char::is_alphanumeric) {
        return Some(made(second, Some(first), false, at + 3));
    }
    label(tokens, at, is_language)
}

/// `Files: 52`, `Total number of files: 52`, `| Files | 52`.
fn label(tokens: &[Token], at: usize, is_language: impl Fn(&str) -> bool) -> Option<Phrase> {
    let sign = at.checked_sub(1)?;
    if !["|", ":"].contains(&text(tokens, sign)) {
        return None;
    }
    let before = tokens.get(..sign)?;
    let is_edge = |it: &Token| [",", ";", "|", "(", "."].contains(&it.text.as_str());
    let start = before.iter().rposition(is_edge).map_or(0, |it| it + 1);
    let (mut noun, mut of, mut is_code) = (None, None, false);
    for word in before.get(start..)?.iter().map(|it| it.text.as_str()) {
        let plural = format!("{word}s");
        match word {
            word if noun.is_none() && NOUNS.contains(&word) => noun = Some(word.to_owned()),
            "file" | "line" | "folder" | "symbol" if noun.is_none() => noun = Some(plural),
            "code" if noun.is_some() => is_code = true,
            word if of.is_none() && noun.is_none() && (is_language(word) || word == "test") => {
                of = Some(word.to_owned());
            }
            word if LABEL.contains(&word) => {}
            _ => return None,
        }
    }
    Some(Phrase {
        at,
        next: at + 1,
        noun: noun?,
        of,
        is_code,
        is_label: true,
    })
}

/// Whether the words before a label are labels with their numbers, or say nothing of a part.
pub(super) fn is_among_labels(
    tokens: &[Token],
    phrase: &Phrase,
    is_language: impl Fn(&str) -> bool,
) -> bool {
    let before = tokens.get(..phrase.at).unwrap_or_default();
    phrase.is_label
        && before.iter().all(|it| {
            let word = it.text.as_str();
            let lists = [
                LABEL,
                HEAD,
                GENERAL,
                WHOLE,
                &NOUNS,
                &["|", ";", "file", "line", "test"],
            ];
            it.number.is_some()
                || is_language(word)
                || lists.iter().any(|list| list.contains(&word))
        })
}

/// Whose number the words before one say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// They name the whole.
    Whole,
    /// They name nothing: it is about what was spoken of.
    Open,
    /// They may name a part.
    Other,
}

/// What the words before a number say, and whether they leave room around it.
pub(super) fn head(tokens: &[Token], at: usize) -> (Head, bool) {
    let before = tokens.get(..at).unwrap_or_default();
    let is_about = before
        .last()
        .is_some_and(|it| ABOUT.contains(&it.text.as_str()));
    let is_known = |it: &Token| {
        let word = it.text.as_str();
        it.number.is_none()
            && [HEAD, GENERAL, WHOLE]
                .iter()
                .any(|list| list.contains(&word))
    };
    let joined: Vec<&str> = before.iter().map(|it| it.text.as_str()).collect();
    let joined = format!(" {} ", joined.join(" ")).replace("code base", "codebase");
    let names = WHOLE
        .iter()
        .chain(&["total", "altogether", "overall", "in all"]);
    let is_whole = names
        .into_iter()
        .any(|it| joined.contains(&format!(" {it} ")));
    let head = match before.iter().all(is_known) {
        false => Head::Other,
        true if is_whole => Head::Whole,
        // A number alone is about whatever it stands below.
        true if !joined.contains(char::is_alphabetic) => Head::Other,
        true => Head::Open,
    };
    (head, is_about)
}

/// What follows a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// Nothing that narrows it down.
    End,
    /// Another number, as an item of a list.
    List(usize),
    /// Another number, of what is counted.
    With(usize),
    /// Something that may narrow it down.
    Other,
}

/// What follows a phrase of a sentence.
pub(super) fn tail(tokens: &[Token], phrase: &Phrase) -> Tail {
    let at = phrase.next;
    let word = |more: usize| text(tokens, at + more);
    let is_number = |more: usize| tokens.get(at + more).is_some_and(|it| it.number.is_some());
    let skipped = |more: usize| Phrase {
        next: at + more,
        ..phrase.clone()
    };
    match (word(0), word(1)) {
        ("" | "." | ";" | ")" | "!", _) => Tail::End,
        ("|", rest) if rest.is_empty() || !phrase.is_label => Tail::End,
        ("," | "and", _) if is_number(1) => Tail::List(at + 1),
        (",", "and") if is_number(2) => Tail::List(at + 2),
        (",", "of") if word(2) == "which" => Tail::End,
        (",", _) if phrase.is_label => Tail::End,
        (",", rest) if text(tokens, 0) == "with" => {
            let is_it = rest == "it" || rest == "this" && word(2) == "is";
            match is_it || ["the", "this"].contains(&rest) && WHOLE.contains(&word(2)) {
                true => Tail::End,
                false => Tail::Other,
            }
        }
        ("with", _) if is_number(1) => Tail::With(at + 1),
        // All files are in all folders; of symbols and the like that does not hold.
        ("in" | "across", _)
            if is_number(1)
                && phrase.noun == "files"
                && ["folders", "directories"].contains(&word(2)) =>
        {
            Tail::With(at + 1)
        }
        ("in", "total" | "all") => tail(tokens, &skipped(2)),
        ("altogether" | "overall" | "long", _) => tail(tokens, &skipped(1)),
        ("in" | "of" | "across", "the" | "this") => {
            let is_entire = usize::from(["whole", "entire"].contains(&word(2)));
            let is_two = word(2 + is_entire) == "code" && word(3 + is_entire) == "base";
            match is_two || WHOLE.contains(&word(2 + is_entire)) {
                true => tail(tokens, &skipped(3 + is_entire + usize::from(is_two))),
                false => Tail::Other,
            }
        }
        _ => Tail::Other,
    }
}
