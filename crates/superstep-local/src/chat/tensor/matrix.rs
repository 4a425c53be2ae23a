//! A matrix of packed weights, and its product with rows of activations.
//!
//! Which way a product goes depends on how its weights are packed: `panels` for those in blocks of
//! 256, which are most of a model, and `rows` for all others.

use std::ops::Range;
use std::sync::Arc;

use super::activations::Rows;
use super::block::BlockWeights;
use super::format::{self, Format, Layout};
use super::{panels, rows};
use crate::chat::map::Map;

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
        let size = self.format.row_bytes(self.columns).unwrap_or(0);
        let Some(bytes) = self.bytes().chunks_exact(size.max(1)).nth(row) else {
            return;
        };
        match self.format {
            Format::F32 => unpack::<format::F32>(bytes, out),
            Format::F16 => unpack::<format::F16>(bytes, out),
            Format::Q4_0 => unpack::<format::Q4_0>(bytes, out),
            Format::Q4_1 => unpack::<format::Q4_1>(bytes, out),
            Format::Q5_0 => unpack::<format::Q5_0>(bytes, out),
            Format::Q5_1 => unpack::<format::Q5_1>(bytes, out),
            Format::Q8_0 => unpack::<format::Q8_0>(bytes, out),
            Format::Q4K => unpack::<format::Q4K>(bytes, out),
            Format::Q5K => unpack::<format::Q5K>(bytes, out),
            Format::Q6K => unpack::<format::Q6K>(bytes, out),
        }
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
        let bytes = self.bytes();
        match self.format {
            Format::F32 => rows::multiply::<format::F32>(bytes, input, out),
            Format::F16 => rows::multiply::<format::F16>(bytes, input, out),
            Format::Q4_0 => rows::multiply::<format::Q4_0>(bytes, input, out),
            Format::Q4_1 => rows::multiply::<format::Q4_1>(bytes, input, out),
            Format::Q5_0 => rows::multiply::<format::Q5_0>(bytes, input, out),
            Format::Q5_1 => rows::multiply::<format::Q5_1>(bytes, input, out),
            Format::Q8_0 => rows::multiply::<format::Q8_0>(bytes, input, out),
            Format::Q4K => panels::multiply::<format::Q4K>(bytes, input, out),
            Format::Q5K => panels::multiply::<format::Q5K>(bytes, input, out),
            Format::Q6K => panels::multiply::<format::Q6K>(bytes, input, out),
        }
    }

    fn bytes(&self) -> &[u8] {
        self.map.bytes().get(self.bytes.clone()).unwrap_or_default()
    }
}

fn unpack<F: Layout>(bytes: &[u8], out: &mut [f32]) {
    let mut weights = F::Block::default();
    let blocks = bytes.chunks_exact(F::BYTES);
    for (out, block) in out.chunks_mut(F::Block::VALUES).zip(blocks) {
        F::unpack(block, &mut weights);
        weights.write(out);
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
        // More than a panel.
        let (rows, columns) = (21, 256);
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
    fn four_bit_weights_are_unpacked_as_the_format_says() {
        let matrix = matrix(Format::Q4K, 144, &[0, 2], (1, 256));
        let bytes: Vec<u8> = matrix.bytes().to_vec();
        let mut weights = vec![0.0; 256];
        matrix.read_row(0, &mut weights);
        let d = half::widen(half::narrow(0.01));
        for (at, weight) in weights.iter().enumerate() {
            let (group, packed) = (at / 32, bytes[16 + at / 64 * 32 + at % 32]);
            let q = if group % 2 == 0 {
                packed & 15
            } else {
                packed >> 4
            };
            // The first four scales and minima have bytes of their own, the others share bytes and
            // have their upper bits in those of the first.
            let six = &bytes[4..16];
            let (scale, min) = match group {
                0..4 => (six[group] & 63, six[group + 4] & 63),
                _ => (
                    six[group + 4] & 15 | six[group - 4] >> 6 << 4,
                    six[group + 4] >> 4 | six[group] >> 6 << 4,
                ),
            };
            let value = d * f32::from(scale) * f32::from(q) - d * f32::from(min);
            assert!((weight - value).abs() < 1e-4, "{at}: {weight} for {value}");
        }
    }

    #[test]
    fn six_bit_weights_are_unpacked_as_the_format_says() {
        let matrix = matrix(Format::Q6K, 210, &[208], (1, 256));
        let bytes: Vec<u8> = matrix.bytes().to_vec();
        let mut weights = vec![0.0; 256];
        matrix.read_row(0, &mut weights);
        let d = half::widen(half::narrow(0.01));
        for (at, weight) in weights.iter().enumerate() {
            let (half, quarter, place) = (at / 128, at % 128 / 32, at % 32);
            let low = bytes[half * 64 + quarter % 2 * 32 + place] >> (quarter / 2 * 4) & 15;
            let high = bytes[128 + half * 32 + place] >> (quarter * 2) & 3;
            let q = f32::from(low | high << 4) - 32.0;
            let value = d * f32::from(bytes[192 + at / 16].cast_signed()) * q;
            assert!((weight - value).abs() < 1e-3, "{at}: {weight} for {value}");
        }
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
