//! Conformance kit for long-term stores: named checks that any backend can run.
//!
//! [`check`] opens a fresh store for each check, on a clock and an embedder that the kit owns, and
//! reports what failed and why ([`crate::kit`]). It needs no particular async runtime. The checks
//! are in the modules below, by subject; `fixture` is what they run on.

mod batch;
mod conditions;
mod embedder;
mod filters;
mod fixture;
mod items;
mod namespaces;
mod queries;
mod search;
mod ttl;

use std::sync::Arc;

use superstep_store::{BoxFuture, Clock, Embedder, Store, StoreError};

use crate::kit::{Check, Report, Verdict, caught};
use fixture::Stores;

/// What a store under test must be opened with.
#[non_exhaustive]
pub struct StoreSetup {
    /// The clock it must use.
    pub clock: Arc<dyn Clock>,
    /// The embedder it must use; without one a query is a text search.
    pub embedder: Option<Arc<dyn Embedder>>,
}

/// Runs every check against stores that `make` opens, each of them empty.
pub async fn check<M>(make: M) -> Report
where
    M: Fn(StoreSetup) -> BoxFuture<'static, Result<Arc<dyn Store>, StoreError>> + Send + Sync,
{
    let bench = Stores::new(&make);
    let mut checks = Vec::new();
    let subjects = [
        items::CASES,
        ttl::CASES,
        search::CASES,
        filters::CASES,
        namespaces::CASES,
        batch::CASES,
        conditions::CASES,
        queries::CASES,
    ];
    for case in subjects.into_iter().flatten() {
        let result = caught("store", (case.run)(&bench)).await;
        checks.push(Check {
            name: case.name,
            result: result.map_err(|failure| failure.0),
        });
    }
    Report { checks }
}

struct StoreCheck {
    name: &'static str,
    run: for<'b> fn(&'b Stores<'b>) -> BoxFuture<'b, Verdict>,
}
