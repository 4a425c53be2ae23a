//! Conversations of agents with people, through the public API.

mod approval;
mod console;
mod conversation;
mod document;
mod question;
