//! The run tree of a thread: what its runs did, how long it took and what it cost.
//!
//! There is no second store: a trace is a view of the thread's event log, which runs write if they
//! log [`Modes::TRACE`](superstep_core::event::Modes::TRACE). It is kept, pruned, encrypted and
//! deleted with the thread.
//!
//! [`RunTree`] is built from a log ([`tree`] is its shape, [`builder`](RunTree::new) makes it);
//! [`text`] formats it for a terminal, [`json`] and [`otlp`] for other programs. With the feature
//! `otlp`, `export` sends finished runs to a collector in the background.

mod builder;
#[cfg(feature = "otlp")]
pub mod export;
pub mod json;
pub mod otlp;
mod proto;
mod sanitize;
pub mod text;
pub mod totals;
pub mod tree;
mod units;

pub use totals::Totals;
pub use tree::{Branch, Kind, Run, RunTree, Status, Unended, View};
