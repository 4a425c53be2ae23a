//! `matrix`: a worker is killed at every durable operation, or at every kill point, and the next one
//! resumes.

use std::{
    fs,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{Summary, Violation, try_all};
use crate::{
    Fallible,
    graphs::Scene,
    harness::{Harness, WorkerExit},
    kill_points::{Point, When},
    vfs::Plan,
};

/// What a worker is killed at.
#[derive(Clone, Debug)]
pub enum Case {
    /// A durable operation.
    Op(Plan),
    /// A kill point.
    Point(Point),
    /// An operation of the first worker, and one of the second.
    Pair {
        /// Chooses them.
        seed: u64,
        /// Of so many.
        ops: u64,
    },
}

/// The ways to die at a durable operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Ways {
    /// Before it.
    Before,
    /// Before it, in the middle of it, and after it.
    All,
}

/// Every durable operation of a graph's script.
pub fn ops(harness: &Harness, scene: Scene, ways: Ways, jobs: usize) -> Fallible<bool> {
    let undisturbed = harness.undisturbed(scene)?;
    let mut cases = Vec::new();
    for n in 1..=undisturbed.ops {
        cases.push(Case::Op(Plan::DieBefore(n)));
        if ways == Ways::All {
            cases.push(Case::Op(Plan::DieWithin(n)));
            cases.push(Case::Op(Plan::DieAfter(n)));
        }
    }
    let name = format!("kill at operations of {scene}");
    run(harness, scene, &name, &cases, &undisturbed.result, jobs)
}

/// Every kill point of a graph's script.
pub fn points(harness: &Harness, scene: Scene, jobs: usize) -> Fallible<bool> {
    let undisturbed = harness.undisturbed(scene)?;
    let mut cases = Vec::new();
    for (name, passed) in &undisturbed.points {
        for n in 1..=*passed {
            for when in [When::Before, When::After] {
                let name = name.clone();
                cases.push(Case::Point(Point { when, name, n }));
            }
        }
    }
    let name = format!("kill at points of {scene}");
    run(harness, scene, &name, &cases, &undisturbed.result, jobs)
}

/// Workers that are killed, and killed again after the restart.
pub fn pairs(harness: &Harness, scene: Scene, pairs: u64, jobs: usize) -> Fallible<bool> {
    let undisturbed = harness.undisturbed(scene)?;
    let ops = undisturbed.ops;
    let cases: Vec<Case> = (0..pairs).map(|seed| Case::Pair { seed, ops }).collect();
    let name = format!("kill twice in {scene}");
    run(harness, scene, &name, &cases, &undisturbed.result, jobs)
}

fn run(
    harness: &Harness,
    scene: Scene,
    name: &str,
    cases: &[Case],
    expected: &str,
    jobs: usize,
) -> Fallible<bool> {
    let mut summary = Summary::new(name);
    let kills = AtomicU64::new(0);
    let violations = try_all(
        jobs,
        cases,
        |case| harness.replay(scene, &case.words()),
        |case| {
            let (killed, wrong) = case.attempt(harness, scene, expected)?;
            kills.fetch_add(u64::from(killed), Ordering::Relaxed);
            Ok(wrong)
        },
    );
    let kills = kills.into_inner();
    summary.figure("cases", cases.len());
    summary.figure("killed", kills);
    summary.wrong(violations);
    // Without this, a plan that reaches nobody would look like success.
    summary.wrong((kills == 0).then(|| Violation {
        what: "nobody was killed".to_owned(),
        replay: format!("superstep-crash matrix --graph {scene}"),
    }));
    Ok(summary.close())
}

impl Case {
    /// The words of a command line that name this case.
    pub fn words(&self) -> String {
        match self {
            Self::Op(plan) => format!("--vfs {plan}"),
            Self::Point(point) => format!("--point {point}"),
            Self::Pair { seed, .. } => format!("--pair {seed}"),
        }
    }

    /// Whether the first worker was killed, and all that was wrong after it.
    pub fn attempt(
        &self,
        harness: &Harness,
        scene: Scene,
        expected: &str,
    ) -> Fallible<(bool, Vec<String>)> {
        let dir = harness.folder()?;
        let mut worker_args = harness.worker_args(scene, &dir);
        match self {
            Self::Op(plan) => worker_args.plan = *plan,
            Self::Point(point) => worker_args.point = Some(point.clone()),
            Self::Pair { seed, ops } => {
                let mut rng = fastrand::Rng::with_seed(*seed);
                worker_args.plan = Plan::DieBefore(1 + rng.u64(..(*ops).max(1)));
                harness.run_worker(&worker_args)?;
                // The second worker has less to do, and starts with what the first left behind.
                worker_args.plan = Plan::DieWithin(1 + rng.u64(..(*ops / 2).max(1)));
            }
        }
        let (killed, wrong) = match harness.run_worker(&worker_args)? {
            WorkerExit::Killed => (true, harness.run_to_end(scene, &dir, expected)?),
            WorkerExit::Done(report) if report.result == expected => (false, Vec::new()),
            other => (false, vec![format!("the first worker ends with {other:?}")]),
        };
        fs::remove_dir_all(&dir)?;
        Ok((killed, wrong))
    }
}
