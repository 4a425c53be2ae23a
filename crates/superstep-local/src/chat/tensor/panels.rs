//! Products with weights in blocks of 256.
//!
//! For one row of activations, weights are multiplied as they come from memory. For several, sixteen
//! rows of weights are unpacked side by side ([`Panel`]) and then used for all of them. Both add the
//! same numbers in the same order, so that either gives the same result to the last bit.

use rayon::prelude::*;

use super::activations::{Kept, Rows};
use super::block::{BlockWeights, Wide, WideInput};
use super::dispatch::dispatch;
use super::format::WideLayout;
use super::lanes::{Lanes, Work};
use super::panel::{Grain, Panel, QUARTERS, ROWS};

/// The product of each row of `input` with each row of weights in `bytes`, by rows of `input`.
pub(super) fn multiply<F: WideLayout>(bytes: &[u8], input: &Rows<'_>, out: &mut [f32]) {
    let size = input.columns / Wide::VALUES * F::BYTES;
    let count = input.count();
    if size == 0 || count == 0 {
        return;
    }
    let blocks = WideInput::of(input);
    if count == 1 {
        return out
            .par_chunks_mut(ROWS)
            .zip(bytes.par_chunks(ROWS * size))
            .for_each(|(out, bytes)| {
                dispatch(One::<F> {
                    bytes,
                    size,
                    input: blocks,
                    out,
                    layout: std::marker::PhantomData,
                });
            });
    }
    // Threads write whole panels; the caller wants rows of activations.
    let rows = out.len() / count;
    let panels = rows.div_ceil(ROWS);
    let mut sums = vec![[0.0; ROWS]; panels * count];
    sums.par_chunks_mut(count)
        .zip(bytes.par_chunks(ROWS * size))
        .for_each(|(sums, bytes)| {
            dispatch(Many::<F> {
                bytes,
                size,
                input: blocks,
                sums,
                layout: std::marker::PhantomData,
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

/// Some rows of weights with one row of activations.
struct One<'a, F> {
    bytes: &'a [u8],
    size: usize,
    input: &'a [WideInput],
    out: &'a mut [f32],
    layout: std::marker::PhantomData<F>,
}

impl<F: WideLayout> Work for One<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (out, row) in self.out.iter_mut().zip(self.bytes.chunks_exact(self.size)) {
            let mut sum = 0.0;
            for (bytes, input) in row.chunks_exact(F::BYTES).zip(self.input) {
                let (product, d, dmin) = F::dot(lanes, bytes, input);
                sum = lanes.fused(product.total as f32, d * input.d, sum);
                sum = lanes.fused(-(product.offset as f32), dmin * input.d, sum);
            }
            *out = sum;
        }
    }
}

/// A panel of weights with many rows of activations.
struct Many<'a, F> {
    bytes: &'a [u8],
    size: usize,
    input: &'a [WideInput],
    sums: &'a mut [[f32; ROWS]],
    layout: std::marker::PhantomData<F>,
}

impl<F: WideLayout> Work for Many<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        touch(self.bytes);
        let mut panel = Panel::default();
        let mut blocks: [Wide; 4] = std::array::from_fn(|_| Wide::default());
        let count = self.sums.len();
        for (place, input) in self.input.chunks_exact(count).enumerate() {
            let range = place * F::BYTES..(place + 1) * F::BYTES;
            for (at, rows) in self.bytes.chunks(4 * self.size).enumerate() {
                for (block, row) in blocks.iter_mut().zip(rows.chunks_exact(self.size)) {
                    let bytes = row.get(range.clone()).unwrap_or_default();
                    F::unpack(lanes, bytes, block);
                }
                panel.set(lanes, at, &blocks, F::GRAIN);
            }
            match L::TOGETHER {
                4 => add::<L, F, 4>(lanes, &panel, input, self.sums),
                2 => add::<L, F, 2>(lanes, &panel, input, self.sums),
                _ => add::<L, F, 1>(lanes, &panel, input, self.sums),
            }
        }
    }
}

impl Panel {
    /// Puts the next blocks of four rows in their places, those of quarter `at` of the panel.
    #[inline(always)]
    fn set<L: Lanes>(&mut self, lanes: L, at: usize, rows: &[Wide; 4], grain: Grain) {
        let at = at % QUARTERS;
        for (sixteen, places) in self.q.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let rows = rows.each_ref().map(|row| row.sixteen(sixteen));
            for (place, crossed) in places.iter_mut().zip(lanes.cross(rows)) {
                if let Some(place) = place.get_mut(at) {
                    *place = crossed;
                }
            }
        }
        for (row, block) in rows.iter().enumerate() {
            let row = (at * 4 + row) % ROWS;
            for (lanes, scale) in self.scales.iter_mut().zip(block.scales) {
                put(lanes, row, [scale; 2]);
            }
            let pairs = block.mins.as_chunks::<2>().0;
            match grain {
                Grain::Fine => {
                    for (lanes, pair) in self.mins.iter_mut().zip(pairs) {
                        put(lanes, row, *pair);
                    }
                }
                // The two of a pair are alike.
                Grain::Coarse => {
                    for (lanes, pairs) in self.mins.iter_mut().zip(pairs.as_chunks::<2>().0) {
                        let [[first, _], [second, _]] = pairs;
                        put(lanes, row, [*first, *second]);
                    }
                }
            }
            put(&mut self.d, row, block.d);
            put(&mut self.dmin, row, block.dmin);
        }
    }
}

#[inline(always)]
fn put<T>(lanes: &mut [T; ROWS], row: usize, value: T) {
    if let Some(lane) = lanes.get_mut(row) {
        *lane = value;
    }
}

/// Has the processor fetch `bytes` in the order in which they lie in memory, which it is good at. A panel takes a
/// little from each of its rows, and would wait for every piece.
#[inline(always)]
fn touch(bytes: &[u8]) {
    const LINE: usize = 64;
    let lines = bytes.iter().step_by(LINE);
    std::hint::black_box(lines.fold(0, |all, byte| all ^ byte));
}

/// Adds the products of a panel with each of `input` to `sums`, `N` at a time.
#[inline(always)]
fn add<L: Lanes, F: WideLayout, const N: usize>(
    lanes: L,
    panel: &Panel,
    input: &[WideInput],
    sums: &mut [[f32; ROWS]],
) {
    let (inputs, last_inputs) = input.as_chunks::<N>();
    let (sums, last_sums) = sums.as_chunks_mut::<N>();
    for (inputs, sums) in inputs.iter().zip(sums) {
        lanes.panel(panel, F::GRAIN, inputs, sums);
    }
    let last_inputs = last_inputs.as_chunks::<1>().0;
    let last_sums = last_sums.as_chunks_mut::<1>().0;
    for (input, sums) in last_inputs.iter().zip(last_sums) {
        lanes.panel(panel, F::GRAIN, input, sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::tensor::block::Input;
    use crate::chat::tensor::format::{Q4K, Q5K, Q6K};
    use crate::chat::tensor::half;
    use crate::chat::tensor::portable::Portable;

    const COLUMNS: usize = 512;
    /// Not a multiple of what any processor takes together.
    const COUNT: usize = 7;

    /// Blocks of weights with tame scales, and activations, from bytes that `next` gives.
    fn parts<F: WideLayout>(mut next: impl FnMut() -> u8) -> (Vec<u8>, Vec<WideInput>) {
        let mut bytes: Vec<u8> = (0..ROWS * COLUMNS / 256 * F::BYTES)
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

    /// The products with all activations, each alone and all together.
    fn products<F: WideLayout, L: Lanes>(
        lanes: L,
        bytes: &[u8],
        input: &[WideInput],
    ) -> [Vec<[f32; ROWS]>; 2] {
        let size = COLUMNS / 256 * F::BYTES;
        let mut alone = vec![[0.0; ROWS]; COUNT];
        for (row, sums) in alone.iter_mut().enumerate() {
            for (weights, sum) in bytes.chunks(size).zip(sums) {
                for (bytes, input) in weights.chunks(F::BYTES).zip(input.chunks(COUNT)) {
                    let (product, d, dmin) = F::dot(lanes, bytes, &input[row]);
                    *sum = lanes.fused(product.total as f32, d * input[row].d, *sum);
                    *sum = lanes.fused(-(product.offset as f32), dmin * input[row].d, *sum);
                }
            }
        }
        let mut together = vec![[0.0; ROWS]; COUNT];
        Many::<F> {
            bytes,
            size,
            input,
            sums: &mut together,
            layout: std::marker::PhantomData,
        }
        .run(lanes);
        [alone, together]
    }

    /// [`products`] with the best this processor has.
    struct Best<'a, F>(&'a [u8], &'a [WideInput], std::marker::PhantomData<F>);

    impl<F: WideLayout> Work for Best<'_, F> {
        type Output = [Vec<[f32; ROWS]>; 2];

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> Self::Output {
            products::<F, L>(lanes, self.0, self.1)
        }
    }

    fn agree<F: WideLayout>(next: impl FnMut() -> u8) {
        let (bytes, input) = parts::<F>(next);
        let [plain, together] = products::<F, _>(Portable, &bytes, &input);
        assert_eq!(plain, together);
        let check = |[alone, together]: [Vec<[f32; ROWS]>; 2]| {
            assert_eq!(alone, together);
            for (fast, plain) in alone.iter().flatten().zip(plain.iter().flatten()) {
                // Only the rounding of the last sums may differ.
                let error = (fast - plain).abs();
                assert!(error <= plain.abs() * 1e-5 + 1e-2, "{fast} for {plain}");
            }
        };
        let best = Best::<F>(&bytes, &input, std::marker::PhantomData);
        check(dispatch(best));
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(simd) = pulp::x86::V3::try_new() {
                check(products::<F, _>(simd, &bytes, &input));
            }
            if let Some(simd) = pulp::x86::V4::try_new() {
                check(products::<F, _>(simd, &bytes, &input));
            }
        }
    }

    #[test]
    fn every_kind_of_processor_gives_the_same_products_alone_and_together() {
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
        for byte in [0xff, 0x7f, 0x00] {
            agree::<Q4K>(|| byte);
            agree::<Q5K>(|| byte);
            agree::<Q6K>(|| byte);
        }
    }
}
