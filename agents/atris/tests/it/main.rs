//! Tests of Atris through its public interface.

mod questions;
