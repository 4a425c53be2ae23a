//! Runs superstep graphs on tokio.
//!
//! [`builder`] makes a [`Graph`] of the dynamic layer (JSON-shaped state, string names); [`graph`]
//! runs it; [`shell`](crate) drives the pure loop of `superstep-core`; [`ctx`] is what a running
//! node sees; [`memory`] has the in-process backends; [`typed`] is the layer of graphs over one
//! Rust struct.

mod behind;
pub mod builder;
pub mod cache;
pub mod clock;
pub mod ctx;
pub mod draw;
mod env;
pub mod follow;
pub mod graph;
pub mod input;
mod journal;
mod mailbox;
pub mod memory;
pub mod node;
pub mod options;
mod shell;
pub mod span;
pub mod state;
pub mod stream;
pub mod threads;
pub mod typed;

pub use superstep_store as store;

pub use builder::{GraphBuilder, NodeOptions};
pub use ctx::{CallTask, Ctx};
pub use follow::{Follow, LogItem};
pub use graph::{Backends, Graph};
pub use node::Node;
pub use options::{CheckpointRef, Outcome, OutputKeys, RunOptions, Status};
pub use span::OpenSpan;
pub use stream::EventStream;
pub use threads::Fit;
