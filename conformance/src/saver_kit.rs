//! Conformance kit for savers: named checks that any backend can run.
//!
//! [`check`] opens an empty saver for each check and reports what failed and why
//! ([`crate::kit`]). It runs graphs too, so it must be awaited inside a tokio runtime. The checks are
//! in the modules below, by subject; `fixture` is what they run on, `model` what they compare with.

mod after_runs;
mod archive;
mod commits;
mod contents;
mod copies;
mod deletion;
mod events;
mod finding;
mod fixture;
mod graphs;
mod growth;
mod history;
mod leases;
mod model;
mod notes;
mod prune;
mod records;
mod retention;
mod rewind;
mod run_queue;
mod runs;
mod schedules;
mod seed;
mod sleep;
mod stage;
mod thread_records;

use std::sync::Arc;

use superstep_core::{error::SaverError, future::BoxFuture, saver::Saver};

use crate::kit::{Check, Report, Verdict, caught};
use fixture::Bench;

/// Runs every check against savers that `make` opens, each of them empty.
///
/// ```
/// use std::sync::Arc;
///
/// use superstep_conformance::saver_kit;
/// use superstep_core::saver::Saver;
/// use superstep_engine::memory::MemorySaver;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let report = saver_kit::check(|| {
///     Box::pin(async { Ok(Arc::new(MemorySaver::new()) as Arc<dyn Saver>) })
/// })
/// .await;
/// assert!(report.passed(), "{report}");
/// # }
/// ```
pub async fn check<M>(make: M) -> Report
where
    M: Fn() -> BoxFuture<'static, Result<Arc<dyn Saver>, SaverError>> + Send + Sync,
{
    check_only(make, |_| true).await
}

/// Runs the checks whose name is wanted: for work on a backend that fails a few of them.
pub async fn check_only<M, W>(make: M, wants: W) -> Report
where
    M: Fn() -> BoxFuture<'static, Result<Arc<dyn Saver>, SaverError>> + Send + Sync,
    W: Fn(&str) -> bool + Send + Sync,
{
    let bench = Bench::new(&make);
    let mut checks = Vec::new();
    let subjects = [
        leases::CASES,
        commits::CASES,
        contents::CASES,
        notes::CASES,
        history::CASES,
        deletion::CASES,
        copies::CASES,
        prune::CASES,
        retention::CASES,
        archive::CASES,
        growth::CASES,
        events::CASES,
        runs::CASES,
        run_queue::CASES,
        after_runs::CASES,
        sleep::CASES,
        rewind::CASES,
        schedules::CASES,
        thread_records::CASES,
        finding::CASES,
        graphs::CASES,
    ];
    let cases = subjects.into_iter().flatten();
    for case in cases.filter(|case| wants(case.name)) {
        let result = caught("saver", (case.run)(&bench)).await;
        checks.push(Check {
            name: case.name,
            result: result.map_err(|failure| failure.0),
        });
    }
    Report { checks }
}

struct SaverCheck {
    name: &'static str,
    run: for<'b> fn(&'b Bench<'b>) -> BoxFuture<'b, Verdict>,
}
