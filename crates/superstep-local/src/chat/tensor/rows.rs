//! Products row by row, for weights in blocks of 32.

use rayon::prelude::*;

use super::activations::{Kept, Rows};
use super::block::{BlockWeights, Float, Narrow, NarrowInput};
use super::dispatch::dispatch;
use super::format::Layout;
use super::lanes::{Lanes, Work};

/// Blocks whose products are added up lane by lane.
pub(super) trait Summed: BlockWeights {
    /// Adds the product with `input` to `sum`.
    fn dot<L: Lanes>(&self, lanes: L, input: &Self::Input, sum: L::Sum) -> L::Sum;
}

impl Summed for Narrow {
    #[inline(always)]
    fn dot<L: Lanes>(&self, lanes: L, input: &NarrowInput, sum: L::Sum) -> L::Sum {
        lanes.narrow(self, input, sum)
    }
}

impl Summed for Float {
    #[inline(always)]
    fn dot<L: Lanes>(&self, lanes: L, input: &Self, sum: L::Sum) -> L::Sum {
        lanes.float(self, input, sum)
    }
}

/// How many rows of weights share one pass over the activations.
const PANEL: usize = 4;
/// How many rows of weights a thread takes at a time.
const SHARE: usize = 4 * PANEL;

/// The product of each row of `input` with each row of weights in `bytes`, by rows of `input`.
pub(super) fn multiply<F: Layout>(bytes: &[u8], input: &Rows<'_>, out: &mut [f32])
where
    F::Block: Summed,
    <F::Block as BlockWeights>::Input: Kept,
{
    let size = input.columns / F::Block::VALUES * F::BYTES;
    let count = input.count();
    if size == 0 || count == 0 {
        return;
    }
    let blocks = <<F::Block as BlockWeights>::Input as Kept>::of(input);
    let shares = |out: &mut [f32]| {
        out.par_chunks_mut(SHARE * count)
            .zip(bytes.par_chunks(SHARE * size))
            .for_each(|(out, bytes)| {
                dispatch(Share::<F> {
                    bytes,
                    size,
                    input: blocks,
                    count,
                    out,
                });
            });
    };
    if count == 1 {
        return shares(out);
    }
    // Threads write whole rows of weights; the caller wants rows of activations.
    let rows = out.len() / count;
    let mut turned = vec![0.0; out.len()];
    shares(&mut turned);
    out.par_chunks_mut(rows.max(1))
        .enumerate()
        .for_each(|(at, out)| {
            let column = turned.iter().skip(at).step_by(count);
            out.iter_mut()
                .zip(column)
                .for_each(|(out, value)| *out = *value);
        });
}

/// Some rows of weights with all rows of activations.
struct Share<'a, F: Layout> {
    bytes: &'a [u8],
    size: usize,
    input: &'a [<F::Block as BlockWeights>::Input],
    count: usize,
    out: &'a mut [f32],
}

impl<F: Layout> Work for Share<'_, F>
where
    F::Block: Summed,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let mut sums = vec![[lanes.zero(); PANEL]; self.count];
        let mut weights: [F::Block; PANEL] = std::array::from_fn(|_| F::Block::default());
        let panels = self.bytes.chunks(PANEL * self.size);
        for (out, bytes) in self.out.chunks_mut(PANEL * self.count).zip(panels) {
            let mut rows: [&[u8]; PANEL] = [&[]; PANEL];
            for (row, bytes) in rows.iter_mut().zip(bytes.chunks_exact(self.size)) {
                *row = bytes;
            }
            sums.fill([lanes.zero(); PANEL]);
            for (place, input) in self.input.chunks_exact(self.count).enumerate() {
                let range = place * F::BYTES..(place + 1) * F::BYTES;
                for (weights, row) in weights.iter_mut().zip(&rows) {
                    F::unpack(row.get(range.clone()).unwrap_or_default(), weights);
                }
                for (sums, input) in sums.iter_mut().zip(input) {
                    for (sum, weights) in sums.iter_mut().zip(&weights) {
                        *sum = weights.dot(lanes, input, *sum);
                    }
                }
            }
            for (row, out) in out.chunks_mut(self.count).enumerate() {
                for (out, sums) in out.iter_mut().zip(&sums) {
                    *out = sums.get(row).map_or(0.0, |sum| lanes.total(*sum));
                }
            }
        }
    }
}
