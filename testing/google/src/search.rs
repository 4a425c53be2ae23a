//! The language of `q`: terms, `OR`, `-`, quotes and parentheses.
//!
//! `OR` binds less than standing side by side, so that a question without the parentheses it
//! needs finds too much here as well.

use std::iter::Peekable;

use crate::{
    header,
    store::{Mail, plain_subject},
};

/// What is asked for.
#[derive(Debug, PartialEq)]
pub(crate) enum Term {
    All(Vec<Term>),
    Any(Vec<Term>),
    Not(Box<Term>),
    Is { field: String, value: String },
}

/// Reads a question; nothing if it cannot be understood.
pub(crate) fn read(text: &str) -> Option<Term> {
    let mut tokens = tokens(text).into_iter().peekable();
    let term = any(&mut tokens)?;
    tokens.next().is_none().then_some(term)
}

impl Term {
    /// Whether a mail is meant.
    pub(crate) fn finds(&self, mail: &Mail) -> bool {
        match self {
            Self::All(terms) => terms.iter().all(|term| term.finds(mail)),
            Self::Any(terms) => terms.iter().any(|term| term.finds(mail)),
            Self::Not(term) => !term.finds(mail),
            Self::Is { field, value } => is(mail, field, value),
        }
    }

    /// Whether it asks for chats, spam and other places that are left out otherwise.
    pub(crate) fn names_place(&self, place: &str) -> bool {
        match self {
            Self::All(terms) | Self::Any(terms) => terms.iter().any(|term| term.names_place(place)),
            Self::Not(_) => false,
            Self::Is { field, value } => field == "in" && value.eq_ignore_ascii_case(place),
        }
    }
}

fn is(mail: &Mail, field: &str, value: &str) -> bool {
    let raw = &mail.raw;
    let has = |name: &str| {
        let found = header::value(raw, name).unwrap_or_default();
        found.to_lowercase().contains(&value.to_lowercase())
    };
    let labeled = |label: &str| {
        let mut labels = mail.labels.iter();
        labels.any(|known| known.eq_ignore_ascii_case(label))
    };
    match field {
        "from" => has("From"),
        "to" => has("To") || has("Cc") || has("Bcc"),
        "subject" => has("Subject"),
        "after" => second(value).is_some_and(|second| mail.arrived > second.saturating_mul(1000)),
        "before" => second(value).is_some_and(|second| mail.arrived < second.saturating_mul(1000)),
        "is" => match value {
            "unread" => labeled("UNREAD"),
            "read" => !labeled("UNREAD"),
            other => labeled(other),
        },
        "in" | "label" => labeled(value) || value == "anywhere",
        "rfc822msgid" => {
            let id = header::message_id(raw).unwrap_or_default();
            id == value.trim_matches(['<', '>'])
        }
        _ => {
            let text = String::from_utf8_lossy(raw).to_lowercase();
            let subject = plain_subject(&header::value(raw, "Subject").unwrap_or_default());
            text.contains(&value.to_lowercase()) || subject == value
        }
    }
}

/// A second of the epoch, or the first of a day.
fn second(value: &str) -> Option<i64> {
    if let Ok(second) = value.parse() {
        return Some(second);
    }
    let day: jiff::civil::Date = value.replace('/', "-").parse().ok()?;
    let zoned = day.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(zoned.timestamp().as_second())
}

#[derive(Debug, PartialEq)]
enum Token {
    Open,
    Close,
    Or,
    Not,
    Word(String),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(next) = chars.peek().copied() {
        match next {
            ' ' => {
                chars.next();
            }
            '(' | ')' | '-' => {
                chars.next();
                tokens.push(match next {
                    '(' => Token::Open,
                    ')' => Token::Close,
                    _ => Token::Not,
                });
            }
            _ => {
                let word = word(&mut chars);
                let is_or = word == "OR";
                tokens.push(if is_or { Token::Or } else { Token::Word(word) });
            }
        }
    }
    tokens
}

fn word(chars: &mut Peekable<impl Iterator<Item = char>>) -> String {
    let mut word = String::new();
    let mut is_quoted = false;
    while let Some(next) = chars.peek().copied() {
        if !is_quoted && matches!(next, ' ' | '(' | ')') {
            break;
        }
        chars.next();
        match next {
            '"' => is_quoted = !is_quoted,
            other => word.push(other),
        }
    }
    word
}

fn any(tokens: &mut Peekable<impl Iterator<Item = Token>>) -> Option<Term> {
    let mut terms = vec![all(tokens)?];
    while tokens.next_if_eq(&Token::Or).is_some() {
        terms.push(all(tokens)?);
    }
    Some(single(terms, Term::Any))
}

fn all(tokens: &mut Peekable<impl Iterator<Item = Token>>) -> Option<Term> {
    let mut terms = Vec::new();
    while !matches!(tokens.peek(), None | Some(Token::Or | Token::Close)) {
        terms.push(one(tokens)?);
    }
    Some(single(terms, Term::All))
}

fn one(tokens: &mut Peekable<impl Iterator<Item = Token>>) -> Option<Term> {
    match tokens.next()? {
        Token::Open => {
            let term = any(tokens)?;
            tokens.next_if_eq(&Token::Close)?;
            Some(term)
        }
        Token::Not => Some(Term::Not(Box::new(one(tokens)?))),
        Token::Word(word) => {
            let (field, value) = word.split_once(':').unwrap_or(("", &word));
            Some(Term::Is {
                field: field.to_lowercase(),
                value: value.to_owned(),
            })
        }
        Token::Or | Token::Close => None,
    }
}

fn single(mut terms: Vec<Term>, many: fn(Vec<Term>) -> Term) -> Term {
    match terms.pop() {
        Some(only) if terms.is_empty() => only,
        Some(last) => {
            terms.push(last);
            many(terms)
        }
        None => many(terms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(from: &str, labels: &[&str]) -> Mail {
        Mail {
            id: "1".into(),
            thread: "1".into(),
            arrived: 5_000,
            history: 1,
            labels: labels.iter().map(|&label| label.to_owned()).collect(),
            raw: format!("From: {from}\r\nSubject: Lunch on Friday\r\n\r\nhey").into_bytes(),
        }
    }

    fn finds(q: &str, mail: &Mail) -> bool {
        read(q).is_some_and(|term| term.finds(mail))
    }

    #[test]
    fn parentheses_keep_an_or_together() {
        let read = mail("bob@a.example", &["INBOX"]);
        assert!(!finds("is:unread (from:bob OR from:eve)", &read));
        assert!(finds("is:unread from:eve OR from:bob", &read));
        assert!(finds("-is:unread subject:\"lunch on\" after:4", &read));
        assert!(!finds("after:5", &read));
    }

    #[test]
    fn a_question_that_does_not_end_is_not_understood() {
        assert_eq!(read("(from:a"), None);
        assert_eq!(read("from:a)"), None);
    }
}
