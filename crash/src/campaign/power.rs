//! `power`: one undisturbed life is recorded, and for every durable operation the disk is rebuilt
//! as a power cut after it would leave it. A new life goes on from each.

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use superstep_core::run::Durability;

use super::{Summary, try_all};
use crate::{
    Fallible,
    case::Ground,
    graphs::Scene,
    vfs::{
        self,
        disk::{Disk, Event, Image},
    },
    worker::{self, Life, Loss},
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Honesty {
    /// The truth.
    Honest,
    /// That it was done, when nothing was. A campaign against such a disk must find violations;
    /// one that does not looks at nothing.
    Lies,
}

/// Cuts the power after every operation: once with nothing but what was synced, and with so many
/// seeds.
pub fn run(
    ground: &Ground,
    scene: Scene,
    seeds: u64,
    honesty: Honesty,
    jobs: usize,
) -> Fallible<bool> {
    let mut summary = Summary::new(format!("power cuts of {scene}"));
    let (mut trace, expected) = record(ground, scene)?;
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
        ground.replay(scene, &format!("--power {}{seed}", cut.after))
    };
    let violations = try_all(jobs, &cases, replay, |(_, image)| {
        attempt(ground, scene, image, &expected)
    });
    summary.figure("operations", ops);
    summary.figure("cuts", cuts);
    summary.figure("different disks", cases.len());
    summary.wrong(violations);
    Ok(summary.close())
}

/// One cut alone.
pub fn one(ground: &Ground, scene: Scene, cut: Cut) -> Fallible<Vec<String>> {
    let (trace, expected) = record(ground, scene)?;
    let found = disks(&trace).find(|(after, _)| *after == cut.after);
    let (_, disk) = found.ok_or("there are not so many operations")?;
    attempt(ground, scene, &cut.image(&disk), &expected)
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

/// Leads a life in this process and keeps what it did to the disk.
fn record(ground: &Ground, scene: Scene) -> Fallible<(Vec<Event>, String)> {
    let dir = ground.folder()?;
    vfs::install(vfs::Plan::Nothing)?;
    vfs::record();
    let report = worker::run(&ground.life(scene, &dir))?;
    let trace = vfs::recorded();
    fs::remove_dir_all(&dir)?;
    if !report.violations.is_empty() {
        return Err(format!("undisturbed, and yet: {:?}", report.violations).into());
    }
    Ok((trace, report.result))
}

fn attempt(ground: &Ground, scene: Scene, image: &Image, expected: &str) -> Fallible<Vec<String>> {
    let dir = ground.folder()?;
    write(image, &dir)?;
    let life = ground.life(scene, &dir);
    let loss = match life.durability {
        Durability::Normal => Loss::TheEnd,
        _ => Loss::Nothing,
    };
    let wrong = ground.bring_on(&Life { loss, ..life }, expected)?;
    fs::remove_dir_all(&dir)?;
    Ok(wrong)
}

fn write(image: &Image, dir: &Path) -> Fallible<()> {
    for (name, bytes) in image {
        fs::write(dir.join(name), bytes)?;
    }
    Ok(())
}
