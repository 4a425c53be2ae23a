//! From the text of a Python program to its tree: `lexer`, then `parser`, which gives an `ast`.
//!
//! Text of any length and depth is handled without a stack overflow: nesting has a limit.

pub(crate) mod ast;
mod lexer;
mod literal;
mod parser;
mod token;

pub(crate) use parser::parse;

/// What was parsed, or why nothing was.
pub(crate) type Parsed<T> = Result<T, SyntaxError>;

/// Why a text is no program.
#[derive(Clone, Debug)]
pub(crate) struct SyntaxError {
    pub(crate) message: String,
    pub(crate) line: u32,
}

impl SyntaxError {
    fn new(line: u32, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            line,
        }
    }
}
