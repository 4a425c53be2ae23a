//! Tests of the spreadsheet agent through its public interface, with scripted models.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod analysis;
mod approvals;
mod hostile;
mod informer;
mod killed;
mod opos;
mod outward;
mod programs;
mod steps;
mod support;
mod versions;
