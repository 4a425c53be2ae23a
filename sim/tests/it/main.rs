//! Histories of many seeds, and proofs that the checks can fail.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot continue fails"
)]

mod mutations;
mod seeds;

use superstep_sim::{
    mutation::Mutation,
    sim::{FaultMode, Settings, Simulator},
};

fn simulator() -> Simulator {
    Simulator::new().unwrap_or_else(|error| panic!("{error}"))
}

fn settings(seed: u64, fault_mode: FaultMode, mutation: Option<Mutation>) -> Settings {
    Settings {
        seed,
        fault_mode,
        mutation,
    }
}
