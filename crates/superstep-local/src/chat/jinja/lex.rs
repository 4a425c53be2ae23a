//! A template cut into text and tokens.
//!
//! Newlines behind statements and blanks in front of them are left out (`trim_blocks` and
//! `lstrip_blocks`), as in the programs that chat templates are written for.

/// A token of an expression or a statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lexeme {
    Name(String),
    Text(String),
    Int(i64),
    Float(f64),
    Mark(&'static str),
}

/// A piece of a template.
pub(super) enum Piece {
    Text(String),
    Emit(Vec<Lexeme>, usize),
    Statement(Vec<Lexeme>, usize),
}

/// What is left out behind a tag.
#[derive(Clone, Copy)]
enum Trim {
    Nothing,
    Newline,
    Blanks,
}

const MARKS: [&str; 25] = [
    "==", "!=", "<=", ">=", "**", "//", "+", "-", "*", "/", "%", "~", "|", "(", ")", "[", "]", "{",
    "}", ",", ".", ":", "=", "<", ">",
];

/// Looking a name up takes time with its length.
const LONGEST_NAME: usize = 64;

/// The pieces of a template, each tag with its line.
pub(super) fn pieces(source: &str) -> Result<Vec<Piece>, String> {
    let source = source.strip_suffix('\n').unwrap_or(source);
    let mut pieces = Vec::new();
    let (mut at, mut trim, mut line) = (0, Trim::Nothing, 1);
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        let text = match trim {
            Trim::Nothing => rest,
            Trim::Newline => {
                let rest = rest.strip_prefix('\r').filter(|it| it.starts_with('\n'));
                let rest = rest.unwrap_or_else(|| source.get(at..).unwrap_or_default());
                rest.strip_prefix('\n').unwrap_or(rest)
            }
            Trim::Blanks => rest.trim_start(),
        };
        let start = source.len() - text.len();
        let begins_line = start == 0 || source.get(..start).is_some_and(|it| it.ends_with('\n'));
        let Some((length, kind)) = next_tag(text) else {
            pieces.push(Piece::Text(text.to_owned()));
            break;
        };
        let (text, tag) = text.split_at_checked(length).unwrap_or((text, ""));
        let inside = tag.get(2..).unwrap_or_default();
        let text = match inside.bytes().next() {
            Some(b'-') => text.trim_end(),
            Some(b'+') => text,
            _ if kind != b'{' => without_indent(text, begins_line),
            _ => text,
        };
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        let inside = inside.strip_prefix(['-', '+']).unwrap_or(inside);
        let here = source.len() - inside.len();
        line += lines(source.get(at..here));
        let after = match kind {
            b'#' => {
                let (comment, after) = inside
                    .split_once("#}")
                    .ok_or_else(|| format!("line {line}: a comment does not end"))?;
                trim = after_statement(comment.bytes().last());
                after
            }
            _ => {
                let mut lexer = Lexer::new(inside, kind == b'%');
                let tokens = lexer
                    .tokens()
                    .map_err(|why| format!("line {line}: {why}"))?;
                trim = match (kind, lexer.sign) {
                    (b'%', sign) => after_statement(sign),
                    (_, Some(b'-')) => Trim::Blanks,
                    _ => Trim::Nothing,
                };
                pieces.push(match kind {
                    b'%' => Piece::Statement(tokens, line),
                    _ => Piece::Emit(tokens, line),
                });
                lexer.rest
            }
        };
        at = source.len() - after.len();
        line += lines(source.get(here..at));
    }
    Ok(pieces)
}

fn lines(text: Option<&str>) -> usize {
    text.unwrap_or_default().matches('\n').count()
}

fn after_statement(sign: Option<u8>) -> Trim {
    match sign {
        Some(b'-') => Trim::Blanks,
        Some(b'+') => Trim::Nothing,
        _ => Trim::Newline,
    }
}

/// Where the next tag begins, and of which kind it is.
fn next_tag(text: &str) -> Option<(usize, u8)> {
    let pairs = text.bytes().zip(text.bytes().skip(1)).enumerate();
    let mut tags = pairs.filter(|(_, (open, kind))| *open == b'{' && b"{%#".contains(kind));
    tags.next().map(|(at, (_, kind))| (at, kind))
}

/// The text without the blanks that a line begins with, if there is nothing else in it.
fn without_indent(text: &str, begins_line: bool) -> &str {
    let bare = text.trim_end_matches([' ', '\t']);
    match bare.ends_with('\n') || bare.is_empty() && begins_line {
        true => bare,
        false => text,
    }
}

/// Reads tokens up to the end of a tag.
struct Lexer<'a> {
    rest: &'a str,
    is_statement: bool,
    /// Braces that are open.
    open: usize,
    /// The sign at the end of the tag.
    sign: Option<u8>,
}

impl<'a> Lexer<'a> {
    fn new(rest: &'a str, is_statement: bool) -> Self {
        Self {
            rest,
            is_statement,
            open: 0,
            sign: None,
        }
    }

    fn tokens(&mut self) -> Result<Vec<Lexeme>, String> {
        let mut tokens = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.open == 0 && self.ends() {
                return Ok(tokens);
            }
            tokens.push(self.token()?);
        }
    }

    fn ends(&mut self) -> bool {
        let close = if self.is_statement { "%}" } else { "}}" };
        let bare = self.rest.strip_prefix(['-', '+']).unwrap_or(self.rest);
        let Some(after) = bare.strip_prefix(close) else {
            return false;
        };
        self.sign = self.rest.bytes().next();
        self.rest = after;
        true
    }

    fn token(&mut self) -> Result<Lexeme, String> {
        let first = self.rest.chars().next().ok_or("a tag does not end")?;
        match first {
            '"' | '\'' => return self.text(first),
            '0'..='9' => return self.number(),
            'a'..='z' | 'A'..='Z' | '_' => {
                let name = self.run(|c| c.is_ascii_alphanumeric() || c == '_');
                return match name.len() > LONGEST_NAME {
                    true => Err("a name is too long".to_owned()),
                    false => Ok(Lexeme::Name(name.to_owned())),
                };
            }
            '{' => self.open += 1,
            '}' => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        let mark = MARKS.into_iter().find(|mark| self.rest.starts_with(mark));
        let mark = mark.ok_or_else(|| format!("`{first}` is not understood"))?;
        self.rest = self.rest.strip_prefix(mark).unwrap_or_default();
        Ok(Lexeme::Mark(mark))
    }

    fn run(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        run
    }

    fn number(&mut self) -> Result<Lexeme, String> {
        let whole = self.run(|c| c.is_ascii_digit());
        let is_digit = |c: char| c.is_ascii_digit();
        if let Some(rest) = self
            .rest
            .strip_prefix('.')
            .filter(|it| it.starts_with(is_digit))
        {
            self.rest = rest;
            let part = self.run(is_digit);
            let number = format!("{whole}.{part}").parse().map(Lexeme::Float);
            return number.map_err(|error| format!("{whole}.{part}: {error}"));
        }
        let number = whole.parse().map(Lexeme::Int);
        number.map_err(|_| "a number is too large".to_owned())
    }

    fn text(&mut self, quote: char) -> Result<Lexeme, String> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                letter if letter == quote => {
                    self.rest = self.rest.get(at + 1..).unwrap_or_default();
                    return Ok(Lexeme::Text(text));
                }
                '\\' => match letters.next().map(|(_, letter)| letter) {
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some('u') => {
                        let digits: String = letters.by_ref().take(4).map(|(_, c)| c).collect();
                        let code = u32::from_str_radix(&digits, 16).ok();
                        text.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
                    }
                    Some(letter @ ('\\' | '\'' | '"')) => text.push(letter),
                    Some('\n') => {}
                    Some(letter) => text.extend(['\\', letter]),
                    None => break,
                },
                letter => text.push(letter),
            }
        }
        Err("a text does not end".to_owned())
    }
}
