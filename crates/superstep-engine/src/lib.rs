//! Runs superstep graphs on tokio.
//!
//! [`builder`] makes a [`DynGraph`] of the dynamic layer (JSON-shaped state, string names); [`graph`]
//! runs it; [`driver`](crate) drives the pure loop of `superstep-core`; [`ctx`] is what a running
//! node sees; [`memory`] has the in-process backends; [`typed`] is the layer of graphs over one
//! Rust struct.

mod buffer_pool;
pub mod builder;
pub mod cache;
mod check_answer;
pub mod clock;
mod close_asks;
mod continuation;
pub mod ctx;
pub mod draw;
mod driver;
mod enqueue;
mod env;
mod event_log;
mod fields;
pub mod follow;
pub mod graph;
pub mod input;
mod instrument;
pub mod memory;
pub mod metrics;
pub mod node;
pub mod options;
pub mod placement;
pub mod provenance;
mod repeats;
mod requests;
mod run;
mod run_entry;
mod running;
pub mod runs;
mod schedule;
mod sealed;
pub mod settle;
pub mod span;
pub mod spec;
pub mod state;
mod stop;
mod stored_options;
pub mod stream;
mod take_back;
pub mod threads;
pub mod typed;
pub mod worker;
mod write_behind;

pub use superstep_store as store;

pub use builder::{DynGraphBuilder, DynNodeOptions};
pub use ctx::{CallTask, DynCtx};
pub use follow::{DynFollow, LogItem};
pub use graph::{Backends, DynGraph};
pub use node::Node;
pub use options::{CheckpointRef, DynOutcome, OutputKeys, RunOptions, Status};
pub use placement::Placement;
pub use provenance::{Foreign, Origin, Provenance};
pub use running::{Canceller, DynRunEvents, DynRunOutcome, DynRunning};
pub use runs::Recovery;
pub use schedule::{NoSchedule, next_due};
pub use settle::{UnknownEffect, WhichEffect};
pub use span::OpenSpan;
pub use spec::{GraphSpec, Registry};
pub use stream::DynEventStream;
pub use threads::Fit;
pub use worker::{Worked, Worker};
