//! Secrets in markup: `<password>…</password>`, and `<add key="password" value="…"/>`, where the name of
//! the secret is a value itself. An attribute that is called like a secret is found as any assignment is.
//!
//! A tag ends at the next `<`, and what is taken ends at a tag, so nothing is looked at twice.

use std::ops::Range;

use super::{REDACTED, pair::is_plain, work};

/// Attributes that name what an element is about.
const NAMING: [&str; 5] = ["name", "key", "id", "property", "field"];

/// Attributes that hold it.
const HOLDING: [&str; 3] = ["value", "content", "default"];

const CDATA: &str = "<![CDATA[";

/// Adds where values stand whose element is called like a secret, or says that it is one.
pub(super) fn find(text: &str, hides: &dyn Fn(&str) -> bool, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(start) = next(text, at, &['<']) {
        at = start + 1;
        let Some((tag, end)) = Tag::read(text, at) else {
            continue;
        };
        let is_named = tag
            .attributes()
            .any(|(name, value)| NAMING.contains(&name) && text.get(value).is_some_and(hides));
        let holding = tag
            .attributes()
            .find(|(name, _)| is_named && HOLDING.contains(name));
        let value = match holding {
            Some((_, value)) => Some(value),
            None if !is_named && !hides(tag.local_name()) => None,
            None => content(text, end, tag.name),
        };
        let Some(value) = value else { continue };
        at = at.max(value.end);
        let inside = text.get(value.clone()).unwrap_or_default();
        if !is_plain(inside) && inside != REDACTED {
            found.push(value);
        }
    }
}

/// Where one of these characters comes next.
fn next(text: &str, from: usize, letters: &[char]) -> Option<usize> {
    let found = text.get(from..)?.find(letters);
    work::steps(found.map_or(text.len() - from, |at| at + 1));
    found.map(|at| from + at)
}

/// The beginning of an element.
struct Tag<'a> {
    name: &'a str,
    /// What is behind the name, and where that is.
    rest: &'a str,
    at: usize,
}

impl<'a> Tag<'a> {
    /// The tag that begins here, behind its `<`, and where it ends.
    fn read(text: &'a str, at: usize) -> Option<(Self, usize)> {
        let rest = text.get(at..)?;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(byte);
        let length = rest.bytes().take(LONGEST).take_while(is_part).count();
        let name = rest.get(..length)?;
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            .then_some(())?;
        let end = next(text, at + length, &['<', '>'])?;
        text.get(end..)?.starts_with('>').then_some(())?;
        let rest = text.get(at + length..end)?;
        let at = at + length;
        Some((Self { name, rest, at }, end + 1))
    }

    /// The name without the prefix of its namespace.
    fn local_name(&self) -> &'a str {
        self.name.rsplit(':').next().unwrap_or(self.name)
    }

    /// The attributes with quoted values, and where the values stand.
    fn attributes(&self) -> impl Iterator<Item = (&'a str, Range<usize>)> {
        let (rest, start) = (self.rest, self.at);
        let mut at = 0;
        std::iter::from_fn(move || {
            loop {
                let equals = at + rest.get(at..)?.find('=')?;
                let name = rest.get(at..equals)?.trim();
                let name = name.rsplit(char::is_whitespace).next().unwrap_or(name);
                let value = rest.get(equals + 1..)?.trim_start();
                let open = rest.len() - value.len();
                at = equals + 1;
                let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                    continue;
                };
                let length = value.get(1..)?.find(quote)?;
                at = open + 1 + length + 1;
                return Some((name, start + open + 1..start + open + 1 + length));
            }
        })
    }
}

/// Names are no longer than this.
const LONGEST: usize = 64;

/// The text of an element, if the element ends behind it.
fn content(text: &str, start: usize, name: &str) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let blank = rest.len() - rest.trim_start().len();
    if let Some(inside) = rest.trim_start().strip_prefix(CDATA) {
        let start = start + blank + CDATA.len();
        let length = inside.find("]]>").unwrap_or(inside.len());
        work::steps(length);
        return Some(start..start + length);
    }
    let end = next(text, start, &['<'])?;
    let closing = text.get(end..)?.strip_prefix("</")?;
    closing.starts_with(name).then_some(())?;
    let inside = text.get(start..end)?;
    let start = start + (inside.len() - inside.trim_start().len());
    Some(start..start + inside.trim().len())
}
