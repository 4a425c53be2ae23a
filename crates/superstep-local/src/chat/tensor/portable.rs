//! Products without vector instructions, for processors of which nothing is known.

use super::block::{Float, Narrow, NarrowInput, Wide, WideInput};
use super::lanes::{Lanes, Product};
use super::panel::{self, Four, Grain, Panel, ROWS};

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
    fn cross(self, rows: &[&[u8; 16]; ROWS]) -> [Four; 4] {
        let mut crossed = [[0; 4 * ROWS]; 4];
        for (row, bytes) in rows.iter().enumerate() {
            for (crossed, four) in crossed.iter_mut().zip(bytes.as_chunks::<4>().0) {
                if let Some(place) = crossed.as_chunks_mut::<4>().0.get_mut(row) {
                    *place = *four;
                }
            }
        }
        crossed
    }

    #[inline(always)]
    fn panel<const N: usize>(
        self,
        panel: &Panel,
        grain: Grain,
        inputs: &[WideInput; N],
        sums: &mut [[f32; ROWS]; N],
    ) {
        panel_by_loops(self, panel, grain, inputs, sums);
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

/// [`Lanes::panel`] in plain loops.
#[inline(always)]
pub(super) fn panel_by_loops<L: Lanes, const N: usize>(
    lanes: L,
    panel: &Panel,
    grain: Grain,
    inputs: &[WideInput; N],
    sums: &mut [[f32; ROWS]; N],
) {
    for (input, sums) in inputs.iter().zip(sums) {
        let mut totals = [0_i32; ROWS];
        let fours = input.q.as_flattened();
        let groups = panel.q.as_chunks::<4>().0.iter().zip(&panel.scales);
        for ((q, scales), given) in groups.zip(fours.as_chunks::<4>().0) {
            let mut products = [0_i32; ROWS];
            for (q, given) in q.iter().zip(given) {
                let q = q.as_chunks::<4>().0;
                for (product, q) in products.iter_mut().zip(q) {
                    let four = q.iter().zip(given);
                    let four = four.map(|(q, given)| i32::from(*q) * i32::from(*given));
                    *product += four.sum::<i32>();
                }
            }
            let scaled = products.iter().zip(scales);
            for (total, (product, [scale, _])) in totals.iter_mut().zip(scaled) {
                *total += product * i32::from(*scale);
            }
        }
        let mut offsets = [0_i32; ROWS];
        for (mins, [left, right]) in panel.mins.iter().zip(panel::sums(input, grain)) {
            for (offset, [first, second]) in offsets.iter_mut().zip(mins) {
                *offset += i32::from(*first) * i32::from(*left);
                *offset += i32::from(*second) * i32::from(*right);
            }
        }
        let scales = panel.d.iter().zip(&panel.dmin);
        let products = totals.iter().zip(&offsets);
        for (sum, ((total, offset), (d, dmin))) in sums.iter_mut().zip(products.zip(scales)) {
            *sum = lanes.fused(*total as f32, d * input.d, *sum);
            *sum = lanes.fused(-(*offset as f32), dmin * input.d, *sum);
        }
    }
}
