//! A short campaign for every target; `superstep-fuzz` runs longer ones.

use superstep_fuzz::{Campaign, targets};

const SMOKE: Campaign = Campaign {
    seed: 0,
    runs: 3_000,
};

fn smoke(name: &str) -> Result<u64, String> {
    let target = targets::named(name).ok_or("no such target")?;
    let outcome = SMOKE.run(target).map_err(|error| error.to_string())?;
    outcome.map_err(|failure| format!("{failure:?}"))
}

#[test]
fn archives_are_read_or_refused() {
    assert_eq!(smoke("archive"), Ok(SMOKE.runs));
}

#[test]
fn packed_values_are_read_or_refused() {
    assert_eq!(smoke("codec"), Ok(SMOKE.runs));
}

#[test]
fn mails_are_read_or_refused() {
    assert_eq!(smoke("mime"), Ok(SMOKE.runs));
}

#[test]
fn scripts_are_read_or_refused() {
    assert_eq!(smoke("script"), Ok(SMOKE.runs));
}

#[test]
fn event_streams_are_read_or_refused() {
    assert_eq!(smoke("sse"), Ok(SMOKE.runs));
}

#[test]
fn workbooks_are_read_or_refused() {
    assert_eq!(smoke("workbook"), Ok(SMOKE.runs));
}

#[test]
fn every_target_has_a_program_for_coverage_guided_fuzzing() {
    let manifest = include_str!("../Cargo.toml");
    for target in targets::ALL {
        let path = format!("path = \"fuzz_targets/{}.rs\"", target.name);
        assert!(manifest.contains(&path), "{path}");
    }
}
