//! Models that run inside the process: no key, no service, nothing leaves the machine.
//!
//! `chat` (feature `chat`) is a language model.

#[cfg(feature = "chat")]
pub mod chat;
