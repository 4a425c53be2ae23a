//! What a superstep graph is, without doing anything.
//!
//! State ([`board`], [`channel`]), commands ([`command`]), questions ([`ask`]), the compiled graph
//! ([`plan`]), and the run loop as a pure state machine ([`run`]). Nothing here does I/O, reads a
//! clock or spawns a task; `superstep-engine` drives it.

pub mod archive;
pub mod ask;
pub mod board;
pub mod channel;
pub mod codec;
pub mod clock;
