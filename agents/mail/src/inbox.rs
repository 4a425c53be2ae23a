//! The assistant in an inbox of all agents.
//!
//! `question` makes its questions, `description` the lines of one, `desk` gives answers, and `effects` shows what became of
//! them. Questions on the wire are in `wire`.

mod description;
mod desk;
mod effects;
mod question;
