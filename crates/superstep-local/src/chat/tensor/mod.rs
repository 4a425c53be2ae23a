//! Arithmetic on packed weights: `matrix` is the product with `activations`, `panels` and `rows` the two
//! ways to it; `format` is how weights are packed, `block` how they are unpacked, `panel` how they are put
//! side by side; `lanes` is what the processor does with them (`x86` with vector instructions, `portable`
//! without), `dispatch` which of these, `vector` everything that is not a product with weights.

mod activations;
mod block;
mod dispatch;
mod format;
pub(super) mod half;
mod lanes;
mod matrix;
mod panel;
mod panels;
mod portable;
mod rows;
pub(super) mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(super) use activations::Rows;
pub(super) use format::Format;
pub(super) use matrix::Matrix;
