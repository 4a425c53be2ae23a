//! Runs of a process that is killed, or that another process cancels.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use serde_json::json;
use superstep::{
    Backends, Caller, Ending, LogItem, Modes, RunId, RunOptions, RunStatus, Saver, ThreadId,
    clock::{Clock, ManualClock, SystemClock, UnixMillis},
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, DynReducer, EventKind, Halt, START, Worker},
    saver::At,
};
use superstep_sqlite::Database;
use tokio::sync::oneshot;

use crate::env::Folder;

/// Set in a process that runs a graph on this database.
const RUNNER: &str = "SUPERSTEP_TEST_RUNNER";

const HOUR: Duration = Duration::from_secs(3600);

/// A clock that is two hours ahead.
struct Ahead;

impl Clock for Ahead {
    fn now(&self) -> UnixMillis {
        SystemClock.now() + 2 * i64::try_from(HOUR.as_millis()).unwrap()
    }
}

/// One task is done at once and says in which process, the other one sleeps for an hour.
fn graph(database: &Database, clock: Option<Arc<dyn Clock>>) -> DynGraph {
    let quick = |ctx: DynCtx| async move {
        let word = ctx.get("word");
        let word = word.as_str().unwrap_or_default();
        Ok::<_, Halt>(json!({ "log": [format!("{word} in {}", std::process::id())] }))
    };
    let nap = |ctx: DynCtx| async move {
        // Beside something else, so that the run stays under way.
        let (_open, never) = oneshot::channel::<()>();
        tokio::select! {
            slept = ctx.sleep(HOUR) => slept?,
            _never = never => {}
        }
        let by = json!({ "caller": ctx.caller().owner(), "context": ctx.context() });
        Ok::<_, Halt>(json!({ "log": ["slept"], "by": by }))
    };
    DynGraphBuilder::new()
        .name("naps")
        .last_value("word")
        .last_value("by")
        .reduce("log", DynReducer::Add, json!([]))
        .node("nap", nap)
        .node("quick", quick)
        .edge(START, "nap")
        .edge(START, "quick")
        .backends(Backends {
            saver: Some(Arc::new(database.saver())),
            clock,
            ..Backends::default()
        })
        .build()
        .unwrap()
}

fn options() -> RunOptions {
    RunOptions {
        log: Modes::UPDATES,
        ..RunOptions::on("t")
    }
}

/// Options of a user with a caller and a context of their own.
fn of(user: &str) -> RunOptions {
    RunOptions {
        caller: Some(Caller::new(user)),
        context: json!({ "shop": format!("{user}'s") }).into(),
        ..options()
    }
}

/// The tests whose processes are a [`Runner`] where [`RUNNER`] is set.
const STARTER_TEST: &str = "killed_runs::another_process_cancels_a_run_by_its_id";
const WORKER_TEST: &str =
    "killed_runs::a_queued_run_whose_worker_was_killed_keeps_its_caller_and_context";

/// Queues a run and takes it from the queue.
async fn work_a_queue(path: &Path) {
    let database = Database::open(path).unwrap();
    let graph = graph(&database, None);
    let run = graph.to_queue(json!({ "word": "hello" }), &of("ann"));
    let run = graph.enqueue(run.unwrap()).await.unwrap();
    println!("run={}", run.id);
    let worker = Worker::new([graph], RunOptions::default()).unwrap();
    worker.work_once().await.unwrap();
}

const SLEEPER_TEST: &str = "killed_runs::a_run_that_sleeps_outlives_its_process_and_is_woken_once";

/// Sleeps for an hour from the beginning of the epoch, with an effect before and after.
fn sleeper(database: &Database, clock: Option<Arc<dyn Clock>>) -> DynGraph {
    let node = |ctx: DynCtx| async move {
        let by = || async { Ok(std::process::id()) };
        let before: u32 = ctx.once("before", by).await?;
        ctx.sleep(HOUR).await?;
        let after: u32 = ctx.once("after", by).await?;
        Ok::<_, Halt>(json!({ "by": [before, after] }))
    };
    DynGraphBuilder::new()
        .name("sleeps")
        .last_value("by")
        .node("sleep", node)
        .edge(START, "sleep")
        .backends(Backends {
            saver: Some(Arc::new(database.saver())),
            clock,
            ..Backends::default()
        })
        .build()
        .unwrap()
}

/// Starts a run that sleeps, and stays when it has ended so.
async fn fall_asleep(path: &Path) {
    let database = Database::open(path).unwrap();
    let graph = sleeper(&database, Some(Arc::new(ManualClock::at(0))));
    let running = graph.start(json!({}), &of("ann")).await.unwrap();
    println!("run={}", running.id);
    let outcome = running.await.unwrap();
    println!("status={:?}", outcome.status);
    std::future::pending().await
}

/// Starts a run and waits for its end, which must be a cancellation.
async fn run_a_graph(path: &Path) {
    let database = Database::open(path).unwrap();
    let graph = graph(&database, None);
    let running = graph
        .start(json!({ "word": "hello" }), &of("ann"))
        .await
        .unwrap();
    println!("run={}", running.id);
    let error = running.await.unwrap_err();
    println!("code={}", error.code());
}

/// A process that has started a run.
struct Runner {
    child: Child,
    said: BufReader<std::process::ChildStdout>,
    run: RunId,
}

impl Runner {
    fn start(path: &Path) -> Self {
        Self::of(STARTER_TEST, path)
    }

    fn of(test: &str, path: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(RUNNER, path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        let run = word_after(&mut said, "run=").parse().unwrap();
        Self { child, said, run }
    }

    /// Ends it as a crash would.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn word_after(said: &mut impl BufRead, mark: &str) -> String {
    loop {
        let mut line = String::new();
        assert!(
            said.read_line(&mut line).unwrap() > 0,
            "it ended before `{mark}`"
        );
        if let Some((_, word)) = line.split_once(mark) {
            return word.trim().to_owned();
        }
    }
}

/// Waits until the sleeping task has stored when it wakes up.
async fn asleep(database: &Database) {
    let (saver, thread) = (database.saver(), ThreadId::from("t"));
    loop {
        let loaded = saver.load(&thread, &"".into(), At::Latest).await.unwrap();
        let notes = loaded.map(|loaded| loaded.notes).unwrap_or_default();
        if notes.iter().any(|note| !note.extras.effects.is_empty()) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Reads the log of a run up to what its quick task did.
async fn quick_is_done(reader: &mut superstep::dynamic::DynFollow) {
    while let Some((_, item)) = reader.next().await.unwrap() {
        if let LogItem::Event(event) = item
            && let EventKind::Update { node, .. } = event.kind
            && &*node == "quick"
        {
            return;
        }
    }
    panic!("the log ended before");
}

#[tokio::test]
async fn a_killed_run_is_told_to_its_readers_and_continued_with_what_it_stored() {
    let folder = Folder::new();
    let runner = Runner::start(&folder.path());
    let (run, process) = (runner.run, runner.child.id());
    let database = folder.open();
    let now = graph(&database, None);
    assert_eq!(now.status("t").await.unwrap(), RunStatus::Running);
    assert!(now.interrupted_threads().await.unwrap().is_empty());
    let mut reader = now.follow_run(run, None, Modes::UPDATES);
    quick_is_done(&mut reader).await;
    asleep(&database).await;
    runner.kill();
    let last = reader.next().await.unwrap().map(|(_, item)| item);
    assert_eq!(last, Some(LogItem::Ended(Ending::Interrupted)));
    assert!(reader.next().await.unwrap().is_none());
    assert_eq!(now.status("t").await.unwrap(), RunStatus::Interrupted);
    // Two hours later; whoever waited anew would wait for another hour.
    let later = graph(&database, Some(Arc::new(Ahead)));
    let mut recovery = later.resume_interrupted(&options()).await.unwrap();
    assert!(recovery.failed.is_empty());
    let outcome = recovery.started.pop().unwrap().await.unwrap();
    let log = outcome.output.unwrap().get("log").unwrap().to_json();
    assert_eq!(log, json!(["slept", format!("hello in {process}")]));
    assert_eq!(later.status("t").await.unwrap(), RunStatus::Done);
    assert!(later.interrupted_threads().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_killed_run_is_continued_with_its_own_caller_and_context() {
    let folder = Folder::new();
    let runner = Runner::start(&folder.path());
    asleep(&folder.open()).await;
    runner.kill();
    let database = folder.open();
    let later = graph(&database, Some(Arc::new(Ahead)));
    let mut recovery = later.resume_interrupted(&of("eve")).await.unwrap();
    assert!(recovery.failed.is_empty(), "{:?}", recovery.failed);
    let running = recovery.started.pop().unwrap();
    let id = running.id;
    let seen = running.await.unwrap().output.unwrap();
    let by = json!({ "caller": "ann", "context": { "shop": "ann's" } });
    assert_eq!(seen.get("by").unwrap().to_json(), by);
    let record = later.find_run(id).await.unwrap().unwrap();
    assert_eq!(record.caller(), &Caller::new("ann"));
}

#[tokio::test]
async fn a_queued_run_whose_worker_was_killed_keeps_its_caller_and_context() {
    if let Some(path) = std::env::var_os(RUNNER) {
        return work_a_queue(Path::new(&path)).await;
    }
    let folder = Folder::new();
    let runner = Runner::of(WORKER_TEST, &folder.path());
    asleep(&folder.open()).await;
    runner.kill();
    let database = folder.open();
    let later = graph(&database, Some(Arc::new(Ahead)));
    let worker = Worker::new([later], of("eve")).unwrap();
    let worked = loop {
        if let Some(worked) = worker.work_once().await.unwrap() {
            break worked;
        }
        tokio::task::yield_now().await;
    };
    let seen = worked.outcome.unwrap().output.unwrap();
    let by = json!({ "caller": "ann", "context": { "shop": "ann's" } });
    assert_eq!(seen.get("by").unwrap().to_json(), by);
}

#[tokio::test]
async fn a_run_that_sleeps_outlives_its_process_and_is_woken_once() {
    if let Some(path) = std::env::var_os(RUNNER) {
        return fall_asleep(Path::new(&path)).await;
    }
    let folder = Folder::new();
    let mut runner = Runner::of(SLEEPER_TEST, &folder.path());
    assert_eq!(word_after(&mut runner.said, "status="), "Sleeping");
    let (run, killed) = (runner.run, runner.child.id());
    runner.kill();
    let database = folder.open();
    let later = sleeper(&database, None);
    assert_eq!(later.status("t").await.unwrap(), RunStatus::Sleeping);
    let nobody_cut = later.interrupted_threads().await.unwrap();
    assert!(nobody_cut.is_empty());
    let other = folder.open();
    let rival = sleeper(&other, None);
    let options = options();
    let (mut one, two) = tokio::join!(later.wake_due(&options), rival.wake_due(&options));
    one.as_mut().unwrap().extend(two.unwrap());
    let [worked] = &one.unwrap()[..] else {
        panic!("one of them wakes it");
    };
    assert_eq!(worked.run, run);
    let woken = worked.outcome.as_ref().unwrap();
    let by = woken.output.as_ref().unwrap().to_json();
    assert_eq!(by, json!({ "by": [killed, std::process::id()] }));
    let record = later.find_run(run).await.unwrap().unwrap();
    assert_eq!(record.status(), RunStatus::Done);
    assert_eq!(record.caller(), &Caller::new("ann"));
}

#[tokio::test]
async fn a_run_is_not_lost_once_its_start_has_returned() {
    let folder = Folder::new();
    let runner = Runner::start(&folder.path());
    runner.kill();
    let database = folder.open();
    let later = graph(&database, Some(Arc::new(Ahead)));
    assert_eq!(later.interrupted_threads().await.unwrap(), ["t".into()]);
    let mut recovery = later.resume_interrupted(&options()).await.unwrap();
    assert!(recovery.failed.is_empty(), "{:?}", recovery.failed);
    let running = recovery.started.pop().unwrap();
    // The first process may not have got as far as its timer, which then is an hour from now.
    running.canceller().cancel("seen enough");
    let ended = running.await;
    assert!(ended.is_ok() || ended.unwrap_err().code() == "SS1113");
    let state = later
        .state(&"t".into(), None, Default::default())
        .await
        .unwrap();
    let word = state
        .values
        .get("word")
        .and_then(|word| word.as_str().map(str::to_owned));
    assert_eq!(word.as_deref(), Some("hello"));
}

#[tokio::test]
async fn another_process_cancels_a_run_by_its_id() {
    if let Some(path) = std::env::var_os(RUNNER) {
        return run_a_graph(Path::new(&path)).await;
    }
    let folder = Folder::new();
    let mut runner = Runner::start(&folder.path());
    let database = folder.open();
    let graph = graph(&database, Some(Arc::new(Ahead)));
    let mut reader = graph.follow_run(runner.run, None, Modes::UPDATES);
    quick_is_done(&mut reader).await;
    asleep(&database).await;
    assert!(
        graph
            .cancel(runner.run, "not needed any more")
            .await
            .unwrap()
    );
    let reason = "not needed any more".to_owned();
    let last = reader.next().await.unwrap().map(|(_, item)| item);
    assert_eq!(last, Some(LogItem::Ended(Ending::Cancelled { reason })));
    assert_eq!(word_after(&mut runner.said, "code="), "SS1113");
    assert!(runner.child.wait().unwrap().success());
    assert_eq!(graph.status("t").await.unwrap(), RunStatus::Cancelled);
    assert!(
        graph.interrupted_threads().await.unwrap().is_empty(),
        "it was meant"
    );
    let outcome = graph
        .start(superstep::dynamic::input::go_on(), &options())
        .await
        .unwrap();
    let outcome = outcome.await.unwrap();
    assert_eq!(
        outcome
            .output
            .unwrap()
            .get("log")
            .unwrap()
            .as_list()
            .unwrap()
            .len(),
        2
    );
}
