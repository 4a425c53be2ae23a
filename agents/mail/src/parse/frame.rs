//! Selection of the parts that are the text of a mail: the open containers, and the role of their parts.
//!
//! Of alternatives the plain text counts, or the HTML if there is none. Beside alternatives every
//! text counts that is not attached and has no name.

use super::mime::{Container, Head, Media};

/// A container whose end has not come.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) container: Container,
    /// How many parts it has so far.
    pub(super) parts: usize,
    /// Where its content begins.
    pub(super) begin: usize,
    /// The frame outside it that has the same boundary.
    pub(super) shadowed: Option<usize>,
    opened: Opened,
    is_in_alternative: bool,
    needs_html: bool,
    needs_text: bool,
    first_html: usize,
    first_text: usize,
}

#[derive(Debug)]
enum Opened {
    Multipart(Head),
    /// An attached mail: the part that it is, unless it is within another one.
    Message(Option<usize>),
}

impl Frame {
    /// The mail itself.
    pub(super) fn root() -> Self {
        Self::attached(None, 0)
    }

    pub(super) fn attached(part: Option<usize>, begin: usize) -> Self {
        Self {
            container: Container::Message,
            parts: 0,
            begin,
            shadowed: None,
            opened: Opened::Message(part),
            is_in_alternative: false,
            needs_html: true,
            needs_text: true,
            first_html: 0,
            first_text: 0,
        }
    }

    pub(super) fn multipart(outer: &Self, container: Container, head: Head, begin: usize) -> Self {
        let is_alternative = container == Container::Alternative;
        Self {
            container,
            opened: Opened::Multipart(head),
            is_in_alternative: outer.is_in_alternative || is_alternative,
            needs_html: outer.needs_html,
            needs_text: outer.needs_text,
            ..Self::attached(None, begin)
        }
    }

    pub(super) fn boundary(&self) -> Option<&[u8]> {
        match &self.opened {
            Opened::Multipart(head) => head.boundary.as_deref(),
            Opened::Message(_) => None,
        }
    }

    /// Whether it is an attached mail, and which part that is.
    pub(super) fn message(&self) -> Option<Option<usize>> {
        match &self.opened {
            Opened::Multipart(_) => None,
            Opened::Message(part) => Some(*part),
        }
    }

    /// The headers of a multipart without parts.
    pub(super) fn into_empty(self) -> Option<Head> {
        match self.opened {
            Opened::Multipart(head) if self.parts == 0 => Some(head),
            _ => None,
        }
    }
}

/// Which parts are text and which are HTML, by their numbers.
#[derive(Debug, Default)]
pub(super) struct PartNumbers {
    pub(super) text: Vec<usize>,
    html: Vec<usize>,
}

impl PartNumbers {
    pub(super) fn begin(&self, frame: &mut Frame) {
        (frame.first_text, frame.first_html) = (self.text.len(), self.html.len());
    }

    /// Puts a part where it belongs; gives whether it is an attachment.
    pub(super) fn leaf(&mut self, frame: &mut Frame, head: &Head, media: Media, id: usize) -> bool {
        let (to_html, to_text) = match (frame.container, media) {
            (Container::Alternative, Media::Html) => (true, false),
            (Container::Alternative, Media::Plain) => (false, true),
            (Container::Alternative, _) => (false, false),
            _ if is_inline(frame, head, media) => {
                if frame.is_in_alternative && (frame.needs_text || frame.needs_html) {
                    frame.needs_text &= media != Media::Html;
                    frame.needs_html &= media != Media::Plain;
                }
                (frame.needs_html, frame.needs_text)
            }
            _ => (false, false),
        };
        if to_html {
            self.html.push(id);
        }
        if to_text {
            self.text.push(id);
        }
        match media {
            Media::Html => !to_html,
            Media::Plain | Media::OtherText => !to_text,
            _ => true,
        }
    }

    /// Alternatives of HTML alone are text too.
    pub(super) fn end(&mut self, frame: &Frame) {
        let is_only_html =
            self.text.len() == frame.first_text && self.html.len() > frame.first_html;
        if frame.container == Container::Alternative
            && frame.needs_html
            && frame.needs_text
            && is_only_html
        {
            let html = self.html.get(frame.first_html..).unwrap_or_default();
            self.text.extend_from_slice(html);
        }
    }
}

/// Whether a part is shown where it is.
fn is_inline(frame: &Frame, head: &Head, media: Media) -> bool {
    let is_related = frame.container == Container::Related;
    let is_unnamed = media == Media::Inline || !head.is_named;
    matches!(media, Media::Plain | Media::Html | Media::Inline)
        && !head.is_attachment
        && (frame.parts == 1 || !is_related && is_unnamed)
}
