//! Products with the vector instructions of arm64, which every such processor has.
//!
//! Rows of weights are multiplied as they are packed. Without an instruction that adds up four products of bytes, as
//! not all of these processors have, panels gain nothing.

use std::arch::aarch64::{float32x4_t, int8x16_t, int16x8_t, int32x4_t, uint8x16_t};

use pulp::aarch64::Neon;
use pulp::cast;

use super::block::{Float, Narrow, NarrowInput, Wide, WideInput};
use super::lanes::{Lanes, Product, Q4KBytes, Q6KBytes};

impl Lanes for Neon {
    type Sum = [float32x4_t; 2];
    type Sixteen = [float32x4_t; 4];
    const TOGETHER: usize = 1;
    const PANELS_FROM: usize = usize::MAX;
    const HAS_MANY_REGISTERS: bool = false;

    #[inline(always)]
    fn zero(self) -> [float32x4_t; 2] {
        [self.neon.vdupq_n_f32(0.0); 2]
    }

    #[inline(always)]
    fn total(self, [a, b]: [float32x4_t; 2]) -> f32 {
        self.neon.vaddvq_f32(self.neon.vaddq_f32(a, b))
    }

    #[inline(always)]
    fn wide(self, weights: &Wide, input: &WideInput) -> Product {
        let mut totals = Totals::new(self);
        let scales = weights.scales.as_chunks::<2>().0;
        for ((q, given), scales) in weights.q.iter().zip(&input.q).zip(scales) {
            totals.add_halves(cast(*q), given, *scales);
        }
        Product {
            total: totals.sum(),
            offset: dot(self, &weights.mins, &input.sums),
        }
    }

    #[inline(always)]
    fn packed_q4k(self, bytes: &Q4KBytes<'_>, input: &WideInput) -> Option<Product> {
        let n = self.neon;
        let mut totals = Totals::new(self);
        let scales = bytes.scales.as_chunks::<2>().0;
        let pairs = input.q.as_chunks::<2>().0.iter();
        for ((packed, [low, high]), [first, second]) in bytes.halves.iter().zip(scales).zip(pairs) {
            let [a, b]: [uint8x16_t; 2] = cast(*packed);
            totals.add(nibbles(self, a, b), first, i16::from(*low));
            let upper = [n.vshrq_n_u8::<4>(a), n.vshrq_n_u8::<4>(b)];
            totals.add(upper, second, i16::from(*high));
        }
        let mut mins = [0; 16];
        let mut sums = [0; 16];
        for ((min, byte), (sum, coarse)) in
            (mins.iter_mut().zip(bytes.mins)).zip(sums.iter_mut().zip(input.coarse))
        {
            (*min, *sum) = (i16::from(byte), coarse);
        }
        Some(Product {
            total: totals.sum(),
            offset: dot(self, &mins, &sums),
        })
    }

    #[inline(always)]
    fn packed_q6k(self, bytes: &Q6KBytes<'_>, input: &WideInput) -> Option<Product> {
        let n = self.neon;
        let top = n.vdupq_n_u8(0x30);
        let mut scales = [0; 16];
        for (scale, byte) in scales.iter_mut().zip(bytes.scales) {
            *scale = i16::from(byte.cast_signed());
        }
        let mut totals = Totals::new(self);
        let fours = input.q.as_chunks::<4>().0.iter();
        let fours = fours.zip(scales.as_chunks::<8>().0);
        for ((low, high), (given, scales)) in bytes.low.iter().zip(bytes.high).zip(fours) {
            let [a, b, c, d]: [uint8x16_t; 4] = cast(*low);
            let high: [uint8x16_t; 2] = cast(*high);
            let quarters = [
                (
                    nibbles(self, a, b),
                    high.map(|high| n.vshlq_n_u8::<4>(high)),
                ),
                (
                    nibbles(self, c, d),
                    high.map(|high| n.vshlq_n_u8::<2>(high)),
                ),
                ([a, b].map(|low| n.vshrq_n_u8::<4>(low)), high),
                (
                    [c, d].map(|low| n.vshrq_n_u8::<4>(low)),
                    high.map(|high| n.vshrq_n_u8::<2>(high)),
                ),
            ];
            let given = given.iter().zip(scales.as_chunks::<2>().0);
            for (([a, b], [c, d]), (given, scales)) in quarters.into_iter().zip(given) {
                let q = [
                    n.vorrq_u8(a, n.vandq_u8(c, top)),
                    n.vorrq_u8(b, n.vandq_u8(d, top)),
                ];
                totals.add_halves(q, given, *scales);
            }
        }
        Some(Product {
            total: totals.sum(),
            offset: dot(self, &scales, &input.sums),
        })
    }

    #[inline(always)]
    fn narrow(
        self,
        weights: &Narrow,
        input: &NarrowInput,
        [first, second]: [float32x4_t; 2],
    ) -> [float32x4_t; 2] {
        let n = self.neon;
        let [a, b]: [int8x16_t; 2] = cast(weights.q);
        let [c, d]: [int8x16_t; 2] = cast(input.q);
        let offset = n.vdupq_n_f32(weights.eighth * input.sum);
        // Sums of four neighbors.
        let add = |q, given, sum| {
            let low = n.vmull_s8(n.vget_low_s8(q), n.vget_low_s8(given));
            let high = n.vmull_high_s8(q, given);
            let totals = n.vpaddq_s32(n.vpaddlq_s16(low), n.vpaddlq_s16(high));
            let sum = n.vaddq_f32(sum, offset);
            n.vfmaq_n_f32(sum, n.vcvtq_f32_s32(totals), weights.d * input.d)
        };
        [add(a, c, first), add(b, d, second)]
    }

    #[inline(always)]
    fn float(
        self,
        weights: &Float,
        input: &Float,
        [mut first, mut second]: [float32x4_t; 2],
    ) -> [float32x4_t; 2] {
        let eights = weights.values.as_chunks::<8>().0.iter();
        for (weights, input) in eights.zip(input.values.as_chunks::<8>().0) {
            let [a, b]: [float32x4_t; 2] = cast(*weights);
            let [c, d]: [float32x4_t; 2] = cast(*input);
            first = self.neon.vfmaq_f32(first, a, c);
            second = self.neon.vfmaq_f32(second, b, d);
        }
        [first, second]
    }

    #[inline(always)]
    fn fused(self, left: f32, right: f32, sum: f32) -> f32 {
        left.mul_add(right, sum)
    }

    #[inline(always)]
    fn load(self, numbers: &[f32; 16]) -> [float32x4_t; 4] {
        cast(*numbers)
    }

    #[inline(always)]
    fn store(self, numbers: [float32x4_t; 4]) -> [f32; 16] {
        cast(numbers)
    }

    #[inline(always)]
    fn add_times(
        self,
        factor: f32,
        [a, b, c, d]: [float32x4_t; 4],
        [e, f, g, h]: [float32x4_t; 4],
    ) -> [float32x4_t; 4] {
        let add = |numbers, sums| self.neon.vfmaq_n_f32(sums, numbers, factor);
        [add(a, e), add(b, f), add(c, g), add(d, h)]
    }
}

/// The lower half of every byte.
#[inline(always)]
fn nibbles(simd: Neon, a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
    let mask = simd.neon.vdupq_n_u8(15);
    [simd.neon.vandq_u8(a, mask), simd.neon.vandq_u8(b, mask)]
}

/// Sums of products, side by side.
#[derive(Clone, Copy)]
struct Totals {
    simd: Neon,
    sums: [int32x4_t; 2],
}

impl Totals {
    #[inline(always)]
    fn new(simd: Neon) -> Self {
        let sums = [simd.neon.vdupq_n_s32(0); 2];
        Self { simd, sums }
    }

    /// Adds the products of 32 weights of at most five bits, which have one scale.
    #[inline(always)]
    fn add(&mut self, [a, b]: [uint8x16_t; 2], given: &[[i8; 4]; 8], scale: i16) {
        let n = self.simd.neon;
        let [a, b] = [n.vreinterpretq_s8_u8(a), n.vreinterpretq_s8_u8(b)];
        let [c, d]: [int8x16_t; 2] = cast(*given);
        // At most 31 * 127 * 4, which 16 bits hold.
        let products = n.vmull_s8(n.vget_low_s8(a), n.vget_low_s8(c));
        let products = n.vmlal_high_s8(products, a, c);
        let products = n.vmlal_s8(products, n.vget_low_s8(b), n.vget_low_s8(d));
        self.add_scaled(n.vmlal_high_s8(products, b, d), scale);
    }

    /// Adds the products of 32 weights of at most six bits, of which each half has a scale.
    #[inline(always)]
    fn add_halves(
        &mut self,
        [a, b]: [uint8x16_t; 2],
        given: &[[i8; 4]; 8],
        [first, second]: [i16; 2],
    ) {
        let n = self.simd.neon;
        let [c, d]: [int8x16_t; 2] = cast(*given);
        let products = |q, given| {
            let q = n.vreinterpretq_s8_u8(q);
            let low = n.vmull_s8(n.vget_low_s8(q), n.vget_low_s8(given));
            n.vmlal_high_s8(low, q, given)
        };
        self.add_scaled(products(a, c), first);
        self.add_scaled(products(b, d), second);
    }

    #[inline(always)]
    fn add_scaled(&mut self, products: int16x8_t, scale: i16) {
        let n = self.simd.neon;
        let [low, high] = self.sums;
        self.sums = [
            n.vmlal_n_s16(low, n.vget_low_s16(products), scale),
            n.vmlal_high_n_s16(high, products, scale),
        ];
    }

    #[inline(always)]
    fn sum(self) -> i32 {
        let [low, high] = self.sums;
        self.simd
            .neon
            .vaddvq_s32(self.simd.neon.vaddq_s32(low, high))
    }
}

/// The sum of the products of sixteen words.
#[inline(always)]
fn dot(simd: Neon, left: &[i16; 16], right: &[i16; 16]) -> i32 {
    let n = simd.neon;
    let [a, b]: [int16x8_t; 2] = cast(*left);
    let [c, d]: [int16x8_t; 2] = cast(*right);
    let sums = n.vmull_s16(n.vget_low_s16(a), n.vget_low_s16(c));
    let sums = n.vmlal_high_s16(sums, a, c);
    let sums = n.vmlal_s16(sums, n.vget_low_s16(b), n.vget_low_s16(d));
    n.vaddvq_s32(n.vmlal_high_s16(sums, b, d))
}
