//! Providers over real HTTP on the loopback, against servers that follow the protocol and servers
//! that do not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod golden;
mod lists;
mod matrix;
mod open;
mod replies;
mod side;
