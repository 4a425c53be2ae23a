//! What the layer around models promises, through its public API.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod budgets;
mod deadlines;
mod fake;
mod ladder;
mod line;
mod retries;
mod room;
mod schema;
