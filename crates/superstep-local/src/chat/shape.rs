//! The sizes of a network, as its file says them.

use super::gguf::{FileError, Gguf};

/// The sizes of a network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) layers: usize,
    pub(super) heads: usize,
    pub(super) shared_heads: usize,
    pub(super) width: usize,
    pub(super) head: usize,
    pub(super) inner: usize,
    pub(super) context: usize,
    pub(super) epsilon: f32,
    pub(super) pairs: Pairs,
}

/// Which two numbers of a head are rotated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Neighbors.
    Adjacent,
    /// One of the first half with one of the second.
    Halves,
}

/// More heads and wider ones than any model has: what tokens read with them is in memory at once.
const MOST_HEADS: usize = 1024;
const WIDEST_HEAD: usize = 1024;

impl Shape {
    pub(super) fn read(file: &Gguf<'_>) -> Result<Self, FileError> {
        let kind = file.text("general.architecture")?;
        let pairs = match kind {
            "llama" => Pairs::Adjacent,
            "qwen2" => Pairs::Halves,
            other => return Err(FileError::Architecture(other.to_owned())),
        };
        let whole = |key: &str| {
            let key = format!("{kind}.{key}");
            let value = file.whole(&key)?;
            // Larger than any model; keeps sums and products of sizes from overflowing.
            if value == 0 || value > 1 << 24 {
                let value = value.to_string();
                return Err(FileError::Impossible { key, value });
            }
            usize::try_from(value).map_err(|_| FileError::Missing(key))
        };
        let (width, heads) = (whole("embedding_length")?, whole("attention.head_count")?);
        let shape = Self {
            layers: whole("block_count")?,
            heads,
            shared_heads: whole("attention.head_count_kv").unwrap_or(heads),
            width,
            head: whole("attention.key_length").unwrap_or(width / heads),
            inner: whole("feed_forward_length")?,
            context: whole("context_length")?,
            epsilon: file.real(&format!("{kind}.attention.layer_norm_rms_epsilon"))? as f32,
            pairs,
        };
        let rotated = whole("rope.dimension_count").unwrap_or(shape.head);
        let is_consistent = shape.heads.is_multiple_of(shape.shared_heads)
            && shape.heads <= MOST_HEADS
            && shape.head.is_multiple_of(2)
            && shape.head <= WIDEST_HEAD
            && rotated == shape.head;
        if !is_consistent {
            return Err(FileError::Impossible {
                key: format!("{kind}.attention.head_count"),
                value: format!(
                    "{heads} of {} numbers with {} shared, {rotated} rotated",
                    shape.head, shape.shared_heads
                ),
            });
        }
        Ok(shape)
    }

    /// How many numbers are kept for a token, a layer and a side.
    pub(super) fn kept(&self) -> usize {
        self.shared_heads * self.head
    }
}
