//! Seeded randomness: the same seed gives the same throws on every machine.

/// A small generator (splitmix64); good enough to choose where to cut.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if that is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        self.any().checked_rem(n).unwrap_or(0)
    }

    /// Yes or no.
    pub fn coin(&mut self) -> bool {
        self.any() & 1 == 1
    }
}
