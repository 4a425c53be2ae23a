//! Secrets that are known by their look: keys of well-known services, tokens, private keys.

use std::ops::Range;

use super::{extent::ends_line, work};

/// Keys that begin with a word and continue with so many characters.
const KEYS: [(&str, Letters, usize); 31] = [
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
    ("xapp-", Letters::Dashed, 10),
    ("xoxe-", Letters::Dashed, 10),
    ("dop_v1_", Letters::Dashed, 32),
    ("pypi-", Letters::Dashed, 32),
    ("SG.", Letters::Token, 40),
];

#[derive(Clone, Copy)]
enum Letters {
    Capital,
    Dashed,
    Token,
    Path,
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
            Self::Path => byte == b'@' || Self::Token.has(byte),
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
            b's' | b'r' | b'p' | b'g' | b'x' | b'A' | b'S' | b'd' | b'y' | b'h' | b'l' | b'n'
            | b'e' | b'b' | b'B' | b'o' | b'w' => begins,
            _ => false,
        };
        if !may || at < past {
            continue;
        }
        let Some(rest) = text.get(at..) else { continue };
        let mut secret = key(rest)
            .or_else(|| after_scheme(rest))
            .or_else(|| web_hook(rest))
            .or_else(|| private_key(rest))
            .or_else(|| password_in_url(rest))
            .or_else(|| signature_in_url(rest));
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

/// What follows `Bearer` or `Basic`, on the same line or on the next.
fn after_scheme(rest: &str) -> Option<Range<usize>> {
    let scheme = ["bearer", "basic"].into_iter().find(|scheme| {
        let head = rest.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })?;
    let tail = rest.get(scheme.len()..)?;
    let here = tail.trim_start_matches([' ', '\t']);
    let below = here.strip_prefix("\r\n").or(here.strip_prefix('\n'));
    let value = below.map_or(here, |line| line.trim_start_matches([' ', '\t']));
    work::steps(tail.len() - value.len());
    if value.len() == tail.len() {
        return None;
    }
    let start = rest.len() - value.len();
    let run = Letters::Token.run(value);
    let word = value.get(..run)?;
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let has_digit = has(u8::is_ascii_digit);
    // Prose has bearers and basics too.
    let is_token = match (scheme, below) {
        _ if run >= 20 || run >= SHORT && has_digit => true,
        (_, Some(_)) => false,
        ("bearer", None) => {
            let is_word = !has_digit || !has(u8::is_ascii_alphabetic);
            (run >= SHORTEST && !is_word)
                || run >= LONG_WORD
                || (rest.starts_with('B') && stands_alone(word, value.get(run..)?))
        }
        _ => is_login(word),
    };
    is_token.then_some(start..start + run)
}

/// From how many letters on what follows is a token if there is a digit among them.
const SHORT: usize = 8;

/// The same behind `Bearer`.
const SHORTEST: usize = 4;

/// From how many letters on what follows `Bearer` is no word of prose.
const LONG_WORD: usize = 15;

/// What is said of tokens.
const SAID: [&str; 24] = [
    "token", "tokens", "auth", "authentication", "authorization", "scheme", "header", "headers",
    "credential", "credentials", "key", "keys", "format", "type", "prefix", "only", "or", "and",
    "is", "not", "missing", "required", "realm", "redacted",
];

/// Whether a word behind `Bearer` is the last of its line or of what is quoted, and not what is said of tokens.
fn stands_alone(word: &str, after: &str) -> bool {
    let bare = word.trim_end_matches('.');
    let is_last = ends_line(after) || after.starts_with(['"', '\'', '`', '\\']);
    // `Bearer realm="…"` names no token.
    let is_parameter = bare.ends_with('=') && !ends_line(after);
    let is_said = SAID.iter().any(|said| said.eq_ignore_ascii_case(bare));
    is_last && !is_parameter && !is_said && !bare.is_empty()
}

/// Whether a word is what `Basic` takes: a name, a colon and a password, in base 64.
fn is_login(word: &str) -> bool {
    let bare = word.trim_end_matches('=');
    let (mut bits, mut held, mut has_colon) = (0_u32, 0, false);
    for byte in bare.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xfff;
        held += 6;
        if held >= 8 {
            held -= 8;
            let read = bits >> held & 0xff;
            if !(0x20..0x7f).contains(&read) {
                return false;
            }
            has_colon |= read == u32::from(b':');
        }
    }
    has_colon
}

/// Hosts and paths of web hooks; those of Discord may have a version between them.
const WEB_HOOKS: [(&str, &str); 7] = [
    ("hooks.slack.com/", "services/"),
    ("hooks.slack.com/", "workflows/"),
    ("hooks.slack.com/", "triggers/"),
    ("discord.com/api/", "webhooks/"),
    ("discordapp.com/api/", "webhooks/"),
    ("webhook.office.com/", "webhookb2/"),
    ("outlook.office.com/", "webhook/"),
];

/// What follows the address of a web hook: who knows it may post.
fn web_hook(rest: &str) -> Option<Range<usize>> {
    let secret = WEB_HOOKS.iter().find_map(|(host, path)| {
        let tail = rest.strip_prefix(host)?;
        let version = tail.strip_prefix('v');
        let behind = version.map(|it| it.trim_start_matches(|sign: char| sign.is_ascii_digit()));
        let behind = behind.and_then(|it| it.strip_prefix('/'));
        behind.unwrap_or(tail).strip_prefix(path)
    })?;
    let run = Letters::Path.run(secret);
    let start = rest.len() - secret.len();
    (run >= 20).then_some(start..start + run)
}

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

/// What makes an address usable by whoever has it: `?sig=…`.
fn signature_in_url(rest: &str) -> Option<Range<usize>> {
    const LEAST: usize = 20;
    let name = "sig=";
    let value = rest.strip_prefix(name)?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"%+/=_-".contains(byte);
    let length = value.bytes().take_while(is_part).count();
    work::steps(length);
    (length >= LEAST).then_some(name.len()..name.len() + length)
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
