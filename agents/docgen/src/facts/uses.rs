//! What a text says that imports and entry points are found by, and that is no fact itself.

use xxhash_rust::xxh3::xxh3_64;

/// What one text says; forgotten once imports are resolved.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The package that a file of Go or Java says it is part of.
    pub(super) package: Option<String>,
    /// Names that a file of Go or Java uses, with the first line of each: hashes, as there are many until all files are read.
    pub(super) names: Vec<(u64, u32)>,
    /// The line of `if __name__ == "__main__":`.
    pub(super) guard: Option<u32>,
}

/// A name as it is kept.
pub(super) fn hashed(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}
