//! Splits a text into words; lines and indentation become words too.

use num_bigint::BigInt;
use num_bigint::Sign;

use super::{
    Parsed, SyntaxError,
    literal::{self, Prefix},
    token::{OPS, Token, Word},
};

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: u32,
    /// Open brackets; within them lines do not end.
    open: Vec<char>,
    indents: Vec<usize>,
    tokens: Vec<Token>,
}

/// All words of a program.
pub(super) fn tokens(text: &str) -> Parsed<Vec<Token>> {
    let mut lexer = Lexer::new(text, 1);
    lexer.program()?;
    Ok(lexer.tokens)
}

/// All words of an expression that stands in a text at a line.
pub(super) fn expression_tokens(text: &str, line: u32) -> Parsed<Vec<Token>> {
    let mut lexer = Lexer::new(text, line);
    lexer.open.push('f');
    while lexer.skip_space()? {
        lexer.word()?;
    }
    lexer.push(Word::End);
    Ok(lexer.tokens)
}

impl Lexer {
    fn new(text: &str, line: u32) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            chars: text.chars().collect(),
            at: 0,
            line,
            open: Vec::new(),
            indents: vec![0],
            tokens: Vec::new(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(SyntaxError::new(self.line, message))
    }

    fn push(&mut self, kind: Word) {
        let line = self.line;
        self.tokens.push(Token { kind, line });
    }

    fn program(&mut self) -> Parsed<()> {
        while let Some(width) = self.indentation()? {
            self.indent(width)?;
            while self.skip_space()? {
                self.word()?;
            }
            self.push(Word::Newline);
            if self.peek(0).is_none() {
                break;
            }
            self.newline();
        }
        if let Some(bracket) = self.open.last() {
            return self.fail(format!("'{bracket}' was never closed"));
        }
        for _ in 1..self.indents.len() {
            self.push(Word::Dedent);
        }
        self.push(Word::End);
        Ok(())
    }

    fn newline(&mut self) {
        if self.peek(0) == Some('\r') && self.peek(1) == Some('\n') {
            self.at += 1;
        }
        self.at += 1;
        self.line += 1;
    }

    /// The indentation of the next line that has words; nothing at the end of the text.
    fn indentation(&mut self) -> Parsed<Option<usize>> {
        loop {
            let mut width = 0;
            loop {
                match self.peek(0) {
                    Some(' ') => width += 1,
                    Some('\t') => width = (width / 8 + 1) * 8,
                    Some('\x0c') => width = 0,
                    _ => break,
                }
                self.at += 1;
            }
            match self.peek(0) {
                None => return Ok(None),
                Some('#') => self.comment(),
                Some('\n' | '\r') => {}
                Some(_) => return Ok(Some(width)),
            }
            if self.peek(0).is_none() {
                return Ok(None);
            }
            self.newline();
        }
    }

    fn indent(&mut self, width: usize) -> Parsed<()> {
        let last = self.indents.last().copied().unwrap_or(0);
        if width > last {
            if self.indents.len() > 100 {
                return self.fail("too many levels of indentation");
            }
            self.indents.push(width);
            self.push(Word::Indent);
        } else if width < last {
            while self.indents.last().copied().unwrap_or(0) > width {
                self.indents.pop();
                self.push(Word::Dedent);
            }
            if self.indents.last().copied().unwrap_or(0) != width {
                return self.fail("unindent does not match any outer indentation level");
            }
        }
        Ok(())
    }

    fn comment(&mut self) {
        while !matches!(self.peek(0), None | Some('\n' | '\r')) {
            self.at += 1;
        }
    }

    /// Skips to the next word; false at the end of the line.
    fn skip_space(&mut self) -> Parsed<bool> {
        loop {
            match self.peek(0) {
                None => return Ok(false),
                Some(' ' | '\t' | '\x0c' | '\u{a0}') => self.at += 1,
                Some('#') => self.comment(),
                Some('\n' | '\r') if self.open.is_empty() => return Ok(false),
                Some('\n' | '\r') => self.newline(),
                Some('\\') if matches!(self.peek(1), Some('\n' | '\r')) => {
                    self.at += 1;
                    self.newline();
                }
                Some('\\') => {
                    return self.fail("unexpected character after line continuation character");
                }
                Some(_) => return Ok(true),
            }
        }
    }

    fn word(&mut self) -> Parsed<()> {
        let Some(first) = self.peek(0) else {
            return Ok(());
        };
        let second = self.peek(1);
        if first.is_ascii_digit() || first == '.' && second.is_some_and(|c| c.is_ascii_digit()) {
            return self.number();
        }
        if matches!(first, '"' | '\'') {
            return self.string(Prefix::default());
        }
        if first.is_alphabetic() || first == '_' {
            let mut name = String::new();
            while let Some(c) = self.peek(0)
                && (c.is_alphanumeric() || c == '_')
            {
                name.push(c);
                self.at += 1;
            }
            if let Some('"' | '\'') = self.peek(0)
                && let Some(prefix) = Prefix::read(&name)
            {
                return self.string(prefix);
            }
            self.push(Word::Name(name.into()));
            return Ok(());
        }
        for op in OPS {
            if op.chars().enumerate().all(|(n, c)| self.peek(n) == Some(c)) {
                self.at += op.len();
                self.bracket(op)?;
                self.push(Word::Op(op));
                return Ok(());
            }
        }
        self.fail(format!(
            "invalid character '{first}' (U+{:04X})",
            u32::from(first)
        ))
    }

    fn bracket(&mut self, op: &str) -> Parsed<()> {
        let closes = match op {
            "(" | "[" | "{" => {
                if self.open.len() > 200 {
                    return self.fail("too many nested parentheses");
                }
                self.open.extend(op.chars());
                return Ok(());
            }
            ")" => '(',
            "]" => '[',
            "}" => '{',
            _ => return Ok(()),
        };
        match self.open.last() {
            Some(open) if *open == closes => {
                self.open.pop();
                Ok(())
            }
            Some('f') | None => self.fail(format!("unmatched '{op}'")),
            Some(open) => self.fail(format!(
                "closing parenthesis '{op}' does not match opening parenthesis '{open}'"
            )),
        }
    }

    fn string(&mut self, prefix: Prefix) -> Parsed<()> {
        let mut scan = literal::Scan {
            chars: &self.chars,
            at: self.at,
            line: self.line,
        };
        let first = self.line;
        let kind = scan.literal(prefix)?;
        self.at = scan.at;
        self.line = scan.line;
        self.tokens.push(Token { kind, line: first });
        Ok(())
    }

    fn digits(&mut self, radix: u32, into: &mut String) {
        while let Some(c) = self.peek(0) {
            if c.is_digit(radix) {
                into.push(c);
            } else if c != '_' || !self.peek(1).is_some_and(|next| next.is_digit(radix)) {
                break;
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Parsed<()> {
        let radix = match (self.peek(0), self.peek(1)) {
            (Some('0'), Some('x' | 'X')) => 16,
            (Some('0'), Some('o' | 'O')) => 8,
            (Some('0'), Some('b' | 'B')) => 2,
            _ => 10,
        };
        let mut text = String::new();
        if radix != 10 {
            self.at += 2;
            self.digits(radix, &mut text);
            return match BigInt::parse_bytes(text.as_bytes(), radix) {
                Some(value) => {
                    self.push(Word::Int(value));
                    self.after_number()
                }
                None => self.fail("invalid number"),
            };
        }
        self.digits(10, &mut text);
        let mut is_float = false;
        if self.peek(0) == Some('.') {
            is_float = true;
            text.push('.');
            self.at += 1;
            self.digits(10, &mut text);
        }
        if let Some('e' | 'E') = self.peek(0) {
            let sign = usize::from(matches!(self.peek(1), Some('+' | '-')));
            if self.peek(1 + sign).is_some_and(|c| c.is_ascii_digit()) {
                is_float = true;
                text.push('e');
                if let Some(c @ ('+' | '-')) = self.peek(1) {
                    text.push(c);
                }
                self.at += 1 + sign;
                self.digits(10, &mut text);
            }
        }
        if let Some('j' | 'J') = self.peek(0) {
            return self.fail("complex numbers are not supported");
        }
        let kind = if is_float {
            match text.parse() {
                Ok(value) => Word::Float(value),
                Err(_) => return self.fail("invalid number"),
            }
        } else {
            if text.len() > 4300 {
                return self.fail("Exceeds the limit (4300 digits) for integer string conversion");
            }
            if text.len() > 1 && text.starts_with('0') && text.bytes().any(|b| b != b'0') {
                return self.fail(
                    "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
                );
            }
            let value = BigInt::parse_bytes(text.as_bytes(), 10);
            Word::Int(value.unwrap_or_else(|| BigInt::new(Sign::NoSign, Vec::new())))
        };
        self.push(kind);
        self.after_number()
    }

    fn after_number(&self) -> Parsed<()> {
        match self.peek(0) {
            Some(c) if c.is_alphabetic() || c == '_' => {
                // `1if x else y` is a program, if an odd one.
                let rest: String = self.chars.iter().skip(self.at).take(4).collect();
                let is_keyword = ["if", "else", "and", "or", "in", "is", "for"]
                    .iter()
                    .any(|word| rest.starts_with(word));
                match is_keyword {
                    true => Ok(()),
                    false => self.fail("invalid decimal literal"),
                }
            }
            _ => Ok(()),
        }
    }
}
