//! CPython with openpyxl, contained by the kernel: in namespaces of its own where bubblewrap is
//! installed, with Landlock, seccomp and limits of resources. Without isolation nothing is run.

mod folder;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Command as Blocking, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use serde::Deserialize;
use superstep_contain::{Input, Keep, Worker, ended_by, landlock, run_process};
use superstep_core::future::BoxFuture;
use superstep_workbook::{Lineage, OnLoad};
use tokio::process::Command;

use crate::{
    error::SandboxError,
    fault::{Raised, Stop},
    program_run::{Ending, Outcome, ProgramRun},
    sandbox::{Availability, Job, Sandbox},
};

/// What runs the program and writes down how it ended.
const HARNESS: &str = include_str!("cpython/harness.py");

/// How much longer than its limit the process lives: the interpreter and openpyxl start.
const GRACE: Duration = Duration::from_secs(10);

/// Prints what the interpreter needs to be started elsewhere.
///
/// Only the path inside a virtual environment tells Python that it is in one, so that path is kept. Elsewhere links to the
/// interpreter may lead through folders that the sandbox does not show.
const PROBE: &str = "import sys, os, json, openpyxl, et_xmlfile\n\
    real = os.path.realpath(sys.executable)\n\
    program = sys.executable if sys.prefix != sys.base_prefix else real\n\
    base = getattr(sys, '_base_executable', None) or real\n\
    paths = {sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(openpyxl.__file__)), \
    os.path.dirname(os.path.dirname(et_xmlfile.__file__)), os.path.dirname(base), os.path.dirname(real)}\n\
    print(json.dumps({'program': program, 'paths': sorted(paths), \
    'version': '%d.%d.%d' % sys.version_info[:3], 'openpyxl': openpyxl.__version__}))";

/// Folders that programs of the system need.
const SYSTEM: [&str; 7] = [
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/dev/null",
];

/// CPython with openpyxl.
#[derive(Debug)]
pub struct CPython {
    worker: Worker,
    python: PathBuf,
    /// Whether namespaces are used where they can be.
    wants_namespaces: bool,
    found: OnceLock<Result<Installed, String>>,
}

/// What there is to run and to contain programs with.
#[derive(Clone, Debug)]
struct Installed {
    python: Python,
    bubblewrap: Option<PathBuf>,
    has_landlock: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct Python {
    program: PathBuf,
    paths: Vec<PathBuf>,
    version: String,
    openpyxl: String,
}

/// How the program ended, as the harness writes it down.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum HarnessReport {
    Saved(Lineage),
    Nothing,
    Raised(Raised),
    Memory,
    Disk,
}

impl CPython {
    /// The name of this sandbox.
    pub const NAME: &'static str = "cpython";

    /// The `python3` of the path, contained by this worker.
    pub fn new(worker: Worker) -> Self {
        Self::with_python(worker, "python3")
    }

    /// Another interpreter, by its path.
    pub fn with_python(worker: Worker, python: impl Into<PathBuf>) -> Self {
        Self {
            worker,
            python: python.into(),
            wants_namespaces: true,
            found: OnceLock::new(),
        }
    }

    /// The same without bubblewrap, where that cannot make namespaces or is not wanted: Landlock must be
    /// there and is what contains the files.
    #[must_use]
    pub fn without_namespaces(self) -> Self {
        Self {
            wants_namespaces: false,
            found: OnceLock::new(),
            ..self
        }
    }

    fn found(&self) -> Result<&Installed, String> {
        let found = self.found.get_or_init(|| {
            let python = probe(&self.python)?;
            let bubblewrap = self.wants_namespaces.then(bubblewrap).flatten();
            let landlock = landlock();
            if let (None, Err(why)) = (&bubblewrap, &landlock) {
                return Err(format!(
                    "neither bubblewrap works here nor Landlock ({why}), and nothing is run without isolation"
                ));
            }
            Ok(Installed {
                python,
                bubblewrap,
                has_landlock: landlock.is_ok(),
            })
        });
        found.as_ref().map_err(Clone::clone)
    }
}

impl Sandbox for CPython {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn available(&self) -> Availability {
        match self.found() {
            Ok(found) => {
                let mut contained_by = Vec::new();
                if found.bubblewrap.is_some() {
                    contained_by.push("namespaces (bubblewrap)".to_owned());
                }
                if found.has_landlock {
                    contained_by.push("Landlock".to_owned());
                }
                contained_by.push("seccomp".to_owned());
                contained_by.push("limits of memory and of processor time".to_owned());
                contained_by.push(match found.bubblewrap {
                    Some(_) => format!("files in memory, {} MiB", folder::IN_MEMORY >> 20),
                    None => {
                        "a folder that is looked at 20 times a second, without a quota".to_owned()
                    }
                });
                contained_by.push(format!(
                    "around CPython {} with openpyxl {}",
                    found.python.version, found.python.openpyxl
                ));
                Availability::Ready { contained_by }
            }
            Err(why) => Availability::Missing { why },
        }
    }

    fn guide(&self) -> String {
        "This is CPython with openpyxl and what else is installed beside it. `insert_rows` and the like leave formulas as \
         they are: adapt those that name moved cells."
            .into()
    }

    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<ProgramRun, SandboxError>> {
        Box::pin(self.run_job(job))
    }
}

impl CPython {
    async fn run_job(&self, job: &Job) -> Result<ProgramRun, SandboxError> {
        let start = Instant::now();
        let found = self.found().map_err(|why| SandboxError::Unavailable {
            sandbox: Self::NAME,
            why,
        })?;
        folder::sweep();
        let folder = folder::new().map_err(SandboxError::Process)?;
        self.fill(folder.path(), job)?;
        for name in folder::RESULTS {
            std::fs::write(folder.path().join(name), []).map_err(SandboxError::Process)?;
        }
        let command = self
            .command(found, folder.path(), job)
            .map_err(SandboxError::Process)?;
        let keep = u64::try_from(job.limits.output).unwrap_or(u64::MAX);
        let time = job.limits.time + GRACE;
        let number = OnceLock::new();
        let input = match found.bubblewrap {
            Some(_) => Input::UntilItsEnd,
            None => Input::Bytes(Vec::new()),
        };
        let running = run_process(command, input, time, keep, &number);
        let watched = || match found.bubblewrap {
            Some(_) => folder::inside(number.get().copied(), folder.path()),
            None => Some(folder.path().to_owned()),
        };
        let ended = tokio::select! {
            ended = running => Some(ended.map_err(SandboxError::Process)?),
            // The process is ended when its future is dropped.
            () = folder::filled(watched) => None,
        };
        let Some(ended) = ended else {
            return Ok(ProgramRun {
                ending: Ending::Stopped(Stop::Disk),
                stdout: String::new(),
                stdout_dropped: 0,
                took: start.elapsed(),
                lineage: Lineage::default(),
            });
        };
        let ran = |ending| ProgramRun {
            ending,
            stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
            stdout_dropped: ended.dropped,
            took: start.elapsed(),
            lineage: Lineage::default(),
        };
        let Some(status) = ended.status else {
            return Ok(ran(Ending::Stopped(Stop::Time)));
        };
        let report = read_capped(&folder.path().join("told.json"), 1 << 20);
        let report = report
            .ok()
            .and_then(|bytes| serde_json::from_slice::<HarnessReport>(&bytes).ok());
        let unchanged = Outcome::Operations {
            base: crate::program_run::Base::Given,
            operations: Vec::new(),
        };
        Ok(ran(match report {
            Some(HarnessReport::Saved(lineage)) => {
                let bytes = read_capped(&folder.path().join("output.xlsx"), 256 << 20);
                let bytes = bytes.map_err(SandboxError::Process)?;
                let saved = ran(Ending::Done(Outcome::Package(bytes.into())));
                return Ok(ProgramRun { lineage, ..saved });
            }
            Some(HarnessReport::Nothing) => Ending::Done(unchanged),
            Some(HarnessReport::Memory) => Ending::Stopped(Stop::Memory),
            Some(HarnessReport::Disk) => Ending::Stopped(Stop::Disk),
            Some(HarnessReport::Raised(raised)) => Ending::Raised(raised.cut()),
            None if was_killed(status) => Ending::Stopped(Stop::Time),
            None if ended.stderr.contains("MemoryError") || ended.stderr.contains("memory") => {
                Ending::Stopped(Stop::Memory)
            }
            None => {
                let what = ended_by(status, &ended.stderr);
                return Err(SandboxError::Died { what });
            }
        }))
    }

    fn fill(&self, folder: &Path, job: &Job) -> Result<(), SandboxError> {
        let workbook = job
            .workbook
            .write(OnLoad::Trust)
            .map_err(SandboxError::Result)?;
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.join(name), bytes).map_err(SandboxError::Process)
        };
        write("input.xlsx", &workbook.bytes)?;
        write("program.py", job.program.as_bytes())?;
        write("harness.py", HARNESS.as_bytes())?;
        let name = serde_json::to_vec(&job.file).map_err(io::Error::from);
        write("name.json", &name.map_err(SandboxError::Process)?)?;
        let seconds = job.limits.time.as_secs_f64().to_string();
        write("seconds.json", seconds.as_bytes())
    }

    /// The command that runs the harness: the worker that guards bubblewrap, in this the worker that contains itself, in
    /// it Python.
    fn command(&self, found: &Installed, folder: &Path, job: &Job) -> io::Result<Command> {
        let worker = self.worker.program().canonicalize()?;
        let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        read.extend(found.python.paths.iter().cloned());
        read.push(worker.clone());
        read.retain(|path| path.exists());
        let keep = Keep {
            memory: job.limits.memory,
            seconds: job.limits.time.as_secs() + 5,
            read: read.clone(),
            write: vec![folder.to_path_buf()],
            needs_landlock: found.bubblewrap.is_none(),
            parent: found.bubblewrap.is_none().then(std::process::id),
        };
        let mut inner: Vec<OsString> = vec![worker.clone().into()];
        inner.extend(self.worker.arguments().iter().cloned());
        inner.push("contained".into());
        inner.push(serde_json::to_string(&keep)?.into());
        inner.push(found.python.program.clone().into());
        inner.extend(["-I", "-B", "harness.py"].map(OsString::from));
        let mut command = match &found.bubblewrap {
            Some(bubblewrap) => {
                let mut command = Command::new(worker);
                command.args(self.worker.arguments());
                command.arg("guarded").arg(bubblewrap);
                // What the terminal sends ends the process that started it, which ends this one.
                command.process_group(0);
                command.args([
                    "--unshare-all", "--die-with-parent", "--new-session", "--clearenv",
                ]);
                command.args([
                    "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev",
                ]);
                let mut in_memory = |place: &Path, size: u64| {
                    command.arg("--size").arg(size.to_string());
                    command.arg("--tmpfs").arg(place);
                };
                in_memory(Path::new("/tmp"), folder::SPARE);
                in_memory(folder, folder::IN_MEMORY);
                for path in read.iter().filter(|path| !path.starts_with("/dev")) {
                    command.arg("--ro-bind").arg(path).arg(path);
                }
                for (option, names) in [
                    ("--ro-bind", folder::GIVEN.as_slice()),
                    ("--bind", folder::RESULTS.as_slice()),
                ] {
                    for name in names {
                        let path = folder.join(name);
                        command.arg(option).arg(&path).arg(&path);
                    }
                }
                command.arg("--chdir").arg(folder).args(inner);
                command
            }
            None => {
                let (program, rest) = inner.split_first().ok_or(io::ErrorKind::InvalidInput)?;
                let mut command = Command::new(program);
                command.args(rest);
                command
            }
        };
        command.current_dir(folder);
        Ok(command)
    }
}

fn was_killed(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    // Through bubblewrap a signal is a number above 128.
    let signal = status
        .signal()
        .or_else(|| status.code().map(|code| code - 128));
    // 14 is the clock that the harness sets.
    matches!(signal, Some(9 | 14 | 24))
}

fn read_capped(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    use std::io::Read;
    let about = std::fs::symlink_metadata(path)?;
    if !about.is_file() || about.len() > most {
        return Err(io::Error::other(
            "the program left something else than a file of a size that is permitted",
        ));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(most)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn probe(python: &Path) -> Result<Python, String> {
    let shown = python.display();
    let output = Blocking::new(python)
        .args(["-I", "-B", "-c", PROBE])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().last().unwrap_or("no reason given");
        return Err(format!("`{shown}` has no openpyxl: {last}"));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("`{shown}`: {error}"))
}

/// Bubblewrap, if it is installed and can make namespaces here.
fn bubblewrap() -> Option<PathBuf> {
    let found = std::env::var_os("PATH")?;
    let program = std::env::split_paths(&found)
        .map(|folder| folder.join("bwrap"))
        .find(|path| path.is_file())?;
    let works = Blocking::new(&program)
        .args([
            "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc",
            "--dev", "/dev", "true",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    works
        .is_ok_and(|status| status.success())
        .then_some(program)
}
