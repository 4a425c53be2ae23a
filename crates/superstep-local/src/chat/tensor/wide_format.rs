//! What is done with packed blocks of 256 weights: the product of one, and a panel of sixteen.
//!
//! A panel is made from packed bytes: these are half as many as the weights, so they are put side by side first and
//! unpacked after that, for sixteen rows at once. So are their scales.

use super::block::{Wide, WideInput};
use super::format::{Layout, Q4K, Q5K, Q6K};
use super::half;
use super::lanes::{Lanes, Product};
use super::panel::{Four, Grain, Panel, ROWS};

/// Before it is filled.
const NONE: Four = [0; 4 * ROWS];

/// A layout whose blocks are [`Wide`].
pub(crate) trait WideLayout: Layout<Block = Wide> {
    const GRAIN: Grain;

    /// The product of one block, and its two scales. If it has to be unpacked for that, it is kept in `block`.
    #[inline(always)]
    fn dot<L: Lanes>(
        lanes: L,
        bytes: &[u8],
        block: &mut Option<Wide>,
        input: &WideInput,
    ) -> (Product, f32, f32) {
        if let Some(done) = Self::dot_packed(lanes, bytes, input) {
            return done;
        }
        let block = block.get_or_insert_with(|| {
            let mut block = Wide::default();
            Self::unpack(bytes, &mut block);
            block
        });
        (lanes.wide(block, input), block.d, block.dmin)
    }

    /// The same without unpacking the block first, where there is a way.
    #[inline(always)]
    fn dot_packed<L: Lanes>(_: L, _: &[u8], _: &WideInput) -> Option<(Product, f32, f32)> {
        None
    }

    /// Puts the blocks of sixteen rows side by side. A row that is too short counts as one of zeros.
    fn fill<L: Lanes>(lanes: L, rows: &[&[u8]; ROWS], panel: &mut Panel);
}

impl WideLayout for Q4K {
    const GRAIN: Grain = Grain::Coarse;

    #[inline(always)]
    fn dot_packed<L: Lanes>(
        lanes: L,
        bytes: &[u8],
        input: &WideInput,
    ) -> Option<(Product, f32, f32)> {
        let (parts, d, dmin) = Self::parts(bytes)?;
        Some((lanes.packed_q4k(&parts, input)?, d, dmin))
    }

    #[inline(always)]
    fn fill<L: Lanes>(lanes: L, rows: &[&[u8]; ROWS], panel: &mut Panel) {
        let (mut heads, mut packed) = ([&[0; 16]; ROWS], [&[0; 128]; ROWS]);
        for ((head, packed), row) in heads.iter_mut().zip(&mut packed).zip(rows) {
            if let Some((first, rest)) = row.split_first_chunk()
                && let Some(rest) = rest.first_chunk()
            {
                (*head, *packed) = (first, rest);
            }
        }
        fill_head(&heads, panel);
        let mut crossed = [NONE; 32];
        cross(lanes, &packed, &mut crossed);
        let pairs = panel.q.as_chunks_mut::<16>().0.iter_mut();
        for (q, packed) in pairs.zip(crossed.as_chunks::<8>().0) {
            let (low, high) = q.split_at_mut(8);
            for ((low, high), packed) in low.iter_mut().zip(high).zip(packed) {
                for ((low, high), packed) in low.iter_mut().zip(high).zip(packed) {
                    *low = packed & 15;
                    *high = packed >> 4;
                }
            }
        }
    }
}

impl WideLayout for Q5K {
    const GRAIN: Grain = Grain::Coarse;

    #[inline(always)]
    fn fill<L: Lanes>(lanes: L, rows: &[&[u8]; ROWS], panel: &mut Panel) {
        let (mut heads, mut fifths) = ([&[0; 16]; ROWS], [&[0; 32]; ROWS]);
        let mut packed = [&[0; 128]; ROWS];
        let parts = heads.iter_mut().zip(&mut fifths).zip(&mut packed);
        for (((head, fifth), packed), row) in parts.zip(rows) {
            if let Some((first, rest)) = row.split_first_chunk()
                && let Some((second, rest)) = rest.split_first_chunk()
                && let Some(rest) = rest.first_chunk()
            {
                (*head, *fifth, *packed) = (first, second, rest);
            }
        }
        fill_head(&heads, panel);
        let (mut fifth, mut crossed) = ([NONE; 8], [NONE; 32]);
        cross(lanes, &fifths, &mut fifth);
        cross(lanes, &packed, &mut crossed);
        let pairs = panel.q.as_chunks_mut::<16>().0.iter_mut();
        for (pair, (q, packed)) in pairs.zip(crossed.as_chunks::<8>().0).enumerate() {
            let (low, high) = q.split_at_mut(8);
            let given = packed.iter().zip(&fifth);
            for ((low, high), (packed, bits)) in low.iter_mut().zip(high).zip(given) {
                let given = packed.iter().zip(bits);
                for ((low, high), (packed, bits)) in low.iter_mut().zip(high).zip(given) {
                    *low = packed & 15 | (bits >> (2 * pair) & 1) << 4;
                    *high = packed >> 4 | (bits >> (2 * pair + 1) & 1) << 4;
                }
            }
        }
    }
}

impl WideLayout for Q6K {
    const GRAIN: Grain = Grain::Fine;

    #[inline(always)]
    fn dot_packed<L: Lanes>(
        lanes: L,
        bytes: &[u8],
        input: &WideInput,
    ) -> Option<(Product, f32, f32)> {
        let (parts, d) = Self::parts(bytes)?;
        Some((lanes.packed_q6k(&parts, input)?, d, 32.0 * d))
    }

    #[inline(always)]
    fn fill<L: Lanes>(lanes: L, rows: &[&[u8]; ROWS], panel: &mut Panel) {
        let (mut lows, mut highs) = ([&[0; 128]; ROWS], [&[0; 64]; ROWS]);
        let (mut scales, mut d) = ([&[0; 16]; ROWS], [0; ROWS]);
        let parts = lows.iter_mut().zip(&mut highs);
        let parts = parts.zip(scales.iter_mut().zip(&mut d));
        for (((low, high), (scale, d)), row) in parts.zip(rows) {
            if let Some((first, rest)) = row.split_first_chunk()
                && let Some((second, rest)) = rest.split_first_chunk()
                && let Some((third, rest)) = rest.split_first_chunk()
                && let Some(bits) = rest.first_chunk()
            {
                (*low, *high, *scale) = (first, second, third);
                *d = u16::from_le_bytes(*bits);
            }
        }
        for ((d, dmin), bits) in panel.d.iter_mut().zip(&mut panel.dmin).zip(&d) {
            *d = half::widen(*bits);
            // Values are stored 32 too high: that times the scale is what is taken off.
            *dmin = 32.0 * *d;
        }
        let mut fours = [NONE; 4];
        cross(lanes, &scales, &mut fours);
        let places = panel.scales.as_chunks_mut::<4>().0.iter_mut();
        let places = places.zip(panel.mins.as_chunks_mut::<2>().0);
        for (([a, b, c, d], [ab, cd]), four) in places.zip(&fours) {
            let scales = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
            let rows = scales.zip(ab.iter_mut().zip(cd));
            let four = four.as_chunks::<4>().0;
            for ((((a, b), (c, d)), (ab, cd)), four) in rows.zip(four) {
                let [w, x, y, z] = four.map(|byte| i16::from(byte.cast_signed()));
                (*a, *b, *c, *d) = ([w; 2], [x; 2], [y; 2], [z; 2]);
                (*ab, *cd) = ([w, x], [y, z]);
            }
        }
        let (mut low, mut high) = ([NONE; 32], [NONE; 16]);
        cross(lanes, &lows, &mut low);
        cross(lanes, &highs, &mut high);
        let halves = low.as_chunks::<16>().0.iter().zip(high.as_chunks::<8>().0);
        for (q, (lows, highs)) in panel.q.as_chunks_mut::<32>().0.iter_mut().zip(halves) {
            let [a, b, c, d] = q.as_chunks_mut::<8>().0 else {
                return;
            };
            let (low, next) = lows.split_at(8);
            let fours = a.iter_mut().zip(b).zip(c).zip(d);
            let given = low.iter().zip(next).zip(highs);
            for ((((a, b), c), d), ((low, next), high)) in fours.zip(given) {
                let bytes = a.iter_mut().zip(b).zip(c).zip(d);
                let given = low.iter().zip(next).zip(high);
                for ((((a, b), c), d), ((low, next), high)) in bytes.zip(given) {
                    *a = low & 15 | (high & 3) << 4;
                    *b = next & 15 | (high >> 2 & 3) << 4;
                    *c = low >> 4 | (high >> 4 & 3) << 4;
                    *d = next >> 4 | (high >> 6) << 4;
                }
            }
        }
    }
}

/// Transposes rows of fours of bytes: each [`Four`] has the same four bytes of all rows.
#[inline(always)]
fn cross<L: Lanes, const SIZE: usize>(lanes: L, rows: &[&[u8; SIZE]; ROWS], crossed: &mut [Four]) {
    for (place, crossed) in crossed.as_chunks_mut().0.iter_mut().enumerate() {
        let mut sixteens = [&[0; 16]; ROWS];
        for (sixteen, row) in sixteens.iter_mut().zip(rows) {
            if let Some(bytes) = row.as_chunks().0.get(place) {
                *sixteen = bytes;
            }
        }
        *crossed = lanes.cross(&sixteens);
    }
}

/// Scales and minima of blocks that begin with `d`, `dmin` and eight of both in six bits each.
#[inline(always)]
fn fill_head(heads: &[&[u8; 16]; ROWS], panel: &mut Panel) {
    let mut words = [[0_u32; ROWS]; 4];
    for (row, head) in heads.iter().enumerate() {
        for (words, given) in words.iter_mut().zip(head.as_chunks::<4>().0) {
            if let Some(word) = words.get_mut(row) {
                *word = u32::from_le_bytes(*given);
            }
        }
    }
    let [both, a, b, c] = &words;
    for ((d, dmin), both) in panel.d.iter_mut().zip(&mut panel.dmin).zip(both) {
        *d = half::widen(*both as u16);
        *dmin = half::widen((*both >> 16) as u16);
    }
    // The first four of both have bytes of their own. The others share bytes, and have their upper bits in those.
    let (first, others) = panel.scales.split_at_mut(8);
    for (at, [left, right]) in first.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        for ((left, right), a) in left.iter_mut().zip(right).zip(a) {
            let scale = (a >> (8 * at) & 63) as i16;
            (*left, *right) = ([scale; 2], [scale; 2]);
        }
    }
    for (at, [left, right]) in others.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        for ((left, right), (a, c)) in left.iter_mut().zip(right).zip(a.iter().zip(c)) {
            let scale = (c >> (8 * at) & 15 | (a >> (8 * at + 6) & 3) << 4) as i16;
            (*left, *right) = ([scale; 2], [scale; 2]);
        }
    }
    let (first, others) = panel.mins.split_at_mut(2);
    for (at, mins) in first.iter_mut().enumerate() {
        for (pair, b) in mins.iter_mut().zip(b) {
            let both = b >> (16 * at) & 0x3f3f;
            *pair = [(both & 63) as i16, (both >> 8) as i16];
        }
    }
    for (at, mins) in others.iter_mut().take(2).enumerate() {
        for (pair, (b, c)) in mins.iter_mut().zip(b.iter().zip(c)) {
            let both = c >> (16 * at + 4) & 0x0f0f | (b >> (16 * at + 6) & 0x0303) << 4;
            *pair = [(both & 63) as i16, (both >> 8) as i16];
        }
    }
}
