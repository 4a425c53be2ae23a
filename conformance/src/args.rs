//! The words of the command line.

use std::{env, ffi::OsString, path::PathBuf};

use superstep_conformance::{
    compare::{Level, Quirks},
    restart::OneOp,
};

/// How the program is called.
pub(crate) const USAGE: &str = "\
usage: superstep-conformance PATH... [--saver NAME | --restart] [--strict | --exact] [--quirks]
  PATH       case files, and folders of case files
  --saver    memory (default), or sqlite: a new database file for every case
  --restart  on SQLite, with the process killed and started again between all operations
  --strict   task order must be as recorded
  --exact    as --strict, and names that begin with __ are compared too
  --quirks   operations marked as accidents must match too";

/// What the words ask for.
pub(crate) enum Args {
    /// To run cases.
    Cases(Cases),
    /// To run one operation and die, as `--restart` asks of its processes.
    OneOp(OneOp),
}

/// Which cases to run, and how.
pub(crate) struct Cases {
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) way: Way,
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
    /// Reads the words this process was started with; why they make no sense, if they do not.
    pub(crate) fn parse() -> Result<Self, String> {
        let words: Vec<OsString> = env::args_os().skip(1).collect();
        match words.first() {
            Some(first) if first == "--one-op" => one_op(words).map(Self::OneOp),
            _ => cases(words).map(Self::Cases),
        }
    }
}

fn cases(words: Vec<OsString>) -> Result<Cases, String> {
    let mut paths = Vec::new();
    let (mut saver, mut restart) = (None, None);
    let (mut level, mut quirks) = (Level::Normal, Quirks::Skip);
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--saver") => {
                let name = words.next().ok_or("--saver needs a name")?;
                saver = Some(match name.to_str() {
                    Some("memory") => Way::Memory,
                    Some("sqlite") => Way::Sqlite,
                    _ => {
                        let name = name.display();
                        return Err(format!("no saver `{name}`; there are: memory, sqlite"));
                    }
                });
            }
            Some("--restart") => restart = Some(Way::Restart),
            Some("--strict") => level = Level::Strict,
            Some("--exact") => level = Level::Exact,
            Some("--quirks") => quirks = Quirks::Require,
            Some("--help" | "-h") => return Err(String::new()),
            Some(flag) if flag.starts_with('-') => return Err(format!("unknown option {flag}")),
            _ => paths.push(word.into()),
        }
    }
    if paths.is_empty() {
        return Err("name at least one folder of case files".into());
    }
    let way = match (saver, restart) {
        (Some(Way::Memory), Some(_)) => {
            return Err("--restart needs a saver that outlives its process".into());
        }
        (_, Some(way)) | (Some(way), None) => way,
        (None, None) => Way::Memory,
    };
    Ok(Cases {
        paths,
        way,
        level,
        quirks,
    })
}

fn one_op(words: Vec<OsString>) -> Result<OneOp, String> {
    let shape = || "--one-op needs: N --case FILE --db PATH --world PATH".to_owned();
    let words: [OsString; 8] = words.try_into().map_err(|_| shape())?;
    let [_, op, case, file, db, database, world, path] = words;
    let op = op.to_str().and_then(|op| op.parse().ok());
    match (op, case.to_str(), db.to_str(), world.to_str()) {
        (Some(op), Some("--case"), Some("--db"), Some("--world")) => Ok(OneOp {
            op,
            case: file.into(),
            database: database.into(),
            world: path.into(),
        }),
        _ => Err(shape()),
    }
}
