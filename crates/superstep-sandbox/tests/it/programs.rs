//! Programs that openpyxl runs give the same workbook here, and the manual says which do not.

use std::sync::Arc;

use superstep_sandbox::Embedded;

use crate::kit;

#[tokio::test]
async fn programs_give_the_workbook_that_openpyxl_gives() {
    let wrong = kit::wrong(Arc::new(Embedded::new(kit::worker()))).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_manual_lists_every_program_with_the_sandboxes_that_run_it() {
    let manual = kit::folder("../../../docs/sandbox.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    for (name, program) in kit::programs("programs") {
        let mark = |sandbox| {
            if kit::is_refused(&program, sandbox) {
                "no"
            } else {
                "yes"
            }
        };
        let row = format!("| `{name}` | {} | {} |", mark("embedded"), mark("cpython"));
        assert!(manual.contains(&row), "docs/sandbox.md has no row\n{row}");
    }
}
