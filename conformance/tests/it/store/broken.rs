//! The kit finds what is wrong: each fault fails the checks that are about it, and each check is
//! failed by some fault.

use std::collections::BTreeSet;
use std::sync::Arc;

use superstep_conformance::{kit::Report, store_kit::check};
use superstep_store::{Store, StoreError};

use super::fault::Fault;
use super::wrapper::Broken;

async fn report(fault: Fault) -> Report {
    check(move |setup| {
        Box::pin(async move { Ok(Arc::new(Broken::open(fault, setup)) as Arc<dyn Store>) })
    })
    .await
}

#[tokio::test]
async fn each_fault_fails_the_checks_about_it() {
    for (fault, about) in Fault::ALL {
        let report = report(*fault).await;
        let failed: Vec<&str> = report.failures().map(|check| check.name).collect();
        for name in *about {
            assert!(failed.contains(name), "{fault:?} passed {name}\n{report}");
        }
    }
}

#[tokio::test]
async fn each_check_is_failed_by_some_fault() {
    let mut never_failed: BTreeSet<&str> = report(Fault::None)
        .await
        .checks
        .iter()
        .map(|check| check.name)
        .collect();
    for (fault, _) in Fault::ALL {
        for check in report(*fault).await.failures() {
            never_failed.remove(check.name);
        }
    }
    assert_eq!(never_failed, BTreeSet::new());
}

#[tokio::test]
async fn the_wrapper_itself_breaks_nothing() {
    let report = report(Fault::None).await;
    assert!(report.passed(), "{report}");
}

#[tokio::test]
async fn a_store_that_panics_fails_its_checks_and_not_the_kit() {
    let report = report(Fault::PanicsOnDelete).await;
    let failure = report
        .failures()
        .find(|check| check.name == "a_deleted_item_is_gone")
        .unwrap();
    assert_eq!(
        failure.result,
        Err("the store panicked: no deletions today".into())
    );
    assert!(report.checks.iter().any(|check| check.result.is_ok()));
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_fails_every_check() {
    let report = check(|_| Box::pin(async { Err(StoreError::backend("no disk")) })).await;
    assert_eq!(report.failures().count(), report.checks.len());
    let text = report.to_string();
    assert!(text.contains(
        "FAILED  a_put_item_is_read_back: unexpected error SS3090: store backend: no disk"
    ));
    let last = text.lines().last().unwrap();
    let count = report.checks.len();
    assert_eq!(last, format!("{count} checks, {count} failed"));
}
