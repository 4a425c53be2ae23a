//! `faults`: every durable operation fails, once or from then on, in every way a disk fails. Then
//! the disk is well again, and the next life must find all that was promised.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Mutex, PoisonError},
};

use super::{Summary, try_all};
use crate::{
    Fallible,
    case::{Ended, Ground},
    graphs::Scene,
    script::Medium,
    vfs::{Fault, Plan},
    worker::Life,
};

/// How many failures a life bears before it gives up.
const PATIENCE: u32 = 3;

/// How much is tried at each operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Every fault.
    All,
    /// One fault, another one at the next operation.
    Turns,
}

/// Every durable operation of a graph's script.
pub fn run(ground: &Ground, scene: Scene, width: Width, jobs: usize) -> Fallible<bool> {
    let mut summary = Summary::new(format!("faults of {scene}"));
    let undisturbed = ground.undisturbed(scene)?;
    let mut cases = Vec::new();
    for at in 1..=undisturbed.ops {
        for (turn, fault) in (0..).zip(Fault::ALL) {
            if width == Width::Turns && at % 3 != turn {
                continue;
            }
            cases.push((Plan::Fail { at, fault }, Medium::AsPlanned));
            cases.push((Plan::FailFrom { at, fault }, Medium::AsPlanned));
            cases.push((Plan::FailFrom { at, fault }, Medium::Heals));
        }
    }
    let ends = Mutex::new(BTreeMap::<String, u64>::new());
    let replay = |(plan, medium): &(Plan, Medium)| {
        let heals = match medium {
            Medium::AsPlanned => "",
            Medium::Heals => " --medium heals",
        };
        ground.replay(scene, &format!("--fault {plan}{heals}"))
    };
    let violations = try_all(jobs, &cases, replay, |case| {
        let (end, wrong) = attempt(ground, scene, *case, &undisturbed.result)?;
        let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
        *ends.entry(end).or_default() += 1;
        Ok(wrong)
    });
    summary.figure("cases", cases.len());
    let ends = ends.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ends: Vec<String> = ends.iter().map(|(end, n)| format!("{end} {n}")).collect();
    summary.figure("first lives", format!("({})", ends.join(", ")));
    summary.wrong(violations);
    Ok(summary.close())
}

/// How the first life ended, and all that was wrong.
pub fn attempt(
    ground: &Ground,
    scene: Scene,
    (plan, medium): (Plan, Medium),
    expected: &str,
) -> Fallible<(String, Vec<String>)> {
    let dir = ground.folder()?;
    let life = Life {
        plan,
        medium,
        patience: PATIENCE,
        ..ground.life(scene, &dir)
    };
    let (end, mut wrong) = match ground.live(&life)? {
        Ended::Done(report) if report.result == expected => ("done".to_owned(), Vec::new()),
        Ended::Failed(error) => match code(&error) {
            Some(code) => (code, Vec::new()),
            None => (
                "no code".to_owned(),
                vec![format!("an error without a code: {error}")],
            ),
        },
        other => (
            "wrong".to_owned(),
            vec![format!("the first life: {other:?}")],
        ),
    };
    wrong.extend(ground.bring_to_end(scene, &dir, expected)?);
    fs::remove_dir_all(&dir)?;
    Ok((end, wrong))
}

/// The code of a saver's error.
fn code(error: &str) -> Option<String> {
    let (_, rest) = error.split_once('[')?;
    let (code, _) = rest.split_once(']')?;
    code.starts_with("SS2").then(|| code.to_owned())
}
