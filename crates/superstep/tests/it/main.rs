//! What the typed layer promises, through its public API.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod answered;
mod asks;
mod building;
mod callers;
#[cfg(feature = "model")]
mod categories;
mod concurrency;
mod deploys;
mod durability;
mod event_log;
mod events;
mod extractors;
mod failures;
mod json;
mod layers;
mod measures;
mod mistakes;
mod open_steps;
mod pipeline;
mod placement;
mod plain;
mod queue;
mod reducers;
mod schemas;
mod sealed;
mod shared_fields;
mod spans;
mod spec;
mod steps;
mod strict;
mod subgraphs;
mod support;
mod threads;
#[cfg(feature = "tools")]
mod ui;
mod versions;
