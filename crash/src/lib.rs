//! Proof that threads survive.
//!
//! A [`worker`] runs one of the [`graphs`] on a database in a folder of its own (its [`world`]),
//! following the graph's script from wherever the thread stands. The [`vfs`] below SQLite and the
//! [`witness`] around the saver let it die at any point, and the witness writes down what it was
//! promised. The next life of the worker compares what it finds with what was promised (see
//! [`model`]), and goes on. [`campaign`] does that for every point there is.

pub mod args;
pub mod campaign;
pub mod case;
pub mod dice;
pub mod graphs;
pub mod line;
pub mod model;
pub mod script;
pub mod vfs;
pub mod witness;
pub mod worker;
pub mod world;

/// Whatever went wrong outside the code under test.
pub type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
