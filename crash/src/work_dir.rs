//! Work directory of a worker: the database, the log of the recording saver, and the ledger of
//! effects. Log and ledger are not part of the system under test: they stand for people and external
//! services, which do not forget.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use crate::{line::Line, vfs};

/// The name of the database.
pub const DATABASE: &str = "threads.db";
/// The name of the log.
pub const LOG: &str = "log";
/// The name of the lines that a power cut took out of the log.
const LOST: &str = "lost";
/// The name of the ledger.
pub const LEDGER: &str = "ledger";

/// A folder with a database, a log and a ledger.
#[derive(Clone, Debug)]
pub struct WorkDir {
    dir: PathBuf,
}

/// Whether an external service is idempotent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A second call with a key has no effect.
    Idempotent,
    /// Each call is a new entry.
    Blind,
}

impl WorkDir {
    /// The work directory at a path, which is created if it is missing.
    pub fn at(dir: impl Into<PathBuf>) -> io::Result<Self> {
        let dir = dir.into();
        fs::create_dir_all(&dir)?;
        Ok(Self { dir })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where the database is.
    pub fn database(&self) -> PathBuf {
        self.dir.join(DATABASE)
    }

    /// Writes a line to the log.
    pub fn append(&self, line: &Line) -> io::Result<()> {
        let text = serde_json::to_string(line)?;
        // Not synced: what a process wrote survives it, and power cuts are modeled (`vfs::disk`).
        append_line(&self.dir.join(LOG), &text)?;
        vfs::mark(LOG, &text);
        Ok(())
    }

    /// Truncates the log; the lines that are lost are kept apart.
    pub fn rewind(&self, moment: &[Line], lost: &[Line]) -> io::Result<()> {
        for line in lost {
            append_line(&self.dir.join(LOST), &serde_json::to_string(line)?)?;
        }
        let lines = moment.iter().map(serde_json::to_string);
        let lines: Vec<String> = lines.collect::<Result<_, _>>()?;
        let text = lines.iter().map(|line| format!("{line}\n"));
        fs::write(self.dir.join(LOG), text.collect::<String>())
    }

    /// The lines that a power cut took out of the log.
    pub fn lost(&self) -> io::Result<Vec<Line>> {
        read_lines(&self.dir.join(LOST))
    }

    /// All lines of the log, without a torn last line.
    pub fn lines(&self) -> io::Result<Vec<Line>> {
        read_lines(&self.dir.join(LOG))
    }

    /// An external effect: an entry in the ledger. Returns how many entries there are.
    pub fn enter(&self, key: &str, target: Target) -> io::Result<usize> {
        let path = self.dir.join(LEDGER);
        let books = OpenOptions::new().create(true).append(true).open(&path)?;
        books.lock()?;
        let entries = self.ledger()?;
        if target == Target::Idempotent && entries.iter().any(|entry| entry == key) {
            return Ok(entries.len());
        }
        append_line(&path, key)?;
        books.sync_data()?;
        vfs::mark(LEDGER, key);
        Ok(entries.len() + 1)
    }

    /// The entries of the ledger.
    pub fn ledger(&self) -> io::Result<Vec<String>> {
        let text = read(&self.dir.join(LEDGER))?;
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Whether the ledger has an entry.
    pub fn has(&self, key: &str) -> io::Result<bool> {
        Ok(self.ledger()?.iter().any(|entry| entry == key))
    }
}

/// One write per line, so that a process that dies leaves all of it or nothing.
fn append_line(path: &Path, line: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

fn read_lines(path: &Path) -> io::Result<Vec<Line>> {
    let text = read(path)?;
    let whole = text.rfind('\n').map_or("", |end| text.split_at(end).0);
    let lines = whole.lines().map(serde_json::from_str);
    Ok(lines.collect::<Result<_, _>>()?)
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    match File::open(path) {
        Ok(mut file) => file.read_to_string(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error),
    };
    Ok(text)
}
