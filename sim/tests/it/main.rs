//! Histories of many seeds, and proofs that the checks can fail.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

mod plants;
mod seeds;

use superstep_sim::{
    plant::Plant,
    sim::{Lab, Settings, Weather},
};

fn lab() -> Lab {
    Lab::new().unwrap_or_else(|error| panic!("{error}"))
}

fn settings(seed: u64, weather: Weather, plant: Option<Plant>) -> Settings {
    Settings {
        seed,
        weather,
        plant,
    }
}
