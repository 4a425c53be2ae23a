//! Command line of `superstep-conformance`.

use std::path::PathBuf;

use clap::{CommandFactory, Parser, ValueEnum, error::ErrorKind};
use superstep_conformance::{
    compare::{Level, Quirks},
    profile::Profile,
    restart::OneOp,
};

/// Runs recorded LangGraph cases on superstep.
#[derive(Parser)]
#[command(name = "superstep-conformance")]
pub(crate) struct Args {
    /// Case files, and folders of case files.
    #[arg(value_name = "PATH", required_unless_present = "one_op")]
    paths: Vec<PathBuf>,
    /// Where threads are stored; with sqlite, in a new database file for every case.
    #[arg(long, value_enum)]
    saver: Option<SaverKind>,
    /// On SQLite, with the process killed and started again between all operations.
    #[arg(long)]
    restart: bool,
    /// The options and rules that the cases leave open.
    #[arg(long, value_enum, default_value = "default")]
    options: Profile,
    /// Task order must be as recorded.
    #[arg(long)]
    strict: bool,
    /// As --strict, and names that begin with __ are compared too.
    #[arg(long)]
    exact: bool,
    /// Operations marked as accidents must match too.
    #[arg(long)]
    quirks: bool,
    /// Runs one operation and dies, as --restart asks of its processes.
    #[arg(long, hide = true, value_name = "N", conflicts_with = "paths")]
    #[arg(requires_all = ["case", "db", "state"])]
    one_op: Option<usize>,
    #[arg(long, hide = true, requires = "one_op")]
    case: Option<PathBuf>,
    #[arg(long, hide = true, requires = "one_op")]
    db: Option<PathBuf>,
    #[arg(long, hide = true, requires = "one_op")]
    state: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SaverKind {
    Memory,
    Sqlite,
}

/// What to run.
pub(crate) enum Job {
    /// Cases.
    Cases(Cases),
    /// One operation of a case.
    OneOp(OneOp),
}

/// Which cases to run, and how.
pub(crate) struct Cases {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) way: Way,
    pub(crate) profile: Profile,
    pub(crate) level: Level,
    pub(crate) quirks: Quirks,
}

/// What cases run on.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    /// Everything in this process.
    Memory,
    /// Threads in a database file.
    Sqlite,
    /// Threads in a database file, every operation in a process of its own.
    Restart,
}

impl Args {
    /// What the arguments ask for; ends the process if they contradict each other.
    pub(crate) fn job(self) -> Job {
        if let (Some(op), Some(case), Some(database), Some(state)) =
            (self.one_op, self.case, self.db, self.state)
        {
            return Job::OneOp(OneOp {
                op,
                case,
                database,
                state,
                profile: self.options,
            });
        }
        let way = match (self.saver, self.restart) {
            (Some(SaverKind::Memory), true) => {
                let why = "--restart needs a saver that outlives its process";
                Self::command()
                    .error(ErrorKind::ArgumentConflict, why)
                    .exit()
            }
            (_, true) => Way::Restart,
            (Some(SaverKind::Sqlite), false) => Way::Sqlite,
            (Some(SaverKind::Memory) | None, false) => Way::Memory,
        };
        Job::Cases(Cases {
            paths: self.paths,
            way,
            profile: self.options,
            level: match (self.exact, self.strict) {
                (true, _) => Level::Exact,
                (false, true) => Level::Strict,
                (false, false) => Level::Normal,
            },
            quirks: match self.quirks {
                true => Quirks::Require,
                false => Quirks::Skip,
            },
        })
    }
}
