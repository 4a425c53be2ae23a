//! Products with AVX2.

use std::arch::x86_64::{__m128i, __m256, __m256i};

use pulp::cast;
use pulp::x86::V3;

use super::registers::{Registers, add_by_words, multiply};
use crate::chat::tensor::block::{Float, Narrow, NarrowInput, Wide, WideInput};
use crate::chat::tensor::lanes::{Lanes, Product, Q4KBytes, Q6KBytes};
use crate::chat::tensor::panel::{Four, Grain, Panel, ROWS};

impl Lanes for V3 {
    type Sum = __m256;
    type Sixteen = [__m256; 2];
    const HAS_MANY_REGISTERS: bool = false;
    // Its registers hold no more.
    const TOGETHER: usize = 2;
    const PANELS_FROM: usize = 2;

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
    fn wide(self, weights: &Wide, input: &WideInput) -> Product {
        let mut total = self.avx._mm256_setzero_si256();
        // Those of the first 16 of every 32 in one half, those of the others in the other.
        let apart = self
            .avx2
            ._mm256_shuffle_epi8(cast(weights.scales), cast(APART_WORDS));
        let scales = self.avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(apart);
        for ((q, given), place) in weights.q.iter().zip(&input.q).zip(&PLACES) {
            total = add_scaled(self, cast(*q), given, (scales, place), total);
        }
        let offset = self
            .avx2
            ._mm256_madd_epi16(cast(weights.mins), cast(input.sums));
        product(self, total, folded(self, offset))
    }

    #[inline(always)]
    fn packed_q4k(self, bytes: &Q4KBytes<'_>, input: &WideInput) -> Option<Product> {
        let words = |bytes: [u8; 8]| {
            let bytes: __m128i = cast([u64::from_le_bytes(bytes), 0]);
            self.sse4_1._mm_cvtepu8_epi16(bytes)
        };
        let scales = self.avx2._mm256_broadcastsi128_si256(words(bytes.scales));
        let mut total = self.avx._mm256_setzero_si256();
        let pairs = input.q.as_chunks::<2>().0.iter();
        let pairs = pairs.zip(PLACES.as_chunks::<2>().0);
        for (halves, ([first, second], [place, next])) in bytes.halves.iter().zip(pairs) {
            let (low, high) = nibbles(self, cast(*halves));
            total = add_scaled(self, low, first, (scales, place), total);
            total = add_scaled(self, high, second, (scales, next), total);
        }
        let sums: __m128i = cast(input.coarse);
        let offset = self.sse2._mm_madd_epi16(words(bytes.mins), sums);
        Some(product(self, total, offset))
    }

    #[inline(always)]
    fn packed_q6k(self, bytes: &Q6KBytes<'_>, input: &WideInput) -> Option<Product> {
        // As above.
        let scales: __m128i = cast(*bytes.scales);
        let apart = self.ssse3._mm_shuffle_epi8(scales, cast(APART));
        let apart = self.avx2._mm256_cvtepi8_epi16(apart);
        let top = self.avx._mm256_set1_epi8(0x30);
        let mut total = self.avx._mm256_setzero_si256();
        let fours = input.q.as_chunks::<4>().0.iter();
        let fours = fours.zip(PLACES.as_chunks::<4>().0);
        for ((low, high), (given, places)) in bytes.low.iter().zip(bytes.high).zip(fours) {
            let [first, second] = low.as_chunks::<32>().0 else {
                return None;
            };
            let (a, c) = nibbles(self, cast(*first));
            let (b, d) = nibbles(self, cast(*second));
            let high: __m256i = cast(*high);
            let tops = [
                self.avx2._mm256_slli_epi16::<4>(high),
                self.avx2._mm256_slli_epi16::<2>(high),
                high,
                self.avx2._mm256_srli_epi16::<2>(high),
            ];
            let quarters = [a, b, c, d].into_iter().zip(tops);
            for ((low, high), (given, place)) in quarters.zip(given.iter().zip(places)) {
                let high = self.avx2._mm256_and_si256(high, top);
                let q = self.avx2._mm256_or_si256(low, high);
                total = add_scaled(self, q, given, (apart, place), total);
            }
        }
        let mins = self.avx2._mm256_cvtepi8_epi16(scales);
        let offset = self.avx2._mm256_madd_epi16(mins, cast(input.sums));
        Some(product(self, total, folded(self, offset)))
    }

    #[inline(always)]
    fn cross(self, rows: &[&[u8; 16]; ROWS]) -> [Four; 4] {
        let mut crossed = [[0_u128; 4]; 4];
        for (quarter, [a, b, c, d]) in rows.as_chunks::<4>().0.iter().enumerate() {
            let [a, b, c, d]: [__m128i; 4] = [cast(**a), cast(**b), cast(**c), cast(**d)];
            let low = [(a, b), (c, d)].map(|(x, y)| self.sse2._mm_unpacklo_epi32(x, y));
            let high = [(a, b), (c, d)].map(|(x, y)| self.sse2._mm_unpackhi_epi32(x, y));
            let ([ab, cd], [ef, gh]) = (low, high);
            let fours = [
                self.sse2._mm_unpacklo_epi64(ab, cd),
                self.sse2._mm_unpackhi_epi64(ab, cd),
                self.sse2._mm_unpacklo_epi64(ef, gh),
                self.sse2._mm_unpackhi_epi64(ef, gh),
            ];
            for (crossed, four) in crossed.iter_mut().zip(fours) {
                if let Some(place) = crossed.get_mut(quarter) {
                    *place = cast(four);
                }
            }
        }
        cast(crossed)
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

    #[inline(always)]
    fn fused(self, left: f32, right: f32, sum: f32) -> f32 {
        left.mul_add(right, sum)
    }

    #[inline(always)]
    fn load(self, numbers: &[f32; 16]) -> [__m256; 2] {
        cast(*numbers)
    }

    #[inline(always)]
    fn store(self, numbers: [__m256; 2]) -> [f32; 16] {
        cast(numbers)
    }

    #[inline(always)]
    fn add_times(self, factor: f32, [a, b]: [__m256; 2], [c, d]: [__m256; 2]) -> [__m256; 2] {
        let factor = self.avx._mm256_set1_ps(factor);
        let add = |numbers, sums| self.fma._mm256_fmadd_ps(factor, numbers, sums);
        [add(a, c), add(b, d)]
    }
}

impl Registers for V3 {
    type Whole = [__m256i; 2];

    #[inline(always)]
    fn zeros(self) -> [__m256i; 2] {
        [self.avx._mm256_setzero_si256(); 2]
    }

    #[inline(always)]
    fn bytes(self, bytes: &Four) -> [__m256i; 2] {
        cast(*bytes)
    }

    #[inline(always)]
    fn words(self, words: &[[i16; 2]; ROWS]) -> [__m256i; 2] {
        cast(*words)
    }

    #[inline(always)]
    fn repeat(self, bits: i32) -> [__m256i; 2] {
        [self.avx._mm256_set1_epi32(bits); 2]
    }

    #[inline(always)]
    fn pairs(self, [a, b]: [__m256i; 2], [c, d]: [__m256i; 2]) -> [__m256i; 2] {
        let pairs = |bytes, signed| self.avx2._mm256_maddubs_epi16(bytes, signed);
        [pairs(a, c), pairs(b, d)]
    }

    #[inline(always)]
    fn add_words(self, [a, b]: [__m256i; 2], [c, d]: [__m256i; 2]) -> [__m256i; 2] {
        let add = |left, right| self.avx2._mm256_add_epi16(left, right);
        [add(a, c), add(b, d)]
    }

    #[inline(always)]
    fn add_pairs(
        self,
        [a, b]: [__m256i; 2],
        [c, d]: [__m256i; 2],
        [low, high]: [__m256i; 2],
    ) -> [__m256i; 2] {
        let add = |left, right, sum| {
            let products = self.avx2._mm256_madd_epi16(left, right);
            self.avx2._mm256_add_epi32(sum, products)
        };
        [add(a, c, low), add(b, d, high)]
    }

    #[inline(always)]
    fn add_block<const N: usize>(
        self,
        q: &[Four; 8],
        given: &[&[[i8; 4]; 8]; N],
        scales: (&[[[i16; 2]; ROWS]; 2], Grain),
        totals: &mut [[__m256i; 2]; N],
    ) {
        add_by_words(self, q, given, scales, totals);
    }

    #[inline(always)]
    fn add_scaled(
        self,
        (totals, offsets): ([__m256i; 2], [__m256i; 2]),
        (d, dmin): (&[f32; ROWS], &[f32; ROWS]),
        unit: f32,
        sums: &mut [f32; ROWS],
    ) {
        let unit = self.avx._mm256_set1_ps(unit);
        let products = totals.into_iter().zip(offsets);
        let scales = d.as_chunks::<8>().0.iter().zip(dmin.as_chunks::<8>().0);
        for (sums, ((total, offset), (d, dmin))) in sums
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(products.zip(scales))
        {
            let d = self.avx._mm256_mul_ps(cast(*d), unit);
            let dmin = self.avx._mm256_mul_ps(cast(*dmin), unit);
            let total = self.avx._mm256_cvtepi32_ps(total);
            let offset = self.avx._mm256_cvtepi32_ps(offset);
            let sum = self.fma._mm256_fmadd_ps(total, d, cast(*sums));
            *sums = cast(self.fma._mm256_fnmadd_ps(offset, dmin, sum));
        }
    }
}

/// Even bytes first, then odd ones.
const APART: [u8; 16] = [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15];
/// Even words of each half first, then odd ones.
const APART_WORDS: [[u8; 16]; 2] = [[0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15]; 2];

/// For each of eight words, where a shuffle finds it in each half of a register.
const PLACES: [[u8; 32]; 8] = {
    let mut places = [[0; 32]; 8];
    let mut at = 0;
    while at < 256 {
        #[allow(clippy::indexing_slicing, reason = "checked when it is compiled")]
        {
            places[at / 32][at % 32] = (at / 32 * 2 + at % 2) as u8;
        }
        at += 1;
    }
    places
};

/// The low and the high half of every byte.
#[inline(always)]
fn nibbles(simd: V3, bytes: __m256i) -> (__m256i, __m256i) {
    let mask = simd.avx._mm256_set1_epi8(15);
    let low = simd.avx2._mm256_and_si256(bytes, mask);
    let high = simd.avx2._mm256_srli_epi16::<4>(bytes);
    (low, simd.avx2._mm256_and_si256(high, mask))
}

/// Adds the product of 32 weights and activations to `total`, scaled by what is at `place` in
/// each half of `scales`.
#[inline(always)]
fn add_scaled(
    simd: V3,
    q: __m256i,
    given: &[[i8; 4]; 8],
    (scales, place): (__m256i, &[u8; 32]),
    total: __m256i,
) -> __m256i {
    // At most 63 * 127 * 2, which 16 bits hold.
    let products = simd.avx2._mm256_maddubs_epi16(q, cast(*given));
    let scale = simd.avx2._mm256_shuffle_epi8(scales, cast(*place));
    let scaled = simd.avx2._mm256_madd_epi16(products, scale);
    simd.avx2._mm256_add_epi32(total, scaled)
}

/// Both halves added.
#[inline(always)]
fn folded(simd: V3, sum: __m256i) -> __m128i {
    let high = simd.avx2._mm256_extracti128_si256::<1>(sum);
    let low = simd.avx._mm256_castsi256_si128(sum);
    simd.sse2._mm_add_epi32(low, high)
}

#[inline(always)]
fn product(simd: V3, total: __m256i, offset: __m128i) -> Product {
    let both = simd.ssse3._mm_hadd_epi32(folded(simd, total), offset);
    let [total, offset, ..]: [i32; 4] = cast(simd.ssse3._mm_hadd_epi32(both, both));
    Product { total, offset }
}
