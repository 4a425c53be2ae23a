//! Unpacked blocks of weights, and the matching blocks of activations.
//!
//! Activations are rounded to 8 bits, so that the inner loop works on integers. `lanes` does the
//! arithmetic, `format` makes the blocks.

/// Weights of one block.
pub(crate) trait BlockWeights: Default {
    /// Activations as this kind of block wants them.
    type Input: Input;
    /// How many weights a block has.
    const VALUES: usize;
    /// The weights as they are meant.
    fn write(&self, out: &mut [f32]);
}

/// Activations of one block.
pub(crate) trait Input: Send + Sync {
    /// From as many numbers as the block has.
    fn read(values: &[f32]) -> Self;
}

/// 256 weights: `d * scale * q - dmin * min`, with a scale and a minimum for every 16.
#[derive(Default)]
#[repr(align(32))]
pub(crate) struct Wide {
    pub(super) q: [[u8; 32]; 8],
    pub(super) scales: [i16; 16],
    pub(super) mins: [i16; 16],
    pub(super) d: f32,
    pub(super) dmin: f32,
}

impl Wide {
    /// One scale and one minimum for every 32 weights.
    #[inline(always)]
    pub(super) fn scale_by_32(&mut self, (scales, mins): ([u8; 8], [u8; 8])) {
        for (all, given) in [(&mut self.scales, scales), (&mut self.mins, mins)] {
            for (pair, number) in all.as_chunks_mut::<2>().0.iter_mut().zip(given) {
                *pair = [i16::from(number); 2];
            }
        }
    }
}

/// 256 activations: `d * q`, with the sum of every 16 `q` and of every 32.
#[repr(align(32))]
pub(crate) struct WideInput {
    pub(super) q: [[[i8; 4]; 8]; 8],
    pub(super) sums: [i16; 16],
    pub(super) coarse: [i16; 8],
    pub(super) d: f32,
}

impl Input for WideInput {
    #[inline(always)]
    fn read(values: &[f32]) -> Self {
        let mut q = [[[0; 4]; 8]; 8];
        let d = round(values, q.as_flattened_mut().as_flattened_mut());
        let mut sums = [0; 16];
        let groups = q.as_flattened().as_flattened().as_chunks::<16>().0;
        for (sum, values) in sums.iter_mut().zip(groups) {
            *sum = values.iter().map(|value| i16::from(*value)).sum();
        }
        let mut coarse = [0; 8];
        for (sum, [first, second]) in coarse.iter_mut().zip(sums.as_chunks::<2>().0) {
            *sum = first + second;
        }
        Self { q, sums, coarse, d }
    }
}

impl BlockWeights for Wide {
    type Input = WideInput;
    const VALUES: usize = 256;

    fn write(&self, out: &mut [f32]) {
        let groups = self.q.as_flattened().as_chunks::<16>().0;
        let groups = groups.iter().zip(self.scales.iter().zip(self.mins));
        for (out, (q, (scale, min))) in out.chunks_mut(16).zip(groups) {
            for (out, q) in out.iter_mut().zip(q) {
                *out = self.d * f32::from(*scale) * f32::from(*q) - self.dmin * f32::from(min);
            }
        }
    }
}

/// 32 weights: `d * q + 8 * eighth`.
#[repr(align(32))]
#[derive(Default)]
pub(crate) struct Narrow {
    pub(super) q: [i8; 32],
    pub(super) d: f32,
    /// The offset, shared out to the eight lanes of a sum.
    pub(super) eighth: f32,
}

impl Narrow {
    #[inline(always)]
    pub(super) fn new(q: [i8; 32], d: f32, offset: f32) -> Self {
        let eighth = offset / 8.0;
        Self { q, d, eighth }
    }
}

/// 32 activations: `d * q`, which add up to `sum`.
#[repr(align(32))]
pub(crate) struct NarrowInput {
    pub(super) q: [i8; 32],
    pub(super) d: f32,
    pub(super) sum: f32,
}

impl Input for NarrowInput {
    #[inline(always)]
    fn read(values: &[f32]) -> Self {
        let mut q = [0; 32];
        let d = round(values, &mut q);
        let sum: i32 = q.iter().map(|value| i32::from(*value)).sum();
        Self {
            q,
            d,
            sum: d * sum as f32,
        }
    }
}

impl BlockWeights for Narrow {
    type Input = NarrowInput;
    const VALUES: usize = 32;

    fn write(&self, out: &mut [f32]) {
        for (out, q) in out.iter_mut().zip(self.q) {
            *out = self.d * f32::from(q) + 8.0 * self.eighth;
        }
    }
}

/// 32 weights or activations that are not packed.
#[derive(Default)]
pub(crate) struct Float {
    pub(super) values: [f32; 32],
}

impl Input for Float {
    #[inline(always)]
    fn read(values: &[f32]) -> Self {
        let mut block = Self::default();
        for (value, given) in block.values.iter_mut().zip(values) {
            *value = *given;
        }
        block
    }
}

impl BlockWeights for Float {
    type Input = Self;
    const VALUES: usize = 32;

    fn write(&self, out: &mut [f32]) {
        for (out, value) in out.iter_mut().zip(self.values) {
            *out = value;
        }
    }
}

/// Rounds to 8 bits and returns what a unit stands for.
#[inline(always)]
fn round(values: &[f32], out: &mut [i8]) -> f32 {
    let largest = values
        .iter()
        .fold(0.0_f32, |largest, value| largest.max(value.abs()));
    let d = largest / 127.0;
    let inverse = if d > 0.0 { 1.0 / d } else { 0.0 };
    for (out, value) in out.iter_mut().zip(values) {
        // Adding and taking off 1.5 * 2^23 rounds to a whole number without a call.
        let whole = (value * inverse + 12_582_912.0) - 12_582_912.0;
        *out = whole as i8;
    }
    d
}
