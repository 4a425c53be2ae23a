//! Pieces of text with a style, which front ends draw in their own way.

use std::fmt;

/// Style of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No style.
    Plain,
    /// Emphasis.
    Strong,
    /// Less important.
    Faint,
    /// Success.
    Good,
    /// Failure or warning.
    Bad,
    /// Code, and names of things to type.
    Code,
}

/// Text and its style. The text may come from anywhere; front ends sanitize it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span(Style, String);

impl Span {
    /// The style.
    pub fn style(&self) -> Style {
        self.0
    }

    /// Whether it is code.
    pub fn is_code(&self) -> bool {
        self.0 == Style::Code
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.1
    }

    /// Another text in the same style.
    #[must_use]
    pub fn with(&self, text: String) -> Self {
        Self(self.0, text)
    }
}

/// Text without a style.
pub fn plain(text: impl fmt::Display) -> Span {
    Span(Style::Plain, text.to_string())
}

/// Emphasized text.
pub fn strong(text: impl fmt::Display) -> Span {
    Span(Style::Strong, text.to_string())
}

/// Less important text.
pub fn faint(text: impl fmt::Display) -> Span {
    Span(Style::Faint, text.to_string())
}

/// Text about a success.
pub fn good(text: impl fmt::Display) -> Span {
    Span(Style::Good, text.to_string())
}

/// Text about a failure, or a warning.
pub fn bad(text: impl fmt::Display) -> Span {
    Span(Style::Bad, text.to_string())
}

/// Code, and names of things to type.
pub fn code(text: impl fmt::Display) -> Span {
    Span(Style::Code, text.to_string())
}
