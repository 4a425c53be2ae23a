//! Conversations of agents with people, through the public API.

mod console;
mod conversation;
