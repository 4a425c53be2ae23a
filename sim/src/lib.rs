//! A seeded simulation of the whole runtime above the loop.
//!
//! One seed is one history: a graph of the catalogue ([`graphs`]), workers that drive its loop
//! ([`sim`]), a store whose writes can be lost, refused or late, a virtual clock that can jump, and
//! people who answer questions, sometimes the same one twice. Every sentence of [`report::Promise`]
//! is checked on the way and at the end. What goes wrong with a seed goes wrong with it again.

mod clock;
mod dice;
pub mod graphs;
mod oracle;
mod outside;
pub mod plant;
mod reference;
pub mod report;
pub mod sim;
mod store;

pub use reference::Reference;
