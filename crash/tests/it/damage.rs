//! Damaged files, and what other programs do to files.

use crate::campaign;

#[test]
fn damage_is_read_as_a_state_that_was_or_refused_with_a_code() {
    let said = campaign("damage --flips 1000 --step 41");
    assert_eq!(said.lines().count(), 6, "{said}");
}

#[test]
fn links_moves_raised_formats_and_set_clocks_take_no_thread_and_lose_no_step() {
    campaign("files --rounds 1");
}
