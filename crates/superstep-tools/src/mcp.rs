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
//! protocol, `listing` validates what is offered, `reached` decides whether a call is made, `client` is what users hold.

mod at;
mod changed;
mod client;
mod content;
mod fault;
mod http;
mod link;
mod listing;
mod offer;
mod pin;
mod process;
mod reached;
mod server;
mod session;
mod stdio;
mod version;
mod wire;

pub use at::{At, Command, Endpoint};
pub use client::Client;
pub use listing::Offered;
pub use pin::{Fingerprint, Pin, Print};
pub use server::{Limits, Server};
