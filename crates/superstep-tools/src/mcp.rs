//! MCP client: tools of foreign servers as tools of an agent.
//!
//! A [`Server`] says where one is, what its tools may do, and what was approved of it ([`Pin`]).
//! [`Server::connect`] gives a [`Client`]; [`Client::tools`] gives its tools.
//!
//! What a server says is never trusted: not its words on how harmless a tool is, not the text of
//! its results, and not its list of tools, which is pinned by hash. While the list is not the one
//! that was approved, no tool of the server is called; see [`Fingerprint`].
//!
//! `wire` reads and writes single messages, `stdio` and `http` carry them, `session` speaks the
//! protocol, `listing` validates what is offered, `client` decides whether a call is made.

mod client;
mod content;
mod http;
mod link;
mod listing;
mod offer;
mod pin;
mod process;
mod server;
mod session;
mod stdio;
mod wire;

pub use client::Client;
pub use listing::Offered;
pub use pin::{Fingerprint, Pin, Print};
pub use server::{At, Command, Endpoint, Limits, Server};
