//! Processes of sandboxes end with the one that started them, at whatever moment that is killed.

use std::{
    fs,
    process::{Child, Command},
    time::{Duration, Instant},
};

use serde_json::Value as Json;

use super::with_workbook;
use crate::env::TestEnv;

/// How long is waited for processes to begin or to end. It is no measure of how long that takes.
const PATIENCE: Duration = Duration::from_secs(90);

/// The state of a process and its parent, while it is there.
fn status(process: u32) -> Option<(char, u32)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in brackets and may have spaces.
    let (_, rest) = text.rsplit_once(") ")?;
    let mut words = rest.split(' ');
    let state = words.next()?.chars().next()?;
    Some((state, words.next()?.parse().ok()?))
}

/// The command of a process.
fn words(process: u32) -> String {
    let bytes = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

fn all_processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The processes of a sandbox that a process started, whoever is their parent by now.
fn workers(sandbox: &str, parent: u32) -> Vec<u32> {
    let folder = format!("superstep-cpython-{parent}-");
    let is_one = |process: u32| match sandbox {
        "embedded" => {
            let its = status(process).map(|(_, parent)| parent);
            its == Some(parent) && words(process).contains("__sandbox-worker")
        }
        _ => {
            let at = fs::read_link(format!("/proc/{process}/cwd")).unwrap_or_default();
            words(process).contains(&folder) || at.to_string_lossy().contains(&folder)
        }
    };
    let lives = |process: u32| status(process).is_some_and(|(state, _)| state != 'Z');
    all_processes()
        .filter(|it| *it != parent && lives(*it) && is_one(*it))
        .collect()
}

fn lines(processes: &[u32]) -> String {
    let line = |it: &u32| format!("{it} {:?} {}", status(*it), words(*it));
    processes.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Starts a program that does not end, and returns when its sandbox has so many processes.
fn begun(env: &TestEnv, sandbox: &str, count: usize) -> (Child, Vec<u32>) {
    let line = format!("sheet exec sales.xlsx --code loop.py --dry-run --sandbox {sandbox}");
    let mut parent = env.command(&line).spawn().unwrap();
    let start = Instant::now();
    loop {
        assert!(parent.try_wait().unwrap().is_none(), "{sandbox} ended");
        let found = workers(sandbox, parent.id());
        if found.len() >= count {
            return (parent, found);
        }
        if start.elapsed() > PATIENCE {
            parent.kill().unwrap();
            parent.wait().unwrap();
            panic!("{sandbox}: not {count} processes but\n{}", lines(&found));
        }
        std::thread::yield_now();
    }
}

/// Waits until a process has ended and no process of its sandbox is left, or ends them and says which were.
fn all_end(sandbox: &str, parent: &mut Child, known: &[u32]) {
    let lives = |it: &u32| status(*it).is_some_and(|(state, _)| state != 'Z');
    let start = Instant::now();
    loop {
        let mut left = workers(sandbox, parent.id());
        left.extend(known.iter().copied().filter(lives));
        if parent.try_wait().unwrap().is_none() {
            left.push(parent.id());
        }
        if left.is_empty() {
            return;
        }
        if start.elapsed() > PATIENCE {
            let told = lines(&left);
            for process in left {
                let _ = Command::new("kill")
                    .args(["-KILL", &process.to_string()])
                    .status();
            }
            panic!("{sandbox}: these live on\n{told}");
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_worker_ends_with_the_process_that_started_it_however_that_ends() {
    let env = with_workbook();
    let config = "[agents.sheets]\nprogram_seconds = 3000\n";
    env.write("home/.config/superstep/config.toml", config);
    env.write("work/loop.py", "print('begun')\nwhile True:\n    pass\n");
    let health = env.run("doctor --json").events();
    // With namespaces there are the guard, bubblewrap, the first process of the namespaces, and Python.
    let stages = |sandbox: &str| {
        let told = |it: &Json| it["told"].as_str().unwrap_or_default().to_owned();
        let good = health
            .iter()
            .filter(|it| it["check"] == "sandbox" && it["health"] == "good")
            .map(told)
            .find(|told| told.starts_with(sandbox));
        good.map_or(0, |told| match told.contains("bubblewrap") {
            true => 4,
            false => 1,
        })
    };
    assert!(stages("embedded") > 0, "{health:?}");
    for sandbox in ["embedded", "cpython"] {
        for count in 1..=stages(sandbox) {
            // As soon as there are so many: the last of them has not said yet that it wants to end.
            for signal in ["-KILL", "-INT"] {
                let (mut parent, found) = begun(&env, sandbox, count);
                let id = parent.id().to_string();
                let sent = Command::new("kill").args([signal, &id]).status().unwrap();
                assert!(sent.success());
                all_end(sandbox, &mut parent, &found);
            }
        }
    }
}
