//! The seed of random checks, which a variable can set to replay a failure.

use std::env;

/// The variable that gives another seed.
const VARIABLE: &str = "SUPERSTEP_KIT_SEED";

/// The seed of this run of the kit.
pub(super) fn seed() -> u64 {
    let given = env::var(VARIABLE).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// How to run the kit with the same seed.
pub(super) fn again(seed: u64) -> String {
    format!("{VARIABLE}={seed}")
}
