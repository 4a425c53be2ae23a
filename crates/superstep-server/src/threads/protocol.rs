//! The thread-centric protocol: commands for a thread, and one stream of its events, over server-sent
//! events or a WebSocket.
//!
//! Every event has a number that is its place in the thread's log, so a client that comes back, to this
//! server or to another one on the same storage, gets what follows the number it has. Commands are in
//! `command`, what events are made of in `events`, who gets which in `filter`, the two transports in
//! `stream` and `socket`.

pub(crate) mod command;
mod events;
mod filter;
mod reader;
pub(crate) mod socket;
pub(crate) mod stream;
