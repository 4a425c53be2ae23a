//! The choice of what a product is computed with, at run time, so that one binary fits all processors.

use super::lanes::Work;
use super::portable::Portable;

/// Does `work` with the best this processor has.
#[inline]
pub(crate) fn dispatch<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        use super::x86::{Avx512, BytePairs, Vectorized, Vnni};
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
    work.run(Portable)
}
