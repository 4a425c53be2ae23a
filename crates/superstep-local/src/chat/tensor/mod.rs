//! Arithmetic on packed weights: `matrix` is the product, `format` how weights are packed, `block`
//! how they are unpacked, `lanes` what the processor does with a block, `vector` everything that is
//! not a product with weights.

mod block;
mod format;
pub(super) mod half;
mod lanes;
mod matrix;
pub(super) mod vector;

pub(super) use format::Format;
pub(super) use matrix::{Matrix, Rows};
