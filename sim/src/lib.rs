//! Seeded simulation of the runtime around the loop.
//!
//! One seed is one history: a graph of the catalogue ([`graphs`]), workers that drive its loop
//! ([`sim`]), a store whose writes can be lost, refused or late, a virtual clock that can jump, and
//! people who answer questions, sometimes the same one twice. Every sentence of [`report::Promise`]
//! is checked on the way and at the end. A seed that fails fails again.

mod clock;
mod external_effects;
pub mod graphs;
pub mod mutation;
mod oracle;
mod reference;
pub mod report;
mod rng;
pub mod sim;
mod store;

pub use reference::Reference;
