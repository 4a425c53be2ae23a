//! `faults`: every durable operation fails, once or from then on, in every way a disk fails. Then
//! the disk works again, and the next worker must find all that was acknowledged.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Mutex, PoisonError},
};

use super::{Summary, try_all};
use crate::{
    Fallible,
    graphs::Scene,
    harness::{Harness, WorkerExit},
    script::DiskRecovery,
    vfs::{Fault, Plan},
    worker::WorkerArgs,
};
use superstep_core::sync::lock;

/// How many disk errors a worker retries.
const RETRIES: u32 = 3;

/// How much is tried at each operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Width {
    /// Every fault.
    All,
    /// One fault, another one at the next operation.
    Turns,
}

/// Every durable operation of a graph's script.
pub fn run(harness: &Harness, scene: Scene, width: Width, jobs: usize) -> Fallible<bool> {
    let mut summary = Summary::new(format!("faults of {scene}"));
    let undisturbed = harness.undisturbed(scene)?;
    let mut cases = Vec::new();
    for at in 1..=undisturbed.ops {
        for (turn, fault) in (0..).zip(Fault::ALL) {
            if width == Width::Turns && at % 3 != turn {
                continue;
            }
            cases.push((Plan::Fail { at, fault }, DiskRecovery::AsPlanned));
            cases.push((Plan::FailFrom { at, fault }, DiskRecovery::AsPlanned));
            cases.push((Plan::FailFrom { at, fault }, DiskRecovery::AfterError));
        }
    }
    let ends = Mutex::new(BTreeMap::<String, u64>::new());
    let replay = |(plan, recovery): &(Plan, DiskRecovery)| {
        let heals = match recovery {
            DiskRecovery::AsPlanned => "",
            DiskRecovery::AfterError => " --recovery after-error",
        };
        harness.replay(scene, &format!("--fault {plan}{heals}"))
    };
    let violations = try_all(jobs, &cases, replay, |case| {
        let (end, wrong) = attempt(harness, scene, *case, &undisturbed.result)?;
        let mut ends = lock(&ends);
        *ends.entry(end).or_default() += 1;
        Ok(wrong)
    });
    summary.figure("cases", cases.len());
    let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ends: Vec<String> = ends.iter().map(|(end, n)| format!("{end} {n}")).collect();
    summary.figure("first workers", format!("({})", ends.join(", ")));
    summary.wrong(violations);
    Ok(summary.close())
}

/// How the first worker ended, and all that was wrong.
pub fn attempt(
    harness: &Harness,
    scene: Scene,
    (plan, recovery): (Plan, DiskRecovery),
    expected: &str,
) -> Fallible<(String, Vec<String>)> {
    let dir = harness.folder()?;
    let worker_args = WorkerArgs {
        plan,
        recovery,
        retries: RETRIES,
        ..harness.worker_args(scene, &dir)
    };
    let (end, mut wrong) = match harness.run_worker(&worker_args)? {
        WorkerExit::Done(report) if report.result == expected => ("done".to_owned(), Vec::new()),
        WorkerExit::Failed(error) => match code(&error) {
            Some(code) => (code, Vec::new()),
            None => (
                "no code".to_owned(),
                vec![format!("an error without a code: {error}")],
            ),
        },
        other => (
            "wrong".to_owned(),
            vec![format!("the first worker: {other:?}")],
        ),
    };
    wrong.extend(harness.run_to_end(scene, &dir, expected)?);
    fs::remove_dir_all(&dir)?;
    Ok((end, wrong))
}

/// The code of a saver's error.
fn code(error: &str) -> Option<String> {
    let (_, rest) = error.split_once('[')?;
    let (code, _) = rest.split_once(']')?;
    code.starts_with("SS2").then(|| code.to_owned())
}
