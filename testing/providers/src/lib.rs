//! Replies as model providers send them: chat completions and the Messages API.
//!
//! The texts are bodies for a loopback server; a [`Reply`](superstep_model::Reply) is what a client
//! must make of them.

pub mod anthropic;
pub mod openai;
