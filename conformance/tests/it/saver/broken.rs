//! The kit finds what is wrong: each fault fails the checks that are about it, and there is no
//! check without a fault.

use std::collections::BTreeSet;
use std::sync::Arc;

use superstep_conformance::saver_kit::{check, check_only};
use superstep_core::{error::SaverError, future::BoxFuture, saver::Saver};

use super::broken_runs::BrokenRuns;
use super::fault::Fault;

type Made = BoxFuture<'static, Result<Arc<dyn Saver>, SaverError>>;

fn make(fault: Fault) -> impl Fn() -> Made + Send + Sync {
    move || Box::pin(async move { Ok(Arc::new(BrokenRuns::new(fault)) as Arc<dyn Saver>) })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_fails_the_checks_about_it() {
    let mut unnoticed = Vec::new();
    for (fault, about) in Fault::ALL {
        let report = check_only(make(*fault), |name| about.contains(&name)).await;
        let failed: Vec<&str> = report.failures().map(|check| check.name).collect();
        let passed = about.iter().filter(|name| !failed.contains(name));
        unnoticed.extend(passed.map(|name| format!("{fault:?} passed {name}")));
    }
    assert_eq!(unnoticed, Vec::<String>::new());
}

#[tokio::test]
async fn each_check_is_about_some_fault() {
    // No saver to open: only the names are of interest.
    let report = check(|| Box::pin(async { Err(SaverError::Io("none".into())) })).await;
    let mut unused: BTreeSet<&str> = report.checks.iter().map(|check| check.name).collect();
    for name in Fault::ALL.iter().flat_map(|(_, about)| *about) {
        unused.remove(name);
    }
    assert_eq!(unused, BTreeSet::new());
}

#[tokio::test]
async fn the_wrapper_itself_breaks_nothing() {
    let report = check(make(Fault::None)).await;
    assert!(report.passed(), "{report}");
}

#[tokio::test]
async fn a_saver_that_panics_fails_its_checks_and_not_the_kit() {
    let about = |name: &str| ["pruning_keeps_notes", "ids_must_grow"].contains(&name);
    let report = check_only(make(Fault::PanicsOnPrune), about).await;
    let mut failures = report.failures();
    let failure = failures
        .find(|check| check.name == "pruning_keeps_notes")
        .unwrap();
    assert_eq!(
        failure.result,
        Err("the saver panicked: no pruning today".into())
    );
    assert!(report.checks.iter().any(|check| check.result.is_ok()));
}

#[tokio::test]
async fn a_saver_that_cannot_be_opened_fails_every_check() {
    let report = check(|| Box::pin(async { Err(SaverError::Io("no disk".into())) })).await;
    assert_eq!(report.failures().count(), report.checks.len());
    let text = report.to_string();
    assert!(
        text.contains("FAILED  ids_must_grow: unexpected error SS2006: storage failed: no disk")
    );
    let last = text.lines().last().unwrap();
    let count = report.checks.len();
    assert_eq!(last, format!("{count} checks, {count} failed"));
}
