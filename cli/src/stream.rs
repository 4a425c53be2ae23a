//! Streaming of text to stdout.

use superstep::text::Sanitizer;

use crate::{
    error::Error,
    markdown::Markdown,
    output::{Form, Output},
};

/// A reply on its way to stdout, which ends with a line end. A terminal shows its Markdown; a pipe gets it as it is.
pub(crate) struct TextStream<'a> {
    output: &'a Output,
    shown: Sanitizer,
    markdown: Option<Markdown>,
    is_open: bool,
}

impl<'a> TextStream<'a> {
    pub(crate) fn new(output: &'a Output) -> Self {
        Self {
            output,
            shown: Sanitizer::default(),
            markdown: output.is_styled().then(Markdown::default),
            is_open: false,
        }
    }

    pub(crate) fn write(&mut self, text: &str) -> Result<(), Error> {
        if self.output.form == Form::Json || text.is_empty() {
            return Ok(());
        }
        self.is_open = !text.ends_with('\n');
        match &mut self.markdown {
            None => self.output.part(&mut self.shown, text),
            Some(markdown) => {
                let spans = markdown.push(&self.shown.push(text));
                self.output.parts(&spans)
            }
        }
    }

    /// Whether a line is begun and not ended.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if let Some(markdown) = &mut self.markdown {
            let rest = markdown.finish();
            self.output.parts(&rest)?;
        }
        if std::mem::take(&mut self.is_open) {
            self.output.part(&mut self.shown, "\n")?;
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
