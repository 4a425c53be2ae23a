//! The processes of sandboxes: started, fed, watched, and killed when their time is over.

use std::{
    ffi::OsString,
    io,
    path::PathBuf,
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

use crate::fault::Stop;

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

/// The binary that is the worker of sandboxes, and its first arguments.
///
/// Any binary can be one: it calls [`worker`](crate::worker) when it is started with these arguments.
#[derive(Clone, Debug)]
pub struct Worker {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
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
}

/// How a process ended.
pub(crate) struct Exited {
    /// None if it was killed because its time was over.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) stdout: Vec<u8>,
    /// How much it wrote beyond what was kept.
    pub(crate) dropped: u64,
    pub(crate) stderr: String,
}

/// What a process reads, and by which it is ended before its time.
pub(crate) enum Input {
    /// These bytes. It is killed.
    Bytes(Vec<u8>),
    /// Nothing, but an end when it is to end itself and all that it started.
    #[cfg(target_os = "linux")]
    UntilItsEnd,
}

/// How long a process that ends itself may take for that.
const ENDING: Duration = Duration::from_secs(5);

/// Runs a process to its end or to the end of its time. If the future is dropped it is ended.
pub(crate) async fn run(
    command: Command,
    input: Vec<u8>,
    time: Duration,
    keep: u64,
) -> io::Result<Exited> {
    run_known(command, Input::Bytes(input), time, keep, &OnceLock::new()).await
}

/// The same, and tells the number of the process while it runs.
pub(crate) async fn run_known(
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
pub(crate) fn limit(status: ExitStatus, stderr: &str) -> Option<Stop> {
    if stderr.contains("memory allocation") {
        return Some(Stop::Memory);
    }
    is_signal(status, 24).then_some(Stop::Time)
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

/// How a process ended, in words.
pub(crate) fn words(status: ExitStatus, stderr: &str) -> String {
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
    match last {
        Some(line) => format!("{status}: {line}"),
        None => status.to_string(),
    }
}
