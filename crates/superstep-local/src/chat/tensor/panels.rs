//! Products with weights in blocks of 256.
//!
//! Row by row, weights are multiplied as they come from memory. In a [`Panel`], sixteen rows of weights are unpacked
//! side by side and then used for all rows of activations. Both add the same numbers in the same order, so that
//! either gives the same result to the last bit; which is faster depends on the processor and on how many rows of
//! activations there are.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::activations::{Kept, Rows};
use super::block::{BlockWeights, Wide, WideInput};
use super::dispatch::dispatch;
use super::lanes::{Lanes, Work};
use super::panel::{Panel, ROWS};
use super::prefetch::prefetch;
use super::wide_format::WideLayout;

/// The product of each row of `input` with each row of weights in `bytes`, by rows of `input`.
pub(super) fn multiply<F: WideLayout>(bytes: &[u8], input: &Rows<'_>, out: &mut [f32]) {
    let size = input.columns / Wide::VALUES * F::BYTES;
    let count = input.count();
    if size == 0 || count == 0 {
        return;
    }
    let blocks = WideInput::of(input);
    // Threads write whole panels; the caller wants rows of activations.
    let rows = out.len() / count;
    let mut sums = vec![[0.0; ROWS]; rows.div_ceil(ROWS) * count];
    let shares = sums.par_chunks_mut(count).enumerate();
    shares.for_each(|(at, sums)| {
        dispatch(SixteenRows::<F> {
            bytes: bytes.get(at * ROWS * size..).unwrap_or_default(),
            size,
            input: blocks,
            sums,
            layout: PhantomData,
        });
    });
    out.par_chunks_mut(rows.max(1))
        .enumerate()
        .for_each(|(at, out)| {
            let sums = sums.iter().skip(at).step_by(count);
            for (out, sums) in out.chunks_mut(ROWS).zip(sums) {
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out = *sum);
            }
        });
}

/// Whether this processor takes less for several rows of activations than for each alone.
pub(crate) fn is_faster_together() -> bool {
    struct Panels;
    impl Work for Panels {
        type Output = bool;

        fn run<L: Lanes>(self, _: L) -> bool {
            L::PANELS_FROM < usize::MAX
        }
    }
    dispatch(Panels)
}

/// Sixteen rows of weights with all rows of activations.
struct SixteenRows<'a, F> {
    /// The rows of weights, and those behind them, which come next.
    bytes: &'a [u8],
    /// How many bytes a row has.
    size: usize,
    /// Blocks by place in the row, and for each place one for every row of activations.
    input: &'a [WideInput],
    /// For every row of activations.
    sums: &'a mut [[f32; ROWS]],
    layout: PhantomData<F>,
}

impl<F: WideLayout> Work for SixteenRows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        // Said so that nothing is compiled for processors that do not need it.
        match L::PANELS_FROM > 1 && self.sums.len() < L::PANELS_FROM {
            true => self.by_rows(lanes),
            false => self.by_panels(lanes),
        }
    }
}

/// How many bytes ahead of a product its weights are fetched.
const AHEAD: usize = 2048;

impl<F: WideLayout> SixteenRows<'_, F> {
    #[inline(always)]
    fn by_rows<L: Lanes>(self, lanes: L) {
        let count = self.sums.len().max(1);
        let rows = self.bytes.chunks_exact(self.size).take(ROWS);
        for (row, weights) in rows.enumerate() {
            let ahead = self.bytes.get(row * self.size + AHEAD..);
            let mut ahead = ahead.unwrap_or_default().chunks(F::BYTES);
            let blocks = weights.chunks_exact(F::BYTES);
            for (bytes, inputs) in blocks.zip(self.input.chunks_exact(count)) {
                prefetch(ahead.next().unwrap_or_default());
                let mut block = None;
                for (input, sums) in inputs.iter().zip(&mut *self.sums) {
                    let Some(sum) = sums.get_mut(row) else {
                        continue;
                    };
                    let (product, d, dmin) = F::dot(lanes, bytes, &mut block, input);
                    *sum = lanes.fused(product.total as f32, d * input.d, *sum);
                    *sum = lanes.fused(-(product.offset as f32), dmin * input.d, *sum);
                }
            }
        }
    }

    #[inline(always)]
    fn by_panels<L: Lanes>(self, lanes: L) {
        let count = self.sums.len().max(1);
        let places = (self.input.len() / count).max(1);
        let (bytes, next) = self
            .bytes
            .split_at((ROWS * self.size).min(self.bytes.len()));
        // A panel takes a little from each of its rows, and would wait for every piece: the next one is fetched while
        // this one is used, as much for each place as it has.
        let mut next = next.chunks(ROWS * F::BYTES).take(places);
        let mut panel = Panel::default();
        for (place, input) in self.input.chunks_exact(count).enumerate() {
            prefetch(next.next().unwrap_or_default());
            let range = place * F::BYTES..(place + 1) * F::BYTES;
            let mut rows: [&[u8]; ROWS] = [&[]; ROWS];
            for (block, row) in rows.iter_mut().zip(bytes.chunks_exact(self.size)) {
                *block = row.get(range.clone()).unwrap_or_default();
            }
            F::fill(lanes, &rows, &mut panel);
            add::<L, F>(lanes, &panel, input, self.sums);
        }
    }
}

/// Adds the products of a panel with each of `input` to `sums`, as many at a time as the processor likes.
#[inline(always)]
fn add<L: Lanes, F: WideLayout>(
    lanes: L,
    panel: &Panel,
    input: &[WideInput],
    sums: &mut [[f32; ROWS]],
) {
    let (input, sums) = add_some::<L, F, 8>(lanes, panel, input, sums);
    let (input, sums) = add_some::<L, F, 4>(lanes, panel, input, sums);
    let (input, sums) = add_some::<L, F, 2>(lanes, panel, input, sums);
    add_some::<L, F, 1>(lanes, panel, input, sums);
}

/// The same for every `N` of them, and returns what is left.
#[inline(always)]
fn add_some<'i, 's, L: Lanes, F: WideLayout, const N: usize>(
    lanes: L,
    panel: &Panel,
    input: &'i [WideInput],
    sums: &'s mut [[f32; ROWS]],
) -> (&'i [WideInput], &'s mut [[f32; ROWS]]) {
    if N > L::TOGETHER {
        return (input, sums);
    }
    let (inputs, rest) = input.as_chunks::<N>();
    let (sums, rest_of_sums) = sums.as_chunks_mut::<N>();
    for (inputs, sums) in inputs.iter().zip(sums) {
        lanes.panel(panel, F::GRAIN, inputs, sums);
    }
    (rest, rest_of_sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::tensor::block::Input;
    use crate::chat::tensor::format::{Q4K, Q5K, Q6K};
    use crate::chat::tensor::half;
    use crate::chat::tensor::portable::Portable;
    #[cfg(target_arch = "x86_64")]
    use crate::chat::tensor::x86::{Avx512, BytePairs, Vnni};

    const COLUMNS: usize = 512;
    /// As many as any processor takes together, and all smaller numbers that it takes.
    const COUNT: usize = 15;

    /// Blocks of weights with tame scales, and activations, from bytes that `next` gives.
    fn parts<F: WideLayout>(
        rows: usize,
        mut next: impl FnMut() -> u8,
    ) -> (Vec<u8>, Vec<WideInput>) {
        let mut bytes: Vec<u8> = (0..rows * COLUMNS / 256 * F::BYTES)
            .map(|_| next())
            .collect();
        let scale = half::narrow(0.01).to_le_bytes();
        for block in bytes.chunks_mut(F::BYTES) {
            let places: &[usize] = match F::BYTES {
                210 => &[208],
                _ => &[0, 2],
            };
            for at in places {
                block[*at..at + 2].copy_from_slice(&scale);
            }
        }
        let inputs = (0..COLUMNS / 256 * COUNT).map(|_| {
            let values: Vec<f32> = (0..256).map(|_| f32::from(next()) - 100.0).collect();
            WideInput::read(&values)
        });
        let inputs = inputs.collect();
        (bytes, inputs)
    }

    /// The products with all activations, row by row and in panels.
    fn products<F: WideLayout, L: Lanes>(
        lanes: L,
        bytes: &[u8],
        input: &[WideInput],
    ) -> [Vec<[f32; ROWS]>; 2] {
        let size = COLUMNS / 256 * F::BYTES;
        let mut both = [vec![[0.0; ROWS]; COUNT], vec![[0.0; ROWS]; COUNT]];
        let [rows, panels] = both.each_mut().map(|sums| SixteenRows::<F> {
            bytes,
            size,
            input,
            sums,
            layout: PhantomData,
        });
        rows.by_rows(lanes);
        panels.by_panels(lanes);
        both
    }

    /// [`products`] with the best this processor has.
    struct Best<'a, F>(&'a [u8], &'a [WideInput], PhantomData<F>);

    impl<F: WideLayout> Work for Best<'_, F> {
        type Output = [Vec<[f32; ROWS]>; 2];

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> Self::Output {
            products::<F, L>(lanes, self.0, self.1)
        }
    }

    fn agree<F: WideLayout>(mut next: impl FnMut() -> u8) {
        // A whole panel, and the last one of a matrix.
        for rows in [ROWS, 5] {
            agree_on::<F>(&parts::<F>(rows, &mut next));
        }
    }

    fn agree_on<F: WideLayout>((bytes, input): &(Vec<u8>, Vec<WideInput>)) {
        let [plain, together] = products::<F, _>(Portable, bytes, input);
        assert_eq!(plain, together);
        let check = |[alone, together]: [Vec<[f32; ROWS]>; 2]| {
            assert_eq!(alone, together);
            for (fast, plain) in alone.iter().flatten().zip(plain.iter().flatten()) {
                // Only the rounding of the last sums may differ.
                let error = (fast - plain).abs();
                assert!(error <= plain.abs() * 1e-5 + 1e-2, "{fast} for {plain}");
            }
        };
        let best = Best::<F>(bytes, input, PhantomData);
        check(dispatch(best));
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(simd) = pulp::x86::V3::try_new() {
                check(products::<F, _>(simd, bytes, input));
            }
            if let Some(simd) = Avx512::<BytePairs>::try_new() {
                check(products::<F, _>(simd, bytes, input));
            }
            if let Some(simd) = Avx512::<Vnni>::try_new() {
                check(products::<F, _>(simd, bytes, input));
            }
        }
    }

    #[test]
    fn every_kind_of_processor_gives_the_same_products_by_rows_and_in_panels() {
        let mut state = 7_u32;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        agree::<Q4K>(&mut noise);
        agree::<Q5K>(&mut noise);
        agree::<Q6K>(&mut noise);
    }

    #[test]
    fn the_largest_weights_and_activations_do_not_overflow() {
        for byte in [0xff, 0x80, 0x7f, 0x00] {
            agree::<Q4K>(|| byte);
            agree::<Q5K>(|| byte);
            agree::<Q6K>(|| byte);
        }
    }
}
