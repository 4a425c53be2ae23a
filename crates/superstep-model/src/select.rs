//! Which model answers: what the user named, or what can be had, in an order that can be told.
//!
//! [`Spec`](crate::spec::Spec) is how a model is named. [`resolve()`] goes through all ways to one in their order and says
//! of each why it was taken or not; it is a function of a [`World`] and does nothing itself. The
//! [`Choice`] is opened by [`Providers`], which are registered by whoever builds a program: this
//! crate knows scripts and recordings only. A model that is not real is never chosen unless it was
//! named.

mod choice;
mod key;
mod open;
mod resolve;
mod world;

pub use choice::Choice;
pub use key::Key;
pub use open::{Opening, Providers};
pub use resolve::{Consent, Link, Outcome, Resolution, Verdict, Way, resolve};
pub use world::{Content, Offered, Probe, World};
