//! Behaviour of the dynamic layer through its public API.

mod bad_input;
mod cancel;
mod drawing;
mod effects;
mod kit;
mod limits;
mod streams;
mod threads;
