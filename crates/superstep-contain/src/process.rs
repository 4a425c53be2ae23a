//! Worker processes: started, fed, watched, and killed when their time is over.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::{LazyLock, OnceLock},
    thread::available_parallelism,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, Command},
    sync::Semaphore,
    time::timeout,
};

/// The most that is read of what a process writes.
const MOST: u64 = 512 << 20;

/// Places for processes that run at the same time: each may take gibibytes, so all of them together have a limit. More
/// than the processors can run would only wait for each other; the others wait here, before their time begins.
static PLACES: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(FEWEST, usize::from);
    Semaphore::new(processors.clamp(FEWEST, MOST_AT_ONCE))
});

/// How many run at the same time on the smallest and on the largest machine.
const FEWEST: usize = 2;
const MOST_AT_ONCE: usize = 8;

/// The binary that is a worker, and its first arguments.
///
/// Any binary can be one: it calls [`worker`](crate::worker) when it is started with these arguments.
#[derive(Clone, Debug)]
pub struct Worker {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Worker {
    /// A binary, started with these arguments.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().collect(),
        }
    }

    /// The binary that runs now, started with a command of its own.
    pub fn this_program(command: &str) -> io::Result<Self> {
        Ok(Self::new(
            std::env::current_exe()?,
            [OsString::from(command)],
        ))
    }

    /// The binary.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Its first arguments.
    pub fn arguments(&self) -> &[OsString] {
        &self.arguments
    }
}

/// The limit that a process exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exceeded {
    /// It ran too long.
    Time,
    /// It wanted too much memory.
    Memory,
}

/// The end of a process, and what it wrote.
#[derive(Debug)]
#[non_exhaustive]
pub struct Exited {
    /// None if it was killed because its time was over.
    pub status: Option<ExitStatus>,
    /// What it wrote to its output, as far as that was kept.
    pub stdout: Vec<u8>,
    /// How many bytes it wrote beyond what was kept.
    pub dropped: u64,
    /// The first 64 KiB that it wrote to its errors.
    pub stderr: String,
}

/// What a process reads, and by which it is ended before its time.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input {
    /// These bytes. It is killed.
    Bytes(Vec<u8>),
    /// Nothing, but an end when it is to end itself and all that it started.
    #[cfg(target_os = "linux")]
    UntilItsEnd,
}

/// How long a process that ends itself may take for that.
const ENDING: Duration = Duration::from_secs(5);

/// Runs a process to its end or to the end of its time, and keeps so many bytes of its output. Dropping the future ends
/// the process. `number` has the number of the process while that runs.
pub async fn run_process(
    mut command: Command,
    input: Input,
    time: Duration,
    keep: u64,
    number: &OnceLock<u32>,
) -> io::Result<Exited> {
    let _place = PLACES.acquire().await.map_err(io::Error::other)?;
    command.env_clear();
    // What time it is here is no secret, and dates are wrong without it.
    if let Some(zone) = std::env::var_os("TZ") {
        command.env("TZ", zone);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(matches!(input, Input::Bytes(_)));
    let mut child = command.spawn()?;
    if let Some(known) = child.id() {
        let _ = number.set(known);
    }
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (fed, held): (_, Option<ChildStdin>) = match input {
        Input::Bytes(bytes) => (stdin.map(|stdin| (stdin, bytes)), None),
        #[cfg(target_os = "linux")]
        Input::UntilItsEnd => (None, stdin),
    };
    let feed = async move {
        if let Some((mut stdin, bytes)) = fed {
            // A process that ends early has said why.
            let _ = stdin.write_all(&bytes).await;
        }
    };
    let mut out = Vec::new();
    let mut dropped = 0;
    let mut err = Vec::new();
    let finished = timeout(time, async {
        let read_out = async {
            if let Some(mut stdout) = stdout {
                (&mut stdout)
                    .take(keep.min(MOST))
                    .read_to_end(&mut out)
                    .await?;
                dropped = tokio::io::copy(&mut stdout, &mut tokio::io::sink()).await?;
            }
            io::Result::Ok(())
        };
        let read_err = async {
            if let Some(mut stderr) = stderr {
                (&mut stderr).take(64 << 10).read_to_end(&mut err).await?;
                tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await?;
            }
            io::Result::Ok(())
        };
        let ((), one, other) = tokio::join!(feed, read_out, read_err);
        one.and(other)?;
        child.wait().await
    })
    .await;
    let status = match finished {
        Ok(status) => Some(status?),
        Err(_) => {
            let ends_itself = held.is_some();
            drop(held);
            if !ends_itself || timeout(ENDING, child.wait()).await.is_err() {
                child.kill().await?;
            }
            None
        }
    };
    Ok(Exited {
        status,
        stdout: out,
        dropped,
        stderr: String::from_utf8_lossy(&err).into_owned(),
    })
}

/// The limit at which a worker ended without an answer.
pub(crate) fn exceeded(status: ExitStatus, stderr: &str) -> Option<Exceeded> {
    if stderr.contains("memory allocation") {
        return Some(Exceeded::Memory);
    }
    is_signal(status, 24).then_some(Exceeded::Time)
}

/// Whether a process was ended by a signal; 24 is the limit of processor time.
#[cfg(unix)]
fn is_signal(status: ExitStatus, signal: i32) -> bool {
    std::os::unix::process::ExitStatusExt::signal(&status) == Some(signal)
}

#[cfg(not(unix))]
fn is_signal(_: ExitStatus, _: i32) -> bool {
    false
}

/// The end of a process in words: its status, and the last line of its errors.
pub fn ended_by(status: ExitStatus, stderr: &str) -> String {
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
    match last {
        Some(line) => format!("{status}: {line}"),
        None => status.to_string(),
    }
}
