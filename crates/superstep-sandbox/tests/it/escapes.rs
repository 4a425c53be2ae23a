//! Attempts to get out, to stay, or to take all.

use std::sync::Arc;

use superstep_sandbox::{Embedded, Ending, Sandbox, Stop};

use crate::kit;

#[tokio::test]
async fn attempts_to_escape_are_contained_and_the_host_lives() {
    let escaped = kit::escaped(Arc::new(Embedded::new(kit::worker()))).await;
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}

#[tokio::test]
async fn a_program_without_end_is_stopped_at_its_time() {
    let sandbox = Embedded::new(kit::worker());
    let job = kit::job("while True:\n    pass\n").within(kit::tight());
    let ran = sandbox.run(&job).await.unwrap();
    assert!(
        matches!(ran.ending, Ending::Stopped(Stop::Time)),
        "{:?}",
        ran.ending
    );
    assert_eq!(ran.workbook(&kit::sales()).unwrap_err().code(), "SS7603");
}

#[tokio::test]
async fn a_program_that_fills_the_memory_is_stopped() {
    let sandbox = Embedded::new(kit::worker());
    let program = "kept = []\nwhile True:\n    kept.append('x' * 1000000 + str(len(kept)))\n";
    let job = kit::job(program).within(kit::tight());
    let ran = sandbox.run(&job).await.unwrap();
    assert!(
        matches!(ran.ending, Ending::Stopped(Stop::Memory)),
        "{:?}",
        ran.ending
    );
}
