//! Behavior of the dynamic layer through its public API.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

mod again;
mod answers_below;
mod bad_input;
mod caches;
mod cancel;
mod cancelling;
mod changed;
mod cut_short;
mod deadlines;
mod drawing;
mod effects;
mod fixture;
mod ids;
mod limits;
mod moving;
mod nested;
mod outliving;
mod repeats;
mod retention;
mod runs;
mod streams;
mod take_back;
mod threads;
mod timers;
mod worker;
