//! The same programs and the same attempts to escape as in the embedded sandbox.

use std::sync::Arc;

use superstep_sandbox::{CPython, Ending, Sandbox, Stop};

use crate::kit;

fn sandbox() -> CPython {
    let sandbox = CPython::new(kit::worker());
    let available = sandbox.available();
    assert!(available.is_ready(), "{available:?}");
    sandbox
}

#[tokio::test]
async fn programs_give_the_workbook_that_openpyxl_gives() {
    let wrong = kit::wrong(Arc::new(sandbox())).await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn attempts_to_escape_are_contained_and_the_host_lives() {
    let escaped = kit::escaped(Arc::new(sandbox())).await;
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}

#[tokio::test]
async fn an_exception_comes_with_the_line_of_the_program() {
    let ran = sandbox()
        .run(&kit::job("x = 1\nworkbook['Nope']\n"))
        .await
        .unwrap();
    let Ending::Raised(raised) = &ran.ending else {
        panic!("{:?}", ran.ending);
    };
    assert_eq!((raised.class.as_str(), raised.line), ("KeyError", Some(2)));
    assert!(
        !raised.traceback.contains("harness"),
        "{}",
        raised.traceback
    );
}

#[tokio::test]
async fn a_program_without_end_is_killed_at_its_time() {
    let job = kit::job("while True:\n    pass\n").within(kit::tight());
    let ran = sandbox().run(&job).await.unwrap();
    assert!(
        matches!(ran.ending, Ending::Stopped(Stop::Time)),
        "{:?}",
        ran.ending
    );
}

#[test]
fn without_openpyxl_nothing_is_run() {
    let sandbox = CPython::with_python(kit::worker(), "/bin/false");
    assert!(!sandbox.available().is_ready());
}
