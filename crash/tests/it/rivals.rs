//! Several at once.

use crate::campaign;

#[test]
fn of_eight_threads_that_answer_at_once_one_wins() {
    campaign("resumers --rounds 20 --threads 8");
}

#[test]
fn of_four_processes_that_answer_at_once_one_wins() {
    campaign("resumers --rounds 20 --processes 4");
}

#[test]
fn a_process_that_was_stopped_past_its_lease_stores_nothing() {
    campaign("stopped --rounds 5");
}

#[test]
fn a_thread_goes_on_after_a_kill_in_its_middle() {
    campaign("recover --steps 50");
}

#[test]
fn many_threads_run_and_wait() {
    campaign("load --threads 50");
}
