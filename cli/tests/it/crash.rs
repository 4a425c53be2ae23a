//! Processes that are killed, and processes that meet.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command},
};

use serde_json::Value as Json;

use crate::env::{TestEnv, thread_in};

const TAPE: &str = "--model cassette:tape.jsonl?auto=script:FIXTURES/archie.jsonl";

/// Reads stdout until it has this, and what stderr says until the thread is named.
fn wait_for(child: &mut Child, wanted: &str) -> String {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut message = String::new();
    let thread = loop {
        assert!(
            stderr.read_line(&mut message).unwrap() > 0,
            "no thread: {message}"
        );
        if let Some(thread) = thread_in(&message) {
            break thread;
        }
    };
    // Whoever is not read stops writing.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    let stdout = child.stdout.as_mut().unwrap();
    let mut seen = Vec::new();
    let mut byte = [0];
    while !String::from_utf8_lossy(&seen).contains(wanted) {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1, "no `{wanted}`");
        seen.push(byte[0]);
    }
    thread
}

fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn calls(env: &TestEnv) -> usize {
    let tape = env.read("work/tape.jsonl");
    let lines = tape.lines().filter(|line| line.contains("\"key\""));
    lines.count()
}

fn history(env: &TestEnv, thread: &str) -> Vec<String> {
    let ran = env.run(&format!("threads show {thread} --json"));
    let state: Json = serde_json::from_str(ran.stdout.trim()).unwrap();
    let history = state["state"]["analysis_history"].as_array().unwrap();
    let text = |entry: &Json| entry["content"].as_str().unwrap().to_owned();
    history.iter().map(text).collect()
}

#[test]
fn killed_while_the_model_speaks_nothing_is_lost_and_no_finished_call_is_repeated() {
    let env = TestEnv::new().with_documents();
    let line = format!("analyze --query what --inputs docs {TAPE}");
    let mut child = env.command(&line).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"one\nplease hang here\n").unwrap();
    let thread = wait_for(&mut child, "so far");
    kill(&mut child);
    let done = calls(&env);
    assert_eq!(done, 2, "two turns");
    // What was said is there, the reply that was cut is not.
    let shown = env.run(&format!("threads show {thread}"));
    assert!(
        shown.stdout.contains("please hang here"),
        "{}",
        shown.stdout
    );
    let traced = env.run(&format!("trace show {thread}")).stdout;
    assert!(traced.contains("archie  interrupted"), "{traced}");
    let model = "--model script:FIXTURES/talk.jsonl";
    let other = env.run(&format!(
        "threads resume {thread} --model script:nowhere.jsonl"
    ));
    assert_eq!(other.code, 1, "{}", other.stderr);
    env.write(
        "work/then.jsonl",
        "{\"text\": \"Go on?\", \"repeat\": \"always\"}\n",
    );
    let resumed = env.run(&format!(
        "threads resume {thread} --model script:then.jsonl"
    ));
    assert_eq!(
        (resumed.code, &*resumed.stdout),
        (3, "Go on?\n"),
        "{}",
        resumed.stderr
    );
    let wanted = [
        "what", "First question?", "one", "Second question?", "please hang here", "Go on?",
    ];
    assert_eq!(history(&env, &thread), wanted);
    // The question is shown as it is, whatever the model would say now.
    let again = env.run(&format!("threads resume {thread} {model}"));
    assert_eq!((again.code, &*again.stdout), (3, "Go on?\n"));
    assert_eq!(calls(&env), done);
}

#[test]
fn a_run_behind_a_kill_is_listed_and_found_by_a_short_number() {
    let env = TestEnv::new().with_documents();
    let line = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";
    let mut child = env.command(line).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"please hang here\n").unwrap();
    let thread = wait_for(&mut child, "so far");
    kill(&mut child);
    env.write(
        "work/then.jsonl",
        "{\"text\": \"Go on?\", \"repeat\": \"always\"}\n",
    );
    let resumed = env.run(&format!(
        "threads resume {thread} --model script:then.jsonl"
    ));
    assert_eq!(resumed.code, 3, "{}", resumed.stderr);
    let tree = env.run(&format!("trace list {thread} --json"));
    let tree: Json = serde_json::from_str(&tree.stdout).unwrap();
    let runs = tree["runs"].as_array().unwrap();
    let numbers: Vec<u64> = runs.iter().map(|it| it["run"].as_u64().unwrap()).collect();
    let last = *numbers.last().unwrap();
    assert!(
        last >= 1_000_000,
        "numbers behind a kill leave a gap: {numbers:?}"
    );
    let list = env.run(&format!("trace list {thread}")).stdout;
    let shown: Vec<&str> = list
        .lines()
        .skip(1)
        .map(|row| row.split_whitespace().next().unwrap())
        .collect();
    assert_eq!(shown.len(), numbers.len(), "{list}");
    assert!(shown.iter().all(|number| number.len() < 4), "{list}");
    let short = env.run(&format!(
        "trace show {thread} --run {}",
        shown[shown.len() - 1]
    ));
    let long = env.run(&format!("trace show {thread} --run {last}"));
    assert_eq!((short.code, long.code), (0, 0), "{}", short.stderr);
    assert_eq!(short.stdout, long.stdout);
    assert!(
        short.stdout.contains("Go on?") || short.stdout.contains("waiting"),
        "{}",
        short.stdout
    );
}

#[test]
fn killed_while_the_person_thinks_nothing_is_lost() {
    let env = TestEnv::new().with_documents();
    let line = format!("analyze --query what --inputs docs {TAPE}");
    let mut child = env.command(&line).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    let thread = wait_for(&mut child, "First question?");
    kill(&mut child);
    drop(stdin);
    let resumed = env.run(&format!("threads resume {thread} --approve-after 1 {TAPE}"));
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(
        resumed.stdout,
        "First question?\n## Summary\nOne service.\n"
    );
    assert_eq!(calls(&env), 3, "one turn, the result, what was stated");
}

#[test]
fn of_two_processes_that_go_on_with_a_thread_one_wins_and_the_other_is_told() {
    let env = TestEnv::new().with_documents();
    let line = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";
    let thread = env.run(line).thread();
    let resume = format!("threads resume {thread} --model script:FIXTURES/archie.jsonl");
    let mut first = env.command(&resume).spawn().unwrap();
    let mut stdin = first.stdin.take().unwrap();
    stdin.write_all(b"hang here\n").unwrap();
    let stdout = first.stdout.as_mut().unwrap();
    let mut seen = Vec::new();
    let mut byte = [0];
    while !seen.ends_with(b"so far") {
        assert_eq!(stdout.read(&mut byte).unwrap(), 1);
        seen.push(byte[0]);
    }
    let second = env.run_with(&resume, "me too\n");
    assert_eq!(second.code, 6, "{}", second.stderr);
    assert!(second.stderr.contains("SS2001"), "{}", second.stderr);
    kill(&mut first);
    let said = history(&env, &thread);
    assert!(!said.contains(&"me too".to_owned()), "{said:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_command_without_a_person_and_keeps_the_thread() {
    let env = TestEnv::new().with_documents();
    let line = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";
    let mut child = env.command(line).spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"hang here\n")
        .unwrap();
    let thread = wait_for(&mut child, "so far");
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(history(&env, &thread).len(), 2);
}

/// An analysis that has asked its first question, and waits for what is written to it.
fn waiting(env: &TestEnv) -> (Child, String) {
    let line = "analyze --query what --inputs docs --db x.db --model script:FIXTURES/archie.jsonl";
    let mut child = env.command(line).spawn().unwrap();
    let thread = wait_for(&mut child, "First question?");
    (child, thread)
}

/// Goes on with it; how it ended, and what it printed.
fn answered(mut child: Child) -> (Option<i32>, String) {
    let mut stdin = child.stdin.take().unwrap();
    // It may have ended.
    let _ = stdin.write_all(b"one\n");
    drop(stdin);
    let mut told = String::new();
    let stdout = child.stdout.as_mut().unwrap();
    stdout.read_to_string(&mut told).unwrap();
    (child.wait().unwrap().code(), told)
}

#[cfg(unix)]
#[test]
fn a_thread_that_is_worked_on_is_busy_by_another_name_of_the_file() {
    let env = TestEnv::new().with_documents();
    let line = "analyze --query what --inputs docs --db x.db --model script:FIXTURES/archie.jsonl";
    let mut child = env.command(line).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"please hang here\n").unwrap();
    let thread = wait_for(&mut child, "so far");
    let file = env.path("work/x.db");
    std::os::unix::fs::symlink(&file, env.path("work/link.db")).unwrap();
    std::os::unix::fs::symlink(env.path("work"), env.path("work/folder")).unwrap();
    for name in ["x.db", "link.db", "folder/x.db", "folder/link.db"] {
        let line =
            format!("threads resume {thread} --db {name} --model script:FIXTURES/archie.jsonl");
        let ran = env.run(&line);
        assert_eq!(ran.code, 6, "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains("SS2001"), "{name}: {}", ran.stderr);
    }
    // A hard link has a log of its own name.
    std::fs::create_dir(env.path("work/other")).unwrap();
    std::fs::hard_link(&file, env.path("work/other/hard.db")).unwrap();
    let line =
        format!("threads resume {thread} --db other/hard.db --model script:FIXTURES/archie.jsonl");
    let ran = env.run(&line);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("SS2017"), "{}", ran.stderr);
    kill(&mut child);
}

#[cfg(unix)]
#[test]
fn an_answer_is_not_acknowledged_into_a_file_that_is_gone() {
    for is_replaced in [false, true] {
        let env = TestEnv::new().with_documents();
        let (child, _thread) = waiting(&env);
        for name in ["x.db", "x.db-wal", "x.db-shm"] {
            let aside = env.path(&format!("work/aside-{name}"));
            std::fs::rename(env.path(&format!("work/{name}")), aside).unwrap();
        }
        if is_replaced {
            std::fs::copy(env.path("work/aside-x.db"), env.path("work/x.db")).unwrap();
        }
        let (code, told) = answered(child);
        assert_eq!(code, Some(1), "{told}");
        assert!(!told.contains("Second question?"), "{told}");
    }
}
