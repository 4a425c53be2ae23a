//! Tests of Atris through its public interface, over real HTTP to a fake Audius.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod conversation;
mod faults;
mod followups;
mod hosts;
mod killed;
mod modeled;
mod ordered;
mod questions;
mod readings;
mod recorded;
mod scenarios;
mod secrets;
mod support;
mod words;
mod writes;
