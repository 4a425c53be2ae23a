//! Prefix cache: keys and values (KV) of prompts that the network has read.
//!
//! Calls often share a prefix: a node's instructions and examples do not change. A call takes the
//! cached prefix that it has most of in common with, so that nodes with different instructions each
//! find their own.

use super::shape::Shape;
use super::tensor::attention::PLACES;
use super::tensor::half;

/// Prefixes shorter than this are not worth keeping: they are the template's own words.
const WORTH_KEEPING: usize = 32;

/// Several prefixes; the least recently used one is evicted first.
pub(super) struct PrefixCache {
    prefixes: Vec<CachedPrefix>,
    most: usize,
    context: usize,
    clock: u64,
}

/// One sequence of tokens, with its keys and values.
pub(super) struct CachedPrefix {
    tokens: Vec<u32>,
    /// By layers, in blocks of [`PLACES`].
    keys: Vec<u16>,
    /// By layers, place by place.
    values: Vec<u16>,
    kept: usize,
    /// How many places a layer has, in whole blocks.
    context: usize,
    used: u64,
}

/// Whether another prefix can be made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    Left,
    None,
}

impl PrefixCache {
    /// At most `most` sequences of at most `context` tokens.
    pub(super) fn new(most: usize, context: usize) -> Self {
        Self {
            prefixes: Vec::new(),
            most: most.max(1),
            context,
            clock: 0,
        }
    }

    /// The longest cached prefix of `tokens`, cut back to what they have in common. At least one
    /// token is left to read, because reading it is what rates the next.
    pub(super) fn take(&mut self, tokens: &[u32], shape: &Shape) -> Option<&mut CachedPrefix> {
        self.clock += 1;
        let limit = tokens.len().saturating_sub(1);
        let best = self
            .prefixes
            .iter()
            .map(|prefix| prefix.common(tokens).min(limit))
            .enumerate()
            .max_by_key(|(_, common)| *common);
        let room = match self.prefixes.len() < self.most {
            true => Room::Left,
            false => Room::None,
        };
        let (index, common) = match best {
            Some((index, common)) if self.is_worth(index, common, limit, room) => (index, common),
            _ if room == Room::Left => {
                let new = CachedPrefix::new(shape.layers, shape.kept(), self.context)?;
                self.prefixes.push(new);
                (self.prefixes.len() - 1, 0)
            }
            _ => {
                let prefixes = self.prefixes.iter().enumerate();
                let (index, prefix) = prefixes.min_by_key(|(_, prefix)| prefix.used)?;
                (index, prefix.common(tokens).min(limit))
            }
        };
        let prefix = self.prefixes.get_mut(index)?;
        prefix.truncate(common);
        prefix.used = self.clock;
        Some(prefix)
    }

    /// Whether taking a prefix over saves more than it destroys. While there is room, a prefix that would
    /// lose most of what it has is left alone.
    fn is_worth(&self, index: usize, common: usize, limit: usize, room: Room) -> bool {
        let held = self.prefixes.get(index).map_or(0, CachedPrefix::len);
        let keeps_most = 2 * common >= held;
        common >= WORTH_KEEPING.min(limit.max(1)) && (keeps_most || room == Room::None)
    }
}

impl CachedPrefix {
    /// Room for `context` tokens, or nothing if that has no size. The system gives the memory as it is written to, so a
    /// short conversation costs little.
    pub(super) fn new(layers: usize, kept: usize, context: usize) -> Option<Self> {
        let context = context.checked_next_multiple_of(PLACES)?;
        let size = layers.checked_mul(context)?.checked_mul(kept)?;
        Some(Self {
            tokens: Vec::new(),
            keys: vec![0; size],
            values: vec![0; size],
            kept,
            context,
            used: 0,
        })
    }

    /// How many tokens it holds.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Forgets all but the first `count` tokens.
    pub(super) fn truncate(&mut self, count: usize) {
        self.tokens.truncate(count);
    }

    pub(super) fn extend(&mut self, tokens: &[u32]) {
        self.tokens.extend_from_slice(tokens);
    }

    /// Keeps keys and values of a layer for the tokens from `start`.
    pub(super) fn store(&mut self, layer: usize, start: usize, keys: &[f32], values: &[f32]) {
        let size = self.context * self.kept;
        let [old_keys, old_values] = [&mut self.keys, &mut self.values]
            .map(|numbers| numbers.get_mut(layer * size..).unwrap_or_default());
        let places = keys.chunks_exact(self.kept.max(1));
        for (place, keys) in (start..self.context).zip(places) {
            let block = old_keys.get_mut(place / PLACES * PLACES * self.kept..);
            let numbers = block.unwrap_or_default().iter_mut();
            let numbers = numbers.skip(place % PLACES).step_by(PLACES);
            numbers
                .zip(keys)
                .for_each(|(old, new)| *old = half::narrow(*new));
        }
        let old_values = old_values.iter_mut().skip(start * self.kept);
        for (old, new) in old_values.zip(values) {
            *old = half::narrow(*new);
        }
    }

    /// Keys and values of a layer, for all places that it may have.
    pub(super) fn layer(&self, layer: usize) -> (&[u16], &[u16]) {
        let size = self.context * self.kept;
        let range = layer * size..(layer + 1) * size;
        let keys = self.keys.get(range.clone()).unwrap_or_default();
        (keys, self.values.get(range).unwrap_or_default())
    }

    /// How many bytes keys and values of so many tokens are, in whole blocks.
    pub(super) fn size(&self, count: usize) -> usize {
        let layers = self.keys.len() / (self.context * self.kept).max(1);
        2 * layers * self.share(count) * size_of::<u16>()
    }

    /// How many keys so many tokens have in a layer, in whole blocks. They have as many values.
    fn share(&self, count: usize) -> usize {
        count.next_multiple_of(PLACES) * self.kept
    }

    /// Keys and values of the first `count` tokens, as bytes.
    pub(super) fn content(&self, count: usize) -> Vec<u8> {
        let (layer, share) = ((self.context * self.kept).max(1), self.share(count));
        let mut bytes = Vec::with_capacity(self.size(count));
        // Not what other tokens have in the last block.
        let mut push = |number: &u16, is_theirs: bool| {
            let number = if is_theirs { *number } else { 0 };
            bytes.extend(number.to_le_bytes());
        };
        for keys in self.keys.chunks_exact(layer) {
            let blocks = keys.iter().take(share).enumerate();
            blocks.for_each(|(at, key)| {
                let block = at / (PLACES * self.kept).max(1);
                push(key, block * PLACES + at % PLACES < count);
            });
        }
        for values in self.values.chunks_exact(layer) {
            let places = values.iter().take(share).enumerate();
            places.for_each(|(at, value)| push(value, at < count * self.kept));
        }
        bytes
    }

    /// Takes these tokens and their [`content`](Self::content), of which `next` gives so many bytes at a time, in place of
    /// what it has; says whether they fit and `next` had them all. If not, it has nothing.
    pub(super) fn fill(&mut self, tokens: &[u32], mut next: impl FnMut(&mut [u8]) -> bool) -> bool {
        self.tokens.clear();
        let (count, layer) = (tokens.len(), self.context * self.kept);
        if count == 0 || count > self.context || layer == 0 {
            return false;
        }
        let mut bytes = vec![0; self.share(count) * size_of::<u16>()];
        let kept = [&mut self.keys, &mut self.values].into_iter();
        for layer in kept.flat_map(|kept| kept.chunks_exact_mut(layer)) {
            if !next(&mut bytes) {
                return false;
            }
            for (number, bytes) in layer.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *number = u16::from_le_bytes(*bytes);
            }
        }
        self.tokens.extend_from_slice(tokens);
        true
    }

    fn common(&self, tokens: &[u32]) -> usize {
        let pairs = self.tokens.iter().zip(tokens);
        pairs.take_while(|(kept, new)| kept == new).count()
    }
}
