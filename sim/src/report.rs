//! Report of a history: counts of what happened, or the promise that was broken.

use std::{collections::BTreeMap, fmt};

/// A sentence that must hold in every history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Promise {
    /// Nothing acknowledged is lost.
    Kept,
    /// A durable result is used.
    NoRerun,
    /// An effect that is done stays done.
    EffectDone,
    /// An effect whose outcome is unknown is reported.
    EffectUnknown,
    /// An effect has a start before it runs.
    EffectStarted,
    /// An effect and the answer it acted on belong together.
    EffectFits,
    /// One writer per epoch.
    OneWriter,
    /// A fenced worker is refused.
    Fenced,
    /// One answer per question.
    OneAnswer,
    /// The right answer per question.
    RightAnswer,
    /// Ids grow.
    Growing,
    /// Steps follow one another.
    Chained,
    /// Readers see what a quiet history contains.
    Plausible,
    /// Loading works.
    Loads,
    /// The end is that of a quiet run.
    SameEnd,
    /// What a run said is stored.
    Reported,
    /// Durability `sync`.
    StoredFirst,
    /// A run that is over stays over.
    StaysOver,
    /// Nothing is refused as damaged.
    NeverDamaged,
    /// A run ends for a reason that was drawn.
    Explained,
    /// It ends.
    Ends,
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kept => "what was acknowledged is never lost",
            Self::NoRerun => "a task whose result is durable never runs again",
            Self::EffectDone => "an effect that is durably done never runs again",
            Self::EffectUnknown => "an effect that was started is never silently run again",
            Self::EffectStarted => "an effect runs only when its start can be found again",
            Self::EffectFits => "an effect and its task see the same answer",
            Self::OneWriter => "the commits of one epoch come from one writer",
            Self::Fenced => "a fenced worker never commits",
            Self::OneAnswer => "of many answers to one question exactly one is taken",
            Self::RightAnswer => "an answer reaches the question it was given to",
            Self::Growing => "the ids of a namespace grow",
            Self::Chained => "a step follows the newest one",
            Self::Plausible => "a reader sees only what a quiet history contains",
            Self::Loads => "loading never yields a half-applied step",
            Self::SameEnd => "the final state is the one of a quiet run",
            Self::Reported => "what a run reports is stored",
            Self::StoredFirst => "with durability sync a task starts from a stored step",
            Self::StaysOver => "a run that is over stays over",
            Self::NeverDamaged => "what a run stores is never refused as damaged",
            Self::Explained => "a run fails only for a reason it was given",
            Self::Ends => "once faults stop, the run reaches its end",
        })
    }
}

/// How often things happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<&'static str, u64>);

impl Counts {
    /// Once more.
    pub fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// How often.
    pub fn of(&self, what: &str) -> u64 {
        self.0.get(what).copied().unwrap_or_default()
    }

    /// Adds what another history counted.
    pub fn absorb(&mut self, other: &Self) {
        for (what, times) in &other.0 {
            *self.0.entry(what).or_default() += times;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (what, times) in &self.0 {
            writeln!(f, "{times:>12}  {what}")?;
        }
        Ok(())
    }
}

/// A broken promise.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The history.
    pub seed: u64,
    /// The graph it ran.
    pub graph: &'static str,
    /// The sentence.
    pub promise: Promise,
    /// What was seen instead.
    pub detail: String,
    /// The last events.
    pub trace: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.trace {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "seed {} (graph {}): violated:", self.seed, self.graph)?;
        writeln!(f, "    {}", self.promise)?;
        writeln!(f, "    {}", self.detail)?;
        write!(
            f,
            "replay: cargo run --release -p superstep-sim -- --seed {}",
            self.seed
        )
    }
}

/// Why a history stopped early.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) promise: Promise,
    pub(crate) detail: String,
}

/// Fails a check.
pub(crate) fn broken<T>(promise: Promise, detail: impl Into<String>) -> Result<T, Broken> {
    Err(Broken {
        promise,
        detail: detail.into(),
    })
}
