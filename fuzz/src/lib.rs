//! Fuzzing of everything that reads bytes of others: stored values, event streams, mails, scripts,
//! archives.
//!
//! A [`Target`] reads its input and asserts what must hold for any input, beginning with "it returns".
//! [`campaign`] mutates the target's seeds ([`mutate`]) under a printed seed; that runs everywhere and
//! is a test. `fuzz_targets/` has the same targets for `cargo fuzz`, which is guided by coverage.

pub mod campaign;
pub mod mutate;
pub mod target;
pub mod targets;

pub use campaign::{Campaign, Failure};
pub use target::Target;
