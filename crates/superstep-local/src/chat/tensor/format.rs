//! How numbers are packed in a weights file, and how a packed row is unpacked into [`Wide`] blocks
//! of 256, [`Narrow`] blocks of 32 or [`Float`] blocks of 32.

use super::block::{BlockWeights, Float, Narrow, Wide};
use super::half;
use super::lanes::{Q4KBytes, Q6KBytes};

/// A packing this crate can compute with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    F32,
    F16,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q4K,
    Q5K,
    Q6K,
}

impl Format {
    /// The format with this number in a weights file.
    pub(crate) fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            0 => Self::F32,
            1 => Self::F16,
            2 => Self::Q4_0,
            3 => Self::Q4_1,
            6 => Self::Q5_0,
            7 => Self::Q5_1,
            8 => Self::Q8_0,
            12 => Self::Q4K,
            13 => Self::Q5K,
            14 => Self::Q6K,
            _ => return None,
        })
    }

    /// How many bytes a row of `values` numbers takes, or none if it cannot have that many.
    pub(crate) fn row_bytes(self, values: usize) -> Option<usize> {
        let (block, bytes) = self.block();
        if values == 0 || !values.is_multiple_of(block) {
            return None;
        }
        (values / block).checked_mul(bytes)
    }

    fn block(self) -> (usize, usize) {
        fn of<L: Layout>() -> (usize, usize) {
            (L::Block::VALUES, L::BYTES)
        }
        match self {
            // A vector of any length may be stored unpacked.
            Self::F32 => (1, 4),
            Self::F16 => (1, 2),
            Self::Q4_0 => of::<Q4_0>(),
            Self::Q4_1 => of::<Q4_1>(),
            Self::Q5_0 => of::<Q5_0>(),
            Self::Q5_1 => of::<Q5_1>(),
            Self::Q8_0 => of::<Q8_0>(),
            Self::Q4K => of::<Q4K>(),
            Self::Q5K => of::<Q5K>(),
            Self::Q6K => of::<Q6K>(),
        }
    }
}

/// How one block lies in the file. The bytes given are always [`Layout::BYTES`] long; from a shorter
/// slice nothing is unpacked.
pub(crate) trait Layout {
    type Block: BlockWeights;
    const BYTES: usize;
    fn unpack(bytes: &[u8], block: &mut Self::Block);
}

pub(crate) struct F32;
pub(crate) struct F16;
pub(crate) struct Q4_0;
pub(crate) struct Q4_1;
pub(crate) struct Q5_0;
pub(crate) struct Q5_1;
pub(crate) struct Q8_0;
pub(crate) struct Q4K;
pub(crate) struct Q5K;
pub(crate) struct Q6K;

impl Layout for F32 {
    type Block = Float;
    const BYTES: usize = 128;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Float) {
        for (value, packed) in block.values.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *value = f32::from_le_bytes(*packed);
        }
    }
}

impl Layout for F16 {
    type Block = Float;
    const BYTES: usize = 64;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Float) {
        for (value, packed) in block.values.iter_mut().zip(bytes.as_chunks::<2>().0) {
            *value = half::read(*packed);
        }
    }
}

impl Layout for Q4_0 {
    type Block = Narrow;
    const BYTES: usize = 18;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Narrow) {
        let Some((&[d0, d1], nibbles)) = bytes.split_first_chunk() else {
            return;
        };
        let mut q = halves(nibbles);
        q.iter_mut().for_each(|value| *value -= 8);
        *block = Narrow::new(q, half::read([d0, d1]), 0.0);
    }
}

impl Layout for Q4_1 {
    type Block = Narrow;
    const BYTES: usize = 20;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Narrow) {
        let Some((&[d0, d1, m0, m1], nibbles)) = bytes.split_first_chunk() else {
            return;
        };
        *block = Narrow::new(halves(nibbles), half::read([d0, d1]), half::read([m0, m1]));
    }
}

impl Layout for Q5_0 {
    type Block = Narrow;
    const BYTES: usize = 22;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Narrow) {
        let Some((&[d0, d1, h0, h1, h2, h3], nibbles)) = bytes.split_first_chunk() else {
            return;
        };
        let mut q = with_fifth_bit(halves(nibbles), u32::from_le_bytes([h0, h1, h2, h3]));
        q.iter_mut().for_each(|value| *value -= 16);
        *block = Narrow::new(q, half::read([d0, d1]), 0.0);
    }
}

impl Layout for Q5_1 {
    type Block = Narrow;
    const BYTES: usize = 24;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Narrow) {
        let Some((&[d0, d1, m0, m1, h0, h1, h2, h3], nibbles)) = bytes.split_first_chunk() else {
            return;
        };
        let q = with_fifth_bit(halves(nibbles), u32::from_le_bytes([h0, h1, h2, h3]));
        *block = Narrow::new(q, half::read([d0, d1]), half::read([m0, m1]));
    }
}

impl Layout for Q8_0 {
    type Block = Narrow;
    const BYTES: usize = 34;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Narrow) {
        let Some((&[d0, d1], values)) = bytes.split_first_chunk() else {
            return;
        };
        let mut q = [0; 32];
        for (value, packed) in q.iter_mut().zip(values) {
            *value = packed.cast_signed();
        }
        *block = Narrow::new(q, half::read([d0, d1]), 0.0);
    }
}

impl Q4K {
    #[inline(always)]
    pub(super) fn parts(bytes: &[u8]) -> Option<(Q4KBytes<'_>, f32, f32)> {
        let (&[d0, d1, m0, m1], rest) = bytes.split_first_chunk()?;
        let (packed, halves) = rest.split_first_chunk::<12>()?;
        let (scales, mins) = six_bits(packed);
        let halves = halves.as_chunks::<32>().0;
        let parts = Q4KBytes {
            scales,
            mins,
            halves,
        };
        Some((parts, half::read([d0, d1]), half::read([m0, m1])))
    }
}

impl Layout for Q4K {
    type Block = Wide;
    const BYTES: usize = 144;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Wide) {
        let Some((parts, d, dmin)) = Self::parts(bytes) else {
            return;
        };
        (block.d, block.dmin) = (d, dmin);
        block.scale_by_32((parts.scales, parts.mins));
        let pairs = block.q.as_chunks_mut::<2>().0;
        for ([low, high], packed) in pairs.iter_mut().zip(parts.halves) {
            for ((low, high), packed) in low.iter_mut().zip(high).zip(packed) {
                *low = packed & 15;
                *high = packed >> 4;
            }
        }
    }
}

impl Layout for Q5K {
    type Block = Wide;
    const BYTES: usize = 176;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Wide) {
        let Some((&[d0, d1, m0, m1], rest)) = bytes.split_first_chunk() else {
            return;
        };
        let Some((scales, rest)) = rest.split_first_chunk::<12>() else {
            return;
        };
        let Some((fifth, nibbles)) = rest.split_first_chunk::<32>() else {
            return;
        };
        block.d = half::read([d0, d1]);
        block.dmin = half::read([m0, m1]);
        block.scale_by_32(six_bits(scales));
        let pairs = block.q.as_chunks_mut::<2>().0;
        for (pair, (values, packed)) in pairs
            .iter_mut()
            .zip(nibbles.as_chunks::<32>().0)
            .enumerate()
        {
            let [low, high] = values;
            let bytes = packed.iter().zip(fifth);
            for ((low, high), (byte, bits)) in low.iter_mut().zip(high.iter_mut()).zip(bytes) {
                *low = byte & 15 | (bits >> (2 * pair) & 1) << 4;
                *high = byte >> 4 | (bits >> (2 * pair + 1) & 1) << 4;
            }
        }
    }
}

impl Q6K {
    #[inline(always)]
    pub(super) fn parts(bytes: &[u8]) -> Option<(Q6KBytes<'_>, f32)> {
        let (low, rest) = bytes.split_first_chunk::<128>()?;
        let (high, rest) = rest.split_first_chunk::<64>()?;
        let (scales, &[d0, d1]) = rest.split_first_chunk::<16>()? else {
            return None;
        };
        let parts = Q6KBytes {
            low: low.as_chunks::<64>().0,
            high: high.as_chunks::<32>().0,
            scales,
        };
        Some((parts, half::read([d0, d1])))
    }
}

impl Layout for Q6K {
    type Block = Wide;
    const BYTES: usize = 210;

    #[inline(always)]
    fn unpack(bytes: &[u8], block: &mut Wide) {
        let Some((parts, d)) = Self::parts(bytes) else {
            return;
        };
        block.d = d;
        // Values are stored 32 too high: that times the scale is what is taken off.
        block.dmin = 32.0 * block.d;
        block.mins = parts.scales.map(|scale| i16::from(scale.cast_signed()));
        block.scales = block.mins;
        for (quads, (low, high)) in block
            .q
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .zip(parts.low.iter().zip(parts.high))
        {
            let [first, second, third, fourth] = quads;
            let [low, next] = low.as_chunks::<32>().0 else {
                return;
            };
            let values = first.iter_mut().zip(second).zip(third).zip(fourth);
            for ((((a, b), c), d), ((low, next), high)) in
                values.zip(low.iter().zip(next).zip(high))
            {
                *a = low & 15 | (high & 3) << 4;
                *b = next & 15 | (high >> 2 & 3) << 4;
                *c = low >> 4 | (high >> 4 & 3) << 4;
                *d = next >> 4 | (high >> 6) << 4;
            }
        }
    }
}

/// 16 bytes to 32 values: the low halves of all bytes first.
#[inline(always)]
fn halves(bytes: &[u8]) -> [i8; 32] {
    let mut q = [0; 32];
    let (low, high) = q.split_at_mut(16);
    for ((low, high), byte) in low.iter_mut().zip(high).zip(bytes) {
        *low = (byte & 15).cast_signed();
        *high = (byte >> 4).cast_signed();
    }
    q
}

#[inline(always)]
fn with_fifth_bit(mut q: [i8; 32], bits: u32) -> [i8; 32] {
    for (at, value) in q.iter_mut().enumerate() {
        *value |= i8::from(bits >> at & 1 == 1) << 4;
    }
    q
}

/// Eight scales and eight minima of six bits each, from 12 bytes.
#[inline(always)]
fn six_bits(packed: &[u8; 12]) -> ([u8; 8], [u8; 8]) {
    const LOW: u32 = 0x3f3f_3f3f;
    const NIBBLE: u32 = 0x0f0f_0f0f;
    const TOP: u32 = 0x0303_0303;
    let [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3] = *packed;
    let a = u32::from_le_bytes([a0, a1, a2, a3]);
    let b = u32::from_le_bytes([b0, b1, b2, b3]);
    let c = u32::from_le_bytes([c0, c1, c2, c3]);
    let join = |low: u32, high: u32| (u64::from(low) | u64::from(high) << 32).to_le_bytes();
    (
        join(a & LOW, c & NIBBLE | (a >> 6 & TOP) << 4),
        join(b & LOW, c >> 4 & NIBBLE | (b >> 6 & TOP) << 4),
    )
}
