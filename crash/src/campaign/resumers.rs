//! `resumers`: one question, many who answer it at the same moment. One wins, all others get an
//! error, and what was approved happens once.

use std::{
    io::{BufRead, BufReader, Write},
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, ExitCode, Stdio},
    sync::{Arc, Barrier, mpsc},
    thread,
};

use serde_json::json;
use superstep_core::{
    command::START,
    error::Error,
    id::{AskId, ThreadId},
    plan::BuildErrors,
    run::Halt,
    value::Value,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, RunOptions, input, state::Depth,
};
use superstep_sqlite::Database;
use tokio::runtime::Runtime;

use super::{Summary, Violation};
use crate::{
    Fallible,
    harness::Harness,
    work_dir::{Target, WorkDir},
};

/// The errors of those who come too late: in use, changed meanwhile, no such question, nothing to
/// continue with.
const LATE: [&str; 4] = ["SS2001", "SS2002", "SS1105", "SS1101"];

/// A question, then an effect on a service that does not know keys.
pub fn graph(work_dir: &WorkDir, database: &Database) -> Result<DynGraph, BuildErrors> {
    let work_dir = work_dir.clone();
    let pay = move |ctx: DynCtx| {
        let work_dir = work_dir.clone();
        async move {
            let answer = ctx.ask("pay")?;
            let key = ctx.thread().map(ThreadId::to_string).unwrap_or_default();
            let effect = || async {
                work_dir.enter(&key, Target::Blind)?;
                Ok(true)
            };
            ctx.once("pay", effect).await?;
            Ok::<_, Halt>(json!({ "by": answer.to_json() }))
        }
    };
    DynGraphBuilder::new()
        .last_value("by")
        .node("pay", pay)
        .edge(START, "pay")
        .backends(Backends::on(database.saver()))
        .build()
}

fn runtime() -> std::io::Result<Runtime> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build()
}

/// One attempt to answer: nothing if it won, else the error code.
async fn answer(graph: &DynGraph, thread: &str, ask: AskId, who: &str) -> Result<(), Error> {
    let options = RunOptions {
        strict_resume: true,
        ..RunOptions::on(thread)
    };
    let answer = input::answers([(ask, Value::from(who))]);
    graph.invoke(answer, &options).await.map(|_| ())
}

fn verdict(result: Result<(), Error>) -> String {
    match result {
        Ok(()) => "won".to_owned(),
        Err(error) => error.code().to_owned(),
    }
}

/// How many contend, and how often.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ResumersArgs {
    /// Questions.
    #[arg(long, default_value_t = 1000)]
    pub rounds: u64,
    /// Threads that answer.
    #[arg(long, default_value_t = 64)]
    pub threads: usize,
    /// Processes that answer, instead of threads.
    #[arg(long, conflicts_with = "threads")]
    pub processes: Option<usize>,
}

/// Rounds among threads or processes.
pub fn run(args: &ResumersArgs) -> Fallible<bool> {
    let rounds = args.rounds;
    let harness = Harness::new()?;
    let work_dir = WorkDir::at(harness.folder()?)?;
    let database = Database::open(work_dir.database())?;
    let graph = graph(&work_dir, &database)?;
    match args.processes {
        Some(n) => {
            let contenders = Processes::start(&harness, &work_dir, n)?;
            play(&work_dir, &graph, rounds, "processes", n, contenders)
        }
        None => {
            let n = args.threads;
            let contenders = Threads::start(&work_dir, &database, n)?;
            play(&work_dir, &graph, rounds, "threads", n, contenders)
        }
    }
}

/// Those who answer at the same moment.
trait Contenders {
    /// Lets all answer at once; returns the error code of each, `won` for the winner.
    fn answer(&mut self, thread: &str, ask: AskId) -> Fallible<Vec<String>>;
}

fn play(
    work_dir: &WorkDir,
    graph: &DynGraph,
    rounds: u64,
    kind: &'static str,
    size: usize,
    mut contenders: impl Contenders,
) -> Fallible<bool> {
    let mut summary = Summary::new(format!("resumers, {size} {kind}"));
    let runtime = runtime()?;
    let mut codes = std::collections::BTreeMap::<String, u64>::new();
    for round in 0..rounds {
        let thread = format!("round {round}");
        let options = RunOptions::on(&thread);
        let asked = runtime.block_on(graph.invoke(Value::from(json!({})), &options))?;
        let ask = asked.asks.first().ok_or("it does not ask")?.id;
        let verdicts = contenders.answer(&thread, ask)?;
        let mut wrong = Vec::new();
        let winners = verdicts.iter().filter(|verdict| *verdict == "won").count();
        if winners != 1 {
            wrong.push(format!("{winners} winners"));
        }
        let is_odd = |verdict: &&String| *verdict != "won" && !LATE.contains(&verdict.as_str());
        wrong.extend(
            verdicts
                .iter()
                .find(is_odd)
                .map(|odd| format!("one was told {odd}")),
        );
        let entries = work_dir.ledger()?;
        let entries = entries.iter().filter(|entry| **entry == thread).count();
        if entries != 1 {
            wrong.push(format!("the effect happened {entries} times"));
        }
        let id = ThreadId::from(&thread);
        let state = runtime.block_on(graph.state(&id, None, Depth::Here))?;
        if !state.next.is_empty() || state.asks().next().is_some() {
            wrong.push("the thread is not done".to_owned());
        }
        for verdict in verdicts {
            *codes.entry(verdict).or_default() += 1;
        }
        summary.wrong(wrong.into_iter().map(|what| Violation {
            what: format!("round {round}: {what}"),
            replay: format!("superstep-crash resumers --rounds {rounds} --{kind} {size}"),
        }));
    }
    let codes: Vec<String> = codes
        .iter()
        .map(|(code, n)| format!("{code} {n}"))
        .collect();
    summary.figure("rounds", rounds);
    summary.figure("told", format!("({})", codes.join(", ")));
    Ok(summary.close())
}

/// Threads of this process on one database.
struct Threads {
    gates: Vec<mpsc::Sender<(String, AskId)>>,
    verdicts: mpsc::Receiver<String>,
}

impl Threads {
    fn start(work_dir: &WorkDir, database: &Database, n: usize) -> Fallible<Self> {
        let (tell, verdicts) = mpsc::channel();
        let barrier = Arc::new(Barrier::new(n));
        let mut gates = Vec::new();
        for k in 0..n {
            let (gate, rounds) = mpsc::channel::<(String, AskId)>();
            let (tell, barrier, runtime) = (tell.clone(), barrier.clone(), runtime()?);
            let graph = graph(work_dir, database)?;
            thread::spawn(move || {
                for (thread, ask) in rounds {
                    barrier.wait();
                    let who = k.to_string();
                    let result = runtime.block_on(answer(&graph, &thread, ask, &who));
                    if tell.send(verdict(result)).is_err() {
                        return;
                    }
                }
            });
            gates.push(gate);
        }
        Ok(Self { gates, verdicts })
    }
}

impl Contenders for Threads {
    fn answer(&mut self, thread: &str, ask: AskId) -> Fallible<Vec<String>> {
        for gate in &self.gates {
            gate.send((thread.to_owned(), ask))?;
        }
        Ok(self.verdicts.iter().take(self.gates.len()).collect())
    }
}

/// Processes, each with a database of its own on the same file.
struct Processes(Vec<Resumer>);

struct Resumer {
    child: Child,
    orders: ChildStdin,
    verdicts: BufReader<ChildStdout>,
}

impl Processes {
    fn start(harness: &Harness, work_dir: &WorkDir, n: usize) -> Fallible<Self> {
        let dir = work_dir.dir().to_string_lossy().into_owned();
        let mut all = Vec::new();
        for k in 0..n {
            let mut command = harness.command(&["resumer", &dir, &k.to_string()]);
            let mut child = command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            let orders = child.stdin.take().ok_or("no pipe")?;
            let verdicts = BufReader::new(child.stdout.take().ok_or("no pipe")?);
            all.push(Resumer {
                child,
                orders,
                verdicts,
            });
        }
        Ok(Self(all))
    }
}

impl Contenders for Processes {
    fn answer(&mut self, thread: &str, ask: AskId) -> Fallible<Vec<String>> {
        for resumer in &mut self.0 {
            writeln!(resumer.orders, "{ask} {thread}")?;
        }
        let mut verdicts = Vec::new();
        for resumer in &mut self.0 {
            let mut line = String::new();
            if resumer.verdicts.read_line(&mut line)? == 0 {
                return Err("a resumer has ended".into());
            }
            verdicts.push(line.trim_end().to_owned());
        }
        Ok(verdicts)
    }
}

impl Drop for Resumer {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill.
        let _gone = self.child.kill();
        let _gone = self.child.wait();
    }
}

/// A process that reads `ASK THREAD` per line and answers, until its input ends.
pub fn child(dir: PathBuf, who: &str) -> Fallible<ExitCode> {
    let work_dir = WorkDir::at(dir)?;
    let database = Database::open(work_dir.database())?;
    let (graph, runtime) = (graph(&work_dir, &database)?, runtime()?);
    for line in std::io::stdin().lines() {
        let line = line?;
        let (ask, thread) = line.split_once(' ').ok_or("not an order")?;
        let result = runtime.block_on(answer(&graph, thread, ask.parse()?, who));
        println!("{}", verdict(result));
    }
    Ok(ExitCode::SUCCESS)
}
