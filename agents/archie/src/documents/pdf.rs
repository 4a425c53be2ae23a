//! PDFs: who reads them, and what comes of it.
//!
//! A PDF is a program of others in a format that no reader gets right. So whoever makes the agent says what reads them:
//! the command line runs `pdf_text` (feature `pdf`) in a process that the kernel contains. Without a reader PDFs are
//! left out, and named.

use std::{fmt, sync::Arc};

use crate::entry::Why;

/// The most bytes of text that are taken.
const MOST_TEXT: usize = 16 << 20;

type Read = dyn Fn(Vec<u8>) -> Result<String, String> + Send + Sync;

/// What makes text of PDFs. It is called on a thread that may block.
#[derive(Clone)]
pub struct PdfReader(Arc<Read>);

impl PdfReader {
    /// One that calls a function: it gives the text, or why there is none.
    pub fn new(read: impl Fn(Vec<u8>) -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    pub(super) fn text(&self, bytes: Vec<u8>) -> Result<String, Why> {
        if !bytes.get(..1024.min(bytes.len())).is_some_and(has_mark) {
            let message = "it is no PDF".to_owned();
            return Err(Why::Unreadable { message });
        }
        let text = (self.0)(bytes).map_err(|message| Why::Unreadable { message })?;
        if text.len() > MOST_TEXT {
            let message = format!("it has more than {} MiB of text", MOST_TEXT >> 20);
            return Err(Why::Unreadable { message });
        }
        let text = plain(&text);
        match text.chars().any(char::is_alphanumeric) {
            true => Ok(text),
            false => Err(Why::Scanned),
        }
    }
}

impl fmt::Debug for PdfReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PdfReader")
    }
}

/// Some programs write something in front of the mark.
fn has_mark(start: &[u8]) -> bool {
    start.windows(5).any(|it| it == b"%PDF-")
}

/// Text without control characters, and without the empty lines that layouts leave behind.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        let line: String = line
            .chars()
            .filter(|c| !c.is_control() || *c == '\t')
            .collect();
        let line = line.trim_end();
        empty = match line.is_empty() {
            true => empty + 1,
            false => 0,
        };
        if empty < 2 {
            plain.push_str(line);
            plain.push('\n');
        }
    }
    plain.trim().to_owned()
}

/// The text of a PDF. Bounds on memory and time are those of the process: run it in one of its own.
#[cfg(feature = "pdf")]
pub fn pdf_text(bytes: &[u8]) -> Result<String, String> {
    use pdf_extract::OutputError;

    let damaged = |error: OutputError| match error {
        OutputError::PdfError(pdf_extract::Error::Decryption(_)) => {
            "it is encrypted; save it without a password".to_owned()
        }
        error => format!("it is damaged, or uses what is not supported: {error}"),
    };
    pdf_extract::extract_text_from_mem(bytes).map_err(damaged)
}
