//! Sixteen rows of weights side by side, for products with many rows of activations at once.
//!
//! In a panel a register holds four neighboring weights of each of its rows, so that sums stay in
//! the lane of their row and nothing is added across lanes. `wide_format` puts rows side by side, `panels` says when
//! that is worth it.

use super::block::WideInput;

/// Rows in a panel.
pub(crate) const ROWS: usize = 16;

/// Four neighboring weights, or bytes of packed ones, of every row.
pub(crate) type Four = [u8; 4 * ROWS];

/// One block of 256 weights of each of [`ROWS`] rows.
#[repr(align(64))]
pub(crate) struct Panel {
    pub(super) q: [Four; 64],
    /// The scale of 16 weights, twice for every row.
    pub(super) scales: [[[i16; 2]; ROWS]; 16],
    /// The minima of twice 16 weights, or of twice 32 where they are that coarse.
    pub(super) mins: [[[i16; 2]; ROWS]; 8],
    pub(super) d: [f32; ROWS],
    pub(super) dmin: [f32; ROWS],
}

impl Default for Panel {
    fn default() -> Self {
        Self {
            q: [[0; 4 * ROWS]; 64],
            scales: [[[0; 2]; ROWS]; 16],
            mins: [[[0; 2]; ROWS]; 8],
            d: [0.0; ROWS],
            dmin: [0.0; ROWS],
        }
    }
}

/// How finely a format scales its weights, and how large they can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// A scale for every 32 weights of at most five bits.
    Coarse,
    /// A scale for every 16 weights of at most six bits.
    Fine,
}

/// What the minima of a panel are multiplied with.
#[inline(always)]
pub(super) fn sums(input: &WideInput, grain: Grain) -> &[[i16; 2]] {
    match grain {
        Grain::Fine => input.sums.as_chunks::<2>().0,
        Grain::Coarse => input.coarse.as_chunks::<2>().0,
    }
}
