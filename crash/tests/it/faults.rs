//! Disks that fail.

use crate::campaign;

#[test]
fn a_disk_that_fails_at_any_operation_costs_an_error_and_nothing_else() {
    campaign("faults --jobs 1 --width turns --graph fanout");
}
