//! Untrusted text: sanitized before it is shown, redacted before it is stored or sent.
//!
//! `sanitize` removes what a terminal would interpret and reveals hidden characters; `redact` removes
//! secrets from text, values and spans. Everything that shows, approves or exports text of models,
//! tools, mails and servers uses these functions, so that they agree.

mod hex;
mod redact;
mod sanitize;

pub use hex::hex;
pub use redact::{Capture, Privacy, REDACTED, RedactError, Redactor, Secret};
pub use sanitize::{
    Hidden, Sanitizer, escaped_json, is_blank, is_hidden, reveal, reveal_name, sanitize,
    single_line,
};
