//! PDFs as documents: their text is taken in a process of its own, which the kernel contains as it contains
//! programs on workbooks. This binary is that process.

use superstep_archie::documents::PdfReader;
use superstep_contain::Extract;

use crate::error::Error;

/// What the process can take text from.
#[cfg(feature = "pdf")]
pub(crate) const EXTRACTS: &[(&str, Extract)] = &[(PDF, superstep_archie::documents::pdf_text)];
#[cfg(not(feature = "pdf"))]
pub(crate) const EXTRACTS: &[(&str, Extract)] = &[];

#[cfg(feature = "pdf")]
const PDF: &str = "pdf";

/// What reads PDFs.
#[cfg(feature = "pdf")]
pub(super) fn reader() -> Result<Option<PdfReader>, Error> {
    use superstep_contain::{Extractor, Worker};

    let worker = Worker::this_program(crate::sheet::WORKER)?;
    let extractor = Extractor::new(worker, PDF);
    let runtime = tokio::runtime::Handle::current();
    // It is called on a thread that may block.
    let read = move |bytes: Vec<u8>| runtime.block_on(extractor.text(&bytes));
    Ok(Some(PdfReader::new(read)))
}

/// Nothing, in a program that was built without it.
#[cfg(not(feature = "pdf"))]
pub(super) fn reader() -> Result<Option<PdfReader>, Error> {
    Ok(None)
}
