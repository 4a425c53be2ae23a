//! The arithmetic of a product, once for every kind of processor.
//!
//! [`dispatch`] finds out at run time what the processor has, so one binary fits all.

use super::block::{Float, Narrow, NarrowInput, Wide, WideInput};

/// Arithmetic on eight lanes.
pub(crate) trait Lanes: Copy + Send + Sync {
    type Sum: Copy + Send;
    fn zero(self) -> Self::Sum;
    fn total(self, sum: Self::Sum) -> f32;
    /// The low and the high half of every byte.
    fn halves(self, bytes: &[u8; 32]) -> ([u8; 32], [u8; 32]);
    fn wide(self, weights: &Wide, input: &WideInput, sum: Self::Sum) -> Self::Sum;
    fn narrow(self, weights: &Narrow, input: &NarrowInput, sum: Self::Sum) -> Self::Sum;
    fn float(self, weights: &Float, input: &Float, sum: Self::Sum) -> Self::Sum;
}

/// Work that is compiled for every kind of processor.
pub(crate) trait Work {
    type Output;
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Does `work` with the best this processor has.
#[inline]
pub(crate) fn dispatch<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(x86::Vectorized { simd, work });
    }
    work.run(Portable)
}

/// What any processor can do.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Lanes for Portable {
    type Sum = [f32; 8];

    #[inline(always)]
    fn zero(self) -> [f32; 8] {
        [0.0; 8]
    }

    #[inline(always)]
    fn total(self, sum: [f32; 8]) -> f32 {
        sum.iter().sum()
    }

    #[inline(always)]
    fn halves(self, bytes: &[u8; 32]) -> ([u8; 32], [u8; 32]) {
        let (mut low, mut high) = (*bytes, *bytes);
        low.iter_mut().for_each(|byte| *byte &= 15);
        high.iter_mut().for_each(|byte| *byte >>= 4);
        (low, high)
    }

    #[inline(always)]
    fn wide(self, weights: &Wide, input: &WideInput, mut sum: [f32; 8]) -> [f32; 8] {
        let mut total = [0_i32; 8];
        let blocks = weights.q.iter().zip(&weights.scales).zip(&input.q);
        for ((q, scales), input) in blocks {
            let quads = q.as_chunks::<4>().0.iter().zip(input.as_chunks::<4>().0);
            let scales = scales.as_chunks::<2>().0;
            for (total, ((q, input), [scale, _])) in total.iter_mut().zip(quads.zip(scales)) {
                let products = q.iter().zip(input);
                let products = products.map(|(q, input)| i32::from(*q) * i32::from(*input));
                *total += products.sum::<i32>() * i32::from(*scale);
            }
        }
        let offsets = weights.mins.iter().zip(input.sums);
        let offset: i32 = offsets
            .map(|(min, sum)| i32::from(*min) * i32::from(sum))
            .sum();
        for (sum, total) in sum.iter_mut().zip(total) {
            *sum += total as f32 * weights.d * input.d;
        }
        if let Some(sum) = sum.first_mut() {
            *sum -= offset as f32 * weights.dmin * input.d;
        }
        sum
    }

    #[inline(always)]
    fn narrow(self, weights: &Narrow, input: &NarrowInput, mut sum: [f32; 8]) -> [f32; 8] {
        let quads = weights.q.as_chunks::<4>().0.iter();
        let quads = quads.zip(input.q.as_chunks::<4>().0);
        for (sum, (q, given)) in sum.iter_mut().zip(quads) {
            let products = q.iter().zip(given);
            let products = products.map(|(q, given)| i32::from(*q) * i32::from(*given));
            let total: i32 = products.sum();
            *sum += total as f32 * weights.d * input.d + weights.eighth * input.sum;
        }
        sum
    }

    #[inline(always)]
    fn float(self, weights: &Float, input: &Float, mut sum: [f32; 8]) -> [f32; 8] {
        let eights = weights.values.as_chunks::<8>().0.iter();
        for (weights, input) in eights.zip(input.values.as_chunks::<8>().0) {
            for (sum, (weight, input)) in sum.iter_mut().zip(weights.iter().zip(input)) {
                *sum += weight * input;
            }
        }
        sum
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__m256, __m256i};

    use pulp::NullaryFnOnce;
    use pulp::cast;
    use pulp::x86::V3;

    use super::{Float, Lanes, Narrow, NarrowInput, Wide, WideInput, Work};

    /// Work inside a function compiled for AVX2.
    pub(super) struct Vectorized<W> {
        pub(super) simd: V3,
        pub(super) work: W,
    }

    impl<W: Work> NullaryFnOnce for Vectorized<W> {
        type Output = W::Output;

        #[inline(always)]
        fn call(self) -> W::Output {
            self.work.run(self.simd)
        }
    }

    impl Lanes for V3 {
        type Sum = __m256;

        #[inline(always)]
        fn zero(self) -> __m256 {
            self.avx._mm256_setzero_ps()
        }

        #[inline(always)]
        fn total(self, sum: __m256) -> f32 {
            let lanes: [f32; 8] = cast(sum);
            let [a, b, c, d, e, f, g, h] = lanes;
            ((a + e) + (b + f)) + ((c + g) + (d + h))
        }

        #[inline(always)]
        fn halves(self, bytes: &[u8; 32]) -> ([u8; 32], [u8; 32]) {
            let bytes: __m256i = cast(*bytes);
            let mask = self.avx._mm256_set1_epi8(15);
            let low = self.avx2._mm256_and_si256(bytes, mask);
            let high = self.avx2._mm256_srli_epi16::<4>(bytes);
            let high = self.avx2._mm256_and_si256(high, mask);
            (cast(low), cast(high))
        }

        #[inline(always)]
        fn wide(self, weights: &Wide, input: &WideInput, sum: __m256) -> __m256 {
            let mut total = self.avx._mm256_setzero_si256();
            let blocks = weights.q.iter().zip(&weights.scales).zip(&input.q);
            for ((q, scales), input) in blocks {
                let (q, scales, input): (__m256i, __m256i, __m256i) =
                    (cast(*q), cast(*scales), cast(*input));
                // At most 63 * 127 * 2, which 16 bits hold.
                let products = self.avx2._mm256_maddubs_epi16(q, input);
                let scaled = self.avx2._mm256_madd_epi16(products, scales);
                total = self.avx2._mm256_add_epi32(total, scaled);
            }
            let (mins, sums): (__m256i, __m256i) = (cast(weights.mins), cast(input.sums));
            let offset = self.avx2._mm256_madd_epi16(mins, sums);
            let d = self.avx._mm256_set1_ps(weights.d * input.d);
            let dmin = self.avx._mm256_set1_ps(weights.dmin * input.d);
            let sum = self
                .fma
                ._mm256_fmadd_ps(self.avx._mm256_cvtepi32_ps(total), d, sum);
            self.fma
                ._mm256_fnmadd_ps(self.avx._mm256_cvtepi32_ps(offset), dmin, sum)
        }

        #[inline(always)]
        fn narrow(self, weights: &Narrow, input: &NarrowInput, sum: __m256) -> __m256 {
            let (q, given): (__m256i, __m256i) = (cast(weights.q), cast(input.q));
            // The product wants one side without a sign: it is moved to the other.
            let magnitude = self.avx2._mm256_abs_epi8(q);
            let signed = self.avx2._mm256_sign_epi8(given, q);
            let products = self.avx2._mm256_maddubs_epi16(magnitude, signed);
            let ones = self.avx._mm256_set1_epi16(1);
            let total = self.avx2._mm256_madd_epi16(products, ones);
            let d = self.avx._mm256_set1_ps(weights.d * input.d);
            let offset = self.avx._mm256_set1_ps(weights.eighth * input.sum);
            let sum = self.avx._mm256_add_ps(sum, offset);
            self.fma
                ._mm256_fmadd_ps(self.avx._mm256_cvtepi32_ps(total), d, sum)
        }

        #[inline(always)]
        fn float(self, weights: &Float, input: &Float, mut sum: __m256) -> __m256 {
            let eights = weights.values.as_chunks::<8>().0.iter();
            for (weights, input) in eights.zip(input.values.as_chunks::<8>().0) {
                sum = self.fma._mm256_fmadd_ps(cast(*weights), cast(*input), sum);
            }
            sum
        }
    }
}
