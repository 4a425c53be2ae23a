//! Streaming of text to stdout.

use superstep::text::Sanitizer;

use crate::{
    error::Error,
    markdown::Markdown,
    output::{Form, Output, Span, plain},
    wrap::Flow,
};

/// A reply on its way to stdout, which ends with a line end. A terminal shows its Markdown; a pipe gets it as it is.
pub(crate) struct TextStream<'a> {
    output: &'a Output,
    shown: Sanitizer,
    markdown: Option<Markdown>,
    /// How the text is broken for a terminal.
    flow: Option<Flow>,
    is_open: bool,
}

impl<'a> TextStream<'a> {
    pub(crate) fn new(output: &'a Output) -> Self {
        Self {
            output,
            shown: Sanitizer::default(),
            markdown: output.is_styled().then(Markdown::default),
            flow: output.columns().map(Flow::new),
            is_open: false,
        }
    }

    pub(crate) fn write(&mut self, text: &str) -> Result<(), Error> {
        if self.output.form == Form::Json || text.is_empty() {
            return Ok(());
        }
        self.is_open = !text.ends_with('\n');
        let text = self.shown.push(text);
        let spans = match &mut self.markdown {
            None => vec![plain(text)],
            Some(markdown) => markdown.push(&text),
        };
        self.spans(spans)
    }

    fn spans(&mut self, spans: Vec<Span>) -> Result<(), Error> {
        match &mut self.flow {
            Some(flow) => self.output.pieces(flow.push(spans)),
            None => self.output.parts(&spans),
        }
    }

    /// Whether a line is begun and not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if let Some(markdown) = &mut self.markdown {
            let rest = markdown.finish();
            self.spans(rest)?;
        }
        if std::mem::take(&mut self.is_open) {
            self.shown = Sanitizer::default();
            self.spans(vec![plain("\n")])?;
        }
        Ok(())
    }
}

impl Drop for TextStream<'_> {
    /// A reply that is cancelled is dropped, and ends its line all the same.
    fn drop(&mut self) {
        let _ = self.end();
    }
}
