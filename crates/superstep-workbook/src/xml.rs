//! XML as a stream of tokens with their places in the text, so that what is not changed can be
//! copied as it is. Document types and entities are refused.

use std::borrow::Cow;

use quick_xml::{
    Reader,
    escape::{resolve_predefined_entity, unescape},
    events::{Event, attributes::Attributes},
};

use crate::error::Error;

/// One token.
#[derive(Debug)]
pub(crate) enum Token<'a> {
    /// The beginning of an element; its end comes later.
    Open(Tag<'a>),
    /// An element without content.
    Empty(Tag<'a>),
    /// The end of an element.
    Close,
    /// Text with its references resolved.
    Text(Cow<'a, str>),
}

/// A start tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'a> {
    /// What is between the brackets, without a closing slash.
    content: &'a str,
    name: &'a str,
}

impl<'a> Tag<'a> {
    pub(crate) fn new(content: &'a str) -> Self {
        let end = content.find(|c: char| c.is_ascii_whitespace());
        let name = end.and_then(|end| content.get(..end)).unwrap_or(content);
        Self { content, name }
    }

    /// The name without its namespace.
    pub(crate) fn local(&self) -> &'a str {
        local(self.name)
    }

    /// The name as it is there.
    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    /// An attribute by its name without namespace; what cannot be read counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attributes()
            .find_map(|(key, value)| (local(key) == name).then_some(value))
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    /// Whether an attribute is there and true.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| is_true(&value))
    }

    /// All attributes, names with their namespaces.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> + use<'a> {
        let mut attributes = Attributes::new(self.content, self.name.len());
        attributes.with_checks(false);
        attributes.filter_map(Result::ok).filter_map(|attribute| {
            let key = std::str::from_utf8(attribute.key.0).ok()?;
            let value = match attribute.value {
                Cow::Borrowed(bytes) => unescape(std::str::from_utf8(bytes).ok()?).ok()?,
                Cow::Owned(bytes) => {
                    let text = String::from_utf8(bytes).ok()?;
                    Cow::Owned(unescape(&text).ok()?.into_owned())
                }
            };
            Some((key, value))
        })
    }

    /// The attributes as they could be written again, some left out.
    pub(crate) fn others(&self, without: &[&str]) -> String {
        let mut text = String::new();
        for (key, value) in self.attributes() {
            if !without.contains(&key) {
                attribute(&mut text, key, &value);
            }
        }
        text
    }
}

/// A name without its namespace.
pub(crate) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

pub(crate) fn is_true(value: &str) -> bool {
    matches!(value, "1" | "true" | "on")
}

/// A reader of one part.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    source: &'a str,
    part: &'a str,
    start: usize,
    depth: usize,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(part: &'a str, source: &'a str) -> Self {
        Self {
            reader: Reader::from_str(source),
            source,
            part,
            start: 0,
            depth: 0,
        }
    }

    /// The next token; none at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, Error> {
        loop {
            self.start = self.end();
            let event = self
                .reader
                .read_event()
                .map_err(|error| Error::malformed(self.part, error.to_string()))?;
            let kind = match event {
                Event::Start(_) => {
                    self.depth += 1;
                    Token::Open(Tag::new(self.inside(">")))
                }
                Event::Empty(_) => Token::Empty(Tag::new(self.inside("/>"))),
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    Token::Close
                }
                Event::Text(_) => Token::Text(Cow::Borrowed(self.raw())),
                Event::CData(data) => Token::Text(Cow::Owned(
                    String::from_utf8_lossy(&data.into_inner()).into_owned(),
                )),
                Event::GeneralRef(_) => Token::Text(Cow::Owned(self.resolve()?)),
                Event::DocType(_) => {
                    return Err(Error::Entities {
                        part: self.part.to_owned(),
                    });
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::Eof if self.depth > 0 => return Err(self.cut_off()),
                Event::Eof => return Ok(None),
            };
            return Ok(Some(kind));
        }
    }

    /// Where the last token begins.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// Where the last token ends.
    pub(crate) fn end(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// The text from a place to the end of the last token.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        self.source.get(start..self.end()).unwrap_or_default()
    }

    /// Goes to the end of the element that was just opened.
    pub(crate) fn skip(&mut self) -> Result<(), Error> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Some(Token::Open(_)) => depth += 1,
                Some(Token::Close) => depth -= 1,
                Some(Token::Empty(_) | Token::Text(_)) => {}
                None => return Err(self.cut_off()),
            }
        }
        Ok(())
    }

    /// All text up to the end of the element that was just opened.
    pub(crate) fn text(&mut self) -> Result<String, Error> {
        let mut text = String::new();
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Some(Token::Open(_)) => depth += 1,
                Some(Token::Close) => depth -= 1,
                Some(Token::Text(more)) => text.push_str(&more),
                Some(Token::Empty(_)) => {}
                None => return Err(self.cut_off()),
            }
        }
        Ok(text)
    }

    pub(crate) fn cut_off(&self) -> Error {
        Error::malformed(self.part, "it ends within an element")
    }

    fn raw(&self) -> &'a str {
        self.since(self.start)
    }

    fn inside(&self, end: &str) -> &'a str {
        let raw = self.raw();
        let raw = raw.strip_prefix('<').unwrap_or(raw);
        raw.strip_suffix(end).unwrap_or(raw)
    }

    fn resolve(&self) -> Result<String, Error> {
        let raw = self.raw();
        let name = raw.trim_start_matches('&').trim_end_matches(';');
        if let Some(known) = resolve_predefined_entity(name) {
            return Ok(known.to_owned());
        }
        match unescape(raw) {
            Ok(text) if name.starts_with('#') => Ok(text.into_owned()),
            _ => Err(Error::malformed(
                self.part,
                format!("the entity `{raw}` is not known"),
            )),
        }
    }
}

/// The text of a part: UTF-8, or UTF-16 with its mark.
pub(crate) fn decode<'a>(part: &str, bytes: &'a [u8]) -> Result<Cow<'a, str>, Error> {
    let wide = |from: fn([u8; 2]) -> u16, bytes: &[u8]| {
        let units: Vec<u16> = bytes
            .chunks_exact(2)
            .filter_map(|pair| Some(from(pair.try_into().ok()?)))
            .collect();
        String::from_utf16(&units).map_err(|_| Error::malformed(part, "it is not UTF-16"))
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => wide(u16::from_le_bytes, rest).map(Cow::Owned),
        [0xFE, 0xFF, rest @ ..] => wide(u16::from_be_bytes, rest).map(Cow::Owned),
        [0xEF, 0xBB, 0xBF, rest @ ..] | rest => std::str::from_utf8(rest)
            .map(Cow::Borrowed)
            .map_err(|_| Error::malformed(part, "it is not UTF-8")),
    }
}

/// Adds text with what XML reserves escaped.
pub(crate) fn escape(into: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\n' => into.push_str("&#10;"),
            '\r' => into.push_str("&#13;"),
            '\t' => into.push_str("&#9;"),
            c if is_allowed(c) => into.push(c),
            _ => into.push('\u{FFFD}'),
        }
    }
}

/// Adds ` name="value"`.
pub(crate) fn attribute(into: &mut String, name: &str, value: &str) {
    into.push(' ');
    into.push_str(name);
    into.push_str("=\"");
    escape(into, value);
    into.push('"');
}

/// Attributes as they are written, with one set or, without a value, left out.
pub(crate) fn put_attribute(attributes: &str, name: &str, value: Option<&str>) -> String {
    let content = format!("x{attributes}");
    let mut text = Tag::new(&content).others(&[name]);
    if let Some(value) = value {
        attribute(&mut text, name, value);
    }
    text
}

/// Whether XML 1.0 can hold the character.
pub(crate) fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The text of a cell from the way it is stored: `_x000D_` stands for a carriage return.
pub(crate) fn unescape_cell(text: String) -> String {
    if !text.contains("_x") {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("_x") {
        let (before, after) = rest.split_at(at);
        plain.push_str(before);
        let code = after.get(2..6).filter(|_| after.get(6..7) == Some("_"));
        let code = code.and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => {
                plain.push(c);
                rest = after.get(7..).unwrap_or_default();
            }
            None => {
                plain.push_str("_x");
                rest = after.get(2..).unwrap_or_default();
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// The text of a cell as it is stored.
pub(crate) fn escape_cell(text: &str) -> Cow<'_, str> {
    let is_plain = text.chars().all(is_allowed) && !text.contains("_x");
    if is_plain {
        return Cow::Borrowed(text);
    }
    let mut stored = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        let looks_escaped = c == '_'
            && text.get(at + 1..at + 2) == Some("x")
            && text.get(at + 6..at + 7) == Some("_");
        if looks_escaped {
            stored.push_str("_x005F_");
        } else if is_allowed(c) {
            stored.push(c);
        } else {
            stored.push_str(&format!("_x{:04X}_", u32::from(c)));
        }
    }
    Cow::Owned(stored)
}

/// A place of a text that may be changed.
pub(crate) enum Piece<'a> {
    /// The value of an attribute.
    Attribute(&'a str, &'a str),
    /// The text of an element without children.
    Text(&'a str),
}

/// A text with some of its attributes and element texts changed, the rest as it is. `see` is
/// called with the element's name; `leaves` are the elements whose text is wanted.
pub(crate) fn map(
    part: &str,
    text: &str,
    leaves: &[&str],
    mut see: impl FnMut(&str, Piece<'_>) -> Option<String>,
) -> Result<String, Error> {
    let mut xml = Xml::new(part, text);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    while let Some(token) = xml.next()? {
        let (tag, is_open) = match token {
            Token::Open(tag) => (tag, true),
            Token::Empty(tag) => (tag, false),
            Token::Close | Token::Text(_) => continue,
        };
        let mut attributes = String::new();
        let mut is_changed = false;
        for (key, value) in tag.attributes() {
            let new = see(tag.local(), Piece::Attribute(local(key), &value));
            is_changed |= new.is_some();
            attribute(&mut attributes, key, new.as_deref().unwrap_or(&value));
        }
        let (start, end) = (xml.start(), xml.end());
        if is_changed {
            out.push_str(text.get(copied..start).unwrap_or_default());
            let close = if is_open { ">" } else { "/>" };
            out.push_str(&format!("<{}{attributes}{close}", tag.name()));
            copied = end;
        }
        if is_open && leaves.contains(&tag.local()) {
            let inner = xml.text()?;
            if let Some(new) = see(tag.local(), Piece::Text(&inner)) {
                out.push_str(text.get(copied..end).unwrap_or_default());
                escape(&mut out, &new);
                copied = xml.start();
            }
        }
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Ok(out)
}
