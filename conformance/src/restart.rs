//! Runs a case with its process killed and started again between all operations of its script.
//!
//! [`run_case`] starts the program once for every operation, as [`OneOp::args`] says; the program
//! answers with [`OneOp::run`], which opens the database, runs the operation and dies on the spot:
//! nothing is closed, given back or dropped. What is left is the database file and the external state around
//! the program. Graphs are code, so each process builds them anew.

use std::{
    convert::Infallible,
    ffi::OsString,
    fmt, fs, io,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use serde_json::Value as Json;
use superstep_core::{
    error::{Error, SaverError},
    saver::{Lease, Saver},
};
use superstep_sqlite::Database;
use tempfile::TempDir;

use crate::{
    backing::Backing,
    case::{
        Case, CaseError, Setup,
        op::{Action, Op},
    },
    external_state::ExternalState,
    profile::Profile,
    runner::Runner,
};

/// Why a case would not mean the same if its process were killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Unfit {
    /// It keeps no threads.
    NoSaver,
    /// It needs the node cache, which lives in one process.
    Cache,
}

impl Unfit {
    /// Whether a case can be run this way.
    pub fn check(case: &Case) -> Result<(), Self> {
        match case.setup {
            Setup {
                checkpointer: false,
                ..
            } => Err(Self::NoSaver),
            Setup { cache: true, .. } => Err(Self::Cache),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSaver => "no threads are kept",
            Self::Cache => "the node cache ends with its process",
        })
    }
}

/// Why a case could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestartError {
    /// The case cannot be read.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// The case has no such operation.
    #[error("the script has no operation {0}")]
    NoOperation(usize),
    /// A file or a process is not to be had.
    #[error("{what}: {source}")]
    Io {
        /// What was wanted.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// The database failed where the case does not look.
    #[error(transparent)]
    Engine(#[from] Error),
    /// A process ended before it had answered, or in good order.
    #[error("operation {op}: the process ended with {status} and said: {said}")]
    Process {
        /// Index of its operation.
        op: usize,
        /// How it ended.
        status: ExitStatus,
        /// What it printed.
        said: String,
    },
}

impl From<SaverError> for RestartError {
    fn from(error: SaverError) -> Self {
        Self::Engine(error.into())
    }
}

/// Runs a case, read from `file`, each operation in a new process of `program`, and returns the
/// result of each. It blocks.
pub fn run_case(
    program: &Path,
    file: &Path,
    case: &Case,
    profile: Profile,
) -> Result<Vec<Json>, RestartError> {
    let folder = TempDir::with_prefix("superstep-restart-").map_err(io("a temporary folder"))?;
    let program = std::path::absolute(program).map_err(io("the program"))?;
    let file = std::path::absolute(file).map_err(io("the case file"))?;
    let mut results = Vec::with_capacity(case.script.len());
    for op in 0..case.script.len() {
        let part = OneOp {
            op,
            case: file.clone(),
            database: folder.path().join("case.db"),
            state: folder.path().join("state.json"),
            profile,
        };
        let output = Command::new(&program)
            .args(part.args())
            // Should the system keep an image of the dead process, it goes with the folder.
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .map_err(io("a process"))?;
        let answer = serde_json::from_slice(&output.stdout);
        let (false, Ok(answer)) = (output.status.success(), answer) else {
            let said = [output.stdout, output.stderr].concat();
            return Err(RestartError::Process {
                op,
                status: output.status,
                said: String::from_utf8_lossy(&said).trim().to_owned(),
            });
        };
        results.push(answer);
    }
    folder.close().map_err(io("the temporary folder"))?;
    Ok(results)
}

/// One operation of a case, to be run in a process of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneOp {
    /// Its index in the script.
    pub op: usize,
    /// The case file.
    pub case: PathBuf,
    /// The database file; made by the first operation.
    pub database: PathBuf,
    /// Where counters and flags are handed on; made by the first operation.
    pub state: PathBuf,
    /// The options it runs under.
    pub profile: Profile,
}

impl OneOp {
    /// The arguments that ask for it.
    pub fn args(&self) -> [OsString; 10] {
        [
            "--one-op".into(),
            self.op.to_string().into(),
            "--case".into(),
            self.case.clone().into(),
            "--db".into(),
            self.database.clone().into(),
            "--state".into(),
            self.state.clone().into(),
            "--options".into(),
            self.profile.name().into(),
        ]
    }

    /// Runs the operation, prints its result, and ends the process as a kill would.
    ///
    /// An operation that writes is cut off right behind its answer, so all that it promised must
    /// be stored by then. One that does not is cut off while it holds every thread there is, so
    /// the next process has to take them over.
    pub async fn run(&self) -> Result<Infallible, RestartError> {
        let case = Case::load(&self.case)?;
        let op = case.script.get(self.op);
        let op = op.ok_or(RestartError::NoOperation(self.op))?;
        let external = self.external()?;
        let database = Database::open(&self.database)?;
        let backing = Backing::database(&database);
        let mut runner = Runner::new(&case, &backing, external.clone(), self.profile);
        for earlier in case.script.iter().take(self.op) {
            runner.redo(earlier);
        }
        let answer = runner.answer(op).await;
        let _held = match writes(op) {
            true => Vec::new(),
            false => hold_all(&database).await?,
        };
        fs::write(&self.state, external.to_json().to_string()).map_err(io("the external state"))?;
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{answer}").map_err(io("standard output"))?;
        stdout.flush().map_err(io("standard output"))?;
        std::process::abort()
    }

    fn external(&self) -> Result<ExternalState, RestartError> {
        if self.op == 0 {
            return Ok(ExternalState::default());
        }
        let text = fs::read(&self.state).map_err(io("the external state"))?;
        let json: Json = serde_json::from_slice(&text)
            .map_err(io::Error::from)
            .map_err(io("the external state"))?;
        Ok(ExternalState::from_json(&json))
    }
}

async fn hold_all(database: &Database) -> Result<Vec<Lease>, RestartError> {
    let saver = database.saver();
    let mut held = Vec::new();
    for thread in saver.threads().await? {
        held.push(saver.lease(&thread).await?);
    }
    Ok(held)
}

/// Whether an operation may change a thread.
fn writes(op: &Op) -> bool {
    match op.action {
        Action::Invoke(_)
        | Action::Stream { .. }
        | Action::UpdateState(_)
        | Action::BulkUpdate(_)
        | Action::DeleteThread
        | Action::ClearCache { .. }
        | Action::Store { .. } => true,
        Action::GetState { .. }
        | Action::History { .. }
        | Action::Build
        | Action::Sleep { .. }
        | Action::SetFlag { .. }
        | Action::Rebuild { .. }
        | Action::Subgraphs { .. } => false,
    }
}

fn io(what: &str) -> impl FnOnce(io::Error) -> RestartError {
    move |source| RestartError::Io {
        what: what.to_owned(),
        source,
    }
}
