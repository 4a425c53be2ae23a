//! Model selection: the model that the user named, or the first available one, with reasons.
//!
//! A [`Spec`](crate::spec::Spec) names a model. [`resolve()`] tries all [`Source`]s in order and records
//! why each was taken or not; it is a pure function of an [`Environment`]. [`Environment::find`] asks the
//! model servers of this machine as well. The [`Choice`] is opened by [`Providers`]: scripts and
//! recordings, the providers over HTTP, and those that a program registers. A scripted or recorded
//! model is never chosen unless it was named.

mod by_name;
mod calls;
mod choice;
mod environment;
mod find;
mod key;
mod open;
#[cfg(feature = "remote")]
mod remote;
mod resolve;

pub use calls::CallSettings;
pub use choice::Choice;
pub use environment::{DataOwner, Environment, Offered, Probe};
pub use key::Key;
pub use open::{Opening, Providers};
pub use resolve::{Consent, Link, Outcome, Resolution, Source, Verdict, resolve};
