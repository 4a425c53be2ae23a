//! Arithmetic on packed weights: `matrix` is the product with `activations`, `panels` and `rows` the two
//! ways to it; `format` is how weights are packed, `block` how they are unpacked, `panel` how they stand
//! side by side and `wide_format` how they come there; `lanes` is what the processor does with them (`x86` and `neon` with
//! vector instructions, `portable` without), `dispatch` which of these, `prefetch` how they are there in time; `attention`
//! and `vector` are everything that is not a product with weights.

mod activations;
pub(super) mod attention;
mod block;
mod dispatch;
mod format;
pub(super) mod half;
mod lanes;
mod matrix;
#[cfg(target_arch = "aarch64")]
mod neon;
mod panel;
mod panels;
mod portable;
mod prefetch;
mod rows;
pub(super) mod vector;
mod wide_format;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(super) use activations::Rows;
pub(super) use format::Format;
pub(super) use matrix::Matrix;
pub(super) use panels::is_faster_together;
