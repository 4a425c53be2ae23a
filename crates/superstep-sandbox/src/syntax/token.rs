//! Words of a program.

use std::rc::Rc;

use num_bigint::BigInt;

/// A word, and the line it is on.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Word,
    pub(super) line: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Name(Rc<str>),
    Int(BigInt),
    Float(f64),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    /// A text with expressions in it.
    Format(Rc<[Piece]>),
    /// An operator, a bracket or a mark.
    Op(&'static str),
    Newline,
    Indent,
    Dedent,
    End,
}

/// A piece of a text with expressions in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    Field(Field),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    /// The expression as it is written.
    pub(super) source: String,
    pub(super) line: u32,
    /// `r`, `s` or `a`.
    pub(super) conversion: Option<char>,
    pub(super) spec: Vec<Piece>,
}

pub(super) const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Operators, the longest first.
pub(super) const OPS: [&str; 47] = [
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":=", "+", "-", "*", "/", "%", "&", "|", "^",
    "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", ";", "=", "@",
];
