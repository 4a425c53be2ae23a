//! Lives as child processes: how one is started, how it ended, and how a thread is brought to its
//! end over as many lives as that takes.

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
    args::Args,
    graphs::Scene,
    script::Medium,
    vfs::Plan,
    worker::{Life, Loss, Report},
};

/// The exit status of a life that found something wrong.
pub const VIOLATED: u8 = 3;
/// The exit status of a life that ended with an error of the code under test.
pub const FAILED: u8 = 4;
/// The exit status of a life that did not end by itself.
pub const STUCK: u8 = 5;

/// The levels of durability by name.
const LEVELS: [(&str, Durability); 4] = [
    ("sync", Durability::Sync),
    ("normal", Durability::Normal),
    ("async", Durability::Async),
    ("exit", Durability::Exit),
];

fn level(durability: Durability) -> &'static str {
    let found = LEVELS.iter().find(|(_, level)| *level == durability);
    found.map_or("sync", |(name, _)| *name)
}

/// The level of durability that a command line names.
pub fn durability(args: &Args) -> Fallible<Durability> {
    let name: String = args.option_or("durability", "sync".to_owned())?;
    let found = LEVELS.iter().find(|(known, _)| *known == name);
    Ok(found.ok_or("durability is sync, normal, async or exit")?.1)
}

/// How many lives a thread may need. Each but the first meets no obstacle, so two should do.
const LIVES: u32 = 3;

/// How a life ended.
#[derive(Clone, Debug)]
pub enum Ended {
    /// All was done.
    Done(Report),
    /// It was killed, as planned.
    Killed,
    /// It found something wrong.
    Violated(Vec<String>),
    /// The code under test gave this error.
    Failed(String),
    /// It ended in a way that no plan has.
    Oddly(String),
}

/// Where lives are led.
#[derive(Debug)]
pub struct Ground {
    program: PathBuf,
    root: PathBuf,
    next: AtomicU64,
    durability: Durability,
}

impl Ground {
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

    /// The same, with lives whose runs are of this durability.
    #[must_use]
    pub fn with(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// A life without obstacles.
    pub fn life(&self, scene: Scene, dir: &Path) -> Life {
        Life {
            durability: self.durability,
            ..Life::new(scene, dir)
        }
    }

    /// The command that tries one case of a graph.
    pub fn replay(&self, scene: Scene, case: &str) -> String {
        let mut words = format!("superstep-crash case {scene} {case}");
        if self.durability != Durability::default() {
            words.push_str(" --durability ");
            words.push_str(level(self.durability));
        }
        words
    }

    /// A folder that nobody has used.
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

    /// Leads one life.
    pub fn live(&self, life: &Life) -> Fallible<Ended> {
        let output = self.command(&[]).args(life.words()).output()?;
        Ok(Ended::of(&output))
    }

    /// A life without obstacles in a new folder: what all others are compared with.
    pub fn undisturbed(&self, scene: Scene) -> Fallible<Report> {
        let dir = self.folder()?;
        let ended = self.live(&self.life(scene, &dir))?;
        fs::remove_dir_all(&dir)?;
        match ended {
            Ended::Done(report) => Ok(report),
            other => Err(format!("{scene} does not end undisturbed: {other:?}").into()),
        }
    }

    /// Leads lives without obstacles until all is done, and says what was wrong.
    pub fn bring_to_end(&self, scene: Scene, dir: &Path, expected: &str) -> Fallible<Vec<String>> {
        self.bring_on(&self.life(scene, dir), expected)
    }

    /// The same, with lives of this kind.
    pub fn bring_on(&self, life: &Life, expected: &str) -> Fallible<Vec<String>> {
        for _ in 0..LIVES {
            match self.live(life)? {
                Ended::Done(report) if report.result == expected => return Ok(Vec::new()),
                Ended::Done(Report { result, .. }) => {
                    return Ok(vec![format!("it ends with {result}, not {expected}")]);
                }
                Ended::Killed => {}
                Ended::Violated(wrong) => return Ok(wrong),
                Ended::Failed(error) => return Ok(vec![format!("the next life fails: {error}")]),
                Ended::Oddly(how) => return Ok(vec![format!("the next life ends oddly: {how}")]),
            }
        }
        Ok(vec!["it was killed without a plan".to_owned()])
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        // What is left is only rubbish; failing to remove it changes no result.
        let _left = fs::remove_dir_all(&self.root);
    }
}

impl Ended {
    /// Judges by exit status and output.
    pub fn of(output: &Output) -> Self {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let oddly = |why: String| {
            let said = String::from_utf8_lossy(&output.stderr);
            Self::Oddly(format!("{why}: {}", said.trim_end()))
        };
        if output.status.signal() == Some(9) {
            return Self::Killed;
        }
        match output.status.code() {
            Some(0) => match serde_json::from_str(&text) {
                Ok(report) => Self::Done(report),
                Err(error) => oddly(format!("its report cannot be read: {error}")),
            },
            Some(code) if code == i32::from(VIOLATED) => {
                Self::Violated(text.lines().map(str::to_owned).collect())
            }
            Some(code) if code == i32::from(FAILED) => Self::Failed(text.trim_end().to_owned()),
            _ => oddly(output.status.to_string()),
        }
    }
}

impl Life {
    /// A life without obstacles.
    pub fn new(scene: Scene, dir: &Path) -> Self {
        Self {
            scene,
            dir: dir.to_owned(),
            plan: Plan::Nothing,
            point: None,
            patience: 0,
            medium: Medium::default(),
            durability: Durability::default(),
            loss: Loss::default(),
        }
    }

    /// The words of a command line that lead this life.
    pub fn words(&self) -> Vec<String> {
        let dir = self.dir.to_string_lossy().into_owned();
        let mut words = vec!["worker".to_owned(), self.scene.to_string(), dir];
        words.extend(["--vfs".to_owned(), self.plan.to_string()]);
        words.extend(["--patience".to_owned(), self.patience.to_string()]);
        if let Some(point) = &self.point {
            words.extend(["--point".to_owned(), point.to_string()]);
        }
        if self.medium == Medium::Heals {
            words.extend(["--medium", "heals"].map(str::to_owned));
        }
        if self.loss == Loss::TheEnd {
            words.extend(["--loss", "the-end"].map(str::to_owned));
        }
        words.extend(["--durability", level(self.durability)].map(str::to_owned));
        words
    }

    /// Reads such words, but for the first.
    pub fn parse(args: &mut Args) -> Fallible<Self> {
        let scene: Scene = args.word("the graph")?;
        let dir: String = args.word("the folder")?;
        let given = |name, value: &str| {
            let found = args.option::<String>(name)?;
            Ok::<_, crate::args::Error>(found.is_some_and(|found| found == value))
        };
        Ok(Self {
            plan: args.option_or("vfs", Plan::Nothing)?,
            point: args.option("point")?,
            patience: args.option_or("patience", 0)?,
            medium: match given("medium", "heals")? {
                true => Medium::Heals,
                false => Medium::AsPlanned,
            },
            loss: match given("loss", "the-end")? {
                true => Loss::TheEnd,
                false => Loss::Nothing,
            },
            durability: durability(args)?,
            ..Self::new(scene, dir.as_ref())
        })
    }
}
