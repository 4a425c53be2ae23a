//! What a superstep graph is, without doing anything.
//!
//! State ([`channel_state`], [`channel`]), commands ([`command`]), questions ([`ask`]), the compiled graph
//! ([`plan`]), and the run loop as a pure state machine ([`run`]). Nothing here does I/O, reads a
//! clock or spawns a task; `superstep-engine` drives it.

pub mod archive;
pub mod ask;
pub mod by_graph;
pub mod caller;
pub mod channel;
pub mod channel_state;
pub mod checkpoint;
pub mod clock;
pub mod codec;
pub mod command;
pub mod edit;
pub mod error;
pub mod event;
pub mod future;
pub mod graph_state;
pub mod id;
pub mod message;
pub mod past;
pub mod plan;
pub mod policy;
pub mod rare;
pub mod record;
pub mod reducer;
mod reused_list;
pub mod run;
pub mod runs;
pub mod saver;
pub mod scheduler;
pub mod schedules;
pub mod snapshot;
pub mod sync;
pub mod table;
pub mod thread_record;
pub mod value;

pub use error::{Error, ErrorKind, Failure};
pub use value::Value;
