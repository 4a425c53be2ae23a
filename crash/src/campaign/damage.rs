//! `damage`: files that are truncated, flipped, replaced or locked by others. Every read gives a state
//! that was really stored, or an error with a code; never a panic or an empty database.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
    time::Duration,
};

use fastrand::Rng;
use superstep_core::{error::SaverError, saver::Saver};
use superstep_sqlite::{Database, Options};
use tokio::runtime::Runtime;

use super::{Summary, Violation};
use crate::{
    Fallible,
    graphs::Scene,
    harness::{Harness, WorkerExit},
    kill_points::{Point, When},
    line::Line,
    model::{Model, SaverContents},
    vfs::disk::Image,
    work_dir::{DATABASE, WorkDir},
    worker::WorkerArgs,
};

const WAL: &str = "threads.db-wal";
/// Bytes of a WAL before its first frame.
const HEADER: usize = 32;

/// How much damage is done.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct DamageArgs {
    /// How many bits are flipped, each in a copy of its own.
    #[arg(long, default_value_t = 1000)]
    pub flips: u64,
    /// The first seed of the flips.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The WAL is cut every so many bytes.
    #[arg(long, default_value_t = 1)]
    pub step: usize,
}

/// All kinds of damage.
pub fn run(args: &DamageArgs) -> Fallible<bool> {
    let harness = Harness::new()?;
    let bench = DamageBench::new(&harness)?;
    let mut fine = bench.header()?;
    fine &= bench.beginning()?;
    fine &= bench.cuts(args.step)?;
    fine &= bench.flips(args.flips, args.seed)?;
    fine &= bench.shortened()?;
    fine &= bench.strangers()?;
    Ok(fine)
}

/// A database in use, with all its latest steps still in the WAL, the same at
/// its end, and the states it has had.
struct DamageBench<'a> {
    harness: &'a Harness,
    runtime: Runtime,
    open: Base,
    closed: Base,
    past: Vec<Model>,
}

/// The files at one moment, and which of the past states they hold.
struct Base {
    image: Image,
    newest: usize,
}

/// What a read of a damaged file gave.
enum ReadResult {
    Newest,
    Older,
    Nothing,
    Wrong(Vec<String>),
    Coded(String),
}

impl Base {
    fn of(work_dir: &WorkDir) -> Fallible<Self> {
        let newest = past(&work_dir.lines()?).len() - 1;
        let image = image(work_dir.dir())?;
        Ok(Self { image, newest })
    }
}

impl<'a> DamageBench<'a> {
    fn new(harness: &'a Harness) -> Fallible<Self> {
        let dir = harness.folder()?;
        // Near its end, and before any record was rewritten: every value can be compared.
        let point = Point {
            when: When::Before,
            name: "commit".to_owned(),
            n: 21,
        };
        let mut worker_args = WorkerArgs::new(Scene::Nested, &dir);
        worker_args.point = Some(point);
        let WorkerExit::Killed = harness.run_worker(&worker_args)? else {
            return Err("the worker was not killed".into());
        };
        let work_dir = WorkDir::at(&dir)?;
        let open = Base::of(&work_dir)?;
        worker_args.point = None;
        let WorkerExit::Done(_) = harness.run_worker(&worker_args)? else {
            return Err("the worker did not continue".into());
        };
        let closed = Base::of(&work_dir)?;
        let recorded = work_dir.lines()?;
        fs::remove_dir_all(&dir)?;
        Ok(Self {
            harness,
            runtime: Runtime::new()?,
            open,
            closed,
            past: past(&recorded),
        })
    }

    /// Each bit of the log's header is other than it was: nothing is lost, nothing is changed.
    fn header(&self) -> Fallible<bool> {
        let mut tally = Tally::new("header of the log");
        let Base { image, newest } = &self.open;
        for bit in 0..HEADER * 8 {
            let mut flipped = image.clone();
            let log = flipped.get_mut(WAL).ok_or("there is no log to flip")?;
            let byte = log.get_mut(bit / 8).ok_or("the log has no header")?;
            *byte ^= 1 << (bit % 8);
            let replay = || format!("superstep-crash damage --flips 0 (bit {bit} of the header)");
            tally.add(self.read_whole(&flipped, *newest)?, replay);
        }
        Ok(tally.close())
    }

    /// The beginning of the log is not where it was, or something else is there: nothing is lost,
    /// nothing is changed.
    fn beginning(&self) -> Fallible<bool> {
        let mut tally = Tally::new("beginning of the log");
        let Base { image, newest } = &self.open;
        let whole = image.get(WAL).ok_or("there is no log to damage")?;
        for (what, log) in beginnings(whole) {
            let mut damaged = image.clone();
            damaged.insert(WAL.to_owned(), log);
            let replay = || format!("superstep-crash damage --flips 0 ({what})");
            tally.add(self.read_whole(&damaged, *newest)?, replay);
        }
        Ok(tally.close())
    }

    /// Reads files that no crash leaves: an older state is a violation, and so is a change of what
    /// was refused.
    fn read_whole(&self, image: &Image, newest: usize) -> Fallible<ReadResult> {
        let dir = self.harness.folder()?;
        write(image, &dir)?;
        let read = self.read_at(&dir, newest)?;
        let read = match (read, self::image(&dir)? == *image) {
            (ReadResult::Older, _) => {
                ReadResult::Wrong(vec!["acknowledged steps are gone".to_owned()])
            }
            (ReadResult::Coded(_), false) => {
                ReadResult::Wrong(vec!["it was refused, and yet it was changed".to_owned()])
            }
            (read, _) => read,
        };
        fs::remove_dir_all(&dir)?;
        Ok(read)
    }

    /// The log is cut at every length of its last frames, and at some of all others.
    fn cuts(&self, step: usize) -> Fallible<bool> {
        let mut tally = Tally::new("torn log");
        let Base { image, newest } = &self.open;
        let whole = image.get(WAL).ok_or("there is no log to cut")?;
        let last = whole.len().saturating_sub(2 * (4096 + 24));
        let rest = (0..last).step_by(509 * step.clamp(1, 8));
        let all = rest.chain((last..whole.len()).step_by(step.max(1)));
        for len in all {
            let mut image = image.clone();
            image
                .entry(WAL.to_owned())
                .and_modify(|log| log.truncate(len));
            let replay = || format!("superstep-crash damage --flips 0 (log cut to {len})");
            tally.add(self.read(&image, *newest)?, replay);
        }
        Ok(tally.close())
    }

    /// One bit is other than it was.
    fn flips(&self, flips: u64, seed: u64) -> Fallible<bool> {
        let mut tally = Tally::new("bit flips");
        for seed in seed..seed + flips {
            let mut rng = Rng::with_seed(seed);
            let base = match rng.bool() {
                true => &self.open,
                false => &self.closed,
            };
            let mut image = base.image.clone();
            let flipped = flip(&mut image, &mut rng);
            let replay = || format!("superstep-crash damage --flips 1 --seed {seed}");
            tally.add(
                match self.read(&image, base.newest)? {
                    // Only the log may lose its end: nobody can tell a torn end from a damaged one.
                    ReadResult::Older if flipped != WAL => {
                        ReadResult::Wrong(vec![format!("a flip in {flipped} gave an older state")])
                    }
                    seen => seen,
                },
                replay,
            );
        }
        Ok(tally.close())
    }

    /// The database itself is cut.
    fn shortened(&self) -> Fallible<bool> {
        let mut tally = Tally::new("cut file");
        for base in [&self.open, &self.closed] {
            let len = base.image.get(DATABASE).map_or(0, Vec::len);
            // An empty file without a log is a new one.
            let shortest = usize::from(!base.image.contains_key(WAL));
            for len in (0..len).step_by(1021).map(|len| len.max(shortest)) {
                let mut image = base.image.clone();
                image
                    .entry(DATABASE.to_owned())
                    .and_modify(|file| file.truncate(len));
                let replay = || format!("superstep-crash damage --flips 0 (file cut to {len})");
                tally.add(self.read(&image, base.newest)?, replay);
            }
        }
        Ok(tally.close())
    }

    /// Things that are no database, or not ours, or in use.
    fn strangers(&self) -> Fallible<bool> {
        let mut tally = Tally::new("other files");
        let replay = || "superstep-crash damage --flips 0".to_owned();
        let text = Image::from([(DATABASE.to_owned(), b"not a database\n".repeat(600))]);
        tally.add(self.refused(&text, "text")?, replay);
        let other = self.with_sql("CREATE TABLE mine (a); INSERT INTO mine VALUES (1);", false)?;
        tally.add(
            self.refused(&other, "a database of another program")?,
            replay,
        );
        let newer = self.with_sql("PRAGMA user_version = 999999", true)?;
        tally.add(self.refused(&newer, "a newer format")?, replay);
        tally.add(self.folder()?, replay);
        tally.add(self.locked()?, replay);
        tally.add(self.read_only()?, replay);
        Ok(tally.close())
    }

    fn refused(&self, image: &Image, what: &str) -> Fallible<ReadResult> {
        Ok(match self.read(image, self.closed.newest)? {
            ReadResult::Coded(code) => ReadResult::Coded(format!("{what} {code}")),
            ReadResult::Wrong(wrong) => ReadResult::Wrong(wrong),
            _ => ReadResult::Wrong(vec![format!("{what} was taken for a database")]),
        })
    }

    /// A database that plain SQL was run on; ours or an empty one.
    fn with_sql(&self, sql: &str, ours: bool) -> Fallible<Image> {
        let dir = self.harness.folder()?;
        if ours {
            write(&self.closed.image, &dir)?;
        }
        let connection = rusqlite::Connection::open(dir.join(DATABASE))?;
        connection.execute_batch(sql)?;
        drop(connection);
        let image = image(&dir)?;
        fs::remove_dir_all(&dir)?;
        Ok(image)
    }

    fn folder(&self) -> Fallible<ReadResult> {
        let dir = self.harness.folder()?;
        fs::create_dir(dir.join(DATABASE))?;
        let read = self.read_at(&dir, self.closed.newest)?;
        fs::remove_dir_all(&dir)?;
        Ok(match read {
            ReadResult::Coded(code) => ReadResult::Coded(format!("a folder {code}")),
            _ => ReadResult::Wrong(vec!["a folder was taken for a database".to_owned()]),
        })
    }

    /// Another program keeps the file to itself.
    fn locked(&self) -> Fallible<ReadResult> {
        let dir = self.harness.folder()?;
        write(&self.closed.image, &dir)?;
        let path = dir.join(DATABASE).to_string_lossy().into_owned();
        let mut command = self.harness.command(&["locker", &path]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut said = String::new();
        let pipe = child.stdout.take().ok_or("no pipe")?;
        BufReader::new(pipe).read_line(&mut said)?;
        let read = self.read_at(&dir, self.closed.newest)?;
        child.kill()?;
        child.wait()?;
        fs::remove_dir_all(&dir)?;
        Ok(match read {
            ReadResult::Coded(code) => ReadResult::Coded(format!("locked {code}")),
            ReadResult::Wrong(wrong) => ReadResult::Wrong(wrong),
            _ => ReadResult::Wrong(vec!["a locked file was read".to_owned()]),
        })
    }

    /// A file without the right to write it; who may do anything can write it all the same.
    fn read_only(&self) -> Fallible<ReadResult> {
        let dir = self.harness.folder()?;
        write(&self.closed.image, &dir)?;
        let path = dir.join(DATABASE);
        let mut rights = fs::metadata(&path)?.permissions();
        rights.set_readonly(true);
        fs::set_permissions(&path, rights)?;
        let may = fs::OpenOptions::new().write(true).open(&path).is_ok();
        let read = self.read_at(&dir, self.closed.newest)?;
        fs::remove_dir_all(&dir)?;
        Ok(match read {
            ReadResult::Coded(code) => ReadResult::Coded(format!("read-only {code}")),
            ReadResult::Newest if may => {
                ReadResult::Coded("read-only (does not bind this user)".to_owned())
            }
            other => other,
        })
    }

    fn read(&self, image: &Image, newest: usize) -> Fallible<ReadResult> {
        let dir = self.harness.folder()?;
        write(image, &dir)?;
        let read = self.read_at(&dir, newest)?;
        fs::remove_dir_all(&dir)?;
        Ok(read)
    }

    /// Reads all there is, and looks for it among the states that were.
    fn read_at(&self, dir: &Path, newest: usize) -> Fallible<ReadResult> {
        let path = dir.join(DATABASE);
        let last = self.past.last().ok_or("there is no past")?;
        let read = || self.runtime.block_on(read(&path, last));
        Ok(match catch_unwind(AssertUnwindSafe(read)) {
            Err(_) => ReadResult::Wrong(vec!["it panicked".to_owned()]),
            Ok(Err(error)) => ReadResult::Coded(error.code().to_owned()),
            Ok(Ok(found)) => self.judge(&found, newest),
        })
    }

    fn judge(&self, found: &SaverContents, newest: usize) -> ReadResult {
        // Most damage leaves the newest state, so that one is compared first.
        let mut least = Vec::new();
        for (at, model) in self.past.iter().enumerate().take(newest + 1).rev() {
            // Cheap, and tells most of the states apart.
            if model.promised() != found.records() && at > 0 {
                continue;
            }
            let wrong = model.compare(found);
            if wrong.is_empty() {
                return match at {
                    0 => ReadResult::Nothing,
                    at if at == newest => ReadResult::Newest,
                    _ => ReadResult::Older,
                };
            }
            if least.is_empty() || wrong.len() < least.len() {
                least = wrong;
            }
        }
        ReadResult::Wrong(least)
    }
}

async fn read(path: &Path, model: &Model) -> Result<SaverContents, SaverError> {
    let options = Options {
        busy_timeout: Duration::from_millis(100),
        ..Options::default()
    };
    let database = Database::open_with(path, options)?;
    let saver: Box<dyn Saver> = Box::new(database.saver());
    model.read(&*saver).await
}

/// The states a saver had, from nothing on.
fn past(recorded: &[Line]) -> Vec<Model> {
    let mut ends: Vec<usize> = vec![0];
    for (at, line) in recorded.iter().enumerate() {
        if matches!(line, Line::Ack(..)) {
            ends.push(at + 1);
        }
    }
    let parts = ends.into_iter().filter_map(|end| recorded.get(..end));
    parts.map(Model::of).collect()
}

/// Logs whose beginning no crash leaves, and what was done to them.
fn beginnings(whole: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut add = |what: String, log: Vec<u8>| all.push((what, log));
    for (name, filler) in [
        ("zeros", &b"\0"[..]),
        ("text", b"text\n"),
        ("ones", b"\xff"),
    ] {
        let fill = |length: usize| filler.iter().copied().cycle().take(length);
        for length in [1, 8, 24, 32, 512, 4096] {
            let log = fill(length).chain(whole.iter().copied()).collect();
            add(format!("{length} bytes of {name} in front"), log);
            // A first sector of zeros is what a power cut leaves of frames that were not synced.
            if filler == b"\0" && length >= 512 {
                continue;
            }
            let (header, frames) = whole.split_at(HEADER.min(whole.len()));
            let log = header.iter().copied().chain(fill(length));
            let log = log.chain(frames.iter().copied()).collect();
            add(format!("{length} bytes of {name} behind the header"), log);
        }
        // Header; of that and the first frame's; header of the first frame; and whole pages.
        for (start, end) in [(0, 32), (0, 56), (32, 56), (0, 512), (0, 4096), (0, 4152)] {
            let kept = whole.iter().copied().skip(end);
            let before = whole.iter().copied().take(start);
            let log = before.chain(fill(end - start)).chain(kept).collect();
            add(format!("bytes {start} to {end} are {name}"), log);
        }
        add(format!("all is {name}"), fill(whole.len()).collect());
    }
    for length in [1, 24, 32, 56, 512, 4096, 4120, 4152] {
        let log = whole.iter().copied().skip(length).collect();
        add(format!("the first {length} bytes are cut off"), log);
    }
    all
}

/// The database files of a folder.
fn image(dir: &Path) -> Fallible<Image> {
    let mut image = Image::new();
    for name in [DATABASE, WAL] {
        let path: PathBuf = dir.join(name);
        if path.exists() {
            image.insert(name.to_owned(), fs::read(path)?);
        }
    }
    Ok(image)
}

fn write(image: &Image, dir: &Path) -> Fallible<()> {
    for (name, bytes) in image {
        fs::write(dir.join(name), bytes)?;
    }
    Ok(())
}

/// Flips one bit of one file, the longer the likelier, and names it.
fn flip(image: &mut Image, rng: &mut Rng) -> String {
    let len: usize = image.values().map(Vec::len).sum();
    let mut at = rng.usize(..len.max(1));
    for (name, bytes) in image {
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << rng.u32(..8);
            return name.clone();
        }
        at -= bytes.len();
    }
    String::new()
}

/// What damage of one kind led to.
struct Tally {
    summary: Summary,
    cases: u64,
    states: [u64; 3],
    codes: BTreeMap<String, u64>,
}

impl Tally {
    fn new(name: &str) -> Self {
        Self {
            summary: Summary::new(format!("damage, {name}")),
            cases: 0,
            states: [0; 3],
            codes: BTreeMap::new(),
        }
    }

    fn add(&mut self, read: ReadResult, replay: impl Fn() -> String) {
        self.cases += 1;
        let [newest, older, nothing] = &mut self.states;
        match read {
            ReadResult::Newest => *newest += 1,
            ReadResult::Older => *older += 1,
            ReadResult::Nothing => {
                *nothing += 1;
                let (what, replay) = ("all that was acknowledged is gone".to_owned(), replay());
                self.summary.wrong([Violation { what, replay }]);
            }
            ReadResult::Coded(code) => *self.codes.entry(code).or_default() += 1,
            ReadResult::Wrong(what) => {
                let (what, replay) = (what.join("; "), replay());
                self.summary.wrong([Violation { what, replay }]);
            }
        }
    }

    fn close(mut self) -> bool {
        self.summary.figure("cases", self.cases);
        let [newest, older, nothing] = self.states;
        self.summary.figure("newest state", newest);
        self.summary.figure("older state", older);
        self.summary.figure("empty", nothing);
        let codes: Vec<String> = self
            .codes
            .iter()
            .map(|(code, n)| format!("{code}: {n}"))
            .collect();
        self.summary
            .figure("refused", format!("({})", codes.join(", ")));
        self.summary.close()
    }
}

/// A process that keeps a database to itself until it is killed.
pub fn child(path: &Path) -> Fallible<ExitCode> {
    let connection = rusqlite::Connection::open(path)?;
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")?;
    println!("locked");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(ExitCode::SUCCESS)
}
