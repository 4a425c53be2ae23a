//! `strace`: the kill matrix once more, by a tool that knows nothing of SQLite. It sends the signal
//! at the n-th system call of each kind that changes a file.

use std::{
    fs,
    process::{Command, Stdio},
};

use super::{Summary, Violation, try_all};
use crate::{
    Fallible,
    graphs::Scene,
    harness::{Harness, WorkerExit},
    worker::WorkerArgs,
};

/// The system calls that make something last.
const CALLS: [&str; 7] = [
    "pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink", "flock",
];

/// So many are killed between two looks at whether a script has more of them.
const BATCH: u64 = 8;

/// Every such call of a graph's script.
pub fn run(harness: &Harness, scene: Scene, jobs: usize) -> Fallible<bool> {
    let mut summary = Summary::new(format!("strace of {scene}"));
    if !is_installed() {
        summary.not_run("strace is not installed or may not trace");
        return Ok(summary.close());
    }
    let expected = harness.undisturbed(scene)?.result;
    let mut kills = 0;
    for call in CALLS {
        let (killed, violations) = every(harness, scene, call, &expected, jobs);
        summary.figure(call, killed);
        kills += killed;
        summary.wrong(violations);
    }
    summary.figure("killed", kills);
    summary.wrong((kills == 0).then(|| Violation {
        what: "nobody was killed".to_owned(),
        replay: format!("superstep-crash strace --graph {scene}"),
    }));
    Ok(summary.close())
}

fn is_installed() -> bool {
    let mut probe = Command::new("strace");
    probe.args(["-qq", "-e", "trace=none", "true"]);
    let probe = probe.stdout(Stdio::null()).stderr(Stdio::null()).status();
    probe.is_ok_and(|status| status.success())
}

/// Kills at the first, second and so on call of a kind until a script has no more of them.
fn every(
    harness: &Harness,
    scene: Scene,
    call: &str,
    expected: &str,
    jobs: usize,
) -> (u64, Vec<Violation>) {
    let (mut killed, mut found, mut first) = (0, Vec::new(), 1);
    loop {
        let batch: Vec<u64> = (first..first + BATCH).collect();
        let before = killed;
        let kills = std::sync::atomic::AtomicU64::new(0);
        let replay = |n: &u64| inject(call, *n) + " superstep-crash worker " + scene.name();
        found.extend(try_all(jobs, &batch, replay, |n| {
            let (was_killed, wrong) = attempt(harness, scene, call, *n, expected)?;
            kills.fetch_add(u64::from(was_killed), std::sync::atomic::Ordering::Relaxed);
            Ok(wrong)
        }));
        killed += kills.into_inner();
        if killed == before {
            return (killed, found);
        }
        first += BATCH;
    }
}

fn inject(call: &str, n: u64) -> String {
    format!("strace -f -qq -o /dev/null -e trace={call} -e inject={call}:signal=SIGKILL:when={n}")
}

fn attempt(
    harness: &Harness,
    scene: Scene,
    call: &str,
    n: u64,
    expected: &str,
) -> Fallible<(bool, Vec<String>)> {
    let dir = harness.folder()?;
    let ended = traced(&harness.worker_args(scene, &dir), &inject(call, n))?;
    let killed = matches!(ended, WorkerExit::Killed);
    let wrong = match ended {
        WorkerExit::Killed => harness.run_to_end(scene, &dir, expected)?,
        WorkerExit::Done(report) if report.result == expected => Vec::new(),
        other => vec![format!("the first worker ends with {other:?}")],
    };
    fs::remove_dir_all(&dir)?;
    Ok((killed, wrong))
}

fn traced(worker_args: &WorkerArgs, strace: &str) -> Fallible<WorkerExit> {
    let mut words = strace.split(' ');
    let mut command = Command::new(words.next().unwrap_or("strace"));
    command.args(words).arg(std::env::current_exe()?);
    command.args(worker_args.to_args());
    Ok(WorkerExit::of(&command.stdin(Stdio::null()).output()?))
}
