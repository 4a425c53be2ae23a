//! The typed layer: a graph over one Rust struct and one enum of nodes.
//!
//! A [`State`] is a plain struct, one channel per field, each with a [`Reducer`]. [`Nodes`] are the
//! variants of an enum. A node is an async function of extractors ([`FromTask`]) that returns an
//! update or a [`Command`]. [`Graph::builder`] checks all of it and makes a [`Graph`] that runs on
//! the same loop as the dynamic layer.

#[doc(hidden)]
pub mod __private;
pub mod ask;
pub mod builder;
mod call;
pub mod channel_state;
mod check;
pub mod checkpoint;
pub mod command;
mod ctx;
mod declared;
mod depth;
mod enqueue;
pub mod error;
pub mod event;
pub mod extract;
pub mod field;
pub mod graph;
pub mod handler;
mod json;
pub mod nodes;
pub mod optional;
pub mod options;
pub mod outcome;
mod payload;
pub mod reducer;
mod resources;
pub mod running;
pub mod schemas;
mod shared;
pub mod snap;
pub mod state;
mod subgraph;
pub mod thread;
mod unfit_context;

pub use ask::{Ask, Asked, OpenAsk};
pub use builder::GraphBuilder;
pub use call::Call;
pub use checkpoint::Checkpoint;
pub use command::{Command, IntoCommand, ToParent};
pub use ctx::Ctx;
pub use error::{NodeError, Raise};
pub use event::{Event, EventStream, Follow};
pub use extract::{Context, Failed, FromTask, Input, Needs, Res, Store, TaskCtx};
pub use field::{Overwrite, Put};
pub use graph::Graph;
pub use handler::Handler;
pub use nodes::Nodes;
pub use optional::OptionalFromTask;
pub use options::NodeOptions;
pub use outcome::Outcome;
pub use reducer::{Append, Last, Max, Merge, Min, Reduced, Reducer, Sum, Undo};
pub use running::{RunEvents, RunOutcome, Running};
pub use schemas::Schemas;
pub use snap::Snap;
pub use state::{Keep, State, Update};
