//! One life of a process: look at what is there, hold it against what was promised, go on.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep_core::{error::SaverError, policy::Durability, saver::Saver};
use superstep_engine::Backends;
use superstep_sqlite::Database;

use crate::{
    Fallible,
    graphs::Scene,
    line::{Deed, Line},
    model::Model,
    script::{Medium, Session},
    vfs,
    witness::{Point, Points, Witness},
    world::World,
};

/// How a life is to be lived.
#[derive(Clone, Debug)]
pub struct Life {
    /// The graph.
    pub scene: Scene,
    /// The folder.
    pub dir: PathBuf,
    /// What happens to the disk.
    pub plan: vfs::Plan,
    /// Where the process dies.
    pub point: Option<Point>,
    /// How many failures of the medium are borne.
    pub patience: u32,
    /// What becomes of a medium that has failed.
    pub medium: Medium,
    /// How durable its runs are.
    pub durability: Durability,
    /// What the life before may have lost.
    pub loss: Loss,
}

/// What may be gone at the beginning of a life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// Nothing that was promised.
    #[default]
    Nothing,
    /// The last of it, if all that came before is there.
    TheEnd,
}

/// How it went.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// All that is wrong.
    pub violations: Vec<String>,
    /// The state at the end.
    pub result: String,
    /// How often each point was passed.
    pub points: Vec<(String, u64)>,
    /// How many durable operations there were.
    pub ops: u64,
}

/// Opens the database of a life and lives until all is done.
pub fn run(life: &Life) -> Fallible<Report> {
    let world = World::at(&life.dir)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let database = Database::open(world.database())?;
    let saver: Arc<dyn Saver> = Arc::new(database.saver());
    let mut report = runtime.block_on(live(life, &world, saver))?;
    drop(runtime);
    drop(database);
    report.ops = vfs::count();
    vfs::heal();
    report.violations.extend(unsound(&world)?);
    Ok(report)
}

/// An error with its code in front, where it has one.
pub fn coded(error: &(dyn std::error::Error + Send + Sync + 'static)) -> String {
    if let Some(error) = error.downcast_ref::<SaverError>() {
        return format!("[{}] {error}", error.code());
    }
    if let Some(error) = error.downcast_ref::<superstep_core::error::Error>() {
        return format!("[{}] {error}", error.code());
    }
    error.to_string()
}

/// What SQLite itself finds wrong with the file.
pub fn unsound(world: &World) -> Fallible<Vec<String>> {
    let connection = rusqlite::Connection::open(world.database())?;
    let mut check = connection.prepare("PRAGMA integrity_check")?;
    let lines = check.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Lives on a saver until all is done.
pub async fn live(life: &Life, world: &World, saver: Arc<dyn Saver>) -> Fallible<Report> {
    let mut report = Report {
        violations: match life.loss {
            Loss::Nothing => differences(&world.told()?, &*saver).await?,
            Loss::TheEnd => forget_the_end(world, &*saver).await?,
        },
        ..Report::default()
    };
    if !report.violations.is_empty() {
        return Ok(report);
    }
    world.tell(&Line::Life)?;
    let points = Arc::new(Points::new(life.point.clone()));
    let witness = Witness::new(saver.clone(), world.clone(), points.clone());
    let watched: Arc<dyn Saver> = Arc::new(witness);
    let backends = Backends {
        saver: Some(watched.clone()),
        ..Backends::default()
    };
    let session = Session {
        scene: life.scene,
        graph: life.scene.graph(world, backends)?,
        saver: watched,
        world: world.clone(),
        patience: life.patience,
        medium: life.medium,
        durability: life.durability,
    };
    session.play().await?;
    let told = world.told()?;
    report.violations = differences(&told, &*saver).await?;
    report.violations.extend(ran_again(&told));
    let lost = world.lost()?;
    report
        .violations
        .extend(cursors_again(lost.iter().chain(&told)));
    report.violations.extend(booked_twice(world)?);
    report.result = session.result().await?;
    let passed = points.passed().into_iter();
    report.points = passed.map(|(name, n)| (name.to_owned(), n)).collect();
    Ok(report)
}

async fn differences(told: &[Line], saver: &dyn Saver) -> Result<Vec<String>, SaverError> {
    let model = Model::of(told);
    Ok(model.compare(&model.read(saver).await?))
}

/// Finds the moment of the log that the saver stands at, and forgets what came after.
async fn forget_the_end(world: &World, saver: &dyn Saver) -> Fallible<Vec<String>> {
    let told = world.told()?;
    let found = Model::of(&told).read(saver).await?;
    let mut wrong = Vec::new();
    for end in (0..=told.len()).rev() {
        let (moment, lost) = told.split_at(end);
        let differences = Model::of(moment).compare(&found);
        if differences.is_empty() {
            world.go_back(moment, lost)?;
            return Ok(Vec::new());
        }
        if wrong.is_empty() {
            wrong = differences;
        }
    }
    Ok(wrong)
}

/// Tasks that ran although their result was stored.
fn ran_again(told: &[Line]) -> Vec<String> {
    let mut stored: Vec<&String> = Vec::new();
    let mut wrong = Vec::new();
    for line in told {
        match line {
            Line::Ack(_, tasks) => stored.extend(tasks),
            Line::Ran(task, node) if stored.contains(&task) => {
                wrong.push(format!(
                    "task {task} of node {node} has a result and ran again"
                ));
            }
            _ => {}
        }
    }
    wrong
}

/// Places of the event log at which readers may have seen two entries.
fn cursors_again<'a>(told: impl Iterator<Item = &'a Line>) -> Vec<String> {
    let (mut tried, mut seen) = (BTreeMap::new(), BTreeMap::new());
    let mut wrong = Vec::new();
    for line in told {
        match line {
            Line::Life => tried.clear(),
            Line::Try(n, deed) => {
                tried.insert(*n, deed);
            }
            Line::Ack(n, _) => {
                for (thread, entry) in tried.remove(n).map(Deed::entries).unwrap_or_default() {
                    let before = seen.insert((thread, entry.cursor), entry);
                    if before.is_some_and(|before| before != entry) {
                        wrong.push(format!("cursor {} stood for two entries", entry.cursor));
                    }
                }
            }
            _ => {}
        }
    }
    wrong
}

/// Effects that happened more than once.
fn booked_twice(world: &World) -> Fallible<Vec<String>> {
    let mut entries = world.ledger()?;
    entries.sort();
    let pairs = entries.iter().zip(entries.iter().skip(1));
    let twice = pairs.filter(|(a, b)| a == b);
    Ok(twice
        .map(|(key, _)| format!("effect {key} happened twice"))
        .collect())
}
