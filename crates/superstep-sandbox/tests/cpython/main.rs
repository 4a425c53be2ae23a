//! CPython with openpyxl, which must be installed, as must be what contains it. The feature
//! `cpython-tests` keeps these tests out of a plain build, their module keeps them out of a plain run.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

#[path = "../kit/mod.rs"]
mod kit;

mod needs_cpython;
