//! What a superstep graph is, without doing anything.
//!
//! State ([`board`], [`channel`]), commands ([`command`]), questions ([`ask`]), the compiled graph
//! ([`plan`]), and the run loop as a pure state machine ([`run`]). Nothing here does I/O, reads a
//! clock or spawns a task; `superstep-engine` drives it.

pub mod archive;
pub mod ask;
pub mod board;
pub mod channel;
pub mod checkpoint;
pub mod clock;
pub mod codec;
pub mod command;
pub mod control;
pub mod edit;
pub mod error;
pub mod event;
pub mod frame;
pub mod id;
pub mod message;
pub mod plan;
pub mod policy;
pub mod record;
pub mod reducer;
pub mod run;
pub mod saver;
pub mod snapshot;
pub mod table;
pub mod value;

pub use error::{Error, ErrorKind, Failure};
pub use value::Value;
