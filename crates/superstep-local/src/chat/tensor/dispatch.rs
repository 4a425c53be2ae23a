//! The choice of what a product is computed with, at run time, so that one binary fits all processors.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::lanes::Lanes;
use super::lanes::Work;
use super::portable::Portable;

/// Does `work` with the best this processor has.
#[inline]
pub(crate) fn dispatch<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        use super::x86::{Avx512, BytePairs, Vnni};
        if let Some(simd) = Avx512::<Vnni>::try_new() {
            return simd.features().vectorize(Vectorized { simd, work });
        }
        if let Some(simd) = Avx512::<BytePairs>::try_new() {
            return simd.features().vectorize(Vectorized { simd, work });
        }
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(Vectorized { simd, work });
        }
    }
    #[cfg(target_arch = "aarch64")]
    if let Some(simd) = pulp::aarch64::Neon::try_new() {
        return simd.vectorize(Vectorized { simd, work });
    }
    work.run(Portable)
}

/// Work inside a function compiled for the instructions of `simd`.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
struct Vectorized<S, W> {
    simd: S,
    work: W,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl<S: Lanes, W: Work> pulp::NullaryFnOnce for Vectorized<S, W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.run(self.simd)
    }
}
