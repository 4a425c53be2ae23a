//! What a program may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a program may use. At a limit the run ends; what the program changed is dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How long it may run, by the clock on the wall.
    pub time: Duration,
    /// How many bytes of memory its process may have, the workbook included.
    pub memory: u64,
    /// How many bytes it may print; what is beyond is dropped and counted, and the program continues.
    pub output: usize,
    /// How many operations on the workbook it may make.
    pub operations: usize,
    /// How deep calls of functions may go.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            memory: 1 << 30,
            output: 64 << 10,
            operations: 1_000_000,
            depth: 1000,
        }
    }
}
