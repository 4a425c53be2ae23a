//! Test harness: starts workers as child processes, judges how they ended, and restarts them until the
//! script is done.

use std::{
    fs, io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicU64, Ordering},
};

use superstep_core::policy::Durability;

use crate::{
    Fallible,
    graphs::Scene,
    worker::{Report, WorkerArgs, durability_name},
};

/// The exit status of a worker that found a violation.
pub const VIOLATED: u8 = 3;
/// The exit status of a worker that ended with an error of the code under test.
pub const FAILED: u8 = 4;
/// The exit status of a worker that hung.
pub const STUCK: u8 = 5;

/// How many workers a script may need. Nothing happens to any but the first, so two should do.
const MAX_RUNS: u32 = 3;

/// How a worker ended.
#[derive(Clone, Debug)]
pub enum WorkerExit {
    /// The script is done.
    Done(Report),
    /// It was killed, as planned.
    Killed,
    /// It found violations.
    Violated(Vec<String>),
    /// The code under test gave this error.
    Failed(String),
    /// It ended in a way that no plan has.
    Unexpected(String),
}

/// Runs workers in work directories below a folder of its own.
#[derive(Debug)]
pub struct Harness {
    program: PathBuf,
    root: PathBuf,
    next: AtomicU64,
    durability: Durability,
}

impl Harness {
    /// A folder of its own, in memory where that is possible, and this very program.
    pub fn new() -> io::Result<Self> {
        let memory = Path::new("/dev/shm");
        let base = match memory.is_dir() {
            true => memory.to_owned(),
            false => std::env::temp_dir(),
        };
        Self::below(&base)
    }

    /// A folder of its own below another.
    pub fn below(base: &Path) -> io::Result<Self> {
        let root = base.join(format!("superstep-crash-{}", std::process::id()));
        fs::create_dir_all(&root)?;
        Ok(Self {
            program: std::env::current_exe()?,
            root,
            next: AtomicU64::new(0),
            durability: Durability::default(),
        })
    }

    /// The same, with workers of this durability.
    #[must_use]
    pub fn with(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// A worker that nothing happens to.
    pub fn worker_args(&self, scene: Scene, dir: &Path) -> WorkerArgs {
        WorkerArgs {
            durability: self.durability,
            ..WorkerArgs::new(scene, dir)
        }
    }

    /// The command that replays one case of a graph.
    pub fn replay(&self, scene: Scene, case: &str) -> String {
        let mut words = format!("superstep-crash case {scene} {case}");
        if self.durability != Durability::default() {
            words.push_str(" --durability ");
            words.push_str(durability_name(self.durability));
        }
        words
    }

    /// A new folder.
    pub fn folder(&self) -> io::Result<PathBuf> {
        let n = self.next.fetch_add(1, Ordering::Relaxed);
        let dir = self.root.join(n.to_string());
        fs::create_dir_all(&dir)?;
        Ok(dir)
    }

    /// This program with other arguments.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).stdin(Stdio::null());
        command
    }

    /// Runs one worker.
    pub fn run_worker(&self, worker_args: &WorkerArgs) -> Fallible<WorkerExit> {
        let output = self.command(&[]).args(worker_args.to_args()).output()?;
        Ok(WorkerExit::of(&output))
    }

    /// A worker that nothing happens to, in a new folder: what all others are compared with.
    pub fn undisturbed(&self, scene: Scene) -> Fallible<Report> {
        let dir = self.folder()?;
        let ended = self.run_worker(&self.worker_args(scene, &dir))?;
        fs::remove_dir_all(&dir)?;
        match ended {
            WorkerExit::Done(report) => Ok(report),
            other => Err(format!("{scene} does not end undisturbed: {other:?}").into()),
        }
    }

    /// Runs workers that nothing happens to until the script is done, and returns what was wrong.
    pub fn run_to_end(&self, scene: Scene, dir: &Path, expected: &str) -> Fallible<Vec<String>> {
        self.rerun_to_end(&self.worker_args(scene, dir), expected)
    }

    /// The same, with these arguments.
    pub fn rerun_to_end(&self, worker_args: &WorkerArgs, expected: &str) -> Fallible<Vec<String>> {
        for _ in 0..MAX_RUNS {
            match self.run_worker(worker_args)? {
                WorkerExit::Done(report) if report.result == expected => return Ok(Vec::new()),
                WorkerExit::Done(Report { result, .. }) => {
                    return Ok(vec![format!("it ends with {result}, not {expected}")]);
                }
                WorkerExit::Killed => {}
                WorkerExit::Violated(wrong) => return Ok(wrong),
                WorkerExit::Failed(error) => {
                    return Ok(vec![format!("the next worker fails: {error}")]);
                }
                WorkerExit::Unexpected(how) => {
                    return Ok(vec![format!("the next worker ends unexpectedly: {how}")]);
                }
            }
        }
        Ok(vec!["it was killed without a plan".to_owned()])
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        // Failing to remove it changes no result.
        let _left = fs::remove_dir_all(&self.root);
    }
}

impl WorkerExit {
    /// Judges by exit status and output.
    pub fn of(output: &Output) -> Self {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let unexpected = |why: String| {
            let said = String::from_utf8_lossy(&output.stderr);
            Self::Unexpected(format!("{why}: {}", said.trim_end()))
        };
        if output.status.signal() == Some(9) {
            return Self::Killed;
        }
        match output.status.code() {
            Some(0) => match serde_json::from_str(&text) {
                Ok(report) => Self::Done(report),
                Err(error) => unexpected(format!("its report cannot be read: {error}")),
            },
            Some(code) if code == i32::from(VIOLATED) => {
                Self::Violated(text.lines().map(str::to_owned).collect())
            }
            Some(code) if code == i32::from(FAILED) => Self::Failed(text.trim_end().to_owned()),
            _ => unexpected(output.status.to_string()),
        }
    }
}
