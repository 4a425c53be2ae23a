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
//! Which path is served is in `routes`, who may come in `guard`, what a client is told in
//! `assistants`, `threads`, `state` and `runs`. `docs/server.md` is for those who call it.

mod a2a;
mod access;
mod adopt;
mod after_record;
mod after_run;
mod app;
mod assistant_lookup;
mod assistant_record;
mod assistants;
mod caller;
mod checkpoint;
mod connections;
mod counts;
mod cron_clock;
mod cron_record;
mod crons;
mod docs_page;
mod drawing;
mod endings;
mod error;
mod file_record;
mod file_rights;
mod files;
mod foreign;
mod guard;
mod hidden;
mod inbox_answer;
mod inbox_form;
mod limits;
mod looked_after;
mod matching;
mod mcp;
mod message_form;
mod metrics;
mod openapi;
mod openapi_bodies;
mod owner;
mod owner_graphs;
mod owner_store;
mod page;
mod payload;
mod private_paths;
mod protocol;
mod provenance;
mod query;
mod readers;
mod records;
mod refusal;
mod registry;
mod route_info;
mod routes;
mod run_batch;
mod run_end;
mod run_kwargs;
mod run_pages;
mod run_records;
mod run_request;
mod run_stream;
mod run_thread;
mod run_view;
mod runs;
mod serve_lock;
mod server;
mod slots;
mod snapshot;
mod state;
mod store_edit;
mod store_items;
mod stream_mode;
mod submit;
mod system;
mod thread_name;
mod thread_record;
mod thread_records;
mod thread_search;
mod thread_stream;
mod thread_view;
mod threads;
mod time;
mod tokens;
mod traces;
mod ui;
mod uploads;
mod visitor;
mod waiting;
mod webhook;
mod wire;
mod working;

pub use access::Access;
pub use error::ServerError;
pub use route_info::RouteInfo;
pub use routes::routes;
pub use serve_lock::ServeLock;
pub use server::{Bound, Server};
pub use store_edit::{StoreEdit, StoreEditError, StoreEditor};
pub use thread_name::thread_uuid;
