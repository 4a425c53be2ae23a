//! Texts as they are written in programs: escapes, and expressions within texts.

use super::{
    Parsed, SyntaxError,
    token::{Field, Piece, Word},
};

/// The letters before a text.
#[derive(Clone, Copy, Default)]
pub(super) struct Prefix {
    raw: bool,
    bytes: bool,
    format: bool,
}

impl Prefix {
    pub(super) fn read(letters: &str) -> Option<Self> {
        let mut prefix = Self::default();
        if letters.len() > 2 {
            return None;
        }
        for letter in letters.chars() {
            match letter.to_ascii_lowercase() {
                'r' => prefix.raw = true,
                'b' => prefix.bytes = true,
                'f' => prefix.format = true,
                'u' if letters.len() == 1 => {}
                _ => return None,
            }
        }
        (!(prefix.bytes && prefix.format)).then_some(prefix)
    }
}

/// A place in a program.
pub(super) struct Scan<'a> {
    pub(super) chars: &'a [char],
    pub(super) at: usize,
    pub(super) line: u32,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn fail<T>(&self, message: &str) -> Parsed<T> {
        Err(SyntaxError::new(self.line, message))
    }

    fn step(&mut self) -> Option<char> {
        let c = self.peek(0)?;
        self.at += 1;
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    /// A text from its first quote on.
    pub(super) fn literal(&mut self, prefix: Prefix) -> Parsed<Word> {
        let Some(quote) = self.peek(0) else {
            return self.fail("unterminated string literal");
        };
        let is_triple = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        self.at += if is_triple { 3 } else { 1 };
        let end = End { quote, is_triple };
        if prefix.format {
            let pieces = self.pieces(end, prefix.raw, 0)?;
            return Ok(Word::Format(pieces.into()));
        }
        let mut text = String::new();
        loop {
            if end.is_here(self) {
                self.at += end.len();
                break;
            }
            self.one(&mut text, end, prefix.raw, prefix.bytes)?;
        }
        if prefix.bytes {
            let bytes: std::result::Result<Vec<u8>, _> =
                text.chars().map(|c| u8::try_from(u32::from(c))).collect();
            return match bytes {
                Ok(bytes) => Ok(Word::Bytes(bytes.into())),
                Err(_) => self.fail("bytes can only contain ASCII literal characters"),
            };
        }
        Ok(Word::Text(text.into()))
    }

    /// One character, with its escape.
    fn one(&mut self, text: &mut String, end: End, raw: bool, bytes: bool) -> Parsed<()> {
        match self.peek(0) {
            None => self.fail("unterminated string literal"),
            Some('\n' | '\r') if !end.is_triple => self.fail("unterminated string literal"),
            Some('\r') => {
                self.at += 1;
                if self.peek(0) != Some('\n') {
                    text.push('\n');
                }
                Ok(())
            }
            Some('\\') if raw => {
                text.push('\\');
                self.at += 1;
                match self.step() {
                    Some(c) => text.push(c),
                    None => return self.fail("unterminated string literal"),
                }
                Ok(())
            }
            Some('\\') => {
                self.at += 1;
                self.escape(text, bytes)
            }
            Some(_) => {
                text.extend(self.step());
                Ok(())
            }
        }
    }

    fn escape(&mut self, text: &mut String, bytes: bool) -> Parsed<()> {
        let Some(c) = self.step() else {
            return self.fail("unterminated string literal");
        };
        match c {
            '\n' => {}
            '\r' => {
                if self.peek(0) == Some('\n') {
                    self.step();
                }
            }
            '\\' | '\'' | '"' => text.push(c),
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'a' => text.push('\x07'),
            'b' => text.push('\x08'),
            'f' => text.push('\x0c'),
            'v' => text.push('\x0b'),
            '0'..='7' => {
                let mut value = c.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    if let Some(digit) = self.peek(0).and_then(|c| c.to_digit(8)) {
                        value = value * 8 + digit;
                        self.at += 1;
                    }
                }
                text.extend(char::from_u32(value));
            }
            'x' => self.hex(text, 2)?,
            'u' if !bytes => self.hex(text, 4)?,
            'U' if !bytes => self.hex(text, 8)?,
            'N' if !bytes => {
                return self
                    .fail("names of characters are not supported; write the character or \\u");
            }
            other => {
                text.push('\\');
                text.push(other);
            }
        }
        Ok(())
    }

    fn hex(&mut self, text: &mut String, digits: usize) -> Parsed<()> {
        let mut value = 0;
        for _ in 0..digits {
            match self.peek(0).and_then(|c| c.to_digit(16)) {
                Some(digit) => value = value * 16 + digit,
                None => return self.fail("truncated escape in a string"),
            }
            self.at += 1;
        }
        match char::from_u32(value) {
            Some(c) => text.push(c),
            None => return self.fail("an escape in a string is no character"),
        }
        Ok(())
    }

    fn pieces(&mut self, end: End, raw: bool, depth: usize) -> Parsed<Vec<Piece>> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        loop {
            if depth == 0 && end.is_here(self) {
                self.at += end.len();
                break;
            }
            match self.peek(0) {
                Some('{') if self.peek(1) == Some('{') && depth == 0 => {
                    self.at += 2;
                    text.push('{');
                }
                Some('}') if self.peek(1) == Some('}') && depth == 0 => {
                    self.at += 2;
                    text.push('}');
                }
                Some('}') if depth > 0 => break,
                Some('}') => return self.fail("f-string: single '}' is not allowed"),
                Some('{') => {
                    if depth > 3 {
                        return self.fail("f-string: expressions nested too deeply");
                    }
                    if !text.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                    }
                    self.field(end, raw, depth, &mut pieces)?;
                }
                _ => self.one(&mut text, end, raw, false)?,
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Ok(pieces)
    }

    /// An expression in braces, with its conversion and its format.
    fn field(&mut self, end: End, raw: bool, depth: usize, pieces: &mut Vec<Piece>) -> Parsed<()> {
        self.at += 1;
        let line = self.line;
        let mut source = self.expression(end)?;
        let mut conversion = None;
        let trimmed = source.trim_end();
        let is_debug = trimmed.ends_with('=')
            && !["==", "!=", "<=", ">="]
                .iter()
                .any(|op| trimmed.ends_with(op));
        if is_debug {
            pieces.push(Piece::Text(source.clone()));
            source = trimmed.strip_suffix('=').unwrap_or(trimmed).to_owned();
        }
        if source.trim().is_empty() {
            return self.fail("f-string: valid expression required before '}'");
        }
        if self.peek(0) == Some('!') {
            self.at += 1;
            conversion = match self.step() {
                Some(c @ ('r' | 's' | 'a')) => Some(c),
                _ => return self.fail("f-string: invalid conversion character"),
            };
        }
        let mut spec = Vec::new();
        if self.peek(0) == Some(':') {
            self.at += 1;
            spec = self.pieces(end, raw, depth + 1)?;
        }
        if self.peek(0) != Some('}') {
            return self.fail("f-string: expecting '}'");
        }
        self.at += 1;
        if is_debug && conversion.is_none() && spec.is_empty() {
            conversion = Some('r');
        }
        pieces.push(Piece::Field(Field {
            source,
            line,
            conversion,
            spec,
        }));
        Ok(())
    }

    /// The text of an expression, up to `!r`, `:` or `}` outside of its brackets and texts.
    fn expression(&mut self, end: End) -> Parsed<String> {
        let mut source = String::new();
        let mut open = 0_usize;
        let mut lambda = false;
        loop {
            if end.is_here(self) && !end.is_triple && open == 0 {
                // The same quote may open a text inside, but a line that ends is an error.
                let rest_has_brace = self
                    .chars
                    .iter()
                    .skip(self.at + 1)
                    .take_while(|c| **c != '\n')
                    .any(|c| *c == '}');
                if !rest_has_brace {
                    return self.fail("f-string: expecting '}'");
                }
            }
            match self.peek(0) {
                None => return self.fail("f-string: expecting '}'"),
                Some('}') if open == 0 => return Ok(source),
                Some('!') if open == 0 && self.peek(1) != Some('=') => return Ok(source),
                Some(':') if open == 0 && !lambda => return Ok(source),
                Some(':') if open == 0 => {
                    lambda = false;
                    source.extend(self.step());
                }
                Some('(' | '[' | '{') => {
                    open += 1;
                    source.extend(self.step());
                }
                Some(')' | ']' | '}') => {
                    open = open.saturating_sub(1);
                    source.extend(self.step());
                }
                Some('"' | '\'') => {
                    let from = self.at;
                    let is_raw = source.ends_with(['r', 'R']);
                    let is_format = source.ends_with(['f', 'F']);
                    let prefix = Prefix {
                        raw: is_raw,
                        bytes: false,
                        format: is_format,
                    };
                    self.literal(prefix)?;
                    source.extend(self.chars.iter().take(self.at).skip(from));
                }
                Some(_) => {
                    source.extend(self.step());
                    lambda |= open == 0 && source.ends_with("lambda");
                }
            }
        }
    }
}

/// The quotes that end a text.
#[derive(Clone, Copy)]
struct End {
    quote: char,
    is_triple: bool,
}

impl End {
    fn len(self) -> usize {
        if self.is_triple { 3 } else { 1 }
    }

    fn is_here(self, scan: &Scan<'_>) -> bool {
        (0..self.len()).all(|n| scan.peek(n) == Some(self.quote))
    }
}
