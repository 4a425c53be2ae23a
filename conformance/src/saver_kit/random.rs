//! A small source of random numbers whose seed can be given again.

use std::env;

/// The variable that gives another seed.
const VARIABLE: &str = "SUPERSTEP_KIT_SEED";

/// Numbers that follow from a seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

/// The seed of this run of the kit.
pub(super) fn seed() -> u64 {
    let given = env::var(VARIABLE).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// How to run the kit with the same seed.
pub(super) fn again(seed: u64) -> String {
    format!("{VARIABLE}={seed}")
}
