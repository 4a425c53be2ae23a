//! Secrets that are known by their look: keys of well-known services, tokens, private keys.

use std::ops::Range;

use super::work;

/// Keys that begin with a word and continue with so many characters.
const KEYS: [(&str, Letters, usize); 26] = [
    ("sk-", Letters::Dashed, 16),
    ("sk_live_", Letters::Dashed, 10),
    ("sk_test_", Letters::Dashed, 10),
    ("rk_live_", Letters::Dashed, 10),
    ("pk_live_", Letters::Dashed, 10),
    ("ghp_", Letters::Dashed, 20),
    ("gho_", Letters::Dashed, 20),
    ("ghu_", Letters::Dashed, 20),
    ("ghs_", Letters::Dashed, 20),
    ("ghr_", Letters::Dashed, 20),
    ("github_pat_", Letters::Dashed, 20),
    ("glpat-", Letters::Dashed, 16),
    ("xoxb-", Letters::Dashed, 10),
    ("xoxp-", Letters::Dashed, 10),
    ("xoxa-", Letters::Dashed, 10),
    ("xoxr-", Letters::Dashed, 10),
    ("xoxs-", Letters::Dashed, 10),
    ("AKIA", Letters::Capital, 16),
    ("ASIA", Letters::Capital, 16),
    ("AIza", Letters::Dashed, 30),
    ("ya29.", Letters::Dashed, 20),
    ("hf_", Letters::Dashed, 20),
    ("lsv2_", Letters::Dashed, 16),
    ("npm_", Letters::Dashed, 30),
    ("gsk_", Letters::Dashed, 20),
    ("xai-", Letters::Dashed, 20),
];

#[derive(Clone, Copy)]
enum Letters {
    Capital,
    Dashed,
    Token,
}

impl Letters {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Dashed => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Token => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+' | b'/' | b'=')
            }
        }
    }

    /// How much of the beginning is of these letters.
    fn run(self, text: &str) -> usize {
        let length = text.bytes().take_while(|byte| self.has(*byte)).count();
        work::steps(length);
        length
    }
}

/// Adds where such secrets stand. Text comes from anywhere, so nothing is looked at twice: not what
/// was found, and not for a token where one cannot be.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let (mut before, mut past, mut no_token) = (b' ', 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        let begins = !before.is_ascii_alphanumeric();
        before = byte;
        let may = match byte {
            b':' | b'-' => true,
            b's' | b'r' | b'p' | b'g' | b'x' | b'A' | b'y' | b'h' | b'l' | b'n' | b'e' | b'b'
            | b'B' => begins,
            _ => false,
        };
        if !may || at < past {
            continue;
        }
        let Some(rest) = text.get(at..) else { continue };
        let mut secret = key(rest)
            .or_else(|| after_scheme(rest))
            .or_else(|| private_key(rest))
            .or_else(|| password_in_url(rest));
        if secret.is_none() && at >= no_token && rest.starts_with("eyJ") {
            let run = Letters::Token.run(rest);
            secret = token(rest, run);
            no_token = at + run;
        }
        if let Some(range) = secret {
            past = at + range.end;
            found.push(at + range.start..past);
        }
    }
}

fn key(rest: &str) -> Option<Range<usize>> {
    KEYS.iter().find_map(|(prefix, letters, least)| {
        let tail = rest.strip_prefix(prefix)?;
        let run = letters.run(tail);
        (run >= *least).then_some(0..prefix.len() + run)
    })
}

/// A JSON web token: three parts with points between them, of which the first is an object. If what
/// there is of its letters is none, then no end of that is one.
fn token(rest: &str, run: usize) -> Option<Range<usize>> {
    let mut parts = rest.get(..run)?.split('.');
    let (head, body) = (parts.next()?, parts.next()?);
    parts.next()?;
    (head.len() >= 10 && body.len() >= 4).then_some(0..run)
}

/// What follows `Bearer` or `Basic`.
fn after_scheme(rest: &str) -> Option<Range<usize>> {
    let scheme = ["bearer ", "basic "].into_iter().find(|scheme| {
        let head = rest.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })?;
    let tail = rest.get(scheme.len()..)?;
    let start = scheme.len() + (tail.len() - tail.trim_start_matches(' ').len());
    let run = Letters::Token.run(rest.get(start..)?);
    let word = rest.get(start..start + run)?;
    // Prose has bearers and basics too.
    let is_token = run >= 20 || run >= SHORT && word.bytes().any(|byte| byte.is_ascii_digit());
    is_token.then_some(start..start + run)
}

const SHORT: usize = 8;

/// A block of a private key; without an end it goes to the end of the text.
fn private_key(rest: &str) -> Option<Range<usize>> {
    let tail = rest.strip_prefix("-----BEGIN ")?;
    let (title, _) = tail.split_once("-----")?;
    work::steps(title.len());
    if !title.contains("PRIVATE KEY") || title.len() > 40 {
        return None;
    }
    let end = rest.find("-----END ").and_then(|at| {
        let after = at + "-----END ".len();
        let close = rest.get(after..)?.find("-----")?;
        Some(after + close + "-----".len())
    });
    Some(0..end.unwrap_or(rest.len()))
}

/// The password in `scheme://user:password@host`.
fn password_in_url(rest: &str) -> Option<Range<usize>> {
    let tail = rest.strip_prefix("://")?;
    let stops = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\'' | b'<');
    let length = tail.bytes().take_while(|byte| !stops(*byte)).count();
    work::steps(length);
    let (login, _) = tail.get(..length)?.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let start = "://".len() + user.len() + 1;
    (!password.is_empty()).then_some(start..start + password.len())
}
