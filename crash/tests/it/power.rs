//! Power cuts.

use crate::{campaign, run};

#[test]
fn a_history_survives_a_power_cut_after_every_operation() {
    campaign("power --jobs 1 --seeds 1 --graph chain");
}

#[test]
fn effects_happen_once_over_a_power_cut_after_every_operation() {
    campaign("power --jobs 1 --seeds 1 --graph keyed");
}

#[test]
fn a_run_that_does_not_wait_for_the_disk_loses_at_most_its_end() {
    campaign("power --jobs 1 --seeds 1 --graph blind --durability normal");
}

#[test]
fn what_is_acknowledged_after_a_failed_sync_survives_a_power_cut() {
    campaign("syncs --jobs 1 --graph fanout");
}

#[test]
fn a_log_that_is_not_written_anew_after_a_failed_sync_is_found_out() {
    let (found_nothing, said) = run("syncs --jobs 2 --graph keyed --disk lies");
    assert!(
        !found_nothing && said.contains("was promised and is gone"),
        "{said}"
    );
}

#[test]
fn a_disk_that_lies_about_syncs_is_found_out() {
    let (found_nothing, said) = run("power --jobs 2 --seeds 0 --graph fanout --disk lies");
    assert!(
        !found_nothing && said.contains("was promised and is gone"),
        "{said}"
    );
}
