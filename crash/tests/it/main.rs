//! The short tier: a part of every campaign that takes a minute. `cargo xtask crash` runs all of it.
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
mod full_disk;
mod kills;
mod permissions;
mod power;
mod rivals;

/// Runs a campaign that must find nothing, and returns its output.
fn campaign(args: &str) -> String {
    let (found_nothing, said) = run(args);
    assert!(found_nothing, "{args}:\n{said}");
    assert!(said.contains("violations 0"), "{args}:\n{said}");
    said
}

/// Whether a campaign found nothing, and its output.
fn run(args: &str) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_superstep-crash"))
        .args(args.split(' '))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    (output.status.success(), format!("{said}{complaints}"))
}
