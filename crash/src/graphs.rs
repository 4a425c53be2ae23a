//! The graphs that workers run. Each has one thing that must survive: questions, results of siblings,
//! a graph within a graph, effects, a long history.

mod agent;
mod asks;
mod cancelled;
mod chain;
mod effect;
mod fanout;
mod nested;
mod queued;

pub(crate) use cancelled::CANCELLED;
pub(crate) use effect::receipt;
pub(crate) use fanout::MENDED;
pub(crate) use queued::{HELD, HOLDING};

use std::{fmt, str::FromStr};

use superstep_core::{command::Output, event::Modes, plan::BuildErrors, run::Halt};
use superstep_engine::{Backends, DynCtx, DynGraph, Node};

use crate::{
    line::Line,
    work_dir::{Target, WorkDir},
};

/// Which graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// Questions, one after the other in one task and at once in two.
    Asks,
    /// Many tasks in one step, one of which fails at first.
    Fanout,
    /// A graph within a graph that asks.
    Nested,
    /// Effects on a service that knows keys.
    Keyed,
    /// Effects on a service that does not.
    Blind,
    /// A loop with messages; edited, forked, pruned and copied.
    Chain,
    /// A model that has tools called.
    Agent,
    /// An effect and a timer in a run that is cancelled.
    Cancelled,
    /// Runs that wait for a worker, two that are cancelled, timers, and a schedule.
    Queued,
}

impl Scene {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Asks,
        Self::Fanout,
        Self::Nested,
        Self::Keyed,
        Self::Blind,
        Self::Chain,
        Self::Agent,
        Self::Cancelled,
        Self::Queued,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asks => "asks",
            Self::Fanout => "fanout",
            Self::Nested => "nested",
            Self::Keyed => "keyed",
            Self::Blind => "blind",
            Self::Chain => "chain",
            Self::Agent => "agent",
            Self::Cancelled => "cancelled",
            Self::Queued => "queued",
        }
    }

    /// Whether its script continues after an error of the disk. A queued run that met one has ended with
    /// it, so what is left cannot be compared with an undisturbed worker's.
    pub fn outlives_errors(self) -> bool {
        self != Self::Queued
    }

    /// The service its effects go to.
    pub fn target(self) -> Target {
        match self {
            Self::Blind => Target::Blind,
            _ => Target::Idempotent,
        }
    }

    /// What its runs log. Some log nothing: what a log stores along could hide what is missing.
    pub fn log(self) -> Modes {
        match self {
            Self::Asks | Self::Keyed | Self::Agent => Modes::NONE,
            _ => Modes::VALUES.with(Modes::UPDATES),
        }
    }

    /// Builds it.
    pub fn graph(self, work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
        match self {
            Self::Asks => asks::graph(work_dir, backends),
            Self::Fanout => fanout::graph(work_dir, backends),
            Self::Nested => nested::graph(work_dir, backends),
            Self::Keyed | Self::Blind => effect::graph(work_dir, backends, self.target()),
            Self::Chain => chain::graph(work_dir, backends),
            Self::Agent => agent::graph(work_dir, backends),
            Self::Cancelled => cancelled::graph(work_dir, backends),
            Self::Queued => queued::graph(work_dir, backends),
        }
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no graph of that name.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "no graph `{0}`: there are asks, fanout, nested, keyed, blind, chain, agent, cancelled and queued"
)]
pub struct Unknown(pub String);

impl FromStr for Scene {
    type Err = Unknown;

    fn from_str(name: &str) -> Result<Self, Unknown> {
        let found = Self::ALL.into_iter().find(|scene| scene.name() == name);
        found.ok_or_else(|| Unknown(name.to_owned()))
    }
}

/// A node that logs that it runs.
fn node<F, Fut>(work_dir: &WorkDir, body: F) -> impl Node
where
    F: Fn(DynCtx, WorkDir) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<Output, Halt>> + Send + 'static,
{
    let work_dir = work_dir.clone();
    move |ctx: DynCtx| {
        let (work_dir, body) = (work_dir.clone(), body.clone());
        async move {
            work_dir.append(&Line::Ran(
                ctx.task_id().to_string(),
                ctx.node().to_string(),
            ))?;
            body(ctx, work_dir).await
        }
    }
}
