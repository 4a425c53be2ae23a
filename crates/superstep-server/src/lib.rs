//! Graphs over HTTP, for clients that speak the API of the LangGraph server.
//!
//! A [`Server`] hosts any number of graphs on one saver and one store, and answers for assistants,
//! threads, their state, their history and their runs. It listens on the loopback unless it has a token.
//!
//! ```no_run
//! use serde::{Deserialize, Serialize};
//! use superstep::{Backends, MemorySaver, MemoryStore, prelude::*};
//! use superstep_server::Server;
//! use std::sync::Arc;
//! # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
//! # struct Mail { subject: String }
//! # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
//! # enum Node { Draft }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let graph = Graph::<Mail, Node>::builder()
//! #     .node(Node::Draft, || async {}).start(Node::Draft).finish(Node::Draft).build()?;
//! let backends = Backends {
//!     store: Some(Arc::new(MemoryStore::default())),
//!     ..Backends::on(MemorySaver::default())
//! };
//! let server = Server::on(backends).graph("mail", &graph).bind("127.0.0.1:2024").await?;
//! println!("http://{}", server.address());
//! server.serve(std::future::pending()).await?;
//! # Ok(()) }
//! ```
//!
//! `routes` has every path; its handlers are in the folder that the path begins with, those of other
//! protocols in `interop`. `guard` decides which requests are answered. Handlers share an `App`, which
//! holds `records` and the stores of `owners`. `docs/server.md` describes the server to its callers.

mod app;
mod assistants;
mod crons;
mod error;
mod events;
mod files;
mod forms;
mod guard;
mod interop;
mod owners;
mod presentation;
mod readiness;
mod records;
mod refusal;
mod registry;
mod request;
mod routes;
mod runs;
mod server;
mod settings;
mod store;
mod system;
mod threads;
mod time;
mod ui;

pub use app::operator_settings::{OperatorSettings, SettingsChange, SettingsError};
pub use app::role::Role;
pub use app::store_edit::{StoreEdit, StoreEditError, StoreEditor};
pub use error::ServerError;
pub use forms::thread_name::thread_uuid;
pub use owners::login::Denied;
pub use readiness::{Need, Readiness, Standing};
pub use routes::{access::Access, info::RouteInfo, routes};
pub use server::{Bound, Server, Workers};
