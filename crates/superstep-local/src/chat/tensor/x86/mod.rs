//! Products with the vector instructions of x86-64: AVX2, and AVX-512 and VNNI where the processor has them.
//!
//! The methods of `pulp` can only be called with proof that the processor has the instruction, so
//! nothing here is unsafe but for one instruction that it does not know (`vnni`).

mod avx2;
mod avx512;
mod registers;
mod vnni;

use pulp::NullaryFnOnce;

use super::lanes::{Lanes, Work};

pub(super) use avx512::{Avx512, BytePairs};
pub(super) use vnni::Vnni;

/// Work inside a function compiled for the instructions of `simd`.
pub(super) struct Vectorized<S, W> {
    pub(super) simd: S,
    pub(super) work: W,
}

impl<S: Lanes, W: Work> NullaryFnOnce for Vectorized<S, W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.run(self.simd)
    }
}
