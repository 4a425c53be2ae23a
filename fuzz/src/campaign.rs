//! A number of mutated inputs for one target.

use std::{
    fmt, io,
    panic::{AssertUnwindSafe, catch_unwind},
};

use fastrand::Rng;

use crate::{mutate::mutated, target::Target};

/// Which inputs to make.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// What all of them follow from.
    pub seed: u64,
    /// How many.
    pub runs: u64,
}

/// An input that a target did not survive.
#[derive(Clone)]
pub struct Failure {
    /// The name of the target.
    pub target: &'static str,
    /// The seed that makes this input in the first run of a campaign.
    pub seed: u64,
    /// The input.
    pub input: Vec<u8>,
}

impl Campaign {
    /// Runs the target on its seeds, then on mutated inputs, up to the first failure.
    pub fn run(self, target: Target) -> io::Result<Result<u64, Failure>> {
        let seeds = (target.seeds)()?;
        if seeds.is_empty() {
            return Err(io::Error::other(format!("{} has no seeds", target.name)));
        }
        for seed in &seeds {
            if !survives(target, seed) {
                return Ok(Err(Failure::new(target, self.seed, seed.clone())));
            }
        }
        // One generator per run: a failure is repeated by its own seed, without those before it.
        for seed in (self.seed..).take(usize::try_from(self.runs).unwrap_or(usize::MAX)) {
            let input = mutated(&seeds, &mut Rng::with_seed(seed));
            if !survives(target, &input) {
                return Ok(Err(Failure::new(target, seed, input)));
            }
        }
        Ok(Ok(self.runs))
    }
}

fn survives(target: Target, input: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| (target.run)(input))).is_ok()
}

impl Failure {
    fn new(target: Target, seed: u64, input: Vec<u8>) -> Self {
        Self {
            target: target.name,
            seed,
            input,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} failed on {} bytes; again with: cargo run -p superstep-fuzz -- {} --seed {} --runs 1",
            self.target,
            self.input.len(),
            self.target,
            self.seed,
        )
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}; input: {}", self.input.escape_ascii())
    }
}
