//! The arithmetic of a product, once for every kind of processor.
//!
//! The whole numbers of a product are the same on all of them, and the same for one row of activations
//! as for many: what a conversation shares with an earlier one must not change the reply.

use super::block::{Float, Narrow, NarrowInput, Wide, WideInput};
use super::half;
use super::panel::{self, Four, Grain, Panel, ROWS};

/// Arithmetic on many numbers at once. What has a body is in plain loops, for processors that have no better way.
pub(crate) trait Lanes: Copy + Send + Sync {
    type Sum: Copy + Send;
    /// Sixteen numbers, in as many registers as that takes.
    type Sixteen: Copy;
    /// Whether eight times sixteen numbers fit into registers.
    const HAS_MANY_REGISTERS: bool;
    /// With how many rows of activations a panel is multiplied at a time.
    const TOGETHER: usize;
    /// For how many rows of activations panels are worth it.
    const PANELS_FROM: usize;
    fn zero(self) -> Self::Sum;
    fn total(self, sum: Self::Sum) -> f32;
    fn wide(self, weights: &Wide, input: &WideInput) -> Product;
    /// The product with weights as `Q4K` packs them, if there is a shorter way than to unpack them.
    #[inline(always)]
    fn packed_q4k(self, _: &Q4KBytes<'_>, _: &WideInput) -> Option<Product> {
        None
    }
    /// The product with weights as `Q6K` packs them, if there is a shorter way than to unpack them.
    #[inline(always)]
    fn packed_q6k(self, _: &Q6KBytes<'_>, _: &WideInput) -> Option<Product> {
        None
    }
    /// Four fours of bytes of every row, with rows and columns exchanged.
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
    /// Adds the products of a panel with `N` rows of activations to `sums`.
    #[inline(always)]
    fn panel<const N: usize>(
        self,
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
                *sum = self.fused(*total as f32, d * input.d, *sum);
                *sum = self.fused(-(*offset as f32), dmin * input.d, *sum);
            }
        }
    }
    fn narrow(self, weights: &Narrow, input: &NarrowInput, sum: Self::Sum) -> Self::Sum;
    fn float(self, weights: &Float, input: &Float, sum: Self::Sum) -> Self::Sum;
    /// `left * right + sum`, rounded as [`Lanes::panel`] rounds it.
    fn fused(self, left: f32, right: f32, sum: f32) -> f32;
    fn load(self, numbers: &[f32; 16]) -> Self::Sixteen;
    /// As 32 bits. None of them is infinite.
    #[inline(always)]
    fn widen(self, halves: &[u16; 16]) -> Self::Sixteen {
        let mut wide = [0.0; 16];
        for (wide, half) in wide.iter_mut().zip(halves) {
            *wide = half::widen(*half);
        }
        self.load(&wide)
    }
    fn store(self, numbers: Self::Sixteen) -> [f32; 16];
    /// `factor * numbers + sums`, for each of them.
    fn add_times(self, factor: f32, numbers: Self::Sixteen, sums: Self::Sixteen) -> Self::Sixteen;
}

/// What a block of weights and one of activations give, in units of their scales.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Product {
    pub(crate) total: i32,
    /// What the minima take off.
    pub(crate) offset: i32,
}

/// The parts of a packed block of `Q4K`.
pub(crate) struct Q4KBytes<'a> {
    pub(crate) scales: [u8; 8],
    pub(crate) mins: [u8; 8],
    pub(crate) halves: &'a [[u8; 32]],
}

/// The parts of a packed block of `Q6K`.
pub(crate) struct Q6KBytes<'a> {
    pub(crate) low: &'a [[u8; 64]],
    pub(crate) high: &'a [[u8; 32]],
    pub(crate) scales: &'a [u8; 16],
}

/// Work that is compiled for every kind of processor.
pub(crate) trait Work {
    type Output;
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}
