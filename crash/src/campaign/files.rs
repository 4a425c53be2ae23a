//! `files`: what other programs do to a database: they give it a second name, move it away, replace
//! it, raise its format, or set the clock, while a process holds a thread or after it was killed.

mod clock;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use rustix::process::Signal;
use superstep_core::value::Value;
use superstep_engine::{RunOptions, input, state::Depth};
use superstep_sqlite::Database;
use tokio::runtime::Runtime;

use super::{
    Summary, Violation,
    stopped::{Holder, Middle, graph},
};
use crate::{
    Fallible,
    harness::Harness,
    work_dir::{DATABASE, WorkDir},
};
use clock::Clock;

/// The thread of all cases.
const THREAD: &str = "held";

/// So many processes are killed right after they have opened a database.
const OPENED: usize = 5;

/// A case: what is done, and what was wrong after it.
type FileCase = fn(&FileBench<'_>) -> Fallible<Vec<String>>;

const CASES: [(&str, FileCase); 10] = [
    ("symbolic link", |bench| bench.symbolic_link()),
    ("hard link", |bench| bench.hard_link()),
    ("hard link elsewhere", |bench| bench.hard_link_elsewhere()),
    ("log without its file", |bench| bench.log_alone()),
    ("file removed", |bench| bench.removed()),
    ("file replaced", |bench| bench.replaced()),
    ("format raised", |bench| bench.raised()),
    ("clock set forward", |bench| bench.clock_forward()),
    ("clock set back", |bench| bench.clock_back()),
    ("files of killed processes", |bench| bench.killed_openers()),
];

/// All cases, so many times.
pub fn run(rounds: u64) -> Fallible<bool> {
    let mut summary = Summary::new("files");
    let harness = Harness::new()?;
    let clock = match Clock::build(&harness)? {
        Ok(clock) => clock,
        Err(why) => {
            summary.not_run(why);
            return Ok(summary.close());
        }
    };
    let runtime = Runtime::new()?;
    for round in 0..rounds {
        for (name, case) in CASES {
            let work_dir = WorkDir::at(harness.folder()?)?;
            let bench = FileBench {
                harness: &harness,
                runtime: &runtime,
                clock: &clock,
                work_dir: &work_dir,
            };
            let wrong = case(&bench).unwrap_or_else(|error| vec![error.to_string()]);
            summary.wrong(wrong.into_iter().map(|what| Violation {
                what: format!("{name}: {what}"),
                replay: format!("superstep-crash files --rounds {}", round + 1),
            }));
            fs::remove_dir_all(work_dir.dir())?;
        }
    }
    summary.figure("rounds", rounds);
    summary.figure("cases", rounds * CASES.len() as u64);
    Ok(summary.close())
}

/// A folder with a database.
struct FileBench<'a> {
    harness: &'a Harness,
    runtime: &'a Runtime,
    clock: &'a Clock,
    work_dir: &'a WorkDir,
}

impl FileBench<'_> {
    fn path(&self) -> PathBuf {
        self.work_dir.database()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.work_dir.dir().join(name)
    }

    fn command(&self, name: &str) -> Command {
        let dir = self.work_dir.dir().to_string_lossy().into_owned();
        self.harness.command(&[name, &dir])
    }

    fn holder_of(&self, thread: &str) -> Command {
        let mut command = self.command("holder");
        // Longer than a busy machine needs to renew it.
        command.args([thread, "--lease", "30000"]);
        command
    }

    /// A process that holds the thread in the middle of a task.
    fn holder(&self) -> Fallible<Holder> {
        Holder::spawn(self.holder_of(THREAD))
    }

    /// Runs the thread from here by a name of the file; what it ends with, or the code of an error.
    fn go_on(&self, path: &Path) -> Result<Option<Value>, String> {
        let database = Database::open(path).map_err(|error| error.code().to_owned())?;
        let graph = graph(&database, Middle::GoesOn).map_err(|error| error.to_string())?;
        let options = RunOptions::on(THREAD);
        let ended = self
            .runtime
            .block_on(graph.invoke(input::go_on(), &options));
        ended
            .map(|outcome| outcome.output)
            .map_err(|error| error.code().to_owned())
    }

    /// Who did the task in the middle, by a name of the file.
    fn done_by(&self, path: &Path) -> Fallible<Option<Value>> {
        let database = Database::open(path)?;
        let graph = graph(&database, Middle::GoesOn)?;
        let thread = THREAD.into();
        let now = self
            .runtime
            .block_on(graph.state(&thread, None, Depth::Here))?;
        Ok(now.values.get("by").cloned())
    }

    /// The thread is held; it cannot be had by this name, and its holder ends undisturbed. After
    /// that the name leads to what the holder stored.
    fn second_name(&self, path: &Path) -> Fallible<Vec<String>> {
        let mut holder = self.holder()?;
        let mut wrong = expect("by the second name", self.go_on(path), "SS2001");
        wrong.extend(expect_told(&mut holder, "done")?);
        let by = self.done_by(path)?;
        if by != Some("the stopped one".into()) {
            wrong.push(format!("by the second name the task was done by {by:?}"));
        }
        Ok(wrong)
    }

    fn symbolic_link(&self) -> Fallible<Vec<String>> {
        let link = self.at("link.db");
        std::os::unix::fs::symlink(DATABASE, &link)?;
        self.second_name(&link)
    }

    fn hard_link(&self) -> Fallible<Vec<String>> {
        drop(Database::open(self.path())?);
        let link = self.at("another.db");
        fs::hard_link(self.path(), &link)?;
        self.second_name(&link)
    }

    fn hard_link_elsewhere(&self) -> Fallible<Vec<String>> {
        let mut holder = self.holder()?;
        fs::create_dir(self.at("below"))?;
        let link = self.at("below").join(DATABASE);
        fs::hard_link(self.path(), &link)?;
        let mut wrong = expect("by a name in another folder", self.go_on(&link), "SS2017");
        wrong.extend(expect_told(&mut holder, "done")?);
        Ok(wrong)
    }

    /// The file is away, its log is not.
    fn log_alone(&self) -> Fallible<Vec<String>> {
        self.holder()?.signal(Signal::KILL)?;
        let (log, aside) = (self.at("threads.db-wal"), self.at("aside"));
        let before = fs::read(&log)?;
        fs::rename(self.path(), &aside)?;
        let mut wrong = expect("without the file", self.go_on(&self.path()), "SS2005");
        if self.path().exists() || fs::read(&log)? != before {
            wrong.push("it was refused, and yet something was changed".to_owned());
        }
        fs::rename(&aside, self.path())?;
        wrong.extend(self.ends_whole());
        Ok(wrong)
    }

    /// A thread whose holder is gone resumes after its first step.
    fn ends_whole(&self) -> Vec<String> {
        match self.go_on(&self.path()) {
            Ok(output) => {
                let first = output.as_ref().and_then(|out| out.get("first").cloned());
                match first == Some(Value::from(true)) {
                    true => Vec::new(),
                    false => vec![format!("the first step is gone: {output:?}")],
                }
            }
            Err(error) => vec![format!("it does not continue: {error:?}")],
        }
    }

    fn removed(&self) -> Fallible<Vec<String>> {
        let mut holder = self.holder()?;
        fs::rename(self.path(), self.at("aside"))?;
        expect_told(&mut holder, "SS2014")
    }

    fn replaced(&self) -> Fallible<Vec<String>> {
        let mut holder = self.holder()?;
        fs::rename(self.path(), self.at("aside"))?;
        fs::copy(self.at("aside"), self.path())?;
        expect_told(&mut holder, "SS2014")
    }

    /// Another program brings the file to a format of the future.
    fn raised(&self) -> Fallible<Vec<String>> {
        let mut holder = self.holder()?;
        let other = rusqlite::Connection::open(self.path())?;
        other.execute_batch("PRAGMA user_version = 99")?;
        let rows = || other.query_row("SELECT count(*) FROM log", [], |row| row.get::<_, i64>(0));
        let before = rows()?;
        let mut wrong = expect_told(&mut holder, "SS2011")?;
        if rows()? != before {
            wrong.push("it was refused, and yet something was stored".to_owned());
        }
        Ok(wrong)
    }

    fn clock_forward(&self) -> Fallible<Vec<String>> {
        self.clocks(86_400)
    }

    fn clock_back(&self) -> Fallible<Vec<String>> {
        self.clocks(-86_400)
    }

    /// The clock of a process differs from that of the one that holds the thread, either way round.
    fn clocks(&self, seconds: i64) -> Fallible<Vec<String>> {
        let mut holder = self.holder()?;
        let mut wrong = self.rival(THREAD, Some(seconds))?;
        wrong.extend(expect_told(&mut holder, "done")?);
        let other = "held by another clock";
        let mut command = self.holder_of(other);
        self.clock.set(&mut command, seconds);
        let mut holder = Holder::spawn(command)?;
        wrong.extend(self.rival(other, None)?);
        wrong.extend(expect_told(&mut holder, "done")?);
        Ok(wrong)
    }

    /// A process that wants the thread while it is held.
    fn rival(&self, thread: &str, seconds: Option<i64>) -> Fallible<Vec<String>> {
        let mut command = self.command("rival");
        command.arg(thread);
        if let Some(seconds) = seconds {
            self.clock.set(&mut command, seconds);
        }
        let output = command.output()?;
        let message = String::from_utf8_lossy(&output.stdout);
        Ok(match message.trim_end() {
            "SS2001" => Vec::new(),
            other => vec![format!(
                "a rival was told {other}, not that the thread is held"
            )],
        })
    }

    /// Processes that were killed before they held a thread leave nothing behind.
    fn killed_openers(&self) -> Fallible<Vec<String>> {
        for _ in 0..OPENED {
            let mut command = self.command("opener");
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            let pipe = child.stdout.take().ok_or("no pipe")?;
            BufReader::new(pipe).read_line(&mut String::new())?;
            child.kill()?;
            child.wait()?;
        }
        drop(Database::open(self.path())?);
        let mut left = Vec::new();
        for entry in fs::read_dir(self.work_dir.dir())? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.contains("-worker-") {
                left.push(format!("{name} was left behind"));
            }
        }
        Ok(left)
    }
}

fn expect(who: &str, ended: Result<Option<Value>, String>, code: &str) -> Vec<String> {
    match ended {
        Err(message) if message == code => Vec::new(),
        other => vec![format!("{who} it ended with {other:?}, not with {code}")],
    }
}

/// Lets a holder end, and compares its result.
fn expect_told(holder: &mut Holder, wanted: &str) -> Fallible<Vec<String>> {
    let message = holder.goes_on()?;
    holder.wait()?;
    Ok(match message == wanted {
        true => Vec::new(),
        false => vec![format!("the holder was told {message}, not {wanted}")],
    })
}

/// A process that tries to lease a thread once, and prints the result.
pub fn rival(dir: PathBuf, thread: String) -> Fallible<ExitCode> {
    if !clock::is_set()? {
        println!("the clock is not set");
        return Ok(ExitCode::SUCCESS);
    }
    let database = Database::open(WorkDir::at(dir)?.database())?;
    let graph = graph(&database, Middle::GoesOn)?;
    let ended = Runtime::new()?.block_on(graph.invoke(input::go_on(), &RunOptions::on(thread)));
    let message = ended.map_or_else(|error| error.code().to_owned(), |_| "done".to_owned());
    println!("{message}");
    Ok(ExitCode::SUCCESS)
}

/// A process that opens a database and waits for its end.
pub fn opener(dir: PathBuf) -> Fallible<ExitCode> {
    let _database = Database::open(WorkDir::at(dir)?.database())?;
    println!("open");
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(ExitCode::SUCCESS)
}
