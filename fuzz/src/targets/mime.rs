//! Mails, as they come from a folder, IMAP or Gmail.

use crate::target::{Target, files_of};

/// Text of a mail is decoded, never invented: it may grow by what a replacement character takes for
/// a byte, and by what names of characters stand for.
const GROWTH: usize = 16;

pub(crate) const TARGET: Target = Target {
    name: "mime",
    run,
    seeds: || files_of("agents/mail/tests/mails"),
};

/// A mail is read or refused, and does not grow beyond measure.
pub fn run(data: &[u8]) {
    let Ok(mail) = superstep_mail::parse(data) else {
        return;
    };
    let limit = data.len().saturating_mul(GROWTH).saturating_add(4096);
    let size = format!("{mail:?}").len();
    assert!(size <= limit, "{} bytes became {size}", data.len());
}
