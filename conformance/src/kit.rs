//! Shared parts of the kits: their report, and how a check is run and fails.
//!
//! [`crate::saver_kit`] checks savers, [`crate::store_kit`] long-term stores, [`crate::blobs_kit`] bytes by content. A check never panics;
//! a backend that does fails the check it was in.

use std::any::Any;
use std::fmt::{self, Debug};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use superstep_core::future::BoxFuture;

/// What became of all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The checks in the order they ran.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether no check failed.
    pub fn passed(&self) -> bool {
        self.failures().next().is_none()
    }

    /// The checks that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.result.is_err())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            match &check.result {
                Ok(()) => writeln!(f, "ok      {}", check.name)?,
                Err(reason) => writeln!(f, "FAILED  {}: {reason}", check.name)?,
            }
        }
        let failed = self.failures().count();
        write!(f, "{} checks, {failed} failed", self.checks.len())
    }
}

/// What became of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What it demands, as a sentence with underscores.
    pub name: &'static str,
    /// Why it failed, if it did.
    pub result: Result<(), String>,
}

pub(crate) type Verdict = Result<(), Failure>;

/// Why a check failed.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

/// The cases of a subject, named like the functions that run them; `$case` is their type in the kit.
macro_rules! cases {
    ($case:ident: $($name:ident),* $(,)?) => {
        pub(super) const CASES: &[super::$case] = &[
            $(super::$case { name: stringify!($name), run: |bench| Box::pin($name(bench)) }),*
        ];
    };
}
pub(crate) use cases;

/// Runs a check; a panic of the backend, named by `what`, is a failure.
pub(crate) async fn caught(what: &str, mut run: BoxFuture<'_, Verdict>) -> Verdict {
    poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| run.as_mut().poll(context)));
        polled.unwrap_or_else(|payload| Poll::Ready(Err(panicked(what, payload.as_ref()))))
    })
    .await
}

fn panicked(what: &str, payload: &(dyn Any + Send)) -> Failure {
    let message = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("without a message");
    Failure(format!("the {what} panicked: {message}"))
}

pub(crate) fn equal<T, U>(what: &str, got: T, wanted: U) -> Verdict
where
    T: PartialEq<U> + Debug,
    U: Debug,
{
    if got == wanted {
        return Ok(());
    }
    Err(Failure(format!(
        "{what}: got {}, wanted {}",
        short(&got),
        short(&wanted)
    )))
}

pub(crate) fn short(shown: &impl Debug) -> String {
    const LIMIT: usize = 400;
    let full = format!("{shown:?}");
    match full.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{}...", full.get(..end).unwrap_or_default()),
        None => full,
    }
}

/// Waits for all futures at once, in one task, so that any runtime will do.
///
/// They interleave wherever the backend waits; one that never waits should also be tested with
/// parallel threads.
pub(crate) async fn together<T, F: Future<Output = T>>(futures: Vec<F>) -> Vec<T> {
    let mut running: Vec<RunningCheck<T, F>> = futures
        .into_iter()
        .map(|future| RunningCheck::Pending(Box::pin(future)))
        .collect();
    poll_fn(|context| {
        let mut all_done = true;
        for entry in &mut running {
            if let RunningCheck::Pending(future) = entry {
                match future.as_mut().poll(context) {
                    Poll::Ready(output) => *entry = RunningCheck::Done(output),
                    Poll::Pending => all_done = false,
                }
            }
        }
        if all_done {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    running.into_iter().filter_map(RunningCheck::done).collect()
}

enum RunningCheck<T, F> {
    Pending(Pin<Box<F>>),
    Done(T),
}

impl<T, F> RunningCheck<T, F> {
    fn done(self) -> Option<T> {
        match self {
            Self::Pending(_) => None,
            Self::Done(output) => Some(output),
        }
    }
}

/// Demands an error with this code; an error comes as its code and its message.
pub(crate) fn refused<T: Debug>(
    what: &str,
    got: Result<T, (&'static str, String)>,
    code: &str,
) -> Verdict {
    match got {
        Err((found, _)) if found == code => Ok(()),
        Err((found, message)) => Err(Failure(format!(
            "{what}: refused with {found} ({message}), wanted {code}"
        ))),
        Ok(got) => Err(Failure(format!(
            "{what}: got {}, wanted error {code}",
            short(&got)
        ))),
    }
}
