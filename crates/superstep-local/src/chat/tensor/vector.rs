//! What a network does besides products with weights: norms and gates. Attention is in `attention`.

use rayon::prelude::*;

use super::dispatch::dispatch;
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

/// The exponential to about one part in ten million, without a call, so that loops vectorize.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // 1.5 * 2^23: adding it leaves a whole number in the low bits.
    const MAGIC: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let shifted = x * std::f32::consts::LOG2_E + MAGIC;
    let power = shifted - MAGIC;
    // ln 2 in two parts, so that the difference stays exact.
    let rest = x - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4_f32;
    for factor in [
        1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5,
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
}
