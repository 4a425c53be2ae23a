//! Products with the vector instructions of x86-64: AVX2, and AVX-512 and VNNI where the processor has them.
//!
//! The methods of `pulp` can only be called with proof that the processor has the instruction, so
//! nothing here is unsafe but for one instruction that it does not know (`vnni`).

mod avx2;
mod avx512;
mod registers;
mod vnni;

pub(super) use avx512::{Avx512, BytePairs};
pub(super) use vnni::Vnni;
