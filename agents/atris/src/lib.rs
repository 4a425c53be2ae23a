//! Atris: questions about Audius, answered from its public API.
//!
//! [`Catalogue`] has every operation of the API, [`question`] reads a question by rules, [`Audius`] makes
//! the calls, and [`reply`] makes records of replies.

pub mod catalogue;
mod client;
mod error;
pub mod question;
pub mod reply;
mod settings;

pub use catalogue::Catalogue;
pub use client::{Audius, Fetched};
pub use error::Error;
pub use settings::{ClientSettings, Settings, USUAL_HOST};
