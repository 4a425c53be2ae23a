//! Products without vector instructions, for processors of which nothing is known.

use super::block::{Float, Narrow, NarrowInput, Wide, WideInput};
use super::lanes::{Lanes, Product};

/// What any processor can do.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Lanes for Portable {
    type Sum = [f32; 8];
    type Sixteen = [f32; 16];
    const HAS_MANY_REGISTERS: bool = false;
    const TOGETHER: usize = 1;
    // Plain loops take longer with panels, whatever their number; they are what other processors are checked against.
    const PANELS_FROM: usize = usize::MAX;

    #[inline(always)]
    fn zero(self) -> [f32; 8] {
        [0.0; 8]
    }

    #[inline(always)]
    fn total(self, sum: [f32; 8]) -> f32 {
        sum.iter().sum()
    }

    #[inline(always)]
    fn wide(self, weights: &Wide, input: &WideInput) -> Product {
        let mut product = Product::default();
        let groups = weights.q.as_flattened().as_chunks::<16>().0.iter();
        let given = input.q.as_flattened().as_flattened();
        let groups = groups.zip(given.as_chunks::<16>().0);
        for ((q, given), scale) in groups.zip(weights.scales) {
            let products = q.iter().zip(given);
            let products = products.map(|(q, given)| i32::from(*q) * i32::from(*given));
            product.total += products.sum::<i32>() * i32::from(scale);
        }
        let offsets = weights.mins.iter().zip(input.sums);
        let offsets = offsets.map(|(min, sum)| i32::from(*min) * i32::from(sum));
        product.offset = offsets.sum();
        product
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

    #[inline(always)]
    fn fused(self, left: f32, right: f32, sum: f32) -> f32 {
        left * right + sum
    }

    #[inline(always)]
    fn load(self, numbers: &[f32; 16]) -> [f32; 16] {
        *numbers
    }

    #[inline(always)]
    fn store(self, numbers: [f32; 16]) -> [f32; 16] {
        numbers
    }

    #[inline(always)]
    fn add_times(self, factor: f32, numbers: [f32; 16], mut sums: [f32; 16]) -> [f32; 16] {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum = self.fused(factor, number, *sum);
        }
        sums
    }
}
