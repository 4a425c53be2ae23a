//! `power`: one undisturbed worker is recorded, and for every durable operation the disk is rebuilt
//! as a power cut after it would leave it. A new worker resumes from each. `syncs`: the same with a
//! worker in which one fsync fails, for every fsync.

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use superstep_core::policy::Durability;

use super::{Summary, try_all};
use crate::{
    Fallible,
    graphs::Scene,
    harness::Harness,
    vfs::{
        self,
        disk::{Disk, Event, Image},
    },
    worker::{self, Loss, WorkerArgs},
};

/// A power cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// After so many durable operations.
    pub after: usize,
    /// Which part of what was not synced is left; nothing of it without a seed.
    pub seed: Option<u64>,
}

/// What a disk says about a sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Honesty {
    /// The truth.
    Honest,
    /// That it was done, when nothing was; of a log that is written anew likewise. A campaign
    /// against such a disk must find violations; one that does not looks at nothing.
    Lies,
}

/// Cuts the power after every operation: once with nothing but what was synced, and with so many
/// seeds.
pub fn run(
    harness: &Harness,
    scene: Scene,
    seeds: u64,
    honesty: Honesty,
    jobs: usize,
) -> Fallible<bool> {
    let mut summary = Summary::new(format!("power cuts of {scene}"));
    let (mut trace, expected) = record(harness, scene)?;
    let expected = &expected;
    if honesty == Honesty::Lies {
        trace.retain(|event| !matches!(event, Event::Sync { .. }));
    }
    let ops = trace.iter().filter(|event| is_op(event)).count();
    let mut seen = BTreeSet::new();
    let (mut cases, mut cuts) = (Vec::new(), 0_u64);
    for (after, disk) in disks(&trace) {
        for seed in std::iter::once(None).chain((0..seeds).map(Some)) {
            cuts += 1;
            let cut = Cut { after, seed };
            let image = cut.image(&disk);
            // Most cuts between two syncs leave the same disk.
            if seen.insert(hash(&image)) {
                cases.push((cut, image));
            }
        }
    }
    let replay = |(cut, _): &(Cut, Image)| {
        let seed = cut
            .seed
            .map(|seed| format!(" --seed {seed}"))
            .unwrap_or_default();
        harness.replay(scene, &format!("--power {}{seed}", cut.after))
    };
    let violations = try_all(jobs, &cases, replay, |(_, image)| {
        attempt(harness, scene, image, expected)
    });
    summary.figure("operations", ops);
    summary.figure("cuts", cuts);
    summary.figure("different disks", cases.len());
    summary.wrong(violations);
    Ok(summary.close())
}

/// So many operations after a failed sync are followed by a power cut each.
const AFTER: usize = 24;

/// Fails each sync once, and cuts the power after each of the operations that follow, and at the
/// end.
pub fn syncs(harness: &Harness, scene: Scene, honesty: Honesty, jobs: usize) -> Fallible<bool> {
    let mut summary = Summary::new(format!("failed syncs of {scene}, then power cuts"));
    let (trace, expected) = record(harness, scene)?;
    let syncs = trace
        .iter()
        .filter(|event| matches!(event, Event::Sync { .. }));
    let syncs = syncs.count() as u64;
    let mut seen = BTreeSet::new();
    let (mut cases, mut cuts) = (Vec::new(), 0_u64);
    for sync in 1..=syncs {
        for (after, disk) in failing(harness, scene, sync, honesty)? {
            cuts += 1;
            let image = disk.synced();
            if seen.insert(hash(&image)) {
                cases.push((sync, after, image));
            }
        }
    }
    let replay = |(sync, after, _): &(u64, usize, Image)| {
        harness.replay(scene, &format!("--sync {sync} --power {after}"))
    };
    let violations = try_all(jobs, &cases, replay, |(_, _, image)| {
        attempt(harness, scene, image, &expected)
    });
    summary.figure("failed syncs", syncs);
    summary.figure("cuts", cuts);
    summary.figure("different disks", cases.len());
    summary.wrong(violations);
    Ok(summary.close())
}

/// One cut after a failed sync alone.
pub fn one_sync(harness: &Harness, scene: Scene, sync: u64, after: usize) -> Fallible<Vec<String>> {
    let (_, expected) = record(harness, scene)?;
    let mut disks = failing(harness, scene, sync, Honesty::Honest)?.into_iter();
    let (_, disk) = disks
        .find(|(at, _)| *at == after)
        .ok_or("there are not so many operations")?;
    attempt(harness, scene, &disk.synced(), &expected)
}

/// The disks after a failed fsync of a worker that continues.
fn failing(
    harness: &Harness,
    scene: Scene,
    sync: u64,
    honesty: Honesty,
) -> Fallible<Vec<(usize, Disk)>> {
    let dir = harness.folder()?;
    vfs::install(vfs::Plan::FailSync(sync))?;
    vfs::record();
    let worker_args = WorkerArgs {
        retries: 3,
        ..harness.worker_args(scene, &dir)
    };
    // How it ends is for `faults` to judge; here the disk counts.
    let _ended = worker::run(&worker_args);
    let mut trace = vfs::recorded();
    vfs::heal();
    fs::remove_dir_all(&dir)?;
    if honesty == Honesty::Lies {
        trace.retain(|event| !matches!(event, Event::Rewritten { .. }));
    }
    let failed = |event: &Event| matches!(event, Event::SyncFailed { .. });
    let first = trace.iter().take_while(|event| !failed(event));
    let first = first.filter(|event| is_op(event)).count() + 1;
    let all: Vec<_> = disks(&trace).collect();
    let last = all.len().saturating_sub(1);
    let near = |(at, (after, _)): &(usize, (usize, Disk))| {
        (first..first + AFTER).contains(after) || (*at == last && *after >= first)
    };
    let kept = all.into_iter().enumerate().filter(near);
    Ok(kept.map(|(_, disk)| disk).collect())
}

/// One cut alone.
pub fn one(harness: &Harness, scene: Scene, cut: Cut) -> Fallible<Vec<String>> {
    let (trace, expected) = record(harness, scene)?;
    let found = disks(&trace).find(|(after, _)| *after == cut.after);
    let (_, disk) = found.ok_or("there are not so many operations")?;
    attempt(harness, scene, &cut.image(&disk), &expected)
}

impl Cut {
    fn image(&self, disk: &Disk) -> Image {
        match self.seed {
            None => disk.synced(),
            // The number of the cut makes the seeds of each cut its own.
            Some(seed) => disk.torn(seed ^ (self.after as u64) << 32),
        }
    }
}

/// The disk after each operation and all that was promised before the next.
fn disks(trace: &[Event]) -> impl Iterator<Item = (usize, Disk)> {
    let (mut disk, mut ops) = (Disk::default(), 0);
    let next: Vec<bool> = trace.iter().skip(1).map(is_op).chain([true]).collect();
    trace
        .iter()
        .zip(next)
        .filter_map(move |(event, next_is_op)| {
            disk.apply(event);
            ops += usize::from(is_op(event));
            next_is_op.then(|| (ops, disk.clone()))
        })
}

fn is_op(event: &Event) -> bool {
    !matches!(event, Event::Mark { .. })
}

fn hash(image: &Image) -> u64 {
    let mut hasher = DefaultHasher::new();
    image.hash(&mut hasher);
    hasher.finish()
}

/// Runs a worker in this process and records what it does to the disk.
fn record(harness: &Harness, scene: Scene) -> Fallible<(Vec<Event>, String)> {
    let dir = harness.folder()?;
    vfs::install(vfs::Plan::Nothing)?;
    vfs::record();
    let report = worker::run(&harness.worker_args(scene, &dir))?;
    let trace = vfs::recorded();
    fs::remove_dir_all(&dir)?;
    if !report.violations.is_empty() {
        return Err(format!("undisturbed, and yet: {:?}", report.violations).into());
    }
    Ok((trace, report.result))
}

fn attempt(
    harness: &Harness,
    scene: Scene,
    image: &Image,
    expected: &str,
) -> Fallible<Vec<String>> {
    let dir = harness.folder()?;
    write(image, &dir)?;
    let worker_args = harness.worker_args(scene, &dir);
    let loss = match worker_args.durability {
        Durability::Normal => Loss::TheEnd,
        _ => Loss::Nothing,
    };
    let wrong = harness.rerun_to_end(
        &WorkerArgs {
            loss,
            ..worker_args
        },
        expected,
    )?;
    fs::remove_dir_all(&dir)?;
    Ok(wrong)
}

fn write(image: &Image, dir: &Path) -> Fallible<()> {
    for (name, bytes) in image {
        fs::write(dir.join(name), bytes)?;
    }
    Ok(())
}
