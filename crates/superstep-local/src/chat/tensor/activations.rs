//! Rows of activations, as blocks that match those of the weights.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::block::{Float, Input, NarrowInput, WideInput};
use super::dispatch::dispatch;
use super::lanes::{Lanes, Work};

/// Rows of activations, rounded at most once for all the matrices they are multiplied with.
pub(crate) struct Rows<'a> {
    values: &'a [f32],
    pub(super) columns: usize,
    wide: OnceLock<Vec<WideInput>>,
    narrow: OnceLock<Vec<NarrowInput>>,
    float: OnceLock<Vec<Float>>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(values: &'a [f32], columns: usize) -> Self {
        Self {
            values,
            columns,
            wide: OnceLock::new(),
            narrow: OnceLock::new(),
            float: OnceLock::new(),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Blocks by place in the row, and for each place one for every row.
    fn blocks<I: Input>(&self, size: usize) -> Vec<I> {
        let places = self.columns / size;
        let mut order = Vec::with_capacity(places * self.count());
        for place in 0..places {
            let rows = self.values.chunks_exact(self.columns);
            order.extend(rows.filter_map(|row| row.get(place * size..(place + 1) * size)));
        }
        let round = |some: &[&[f32]]| dispatch(Round(some, std::marker::PhantomData::<I>));
        match order.len() <= SHARE {
            true => round(&order),
            false => order.par_chunks(SHARE).flat_map_iter(round).collect(),
        }
    }
}

/// How many blocks of activations a thread rounds at a time; fewer are not worth another thread.
const SHARE: usize = 64;

struct Round<'a, I>(&'a [&'a [f32]], std::marker::PhantomData<I>);

impl<I: Input> Work for Round<'_, I> {
    type Output = Vec<I>;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> Vec<I> {
        let mut blocks = Vec::with_capacity(self.0.len());
        // `collect` would make a function of it that has none of the processor's instructions.
        for values in self.0 {
            blocks.push(I::read(values));
        }
        blocks
    }
}

/// The blocks of [`Rows`] that a kind of weights is multiplied with.
pub(crate) trait Kept: Input + Sized {
    fn of<'a>(rows: &'a Rows<'_>) -> &'a [Self];
}

impl Kept for WideInput {
    fn of<'a>(rows: &'a Rows<'_>) -> &'a [Self] {
        rows.wide.get_or_init(|| rows.blocks(256))
    }
}

impl Kept for NarrowInput {
    fn of<'a>(rows: &'a Rows<'_>) -> &'a [Self] {
        rows.narrow.get_or_init(|| rows.blocks(32))
    }
}

impl Kept for Float {
    fn of<'a>(rows: &'a Rows<'_>) -> &'a [Self] {
        rows.float.get_or_init(|| rows.blocks(32))
    }
}
