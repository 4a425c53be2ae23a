//! The run tree of a thread: what its runs did, how long it took and what it cost.
//!
//! There is no second store: a trace is a view of the thread's event log, which runs write if they
//! log [`Modes::TRACE`](superstep_core::event::Modes::TRACE). It is kept, pruned, encrypted and
//! deleted with the thread.
//!
//! [`RunTree`] is made of a log ([`tree`] says what is in it, [`grow`](RunTree::new) how);
//! [`text`] shows it in a terminal, [`json`] and [`otlp`] give it to others. With the feature
//! `otlp`, `export` sends finished runs to a collector while others go on.

mod clean;
#[cfg(feature = "otlp")]
pub mod export;
mod grow;
pub mod json;
pub mod otlp;
mod proto;
pub mod text;
pub mod totals;
pub mod tree;
mod units;

pub use clean::clean;
pub use totals::Totals;
pub use tree::{Branch, Kind, Run, RunTree, Status, Unended, View};
