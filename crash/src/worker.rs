//! One worker process: checks what it finds against what was acknowledged, then resumes the script.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use superstep_core::{error::SaverError, policy::Durability, saver::Saver};
use superstep_engine::Backends;
use superstep_sqlite::Database;

use crate::{
    Fallible,
    graphs::Scene,
    kill_points::{Point, Points},
    line::{Line, SaverCall},
    model::Model,
    recording_saver::RecordingSaver,
    script::{DiskRecovery, Session},
    vfs,
    work_dir::WorkDir,
};

/// What a worker process is given.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerArgs {
    /// The graph.
    #[arg(value_name = "GRAPH")]
    pub scene: Scene,
    /// Its work directory.
    pub dir: PathBuf,
    /// What happens to the disk.
    #[arg(long = "vfs", value_name = "PLAN", default_value_t)]
    pub plan: vfs::Plan,
    /// The kill point.
    #[arg(long)]
    pub point: Option<Point>,
    /// How many disk errors are retried.
    #[arg(long, default_value_t = 0)]
    pub retries: u32,
    /// What becomes of a disk that has failed.
    #[arg(long, value_enum, default_value_t)]
    pub recovery: DiskRecovery,
    /// sync, normal, async or exit.
    #[arg(long, default_value = "sync", value_parser = durability)]
    pub durability: Durability,
    /// What may be missing at its start.
    #[arg(long, value_enum, default_value_t)]
    pub loss: Loss,
}

/// The levels of durability by name.
const DURABILITIES: [(&str, Durability); 4] = [
    ("sync", Durability::Sync),
    ("normal", Durability::Normal),
    ("async", Durability::Async),
    ("exit", Durability::Exit),
];

/// A level of durability by name.
pub fn durability(name: &str) -> Result<Durability, &'static str> {
    let found = DURABILITIES.iter().find(|(known, _)| *known == name);
    let unknown = "durability is sync, normal, async or exit";
    found.map(|(_, level)| *level).ok_or(unknown)
}

/// The name of a level of durability.
pub fn durability_name(durability: Durability) -> &'static str {
    let found = DURABILITIES.iter().find(|(_, level)| *level == durability);
    found.map_or("sync", |(name, _)| *name)
}

impl WorkerArgs {
    /// A worker that nothing happens to.
    pub fn new(scene: Scene, dir: &Path) -> Self {
        Self {
            scene,
            dir: dir.to_owned(),
            plan: vfs::Plan::Nothing,
            point: None,
            retries: 0,
            recovery: DiskRecovery::default(),
            durability: Durability::default(),
            loss: Loss::default(),
        }
    }

    /// The command line that starts it.
    pub fn to_args(&self) -> Vec<String> {
        let dir = self.dir.to_string_lossy().into_owned();
        let mut args = vec!["worker".to_owned(), self.scene.to_string(), dir];
        let mut option = |name: &str, value: String| args.extend([name.to_owned(), value]);
        option("--vfs", self.plan.to_string());
        option("--retries", self.retries.to_string());
        option("--durability", durability_name(self.durability).to_owned());
        if let Some(point) = &self.point {
            option("--point", point.to_string());
        }
        if self.recovery == DiskRecovery::AfterError {
            option("--recovery", "after-error".to_owned());
        }
        if self.loss == Loss::TheEnd {
            option("--loss", "the-end".to_owned());
        }
        args
    }
}

/// What may be missing when a worker starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Loss {
    /// Nothing that was acknowledged.
    #[default]
    Nothing,
    /// The end of it, if all that came before is there.
    TheEnd,
}

/// Result of a worker.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// All that is wrong.
    pub violations: Vec<String>,
    /// The state at the end.
    pub result: String,
    /// How often each kill point was passed.
    pub points: Vec<(String, u64)>,
    /// How many durable operations there were.
    pub ops: u64,
}

/// Opens the database and runs the script to its end.
pub fn run(worker_args: &WorkerArgs) -> Fallible<Report> {
    let work_dir = WorkDir::at(&worker_args.dir)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let database = Database::open(work_dir.database())?;
    let saver: Arc<dyn Saver> = Arc::new(database.saver());
    let mut report = runtime.block_on(run_on(worker_args, &work_dir, saver))?;
    drop(runtime);
    drop(database);
    report.ops = vfs::count();
    vfs::heal();
    report.violations.extend(unsound(&work_dir)?);
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
pub fn unsound(work_dir: &WorkDir) -> Fallible<Vec<String>> {
    let connection = rusqlite::Connection::open(work_dir.database())?;
    let mut check = connection.prepare("PRAGMA integrity_check")?;
    let lines = check.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Runs the script on a saver to its end.
pub async fn run_on(
    worker_args: &WorkerArgs,
    work_dir: &WorkDir,
    saver: Arc<dyn Saver>,
) -> Fallible<Report> {
    let mut report = Report {
        violations: match worker_args.loss {
            Loss::Nothing => differences(&work_dir.lines()?, &*saver).await?,
            Loss::TheEnd => forget_the_end(work_dir, &*saver).await?,
        },
        ..Report::default()
    };
    if !report.violations.is_empty() {
        return Ok(report);
    }
    work_dir.append(&Line::Start)?;
    let points = Arc::new(Points::new(worker_args.point.clone()));
    let recording = RecordingSaver::new(saver.clone(), work_dir.clone(), points.clone());
    let watched: Arc<dyn Saver> = Arc::new(recording);
    let backends = Backends {
        saver: Some(watched.clone()),
        ..Backends::default()
    };
    let session = Session {
        scene: worker_args.scene,
        graph: worker_args.scene.graph(work_dir, backends)?,
        saver: watched,
        work_dir: work_dir.clone(),
        retries: worker_args.retries,
        recovery: worker_args.recovery,
        durability: worker_args.durability,
        keeps_all: worker_args.loss == Loss::Nothing,
    };
    session.play().await?;
    let recorded = work_dir.lines()?;
    report.violations = differences(&recorded, &*saver).await?;
    report.violations.extend(ran_again(&recorded));
    let lost = work_dir.lost()?;
    report
        .violations
        .extend(cursors_again(lost.iter().chain(&recorded)));
    report.violations.extend(booked_twice(work_dir)?);
    report.violations.extend(session.violations().await?);
    report.result = session.result().await?;
    let passed = points.passed().into_iter();
    report.points = passed.map(|(name, n)| (name.to_owned(), n)).collect();
    Ok(report)
}

async fn differences(recorded: &[Line], saver: &dyn Saver) -> Result<Vec<String>, SaverError> {
    let model = Model::of(recorded);
    Ok(model.compare(&model.read(saver).await?))
}

/// Finds the prefix of the log that the saver has, and drops the rest.
async fn forget_the_end(work_dir: &WorkDir, saver: &dyn Saver) -> Fallible<Vec<String>> {
    let recorded = work_dir.lines()?;
    let found = Model::of(&recorded).read(saver).await?;
    let mut wrong = Vec::new();
    for end in (0..=recorded.len()).rev() {
        let (moment, lost) = recorded.split_at(end);
        let differences = Model::of(moment).compare(&found);
        if differences.is_empty() {
            work_dir.rewind(moment, lost)?;
            return Ok(Vec::new());
        }
        if wrong.is_empty() {
            wrong = differences;
        }
    }
    Ok(wrong)
}

/// Tasks that ran although their result was stored.
fn ran_again(recorded: &[Line]) -> Vec<String> {
    let mut stored: Vec<&String> = Vec::new();
    let mut wrong = Vec::new();
    for line in recorded {
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
fn cursors_again<'a>(recorded: impl Iterator<Item = &'a Line>) -> Vec<String> {
    let (mut tried, mut seen) = (BTreeMap::new(), BTreeMap::new());
    let mut wrong = Vec::new();
    for line in recorded {
        match line {
            Line::Start => tried.clear(),
            Line::Try(n, call) => {
                tried.insert(*n, call);
            }
            Line::Ack(n, _) => {
                for (thread, entry) in tried.remove(n).map(SaverCall::entries).unwrap_or_default() {
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
fn booked_twice(work_dir: &WorkDir) -> Fallible<Vec<String>> {
    let mut entries = work_dir.ledger()?;
    entries.sort();
    let pairs = entries.iter().zip(entries.iter().skip(1));
    let twice = pairs.filter(|(a, b)| a == b);
    Ok(twice
        .map(|(key, _)| format!("effect {key} happened twice"))
        .collect())
}
