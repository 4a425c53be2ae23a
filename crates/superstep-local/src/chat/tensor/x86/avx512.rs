//! Products with AVX-512. Panels are multiplied in its registers; row by row AVX2 is as fast.

use std::arch::x86_64::{__m128i, __m256, __m512, __m512i};

use pulp::cast;
use pulp::x86::V4;

use super::registers::{Registers, add_by_words, multiply};
use crate::chat::tensor::block::{Float, Narrow, NarrowInput, Wide, WideInput};
use crate::chat::tensor::lanes::{Lanes, Product, Q4KBytes, Q6KBytes};
use crate::chat::tensor::panel::{Four, Grain, Panel, ROWS};

/// A processor with AVX-512, which multiplies bytes as `D` says.
#[derive(Clone, Copy)]
pub(crate) struct Avx512<D> {
    pub(super) simd: V4,
    pub(super) dots: D,
}

/// How bytes are multiplied and added up.
pub(crate) trait Dots: Copy + Send + Sync {
    const TOGETHER: usize;
    const PANELS_FROM: usize;
    /// As [`Registers::add_block`].
    fn add_block<const N: usize>(
        simd: Avx512<Self>,
        q: &[Four; 8],
        given: &[&[[i8; 4]; 8]; N],
        scales: (&[[[i16; 2]; ROWS]; 2], Grain),
        totals: &mut [__m512i; N],
    );
}

/// In pairs of bytes.
#[derive(Clone, Copy)]
pub(crate) struct BytePairs;

impl Avx512<BytePairs> {
    pub(crate) fn try_new() -> Option<Self> {
        V4::try_new().map(|simd| Self {
            simd,
            dots: BytePairs,
        })
    }

    /// What functions are compiled for there.
    pub(crate) fn features(self) -> V4 {
        self.simd
    }
}

impl Dots for BytePairs {
    const TOGETHER: usize = 4;
    const PANELS_FROM: usize = 2;

    #[inline(always)]
    fn add_block<const N: usize>(
        simd: Avx512<Self>,
        q: &[Four; 8],
        given: &[&[[i8; 4]; 8]; N],
        scales: (&[[[i16; 2]; ROWS]; 2], Grain),
        totals: &mut [__m512i; N],
    ) {
        add_by_words(simd, q, given, scales, totals);
    }
}

impl<D: Dots> Lanes for Avx512<D> {
    type Sum = __m256;
    type Sixteen = __m512;
    const HAS_MANY_REGISTERS: bool = true;
    const TOGETHER: usize = D::TOGETHER;
    const PANELS_FROM: usize = D::PANELS_FROM;

    #[inline(always)]
    fn zero(self) -> __m256 {
        (*self.simd).zero()
    }

    #[inline(always)]
    fn total(self, sum: __m256) -> f32 {
        (*self.simd).total(sum)
    }

    #[inline(always)]
    fn wide(self, weights: &Wide, input: &WideInput) -> Product {
        (*self.simd).wide(weights, input)
    }

    #[inline(always)]
    fn packed_q4k(self, bytes: &Q4KBytes<'_>, input: &WideInput) -> Option<Product> {
        (*self.simd).packed_q4k(bytes, input)
    }

    #[inline(always)]
    fn packed_q6k(self, bytes: &Q6KBytes<'_>, input: &WideInput) -> Option<Product> {
        (*self.simd).packed_q6k(bytes, input)
    }

    #[inline(always)]
    fn cross(self, rows: &[&[u8; 16]; ROWS]) -> [Four; 4] {
        let f = self.simd.avx512f;
        let [a, b, c, d] = rows.as_chunks::<4>().0 else {
            return [[0; 4 * ROWS]; 4];
        };
        // One row of every four, in a quarter of the register each.
        let mut quarters = [self.zeros(); 4];
        let rows = a.iter().zip(b).zip(c.iter().zip(d));
        for (joined, ((a, b), (c, d))) in quarters.iter_mut().zip(rows) {
            let [a, b, c, d]: [__m128i; 4] = [cast(**a), cast(**b), cast(**c), cast(**d)];
            let two = f._mm512_inserti32x4::<1>(f._mm512_castsi128_si512(a), b);
            let three = f._mm512_inserti32x4::<2>(two, c);
            *joined = f._mm512_inserti32x4::<3>(three, d);
        }
        let [a, b, c, d] = quarters;
        let (ab, cd) = (f._mm512_unpacklo_epi32(a, b), f._mm512_unpacklo_epi32(c, d));
        let (ef, gh) = (f._mm512_unpackhi_epi32(a, b), f._mm512_unpackhi_epi32(c, d));
        [
            cast(f._mm512_unpacklo_epi64(ab, cd)),
            cast(f._mm512_unpackhi_epi64(ab, cd)),
            cast(f._mm512_unpacklo_epi64(ef, gh)),
            cast(f._mm512_unpackhi_epi64(ef, gh)),
        ]
    }

    #[inline(always)]
    fn panel<const N: usize>(
        self,
        panel: &Panel,
        grain: Grain,
        inputs: &[WideInput; N],
        sums: &mut [[f32; ROWS]; N],
    ) {
        multiply(self, panel, grain, inputs, sums);
    }

    #[inline(always)]
    fn narrow(self, weights: &Narrow, input: &NarrowInput, sum: __m256) -> __m256 {
        (*self.simd).narrow(weights, input, sum)
    }

    #[inline(always)]
    fn float(self, weights: &Float, input: &Float, sum: __m256) -> __m256 {
        (*self.simd).float(weights, input, sum)
    }

    #[inline(always)]
    fn fused(self, left: f32, right: f32, sum: f32) -> f32 {
        left.mul_add(right, sum)
    }

    #[inline(always)]
    fn load(self, numbers: &[f32; 16]) -> __m512 {
        cast(*numbers)
    }

    #[inline(always)]
    fn widen(self, halves: &[u16; 16]) -> __m512 {
        self.simd.avx512f._mm512_cvtph_ps(cast(*halves))
    }

    #[inline(always)]
    fn store(self, numbers: __m512) -> [f32; 16] {
        cast(numbers)
    }

    #[inline(always)]
    fn add_times(self, factor: f32, numbers: __m512, sums: __m512) -> __m512 {
        let f = self.simd.avx512f;
        f._mm512_fmadd_ps(f._mm512_set1_ps(factor), numbers, sums)
    }
}

impl<D: Dots> Registers for Avx512<D> {
    type Whole = __m512i;

    #[inline(always)]
    fn zeros(self) -> __m512i {
        self.simd.avx512f._mm512_setzero_si512()
    }

    #[inline(always)]
    fn bytes(self, bytes: &Four) -> __m512i {
        cast(*bytes)
    }

    #[inline(always)]
    fn words(self, words: &[[i16; 2]; ROWS]) -> __m512i {
        cast(*words)
    }

    #[inline(always)]
    fn repeat(self, bits: i32) -> __m512i {
        self.simd.avx512f._mm512_set1_epi32(bits)
    }

    #[inline(always)]
    fn pairs(self, bytes: __m512i, signed: __m512i) -> __m512i {
        self.simd.avx512bw._mm512_maddubs_epi16(bytes, signed)
    }

    #[inline(always)]
    fn add_words(self, left: __m512i, right: __m512i) -> __m512i {
        self.simd.avx512bw._mm512_add_epi16(left, right)
    }

    #[inline(always)]
    fn add_pairs(self, left: __m512i, right: __m512i, sum: __m512i) -> __m512i {
        let products = self.simd.avx512bw._mm512_madd_epi16(left, right);
        self.simd.avx512f._mm512_add_epi32(sum, products)
    }

    #[inline(always)]
    fn add_block<const N: usize>(
        self,
        q: &[Four; 8],
        given: &[&[[i8; 4]; 8]; N],
        scales: (&[[[i16; 2]; ROWS]; 2], Grain),
        totals: &mut [__m512i; N],
    ) {
        D::add_block(self, q, given, scales, totals);
    }

    #[inline(always)]
    fn add_scaled(
        self,
        (total, offset): (__m512i, __m512i),
        (d, dmin): (&[f32; ROWS], &[f32; ROWS]),
        unit: f32,
        sums: &mut [f32; ROWS],
    ) {
        let f = self.simd.avx512f;
        let unit = f._mm512_set1_ps(unit);
        let d = f._mm512_mul_ps(cast(*d), unit);
        let dmin = f._mm512_mul_ps(cast(*dmin), unit);
        let sum = f._mm512_fmadd_ps(f._mm512_cvtepi32_ps(total), d, cast(*sums));
        *sums = cast(f._mm512_fnmadd_ps(f._mm512_cvtepi32_ps(offset), dmin, sum));
    }
}
