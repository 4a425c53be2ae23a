//! `stopped`: a process that holds a thread is stopped in the middle of a task for longer than its
//! lease, another one takes the thread over and ends it, and the first one wakes up. What it then
//! wants to store must be refused.

use std::{
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, Command, ExitCode, Stdio},
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use superstep_core::{
    command::START, error::Error, id::GraphPath, plan::BuildErrors, run::Halt, saver::HistoryQuery,
    value::Value,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynOutcome, RunOptions, input, state::Depth,
};
use superstep_sqlite::{Database, Options};

use super::{Summary, Violation};
use crate::{Fallible, harness::Harness, work_dir::WorkDir};

/// The lease: how long a process that hangs keeps its threads.
const LEASE: Duration = Duration::from_millis(150);

/// How often somebody who wants a thread asks for it.
const RETRY: Duration = Duration::from_millis(10);

fn open(work_dir: &WorkDir, lease: Duration) -> Fallible<Database> {
    let options = Options {
        lease,
        ..Options::default()
    };
    Ok(Database::open_with(work_dir.database(), options)?)
}

/// Whether the task in the middle waits for a word from outside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Middle {
    Waits,
    GoesOn,
}

pub(super) fn graph(database: &Database, middle: Middle) -> Result<DynGraph, BuildErrors> {
    let who = match middle {
        Middle::Waits => "the stopped one",
        Middle::GoesOn => "the other",
    };
    let first = |_: DynCtx| async { Ok::<_, Halt>(json!({ "first": true })) };
    let second = move |_: DynCtx| async move {
        if middle == Middle::Waits {
            let heard = tokio::task::spawn_blocking(|| {
                println!("holding");
                std::io::stdin().read_line(&mut String::new())
            });
            heard.await??;
        }
        Ok::<_, Halt>(json!({ "by": who }))
    };
    let third = |_: DynCtx| async { Ok::<_, Halt>(json!({ "third": true })) };
    DynGraphBuilder::new()
        .last_value("first")
        .last_value("by")
        .last_value("third")
        .node("first", first)
        .node("second", second)
        .node("third", third)
        .edge(START, "first")
        .edge("first", "second")
        .edge("second", "third")
        .backends(Backends::on(database.saver()))
        .build()
}

/// The rounds.
pub fn run(rounds: u64) -> Fallible<bool> {
    let mut summary = Summary::new("stopped");
    let harness = Harness::new()?;
    let work_dir = WorkDir::at(harness.folder()?)?;
    let database = open(&work_dir, LEASE)?;
    let graph = graph(&database, Middle::GoesOn)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let (mut refused, mut stale) = (0, 0);
    for round in 0..rounds {
        let thread = format!("round {round}");
        let mut holder = Holder::start(&harness, &work_dir, &thread)?;
        let wrong = runtime.block_on(play(&graph, &thread, &mut holder))?;
        match wrong.is_empty() {
            true => refused += 1,
            false => stale += 1,
        }
        summary.wrong(wrong.into_iter().map(|what| Violation {
            what: format!("round {round}: {what}"),
            replay: format!("superstep-crash stopped --rounds {}", round + 1),
        }));
    }
    summary.figure("rounds", rounds);
    summary.figure("refused", refused);
    summary.figure("stale commits", stale);
    Ok(summary.close())
}

async fn play(graph: &DynGraph, thread: &str, holder: &mut Holder) -> Fallible<Vec<String>> {
    let mut wrong = Vec::new();
    holder.signal(Signal::STOP)?;
    let taken = take_over(graph, thread).await?;
    if taken.output.as_ref().and_then(|out| out.get("by")) != Some(&"the other".into()) {
        wrong.push(format!("who took over ends with {:?}", taken.output));
    }
    let before = all(graph, thread).await?;
    holder.signal(Signal::CONT)?;
    let message = holder.goes_on()?;
    if message != "SS2002" {
        wrong.push(format!(
            "the stopped one was told {message}, not that it came too late"
        ));
    }
    if all(graph, thread).await? != before {
        wrong.push("the stopped one changed the thread".to_owned());
    }
    Ok(wrong)
}

/// Asks for a thread until its holder's lease has run out, and ends it.
async fn take_over(graph: &DynGraph, thread: &str) -> Result<DynOutcome, Error> {
    loop {
        let options = RunOptions::on(thread);
        match graph.invoke(input::go_on(), &options).await {
            Err(error) if error.code() == "SS2001" => tokio::time::sleep(RETRY).await,
            other => return other,
        }
    }
}

/// All that a thread holds, as text.
async fn all(graph: &DynGraph, thread: &str) -> Result<String, Error> {
    let (thread, root) = (thread.into(), GraphPath::default());
    let history = graph
        .history(&thread, &root, &HistoryQuery::default())
        .await?;
    let now = graph.state(&thread, None, Depth::Here).await?;
    Ok(format!("{history:?} {now:?}"))
}

/// The process that is stopped.
pub(super) struct Holder {
    child: Child,
    said: BufReader<std::process::ChildStdout>,
}

impl Holder {
    /// Starts it; it holds the thread and is in the middle of a task when this returns.
    fn start(harness: &Harness, work_dir: &WorkDir, thread: &str) -> Fallible<Self> {
        let dir = work_dir.dir().to_string_lossy().into_owned();
        Self::spawn(harness.command(&["holder", &dir, thread]))
    }

    /// The same, by a command.
    pub(super) fn spawn(mut command: Command) -> Fallible<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let said = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        let mut holder = Self { child, said };
        match holder.line()?.as_str() {
            "holding" => Ok(holder),
            other => Err(format!("the holder said `{other}`").into()),
        }
    }

    fn line(&mut self) -> Fallible<String> {
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    pub(super) fn signal(&self, signal: Signal) -> Fallible<()> {
        let id = i32::try_from(self.child.id())?;
        let id = Pid::from_raw(id).ok_or("no process")?;
        Ok(kill_process(id, signal)?)
    }

    /// Lets its task end; returns the result of its run.
    pub(super) fn goes_on(&mut self) -> Fallible<String> {
        let mut pipe = self.child.stdin.take().ok_or("no pipe")?;
        writeln!(pipe, "go on")?;
        drop(pipe);
        self.line()
    }
}

impl Holder {
    /// Waits until it has ended.
    pub(super) fn wait(&mut self) -> Fallible<()> {
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// What a holder is given.
#[derive(Clone, Debug, clap::Args)]
pub struct HolderArgs {
    /// Its folder.
    pub dir: PathBuf,
    /// The thread it leases.
    pub thread: String,
    /// How long its lease is, in milliseconds.
    #[arg(long, default_value_t = LEASE.as_millis() as u64)]
    pub lease: u64,
}

/// A process that holds a thread until it reads a line.
pub fn child(args: HolderArgs) -> Fallible<ExitCode> {
    let work_dir = WorkDir::at(args.dir)?;
    let database = open(&work_dir, Duration::from_millis(args.lease))?;
    let graph = graph(&database, Middle::Waits)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let input = Value::from(json!({ "first": false }));
    let ended = runtime.block_on(graph.invoke(input, &RunOptions::on(args.thread)));
    println!(
        "{}",
        ended.map_or_else(|error| error.code().to_owned(), |_| "done".to_owned())
    );
    Ok(ExitCode::SUCCESS)
}
