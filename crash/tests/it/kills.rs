//! Workers that are killed.

use crate::{campaign, run};

#[test]
fn questions_survive_a_kill_at_every_operation() {
    campaign("matrix --at ops --jobs 1 --graph asks");
}

#[test]
fn results_of_siblings_survive_a_kill_at_every_operation() {
    campaign("matrix --at ops --jobs 1 --graph fanout");
}

#[test]
fn a_graph_within_a_graph_survives_a_kill_at_every_operation() {
    campaign("matrix --at ops --jobs 1 --graph nested");
}

#[test]
fn effects_with_keys_happen_once_whatever_operation_is_the_last() {
    campaign("matrix --at ops --jobs 1 --graph keyed");
}

#[test]
fn effects_without_keys_happen_once_or_are_reported_whatever_operation_is_the_last() {
    campaign("matrix --at ops --jobs 1 --graph blind");
}

#[test]
fn tool_calls_happen_once_or_are_asked_about_whatever_operation_is_the_last() {
    campaign("matrix --at ops --jobs 1 --graph agent");
}

#[test]
fn a_history_survives_a_kill_at_every_operation() {
    campaign("matrix --at ops --jobs 1 --graph chain");
}

#[test]
fn queued_runs_end_once_and_schedules_fire_once_when_two_workers_are_killed() {
    campaign("matrix --at pairs --pairs 40 --jobs 1 --graph queued");
}

#[test]
fn every_graph_survives_a_kill_at_every_named_point() {
    let said = campaign("matrix --at points --jobs 1");
    assert_eq!(said.lines().count(), 9, "{said}");
}

#[test]
fn a_campaign_that_kills_nobody_is_no_success() {
    let (found_nothing, said) = run("matrix --at pairs --pairs 0 --graph asks");
    assert!(
        !found_nothing && said.contains("nobody was killed"),
        "{said}"
    );
}
