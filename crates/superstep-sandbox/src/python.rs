//! A Python interpreter with limits: `compile` makes instructions of a tree, `vm` runs them over the
//! values of `value`; `types` and `builtins` are what programs find there, `modules` what they import.
//!
//! It reaches nothing outside: no files, no network, no processes, no clock but the date that it is
//! given. A program sees the workbook through `modules::sheet` alone.

mod builtins;
mod code;
mod compile;
mod fault;
mod format;
mod modules;
mod number;
mod run;
mod text;
mod types;
mod value;
mod vm;

pub(crate) use modules::importable;
pub(crate) use run::{Unfinished, run};
