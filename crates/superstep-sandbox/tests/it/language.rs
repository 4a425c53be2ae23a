//! The language and its modules: each program prints what CPython prints.

use superstep_sandbox::{Embedded, Ending, Sandbox};

use crate::kit::{self, language};

#[tokio::test]
async fn programs_print_what_cpython_prints() {
    let sandbox = Embedded::new(kit::worker());
    let mut wrong = Vec::new();
    for (name, program, expected) in language::all() {
        assert!(!expected.is_empty(), "{name} has nothing to compare with");
        let ran = sandbox.run(&kit::job(&program)).await.unwrap();
        assert!(
            matches!(ran.ending, Ending::Done(_)),
            "{name}: {:?}",
            ran.ending
        );
        wrong.extend(language::differences(&expected, &ran.stdout));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
