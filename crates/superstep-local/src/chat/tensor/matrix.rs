//! A matrix of packed weights, and its product with rows of activations.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::block::{Float, Input, NarrowInput, Weights, WideInput};
use super::format::{self, Format, Layout};
use super::lanes::{self, Lanes, Portable, Work};
use crate::chat::map::Map;

/// How many rows of weights share one pass over the activations.
const PANEL: usize = 4;
/// How many rows of weights a thread takes at a time.
const SHARE: usize = 4 * PANEL;

/// Weights that stay packed, in the file, until the moment they are used.
pub(crate) struct Matrix {
    map: Arc<Map>,
    bytes: Range<usize>,
    format: Format,
    rows: usize,
    columns: usize,
}

impl Matrix {
    /// `bytes` of the file, or none if they are not such a matrix.
    pub(crate) fn new(
        map: Arc<Map>,
        bytes: Range<usize>,
        format: Format,
        (rows, columns): (usize, usize),
    ) -> Option<Self> {
        let size = format.row_bytes(columns)?.checked_mul(rows)?;
        let is_whole = columns.is_multiple_of(32);
        let slice = map.bytes().get(bytes.clone())?;
        (slice.len() == size && is_whole).then_some(Self {
            map,
            bytes,
            format,
            rows,
            columns,
        })
    }

    /// The weights of one row, unpacked into `out`.
    pub(crate) fn read_row(&self, row: usize, out: &mut [f32]) {
        self.with_layout(ReadRow {
            bytes: self.bytes(),
            columns: self.columns,
            row,
            out,
        });
    }

    /// The product of each row of `input` with each row of the weights, in `out` by rows of
    /// `input`.
    pub(crate) fn multiply(&self, input: &Rows<'_>, out: &mut Vec<f32>) {
        let count = input.count();
        out.clear();
        out.resize(self.rows * count, 0.0);
        if input.columns != self.columns {
            return;
        }
        if count == 1 {
            return self.with_layout(Multiply {
                bytes: self.bytes(),
                input,
                out,
            });
        }
        // Threads write whole rows of weights; the caller wants rows of activations.
        let mut turned = vec![0.0; self.rows * count];
        self.with_layout(Multiply {
            bytes: self.bytes(),
            input,
            out: &mut turned,
        });
        out.par_chunks_mut(self.rows)
            .enumerate()
            .for_each(|(at, out)| {
                let column = turned.iter().skip(at).step_by(count);
                out.iter_mut()
                    .zip(column)
                    .for_each(|(out, value)| *out = *value);
            });
    }

    fn bytes(&self) -> &[u8] {
        self.map.bytes().get(self.bytes.clone()).unwrap_or_default()
    }

    fn with_layout<W: WithLayout>(&self, work: W) {
        match self.format {
            Format::F32 => work.run::<format::F32>(),
            Format::F16 => work.run::<format::F16>(),
            Format::Q4_0 => work.run::<format::Q4_0>(),
            Format::Q4_1 => work.run::<format::Q4_1>(),
            Format::Q5_0 => work.run::<format::Q5_0>(),
            Format::Q5_1 => work.run::<format::Q5_1>(),
            Format::Q8_0 => work.run::<format::Q8_0>(),
            Format::Q4K => work.run::<format::Q4K>(),
            Format::Q5K => work.run::<format::Q5K>(),
            Format::Q6K => work.run::<format::Q6K>(),
        }
    }
}

/// Rows of activations, rounded at most once for all the matrices they are multiplied with.
pub(crate) struct Rows<'a> {
    values: &'a [f32],
    columns: usize,
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

    fn count(&self) -> usize {
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
        lanes::dispatch(Round(&order, std::marker::PhantomData::<I>))
    }
}

struct Round<'a, I>(&'a [&'a [f32]], std::marker::PhantomData<I>);

impl<I: Input> Work for Round<'_, I> {
    type Output = Vec<I>;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> Vec<I> {
        self.0.iter().map(|values| I::read(values)).collect()
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

trait WithLayout {
    fn run<F: Layout>(self)
    where
        <F::Block as Weights>::Input: Kept;
}

struct ReadRow<'a> {
    bytes: &'a [u8],
    columns: usize,
    row: usize,
    out: &'a mut [f32],
}

impl WithLayout for ReadRow<'_> {
    fn run<F: Layout>(self)
    where
        <F::Block as Weights>::Input: Kept,
    {
        let size = self.columns / F::Block::VALUES * F::BYTES;
        let Some(row) = self.bytes.chunks_exact(size.max(1)).nth(self.row) else {
            return;
        };
        let blocks = row.chunks_exact(F::BYTES);
        let mut weights = F::Block::default();
        for (out, block) in self.out.chunks_mut(F::Block::VALUES).zip(blocks) {
            F::unpack(Portable, block, &mut weights);
            weights.write(out);
        }
    }
}

struct Multiply<'a, 'r> {
    bytes: &'a [u8],
    input: &'a Rows<'r>,
    out: &'a mut [f32],
}

impl WithLayout for Multiply<'_, '_> {
    fn run<F: Layout>(self)
    where
        <F::Block as Weights>::Input: Kept,
    {
        let size = self.input.columns / F::Block::VALUES * F::BYTES;
        let count = self.input.count();
        let input = <<F::Block as Weights>::Input as Kept>::of(self.input);
        if size == 0 || count == 0 {
            return;
        }
        self.out
            .par_chunks_mut(SHARE * count)
            .zip(self.bytes.par_chunks(SHARE * size))
            .for_each(|(out, bytes)| {
                lanes::dispatch(Share::<F> {
                    bytes,
                    size,
                    input,
                    count,
                    out,
                });
            });
    }
}

/// Some rows of weights with all rows of activations.
struct Share<'a, F: Layout> {
    bytes: &'a [u8],
    size: usize,
    input: &'a [<F::Block as Weights>::Input],
    count: usize,
    out: &'a mut [f32],
}

impl<F: Layout> Work for Share<'_, F> {
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
                    F::unpack(lanes, row.get(range.clone()).unwrap_or_default(), weights);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::tensor::half;

    /// Each format with the size of its block and where its scales stand.
    const FORMATS: [(Format, usize, &[usize]); 8] = [
        (Format::Q4_0, 18, &[0]),
        (Format::Q4_1, 20, &[0, 2]),
        (Format::Q5_0, 22, &[0]),
        (Format::Q5_1, 24, &[0, 2]),
        (Format::Q8_0, 34, &[0]),
        (Format::Q4K, 144, &[0, 2]),
        (Format::Q5K, 176, &[0, 2]),
        (Format::Q6K, 210, &[208]),
    ];

    fn noise(count: usize) -> impl Iterator<Item = u8> {
        let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        std::iter::successors(Some(7), next)
            .map(|state| (state >> 24) as u8)
            .take(count)
    }

    fn matrix(format: Format, block: usize, scales: &[usize], shape: (usize, usize)) -> Matrix {
        let size = format.row_bytes(shape.1).unwrap() * shape.0;
        let mut bytes: Vec<u8> = noise(size).collect();
        for block in bytes.chunks_mut(block) {
            for at in scales {
                block[*at..at + 2].copy_from_slice(&half::narrow(0.01).to_le_bytes());
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights");
        std::fs::write(&path, bytes).unwrap();
        let map = Arc::new(Map::open(&path).unwrap());
        Matrix::new(map, 0..size, format, shape).unwrap()
    }

    #[test]
    fn a_product_is_that_of_the_unpacked_weights() {
        // Neither a multiple of a panel nor of a share.
        let (rows, columns, count) = (21, 512, 3);
        let input: Vec<f32> = noise(columns * count)
            .map(|x| f32::from(x) / 128.0 - 1.0)
            .collect();
        for (format, block, scales) in FORMATS {
            let matrix = matrix(format, block, scales, (rows, columns));
            let mut out = Vec::new();
            matrix.multiply(&Rows::new(&input, columns), &mut out);
            let mut weights = vec![0.0; columns];
            for row in 0..rows {
                matrix.read_row(row, &mut weights);
                for (at, input) in input.chunks_exact(columns).enumerate() {
                    let exact: f32 = weights.iter().zip(input).map(|(w, x)| w * x).sum();
                    let sizes = weights.iter().zip(input).map(|(w, x)| (w * x).abs());
                    let found = out[at * rows + row];
                    let error = (found - exact).abs() / sizes.sum::<f32>();
                    assert!(error < 0.01, "{format:?} {row} {at}: {found} for {exact}");
                }
            }
        }
    }

    #[test]
    fn one_row_gives_what_it_gives_among_others() {
        let (rows, columns) = (16, 256);
        let input: Vec<f32> = noise(columns * 2).map(f32::from).collect();
        for (format, block, scales) in FORMATS {
            let matrix = matrix(format, block, scales, (rows, columns));
            let (mut both, mut alone) = (Vec::new(), Vec::new());
            matrix.multiply(&Rows::new(&input, columns), &mut both);
            matrix.multiply(&Rows::new(&input[..columns], columns), &mut alone);
            assert_eq!(both[..rows], alone, "{format:?}");
        }
    }

    #[test]
    fn five_bit_weights_are_unpacked_as_the_format_says() {
        let (block, at) = (176, 100);
        let matrix = matrix(Format::Q5K, block, &[0, 2], (1, 256));
        let bytes: Vec<u8> = matrix.bytes().to_vec();
        let mut weights = vec![0.0; 256];
        matrix.read_row(0, &mut weights);
        // Number 100 is in the second pair of 32, in its high half, at place 4.
        let fifth = bytes[16 + 4] >> 3 & 1;
        let q = bytes[48 + 32 + 4] >> 4 | fifth << 4;
        let (scale, min) = (bytes[4 + 3] & 63, bytes[8 + 3] & 63);
        let d = half::widen(half::narrow(0.01));
        let value = d * f32::from(scale) * f32::from(q) - d * f32::from(min);
        assert!(
            (weights[at] - value).abs() < 1e-4,
            "{} for {value}",
            weights[at]
        );
    }

    #[test]
    fn bytes_that_are_no_such_matrix_are_refused() {
        let good = matrix(Format::Q8_0, 34, &[0], (2, 32));
        let map = &good.map;
        let new = |bytes, format, shape| Matrix::new(Arc::clone(map), bytes, format, shape);
        assert!(new(0..68, Format::Q8_0, (2, 32)).is_some());
        assert!(new(0..69, Format::Q8_0, (2, 32)).is_none());
        assert!(new(0..68, Format::Q8_0, (2, 33)).is_none());
        assert!(new(0..68, Format::Q8_0, (usize::MAX, 32)).is_none());
        assert!(new(34..102, Format::Q8_0, (2, 32)).is_none());
    }
}
