//! The saver kit: the memory saver passes it, and it finds what is wrong with others.

mod answer;
mod broken;
mod broken_records;
mod broken_runs;
mod fault;
mod fault_memory;
mod keeping;
mod later;
mod mangle;
mod memory;
mod wire;
mod wrapper;
