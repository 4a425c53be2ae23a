//! Damaged files.

use crate::campaign;

#[test]
fn damage_is_read_as_a_state_that_was_or_refused_with_a_code() {
    let said = campaign("damage --flips 1000 --step 41");
    assert_eq!(said.lines().count(), 4, "{said}");
}
