//! The short tier: every campaign, as far as it goes in a minute. `cargo xtask crash` runs the rest.
//!
//! Each test is a run of the program, which starts the processes that die. What a campaign finds is
//! printed with the command that replays it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at the first surprise"
)]

use std::process::Command;

mod damage;
mod faults;
mod kills;
mod power;
mod rivals;

/// Runs a campaign that must find nothing, and returns its closing lines.
fn campaign(words: &str) -> String {
    let (found_nothing, said) = run(words);
    assert!(found_nothing, "{words}:\n{said}");
    assert!(said.contains("violations 0"), "{words}:\n{said}");
    said
}

/// Whether a campaign found nothing, and all it said.
fn run(words: &str) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_superstep-crash"))
        .args(words.split(' '))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    (output.status.success(), format!("{said}{complaints}"))
}
