//! Model selection: the model that the user named, or the first available one, with reasons.
//!
//! A [`Spec`](crate::spec::Spec) names a model. [`resolve()`] tries all [`Source`]s in order and records
//! why each was taken or not; it is a pure function of an [`Environment`]. The [`Choice`] is opened by
//! [`Providers`], which the program registers: this crate knows scripts and recordings only. A
//! scripted or recorded model is never chosen unless it was named.

mod choice;
mod environment;
mod key;
mod open;
mod resolve;

pub use choice::Choice;
pub use environment::{DataOwner, Environment, Offered, Probe};
pub use key::Key;
pub use open::{Opening, Providers};
pub use resolve::{Consent, Link, Outcome, Resolution, Source, Verdict, resolve};
