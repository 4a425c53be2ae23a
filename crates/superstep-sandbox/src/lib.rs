//! Python programs that nobody vouches for, run on workbooks.
//!
//! A program gets a workbook and gives changes: nothing else leaves a [`Sandbox`], and the workbook
//! that went in stays as it is. What a program prints, raises or uses up is part of what a run gives
//! ([`Ran`]); an error is what prevented the run.
//!
//! Read `sandbox` for the trait, `ran` for what a run gives, `limits` for what it may use.

mod error;
mod fault;
mod limits;
mod ran;
mod sandbox;

pub use error::SandboxError;
pub use fault::{Raised, Stop};
pub use limits::Limits;
pub use ran::{Base, Ending, Outcome, Ran};
pub use sandbox::{Availability, Job, Sandbox};
