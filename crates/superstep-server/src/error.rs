//! Why a server does not start.

use std::{io, net::SocketAddr};

use superstep::{Category, Coded};

/// Why a server does not start, or stopped.
#[derive(Debug, thiserror::Error, Coded)]
#[non_exhaustive]
pub enum ServerError {
    /// The id of a graph cannot be used.
    #[error("graph id {id:?}: {why}")]
    #[coded(
        "SS9001",
        InvalidInput,
        hint = "use letters, digits, `-`, `_` and `.`, and each id for one graph"
    )]
    GraphId {
        /// The id.
        id: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Others than this machine could reach the server, and anybody could use it.
    #[error("{address} is not of the loopback, and the server has no token")]
    #[coded(
        "SS9002",
        Refused,
        hint = "set a token of the whole server, also where there are owners; or listen on 127.0.0.1"
    )]
    NoToken {
        /// Where it should listen.
        address: SocketAddr,
    },
    /// The address cannot be used.
    #[error("cannot listen on {address}: {error}")]
    #[coded(
        "SS9003",
        Unavailable,
        hint = "choose another port, or end the program that has it"
    )]
    Listen {
        /// Where it should listen.
        address: String,
        /// What the system says.
        error: io::Error,
    },
    /// The server cannot run what is in its queue.
    #[error("the queue of runs: {error}")]
    #[coded(
        "SS9005",
        InvalidInput,
        hint = "give each graph a saver that keeps a queue"
    )]
    Worker {
        /// Why.
        error: superstep::Error,
    },
    /// The tokens of owners cannot be used.
    #[error("owners: {why}")]
    #[coded(
        "SS9006",
        InvalidInput,
        hint = "give each owner a name and a token of its own, of 16 characters at least: `openssl rand -hex 16`"
    )]
    Owner {
        /// What is wrong with them.
        why: String,
    },
    /// A run whose server ended as often as a run may begin.
    #[error(
        "the server ended {times} times while this ran, so it is not begun again; what its thread has is kept"
    )]
    #[coded(
        "SS9007",
        Internal,
        hint = "look for what ended the server; a run without input (`input`: null) continues the thread"
    )]
    GaveUp {
        /// How often it began.
        times: u32,
    },
    /// The thread was imported, and nobody agreed that it is run.
    #[error(
        "thread `{thread}` was imported: what it holds was not made here, and nobody agreed to run it"
    )]
    #[coded(
        "SS9008",
        Conflict,
        hint = "look at it with `superstep threads show`; `superstep threads resume` asks whether to run it"
    )]
    Imported {
        /// The thread.
        thread: String,
    },
    /// Others than this machine could guess the token.
    #[error("{address} is not of the loopback, and the token has less than {shortest} characters")]
    #[coded(
        "SS9011",
        Refused,
        hint = "set a longer token: `openssl rand -hex 16`; or listen on 127.0.0.1"
    )]
    WeakToken {
        /// Where it should listen.
        address: SocketAddr,
        /// The fewest characters of a token.
        shortest: usize,
    },
    /// Routes without a listener of their own would answer everybody.
    #[error("the routes of the server have no login")]
    #[coded(
        "SS9012",
        Refused,
        hint = "set a token (`Server::token`) or a hook (`Server::authenticate`); the routes do not see whose a connection is"
    )]
    NoLogin,
    /// An answer ends before its run, since the server stops.
    #[error("the server is stopping, and the run continues without it")]
    #[coded(
        "SS9013",
        Unavailable,
        hint = "join the run again: its address is in the `Location` header"
    )]
    Stopping,
    /// It has no place for threads.
    #[error("the server has no {what}")]
    #[coded(
        "SS9004",
        InvalidInput,
        hint = "give it backends with a saver and a store"
    )]
    Backends {
        /// What is missing.
        what: &'static str,
    },
}
