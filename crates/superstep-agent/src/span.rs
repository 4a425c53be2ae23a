//! Pieces of text with a style, which front ends draw in their own way.

use std::fmt;

use serde::Serialize;

/// Style of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    style: Style,
    text: String,
}

impl Span {
    /// The style.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Whether it is code.
    pub fn is_code(&self) -> bool {
        self.style == Style::Code
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Another text in the same style.
    #[must_use]
    pub fn with(&self, text: String) -> Self {
        Self {
            style: self.style,
            text,
        }
    }
}

fn span(style: Style, text: impl fmt::Display) -> Span {
    let text = text.to_string();
    Span { style, text }
}

/// Text without a style.
pub fn plain(text: impl fmt::Display) -> Span {
    span(Style::Plain, text)
}

/// Emphasized text.
pub fn strong(text: impl fmt::Display) -> Span {
    span(Style::Strong, text)
}

/// Less important text.
pub fn faint(text: impl fmt::Display) -> Span {
    span(Style::Faint, text)
}

/// Text about a success.
pub fn good(text: impl fmt::Display) -> Span {
    span(Style::Good, text)
}

/// Text about a failure, or a warning.
pub fn bad(text: impl fmt::Display) -> Span {
    span(Style::Bad, text)
}

/// Code, and names of things to type.
pub fn code(text: impl fmt::Display) -> Span {
    span(Style::Code, text)
}
