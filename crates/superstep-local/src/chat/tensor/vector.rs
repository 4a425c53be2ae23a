//! What a network does besides products with weights: norms, rotation, gates, attention.

use rayon::prelude::*;

use super::dispatch::dispatch;
use super::half;
use super::lanes::{Lanes, Work};

/// Scales each row of `values` to a mean square of one, then by `weights`.
pub(crate) fn norm(values: &[f32], weights: &[f32], epsilon: f32) -> Vec<f32> {
    let width = weights.len().max(1);
    let mut out = vec![0.0; values.len()];
    out.par_chunks_exact_mut(width)
        .zip(values.par_chunks_exact(width))
        .for_each(|(out, row)| {
            let square = dispatch(Dot(row, row)) / row.len() as f32;
            let scale = 1.0 / (square + epsilon).sqrt();
            let scaled = row.iter().zip(weights);
            for (out, (value, weight)) in out.iter_mut().zip(scaled) {
                *out = value * scale * weight;
            }
        });
    out
}

/// `gate / (1 + exp(-gate)) * up`, in `gate`.
pub(crate) fn gate(gate: &mut [f32], up: &[f32]) {
    dispatch(Gate(gate, up));
}

/// Reads `heads` of width `width` in `query` against the stored `keys` and `values`, which have
/// `stride` numbers a place and begin at `offset`, and writes what was read to `out`.
pub(crate) struct Attention<'a> {
    pub(crate) query: &'a [f32],
    pub(crate) keys: &'a [u16],
    pub(crate) values: &'a [u16],
    pub(crate) stride: usize,
    pub(crate) offset: usize,
    pub(crate) width: usize,
    pub(crate) out: &'a mut [f32],
}

/// Attention of all heads that share keys.
pub(crate) fn attend(attention: Attention<'_>) {
    dispatch(attention);
}

impl Work for Attention<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Self {
            query,
            keys,
            values,
            stride,
            offset,
            width,
            out,
        } = self;
        let range = offset..offset + width;
        let places = keys.len().checked_div(stride).unwrap_or(0);
        let heads = query.len().checked_div(width).unwrap_or(0);
        let scale = 1.0 / (width as f32).sqrt();
        let mut scores = vec![0.0; heads * places];
        let mut wide = vec![0.0; width];
        for (place, key) in keys.chunks_exact(stride).enumerate() {
            widen(key.get(range.clone()).unwrap_or_default(), &mut wide);
            let scores = scores.iter_mut().skip(place).step_by(places);
            for (score, query) in scores.zip(query.chunks_exact(width)) {
                *score = Dot(query, &wide).run(lanes) * scale;
            }
        }
        for scores in scores.chunks_exact_mut(places.max(1)) {
            softmax(scores);
        }
        out.fill(0.0);
        for (place, value) in values.chunks_exact(stride).enumerate() {
            widen(value.get(range.clone()).unwrap_or_default(), &mut wide);
            let scores = scores.iter().skip(place).step_by(places);
            for (score, out) in scores.zip(out.chunks_exact_mut(width)) {
                for (out, value) in out.iter_mut().zip(&wide) {
                    *out += score * value;
                }
            }
        }
    }
}

struct Dot<'a>(&'a [f32], &'a [f32]);

impl Work for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> f32 {
        let mut sums = [0.0_f32; 32];
        let (left, left_rest) = self.0.as_chunks::<32>();
        let (right, right_rest) = self.1.as_chunks::<32>();
        for (left, right) in left.iter().zip(right) {
            for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
                *sum = left.mul_add(*right, *sum);
            }
        }
        let rest = left_rest.iter().zip(right_rest);
        let rest: f32 = rest.map(|(left, right)| left * right).sum();
        sums.iter().sum::<f32>() + rest
    }
}

struct Gate<'a>(&'a mut [f32], &'a [f32]);

impl Work for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) {
        for (gate, up) in self.0.iter_mut().zip(self.1) {
            *gate = *gate / (1.0 + exp(-*gate)) * up;
        }
    }
}

#[inline(always)]
fn widen(stored: &[u16], out: &mut [f32]) {
    for (out, stored) in out.iter_mut().zip(stored) {
        *out = half::widen(*stored);
    }
}

#[inline(always)]
fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for score in scores.iter_mut() {
        *score = exp(*score - largest);
    }
    // Apart from the exponentials, which are computed side by side; a sum has an order.
    let total: f32 = scores.iter().fold(0.0, |total, score| total + score);
    for score in scores {
        *score /= total;
    }
}

/// The exponential to about one part in ten million, without a call, so that loops vectorize.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // 1.5 * 2^23: adding it leaves a whole number in the low bits.
    const MAGIC: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + MAGIC;
    let power = shifted - MAGIC;
    // ln 2 in two parts, so that the difference stays exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4_f32;
    for factor in [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        0.166_666_66,
        0.5,
    ] {
        sum = sum * rest + factor;
    }
    let fraction = sum * rest * rest + rest + 1.0;
    let bits = shifted.to_bits().wrapping_sub(MAGIC.to_bits());
    fraction * f32::from_bits(bits.wrapping_add(127) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_to_the_real_one() {
        for step in -8_600..8_600 {
            let x = step as f32 / 100.0;
            let real = f64::from(x).exp();
            assert!((f64::from(exp(x)) / real - 1.0).abs() < 3e-7, "{x}");
        }
        assert!(exp(-1000.0) < 1e-37);
    }

    #[test]
    fn a_norm_has_mean_square_one() {
        let out = norm(&[3.0, -4.0], &[1.0, 1.0], 0.0);
        assert!((out.iter().map(|x| x * x).sum::<f32>() - 2.0).abs() < 1e-5);
    }

    #[test]
    fn attention_to_one_place_reads_its_value() {
        let stored: Vec<u16> = [1.0, 2.0].iter().map(|x| half::narrow(*x)).collect();
        let mut out = vec![0.0; 2];
        attend(Attention {
            query: &[0.5, 0.5],
            keys: &stored,
            values: &stored,
            stride: 2,
            offset: 0,
            width: 2,
            out: &mut out,
        });
        assert_eq!(out, [1.0, 2.0]);
    }
}
