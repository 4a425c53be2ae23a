//! The only source of randomness: the same seed gives the same history.

/// A seeded generator.
#[derive(Clone, Debug)]
pub(crate) struct Rng(fastrand::Rng);

impl Rng {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number below `end`; zero if there is none.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0.u64(..end.max(1))
    }

    /// An index into a list of that length.
    pub(crate) fn place(&mut self, len: usize) -> usize {
        self.0.usize(..len.max(1))
    }

    /// A number from `first` to `last`.
    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        self.0.u64(first..=last.max(first))
    }

    /// True with probability `1 / times`.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}
