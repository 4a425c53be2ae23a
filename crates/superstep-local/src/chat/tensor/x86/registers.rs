//! The product of a panel, for registers of any width.

use pulp::cast;

use crate::chat::tensor::block::WideInput;
use crate::chat::tensor::panel::{self, Four, Grain, Panel, ROWS};

/// What a panel needs: registers that hold a number for each of its rows.
pub(super) trait Registers: Copy {
    type Whole: Copy;
    fn zeros(self) -> Self::Whole;
    fn bytes(self, bytes: &Four) -> Self::Whole;
    fn words(self, words: &[[i16; 2]; ROWS]) -> Self::Whole;
    /// The same four bytes, or two words, for every row.
    fn repeat(self, bits: i32) -> Self::Whole;
    /// Sums of two products of bytes, in words.
    fn pairs(self, bytes: Self::Whole, signed: Self::Whole) -> Self::Whole;
    fn add_words(self, left: Self::Whole, right: Self::Whole) -> Self::Whole;
    /// Adds sums of two products of words to `sum`.
    fn add_pairs(self, left: Self::Whole, right: Self::Whole, sum: Self::Whole) -> Self::Whole;
    /// Adds the products of 32 weights of every row with those of `N` rows of activations to `totals`, times their scales.
    fn add_block<const N: usize>(
        self,
        q: &[Four; 8],
        given: &[&[[i8; 4]; 8]; N],
        scales: (&[[[i16; 2]; ROWS]; 2], Grain),
        totals: &mut [Self::Whole; N],
    );
    /// Adds `total` times `d` less `offset` times `dmin` to `sums`, both also times `unit`.
    fn add_scaled(
        self,
        products: (Self::Whole, Self::Whole),
        scales: (&[f32; ROWS], &[f32; ROWS]),
        unit: f32,
        sums: &mut [f32; ROWS],
    );
}

/// Adds the products of a panel with `N` rows of activations to `sums`.
#[inline(always)]
pub(super) fn multiply<S: Registers, const N: usize>(
    simd: S,
    panel: &Panel,
    grain: Grain,
    inputs: &[WideInput; N],
    sums: &mut [[f32; ROWS]; N],
) {
    let mut totals = [simd.zeros(); N];
    let blocks = panel.q.as_chunks::<8>().0.iter();
    let blocks = blocks.zip(panel.scales.as_chunks::<2>().0);
    for (at, (q, scales)) in blocks.enumerate() {
        let given = inputs.each_ref().map(|input| fours(input, at));
        simd.add_block(q, &given, (scales, grain), &mut totals);
    }
    let mut offsets = [simd.zeros(); N];
    let sums_of = inputs.each_ref().map(|input| panel::sums(input, grain));
    for (at, mins) in panel.mins.iter().take(pairs(grain)).enumerate() {
        let mins = simd.words(mins);
        for (offset, sums) in offsets.iter_mut().zip(sums_of) {
            let bits = sums.get(at).copied().unwrap_or_default();
            let sums = simd.repeat(cast(bits));
            *offset = simd.add_pairs(mins, sums, *offset);
        }
    }
    // By reference: arrays that are iterated by value go through memory.
    let products = totals.iter().zip(&offsets);
    for (((total, offset), input), sums) in products.zip(inputs).zip(sums) {
        simd.add_scaled((*total, *offset), (&panel.d, &panel.dmin), input.d, sums);
    }
}

/// 32 activations in fours.
#[inline(always)]
fn fours(input: &WideInput, at: usize) -> &[[i8; 4]; 8] {
    const NONE: [[i8; 4]; 8] = [[0; 4]; 8];
    input.q.get(at).unwrap_or(&NONE)
}

/// How many pairs of minima a block has.
#[inline(always)]
fn pairs(grain: Grain) -> usize {
    match grain {
        Grain::Coarse => 4,
        Grain::Fine => 8,
    }
}

/// [`Registers::add_block`] with products of pairs of bytes, in words.
#[inline(always)]
pub(super) fn add_by_words<S: Registers, const N: usize>(
    simd: S,
    q: &[Four; 8],
    given: &[&[[i8; 4]; 8]; N],
    (scales, grain): (&[[[i16; 2]; ROWS]; 2], Grain),
    totals: &mut [S::Whole; N],
) {
    for (half, (q, scales)) in q.as_chunks::<4>().0.iter().zip(scales).enumerate() {
        let scales = simd.words(scales);
        let mut products = [simd.zeros(); N];
        for (four, q) in q.iter().enumerate() {
            let q = simd.bytes(q);
            for (product, given) in products.iter_mut().zip(given) {
                let bits = given.get(half * 4 + four).copied().unwrap_or_default();
                let pairs = simd.pairs(q, simd.repeat(cast(bits)));
                *product = simd.add_words(*product, pairs);
            }
            // Words hold the sums of four products of pairs of five bits, or two of six bits.
            if four == 3 || (four == 1 && grain == Grain::Fine) {
                for (total, product) in totals.iter_mut().zip(&mut products) {
                    *total = simd.add_pairs(*product, scales, *total);
                    *product = simd.zeros();
                }
            }
        }
    }
}
