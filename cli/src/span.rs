//! Pieces of text with a style: what `output` prints and `wrap` breaks into rows.

use std::fmt;

/// Style of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Strong,
    Faint,
    Good,
    Bad,
    Code,
}

/// Text and its style.
pub(crate) struct Span(Style, String);

impl Span {
    pub(crate) fn style(&self) -> Style {
        self.0
    }

    /// Whether it is code.
    pub(crate) fn is_code(&self) -> bool {
        self.0 == Style::Code
    }

    pub(crate) fn text(&self) -> &str {
        &self.1
    }

    /// The name of its style; nothing for plain text.
    #[cfg(test)]
    pub(crate) fn name(&self) -> &'static str {
        match self.0 {
            Style::Plain => "",
            Style::Strong => "strong",
            Style::Faint => "faint",
            Style::Good => "good",
            Style::Bad => "bad",
            Style::Code => "code",
        }
    }

    /// Another text in the same style.
    pub(crate) fn with(&self, text: String) -> Self {
        Self(self.0, text)
    }
}

pub(crate) fn plain(text: impl fmt::Display) -> Span {
    Span(Style::Plain, text.to_string())
}

pub(crate) fn strong(text: impl fmt::Display) -> Span {
    Span(Style::Strong, text.to_string())
}

pub(crate) fn faint(text: impl fmt::Display) -> Span {
    Span(Style::Faint, text.to_string())
}

pub(crate) fn good(text: impl fmt::Display) -> Span {
    Span(Style::Good, text.to_string())
}

pub(crate) fn bad(text: impl fmt::Display) -> Span {
    Span(Style::Bad, text.to_string())
}

/// Code, and names of things to type.
pub(crate) fn code(text: impl fmt::Display) -> Span {
    Span(Style::Code, text.to_string())
}
