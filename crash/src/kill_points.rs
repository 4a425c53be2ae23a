//! Kill points: named moments of a run at which a worker can die.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Mutex};

use crate::vfs;
use superstep_core::sync::lock;

/// Whether a process dies before or after a kill point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// Nothing of it has happened yet.
    Before,
    /// All of it has happened, and nothing was acknowledged.
    After,
}

/// A kill point, such as `after:commit:3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Before or after it.
    pub when: When,
    /// Its name.
    pub name: String,
    /// Its occurrence, from 1.
    pub n: u64,
}

/// Text that is not a kill point.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a point: expected before:NAME:N or after:NAME:N")]
pub struct PointParseError(pub String);

impl FromStr for Point {
    type Err = PointParseError;

    fn from_str(text: &str) -> Result<Self, PointParseError> {
        let wrong = || PointParseError(text.to_owned());
        let words: Vec<&str> = text.split(':').collect();
        let [when, name, n] = words.as_slice() else {
            return Err(wrong());
        };
        let when = match *when {
            "before" => When::Before,
            "after" => When::After,
            _ => return Err(wrong()),
        };
        let (name, n) = ((*name).to_owned(), n.parse().map_err(|_| wrong())?);
        Ok(Self { when, name, n })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = match self.when {
            When::Before => "before",
            When::After => "after",
        };
        write!(f, "{when}:{}:{}", self.name, self.n)
    }
}

/// The kill points that a process has passed, and the one it dies at.
#[derive(Debug, Default)]
pub struct Points {
    dies: Option<Point>,
    passed: Mutex<BTreeMap<(&'static str, When), u64>>,
}

impl Points {
    /// For a process that dies at this point, if any.
    pub fn new(dies: Option<Point>) -> Self {
        Self {
            dies,
            ..Self::default()
        }
    }

    /// Passes a point; the process dies if it is the chosen one.
    pub fn pass(&self, when: When, name: &'static str) {
        let n = {
            let mut passed = lock(&self.passed);
            let n = passed.entry((name, when)).or_default();
            *n += 1;
            *n
        };
        let here = |point: &Point| point.when == when && point.name == name && point.n == n;
        if self.dies.as_ref().is_some_and(here) {
            vfs::die();
        }
    }

    /// How often each point was passed.
    pub fn passed(&self) -> BTreeMap<&'static str, u64> {
        let passed = lock(&self.passed);
        passed.iter().map(|((name, _), n)| (*name, *n)).collect()
    }
}
