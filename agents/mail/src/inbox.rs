//! The assistant in an inbox of all agents.
//!
//! `question` makes its questions, `description` the lines of one, `editable` the arguments that an edit shows, `desk` gives
//! answers, and `effects` shows what became of them. Questions on the wire are in `wire`.

mod description;
mod desk;
mod editable;
mod effects;
mod question;
