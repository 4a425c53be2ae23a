//! Attention: what tokens read from those before them.
//!
//! Everything is done in tiles of sixteen by sixteen numbers: a tile of keys has a number of sixteen places in each of its rows, one
//! of values sixteen numbers of a place. A product adds rows of a tile, so nothing is ever added up across a
//! register, and a tile that was unpacked serves the heads that share it and several tokens.
//!
//! A token reads the same, to the last bit, alone and among others.

use rayon::prelude::*;

use super::dispatch::dispatch;
use super::lanes::{Lanes, Work};
use super::vector::exp;

/// Keys are stored by so many places: the first number of each of them, then the second.
pub(crate) const PLACES: usize = 16;

type Sixteen = [f32; PLACES];
/// Sixteen rows of sixteen numbers, as the processor wants them.
type Tile<L> = [<L as Lanes>::Sixteen; PLACES];

/// How many tokens read together. Their scores have to stay near the processor.
const TOKENS: usize = 4;

/// The keys and values of a layer, and how its heads share them.
pub(crate) struct Attention<'a> {
    /// In blocks of [`PLACES`].
    pub(crate) keys: &'a [u16],
    /// Place by place.
    pub(crate) values: &'a [u16],
    /// How many numbers a head has.
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// How many heads have keys and values; the others share them.
    pub(crate) shared_heads: usize,
}

impl Attention<'_> {
    /// What tokens read with `query`, a row for each, if there are `start` places before the first of them. A token
    /// sees itself and what came before it.
    pub(crate) fn read(&self, query: &[f32], start: usize, out: &mut [f32]) {
        let row = (self.heads * self.width).max(1);
        let sharing = self.heads.checked_div(self.shared_heads).unwrap_or(0);
        let group = (sharing * self.width).max(1);
        let tokens = query.len() / row;
        // Threads write what belongs to a shared head; the caller wants rows of tokens.
        let mut by_head = vec![0.0; tokens * row];
        let shares = by_head.par_chunks_mut((tokens * group).max(1)).enumerate();
        shares.for_each(|(head, share)| {
            let parts = share.par_chunks_mut(TOKENS * group).enumerate();
            parts.for_each(|(part, out)| {
                let first = part * TOKENS;
                let rows = query.chunks_exact(row).skip(first).take(TOKENS);
                let groups = rows.filter_map(|row| row.chunks_exact(group).nth(head));
                dispatch(SharedHead {
                    attention: self,
                    queries: groups
                        .flat_map(|group| group.chunks_exact(self.width))
                        .collect(),
                    sharing,
                    head,
                    seen: start + first + 1,
                    out,
                });
            });
        });
        for (token, out) in out.chunks_exact_mut(row).enumerate() {
            let read = by_head.chunks_exact(group).skip(token).step_by(tokens);
            for (out, read) in out.chunks_exact_mut(group).zip(read) {
                out.copy_from_slice(read);
            }
        }
    }

    /// The keys of a head in a block, as one tile for every sixteen numbers of the head.
    #[inline(always)]
    fn key_tiles<L: Lanes>(&self, lanes: L, head: usize, block: usize, tiles: &mut [Tile<L>]) {
        let at = (block * self.shared_heads + head) * self.width * PLACES;
        let keys = self.keys.get(at..at + self.width * PLACES);
        let keys = keys.unwrap_or_default().as_chunks().0;
        for (wide, key) in tiles.as_flattened_mut().iter_mut().zip(keys) {
            *wide = lanes.widen(key);
        }
    }

    /// The values of a head in a block, as one tile for every sixteen numbers of the head.
    #[inline(always)]
    fn value_tiles<L: Lanes>(&self, lanes: L, head: usize, block: usize, tiles: &mut [Tile<L>]) {
        let stride = self.shared_heads * self.width;
        for place in 0..PLACES {
            let at = (block * PLACES + place) * stride + head * self.width;
            let value = self.values.get(at..at + self.width).unwrap_or_default();
            for (tile, numbers) in tiles.iter_mut().zip(value.chunks(PLACES)) {
                let Some(wide) = tile.get_mut(place) else {
                    continue;
                };
                *wide = match numbers.as_array() {
                    Some(numbers) => lanes.widen(numbers),
                    None => {
                        let mut last = [0; PLACES];
                        let numbers = last.iter_mut().zip(numbers);
                        numbers.for_each(|(last, number)| *last = *number);
                        lanes.widen(&last)
                    }
                };
            }
        }
    }
}

/// Some tokens that read with the heads that share one.
struct SharedHead<'a> {
    attention: &'a Attention<'a>,
    /// Of each token and each of the heads.
    queries: Vec<&'a [f32]>,
    sharing: usize,
    head: usize,
    /// How many places the first token sees.
    seen: usize,
    out: &'a mut [f32],
}

impl Work for SharedHead<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        match L::HAS_MANY_REGISTERS {
            true => self.run_by::<L, 8>(lanes),
            false => self.run_by::<L, 4>(lanes),
        }
    }
}

impl SharedHead<'_> {
    /// With `N` queries at a time; the last ones are filled up with zeros.
    #[inline(always)]
    fn run_by<L: Lanes, const N: usize>(self, lanes: L) {
        let width = self.attention.width;
        let sixteens = width.div_ceil(PLACES).max(1);
        let groups = self.queries.len().div_ceil(N);
        let seen = |query: usize| self.seen + query / self.sharing.max(1);
        let blocks = seen(self.queries.len().saturating_sub(1)).div_ceil(PLACES);
        let queries = side_by_side::<N>(&self.queries, sixteens);

        let mut tiles = vec![[lanes.load(&[0.0; PLACES]); PLACES]; sixteens];
        let mut scores = vec![[[0.0; PLACES]; N]; groups * blocks];
        for block in 0..blocks {
            self.attention
                .key_tiles(lanes, self.head, block, &mut tiles);
            let scores = scores.iter_mut().skip(block).step_by(blocks);
            for (scores, queries) in scores.zip(queries.chunks_exact(sixteens)) {
                let mut sums = load(lanes, scores);
                for (queries, tile) in queries.iter().zip(&tiles) {
                    add_products(lanes, queries, tile, &mut sums);
                }
                store(lanes, &sums, scores);
            }
        }
        let scale = 1.0 / (width as f32).sqrt();
        for (group, scores) in scores.chunks_exact_mut(blocks.max(1)).enumerate() {
            for query in 0..N {
                let scores = scores.iter_mut().filter_map(|scores| scores.get_mut(query));
                softmax(scores, seen(group * N + query), scale);
            }
        }
        let mut read = vec![[[0.0; PLACES]; N]; groups * sixteens];
        for block in 0..blocks {
            self.attention
                .value_tiles(lanes, self.head, block, &mut tiles);
            let scores = scores.iter().skip(block).step_by(blocks);
            for (scores, read) in scores.zip(read.chunks_exact_mut(sixteens)) {
                for (read, tile) in read.iter_mut().zip(&tiles) {
                    let mut sums = load(lanes, read);
                    add_products(lanes, scores, tile, &mut sums);
                    store(lanes, &sums, read);
                }
            }
        }
        for (query, out) in self.out.chunks_exact_mut(width.max(1)).enumerate() {
            let read = read
                .chunks_exact(sixteens)
                .nth(query / N)
                .unwrap_or_default();
            let read = read.iter().filter_map(|read| read.get(query % N)).flatten();
            out.iter_mut()
                .zip(read)
                .for_each(|(out, read)| *out = *read);
        }
    }
}

/// `N` queries after the other, and of these sixteen numbers of each, then the next sixteen.
fn side_by_side<const N: usize>(queries: &[&[f32]], sixteens: usize) -> Vec<[Sixteen; N]> {
    let mut rows = vec![[[0.0; PLACES]; N]; queries.len().div_ceil(N) * sixteens];
    for (rows, queries) in rows.chunks_exact_mut(sixteens).zip(queries.chunks(N)) {
        for (at, query) in queries.iter().enumerate() {
            let rows = rows.iter_mut().filter_map(|row| row.get_mut(at)).flatten();
            rows.zip(*query).for_each(|(row, number)| *row = *number);
        }
    }
    rows
}

/// Adds the rows of a tile to each of `sums`, times its factors.
#[inline(always)]
fn add_products<L: Lanes, const N: usize>(
    lanes: L,
    factors: &[Sixteen; N],
    tile: &Tile<L>,
    sums: &mut [L::Sixteen; N],
) {
    for (at, row) in tile.iter().enumerate() {
        for (sum, factors) in sums.iter_mut().zip(factors) {
            let factor = factors.get(at).copied().unwrap_or_default();
            *sum = lanes.add_times(factor, *row, *sum);
        }
    }
}

/// Makes shares of the first `seen` scores, which add up to one, and nothing of the others.
#[inline(always)]
fn softmax<'a>(scores: impl Iterator<Item = &'a mut Sixteen>, seen: usize, scale: f32) {
    let mut scores: Vec<&mut Sixteen> = scores.collect();
    let mut largest = [f32::NEG_INFINITY; PLACES];
    hide(&mut scores, seen, f32::NEG_INFINITY);
    for scores in &scores {
        for (largest, score) in largest.iter_mut().zip(&**scores) {
            *largest = largest.max(*score);
        }
    }
    let largest = largest.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for scores in &mut scores {
        for score in scores.iter_mut() {
            *score = exp((*score - largest) * scale);
        }
    }
    hide(&mut scores, seen, 0.0);
    let mut totals = [0.0; PLACES];
    for scores in &scores {
        for (total, score) in totals.iter_mut().zip(&**scores) {
            *total += score;
        }
    }
    let total: f32 = totals.iter().sum();
    for scores in &mut scores {
        for score in scores.iter_mut() {
            *score /= total;
        }
    }
}

/// Sets what is not among the first `seen` scores.
#[inline(always)]
fn hide(scores: &mut [&mut Sixteen], seen: usize, with: f32) {
    for (block, scores) in scores.iter_mut().enumerate().skip(seen / PLACES) {
        let hidden = seen.saturating_sub(block * PLACES);
        scores
            .iter_mut()
            .skip(hidden)
            .for_each(|score| *score = with);
    }
}

#[inline(always)]
fn load<L: Lanes, const N: usize>(lanes: L, rows: &[Sixteen; N]) -> [L::Sixteen; N] {
    let mut loaded = [lanes.load(&[0.0; PLACES]); N];
    for (loaded, row) in loaded.iter_mut().zip(rows) {
        *loaded = lanes.load(row);
    }
    loaded
}

#[inline(always)]
fn store<L: Lanes, const N: usize>(lanes: L, sums: &[L::Sixteen; N], rows: &mut [Sixteen; N]) {
    for (row, sum) in rows.iter_mut().zip(sums) {
        *row = lanes.store(*sum);
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;
    use crate::chat::tensor::half;
    use crate::chat::tensor::portable::Portable;

    const WIDTH: usize = 24;
    const HEADS: usize = 6;
    const SHARED: usize = 2;

    fn noise(count: usize, seed: u32) -> Vec<f32> {
        let next = |state: &u32| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let states = iter::successors(Some(seed), next).skip(1);
        states
            .map(|state| (state >> 16) as f32 / 32_768.0 - 1.0)
            .take(count)
            .collect()
    }

    /// Keys and values of so many places, as they are and as they are stored.
    struct Stored {
        keys: Vec<f32>,
        values: Vec<f32>,
        key_blocks: Vec<u16>,
        value_rows: Vec<u16>,
    }

    impl Stored {
        fn of(places: usize) -> Self {
            let kept = SHARED * WIDTH;
            let exact = |numbers: Vec<f32>| -> Vec<f32> {
                let numbers = numbers.into_iter();
                numbers.map(|x| half::widen(half::narrow(x))).collect()
            };
            let keys = exact(noise(places * kept, 1));
            let values = exact(noise(places * kept, 2));
            let mut key_blocks = vec![0; places.next_multiple_of(PLACES) * kept];
            for (at, key) in keys.iter().enumerate() {
                let (place, number) = (at / kept, at % kept);
                let at = (place / PLACES * kept + number) * PLACES + place % PLACES;
                key_blocks[at] = half::narrow(*key);
            }
            let value_rows = values.iter().map(|x| half::narrow(*x)).collect();
            Self {
                keys,
                values,
                key_blocks,
                value_rows,
            }
        }

        fn attention(&self) -> Attention<'_> {
            Attention {
                keys: &self.key_blocks,
                values: &self.value_rows,
                width: WIDTH,
                heads: HEADS,
                shared_heads: SHARED,
            }
        }

        /// What a head of a token that sees so many places reads.
        fn plain(&self, query: &[f32], head: usize, seen: usize) -> Vec<f64> {
            let at = |place: usize| {
                let at = (place * SHARED + head / (HEADS / SHARED)) * WIDTH;
                at..at + WIDTH
            };
            let scores = (0..seen).map(|place| {
                let products = query.iter().zip(&self.keys[at(place)]);
                let sum: f64 = products.map(|(q, k)| f64::from(*q) * f64::from(*k)).sum();
                (sum / (WIDTH as f64).sqrt()).exp()
            });
            let scores: Vec<f64> = scores.collect();
            let total: f64 = scores.iter().sum();
            let mut read = vec![0.0; WIDTH];
            for (place, score) in scores.iter().enumerate() {
                for (read, value) in read.iter_mut().zip(&self.values[at(place)]) {
                    *read += score / total * f64::from(*value);
                }
            }
            read
        }
    }

    #[test]
    fn every_token_reads_what_it_and_those_before_it_have() {
        let (start, tokens) = (29, 11);
        let stored = Stored::of(start + tokens);
        let query = noise(tokens * HEADS * WIDTH, 3);
        let mut out = vec![0.0; query.len()];
        stored.attention().read(&query, start, &mut out);
        for (at, (query, out)) in query.chunks(WIDTH).zip(out.chunks(WIDTH)).enumerate() {
            let plain = stored.plain(query, at % HEADS, start + at / HEADS + 1);
            for (out, plain) in out.iter().zip(plain) {
                assert!(
                    (f64::from(*out) - plain).abs() < 1e-5,
                    "{out} for {plain} at {at}"
                );
            }
        }
    }

    #[test]
    fn a_token_reads_the_same_alone_and_among_others() {
        let (start, tokens) = (13, 7);
        let stored = Stored::of(start + tokens);
        let query = noise(tokens * HEADS * WIDTH, 4);
        let mut together = vec![0.0; query.len()];
        stored.attention().read(&query, start, &mut together);
        let row = HEADS * WIDTH;
        for token in 0..tokens {
            let mut alone = vec![0.0; row];
            let query = &query[token * row..][..row];
            stored.attention().read(query, start + token, &mut alone);
            assert_eq!(alone, together[token * row..][..row], "token {token}");
        }
    }

    #[test]
    fn many_registers_and_few_give_the_same() {
        let stored = Stored::of(40);
        let query = noise(3 * WIDTH, 5);
        let read = |run: fn(SharedHead<'_>)| {
            let mut out = vec![0.0; query.len()];
            run(SharedHead {
                attention: &stored.attention(),
                queries: query.chunks(WIDTH).collect(),
                sharing: HEADS / SHARED,
                head: 1,
                seen: 40,
                out: &mut out,
            });
            out
        };
        assert_eq!(
            read(|head| head.run_by::<_, 4>(Portable)),
            read(|head| head.run_by::<_, 8>(Portable)),
        );
    }
}
