//! What the assistant promises, through its public API.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod asking;
mod copies;
mod deciding;
mod fixture;
mod folders;
mod forward;
mod hostile;
mod injection;
mod intake;
mod killed;
mod labeled;
mod learning;
mod meetings;
mod modes;
mod proposals;
mod reading;
mod recorded;
mod requests;
mod sending;
mod small;
mod withdrawn;
