//! Campaigns: one kind of fault, injected at every point. Each prints one line of figures, and every
//! violation with the command that replays it.

pub mod damage;
pub mod faults;
pub mod files;
pub mod load;
pub mod matrix;
pub mod power;
pub mod recover;
pub mod resumers;
pub mod stopped;
pub mod strace;

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use crate::Fallible;
use superstep_core::sync::lock;

/// Something that must not be, and the command that shows it again.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What.
    pub what: String,
    /// How to see it again.
    pub replay: String,
}

/// How a campaign went.
#[derive(Debug)]
pub struct Summary {
    name: String,
    begun: Instant,
    figures: Vec<(&'static str, String)>,
    violations: Vec<Violation>,
    not_run: Option<String>,
}

impl Summary {
    /// A campaign begins.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            begun: Instant::now(),
            figures: Vec::new(),
            violations: Vec::new(),
            not_run: None,
        }
    }

    /// It cannot be run here, and that is no success.
    pub fn not_run(&mut self, why: impl Into<String>) {
        self.not_run = Some(why.into());
    }

    /// Adds a figure.
    pub fn figure(&mut self, name: &'static str, value: impl fmt::Display) {
        self.figures.push((name, value.to_string()));
    }

    /// Adds violations.
    pub fn wrong(&mut self, violations: impl IntoIterator<Item = Violation>) {
        self.violations.extend(violations);
    }

    /// Prints it; whether nothing was wrong.
    pub fn close(self) -> bool {
        for Violation { what, replay } in self.violations.iter().take(20) {
            println!("violation: {what}\n  replay: {replay}");
        }
        let took = self.begun.elapsed().as_secs_f64();
        if let Some(why) = &self.not_run {
            println!(
                "{}: NOT RUN: {why}, violations n/a, took {took:.1} s",
                self.name
            );
            return false;
        }
        let figures = self
            .figures
            .iter()
            .map(|(name, value)| format!("{name} {value}"));
        let figures: Vec<String> = figures.collect();
        println!(
            "{}: {}, violations {}, took {took:.1} s",
            self.name,
            figures.join(", "),
            self.violations.len()
        );
        self.violations.is_empty()
    }
}

/// Tries every case, some at once. A case gives what was wrong with it.
pub fn try_all<T: Sync>(
    jobs: usize,
    cases: &[T],
    replay: impl Fn(&T) -> String + Sync,
    attempt: impl Fn(&T) -> Fallible<Vec<String>> + Sync,
) -> Vec<Violation> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let wrong = attempt(case).unwrap_or_else(|error| vec![error.to_string()]);
                    if wrong.is_empty() {
                        continue;
                    }
                    let (what, replay) = (wrong.join("; "), replay(case));
                    let mut found = lock(&found);
                    found.push(Violation { what, replay });
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}
