//! Audius on the loopback: the whole public API over a small world, with faults on demand.
//!
//! [`World`] is made from a seed and is consistent: a user has as many followers as there are users who
//! follow them, wherever that is asked. [`respond`] is a pure function from a call to a reply; what may be
//! called, and with what, comes from the catalogue of `superstep-atris`. [`FakeAudius`] puts it behind
//! HTTP. A [`Fault`] changes what is answered.
//!
//! `world` is the data, `wire` how it looks in replies, `lists` what operations answer, `orders` how lists are
//! filtered and sorted, `sample` what
//! answers the operations that the world knows nothing about.

mod fault;
mod lists;
mod orders;
mod request;
mod respond;
mod sample;
mod server;
mod wire;
mod world;

pub use fault::Fault;
pub use respond::{Call, Manner, Reply, TOKEN, respond};
pub use server::{FakeAudius, Options};
pub use world::World;
