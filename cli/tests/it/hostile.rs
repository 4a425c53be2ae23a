//! Files, names and pipes that were made to harm.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::Command,
};

use crate::env::{Ran, TestEnv, copy_thread};

/// A machine with the thread of one question, and its name.
fn asked() -> (TestEnv, String) {
    let env = TestEnv::new().with_documents();
    let ran = env.run("ask --model script:FIXTURES/archie.jsonl who? --db x.db");
    let thread = ran.thread();
    (env, thread)
}

/// A thread with this name, made from an archive.
fn import_as(env: &TestEnv, thread: &str, name: &str) -> Ran {
    if !env.path("work/t.jsonl").exists() {
        let ran = env.run(&format!("threads export {thread} t.jsonl --db x.db"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    env.run_words(&["threads", "import", "t.jsonl", name, "--db", "x.db"])
}

fn refused(ran: &Ran, code: &str) {
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains(code), "{}", ran.stderr);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
}

/// All bytes of the database.
fn bytes(env: &TestEnv) -> [Option<Vec<u8>>; 2] {
    ["work/x.db", "work/x.db-wal"].map(|name| fs::read(env.path(name)).ok())
}

#[test]
fn a_small_archive_that_would_fill_the_memory_is_refused_before_it_does() {
    let (env, thread) = asked();
    env.run(&format!("threads export {thread} t.jsonl --db x.db"));
    let text = env.read("work/t.jsonl");
    let begins = |line: &&str| !line.starts_with("{\"checkpoint\"");
    let head: Vec<&str> = text.lines().take_while(begins).collect();
    let before = bytes(&env);
    // 17 million empty lists: 51 MB in the file, and over a gigabyte as values.
    let mut file = fs::File::create(env.path("work/hostile.jsonl")).unwrap();
    write!(
        file,
        "{}\n{{\"checkpoint\":{{\"changes\":[[0,{{\"Set\":[",
        head.join("\n")
    )
    .unwrap();
    let piece = "[],".repeat(1 << 20);
    for _ in 0..17 {
        file.write_all(piece.as_bytes()).unwrap();
    }
    writeln!(file, "[]]}}]]}}}}").unwrap();
    drop(file);
    let env = env.with_memory(1024);
    let ran = env.run("threads import hostile.jsonl archie-hostile --db x.db");
    refused(&ran, "SS2105");
    assert!(bytes(&env) == before, "something was stored");
}

#[test]
fn an_archive_that_breaks_off_or_that_the_agent_cannot_read_leaves_no_byte() {
    let (env, thread) = asked();
    env.run(&format!("threads export {thread} t.jsonl --db x.db"));
    let text = env.read("work/t.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let before = bytes(&env);
    for (name, text) in [
        ("half", text[..text.len() / 2].to_owned()),
        ("last", lines[..lines.len() - 2].join("\n")),
        ("nested", format!("{}{}", "[".repeat(100_000), text)),
        (
            "state",
            text.replace("\"name\":\"archie\"", "\"name\":\"another\""),
        ),
    ] {
        if name == "state" && text == env.read("work/t.jsonl") {
            continue;
        }
        env.write("work/bad.jsonl", &text);
        let ran = env.run("threads import bad.jsonl archie-bad --db x.db");
        refused(&ran, "SS");
        assert!(bytes(&env) == before, "{name}: something was stored");
    }
    // The thread of one agent under the name of another.
    refused(&env.run("threads import t.jsonl mail-bad --db x.db"), "SS");
    assert!(bytes(&env) == before);
}

#[test]
fn names_that_a_shell_would_obey_are_not_offered_to_it() {
    let (env, thread) = asked();
    let names = [
        "archie-a;touch pwned", "archie-$(touch pwned)", "archie-`touch pwned`", "archie-a\nb",
        "archie-a\x0bb", "archie-\x1b[31mred",
    ];
    for name in names {
        copy_thread(&env.path("work/x.db"), &thread, name);
    }
    let env = env.with("SUPERSTEP_DB", "x.db");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let mut command = env.command("");
        command
            .env("COMPLETE", shell)
            .env("_CLAP_COMPLETE_INDEX", "3")
            .env("_CLAP_IFS", "\n")
            .args(["--", "superstep", "threads", "show", "archie-"]);
        let output = command.output().unwrap();
        let offered = String::from_utf8(output.stdout).unwrap();
        assert!(offered.contains(&thread), "{shell}: {offered}");
        assert_eq!(offered.trim().lines().count(), 1, "{shell}: {offered}");
    }
}

#[test]
fn names_with_control_characters_are_shown_on_one_line_and_obeyed_by_nobody() {
    let (env, thread) = asked();
    let name = "archie-a\x1b]0;title\x07\nhint: run me";
    let revealed = "archie-a<U+001B>]0;title<U+0007><U+000A>hint: run me";
    let ran = import_as(&env, &thread, name);
    refused(&ran, "SS6050");
    assert!(ran.stderr.contains(revealed), "{}", ran.stderr);
    copy_thread(&env.path("work/x.db"), &thread, name);
    let listed = env.run("threads list --db x.db");
    assert_eq!(listed.stdout.lines().count(), 2, "{}", listed.stdout);
    assert!(!listed.stdout.contains('\x1b'), "{}", listed.stdout);
    let shown = env.run_words(&["threads", "show", name, "--db", "x.db"]);
    assert!(shown.stdout.starts_with(revealed), "{}", shown.stdout);
    for words in [
        [
            "threads",
            "show",
            "archie-b\nhint: run me\x1b[2J",
            "--db",
            "x.db",
        ],
        ["threads", "import", "t.jsonl", name, "--db=x.db"],
        [
            "trace",
            "show",
            "archie-b\nhint: run me\x1b[2J",
            "--db",
            "x.db",
        ],
    ] {
        let ran = env.run_words(&words);
        assert_ne!(ran.code, 0);
        assert!(!ran.stderr.contains('\x1b'), "{}", ran.stderr);
        let forged = |line: &str| line.starts_with("hint: run me");
        assert!(!ran.stderr.lines().any(forged), "{}", ran.stderr);
        // Programs get the name itself, escaped.
        let mut words = words.to_vec();
        words.push("--json");
        assert_eq!(env.run_words(&words).stderr.lines().count(), 1);
    }
}

#[test]
fn a_pipe_or_a_device_in_the_place_of_a_file_is_refused_at_once() {
    let (env, _) = asked();
    let pipe = env.path("work/pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let home = env.path("home");
    for file in ["pipe", "/dev/zero"] {
        for line in [
            format!("threads import {file} archie-a --db x.db"),
            format!("analyze --query x --inputs docs --answers {file} --db x.db"),
            format!("ask hi --model script:{file} --db x.db"),
            format!("ask hi --model cassette:{file} --db x.db"),
            format!("ask hi --model cassette:{file}?record=script:FIXTURES/archie.jsonl --db x.db"),
            format!("mail login --secrets {file} --token token"),
        ] {
            refused(&env.run(&line), "SS");
        }
    }
    let config = home.join(".config/superstep");
    fs::create_dir_all(&config).unwrap();
    let settings = config.join("config.toml");
    assert!(
        Command::new("mkfifo")
            .arg(&settings)
            .status()
            .unwrap()
            .success()
    );
    refused(&env.run("threads list"), "SS");
}

#[test]
fn a_result_never_replaces_the_database() {
    let (env, thread) = asked();
    std::os::unix::fs::symlink("x.db", env.path("work/link.db")).unwrap();
    let before = bytes(&env);
    for out in [
        "x.db", "./x.db", "docs/../x.db", "link.db", "x.db-wal", "x.db-shm", "new.db",
    ] {
        let db = if out == "new.db" { "new.db" } else { "x.db" };
        for line in [
            format!("analyze --query x --inputs docs --out {out} --db {db}"),
            format!("build-context --inputs docs --name n --out {out} --db {db}"),
            format!("threads resume {thread} --out {out} --db x.db"),
        ] {
            // There is nothing to resume in a database that is not there.
            if out == "new.db" && line.starts_with("threads") {
                continue;
            }
            let ran = env.run(&format!("{line} --model script:FIXTURES/archie.jsonl"));
            refused(&ran, "SS6044");
        }
    }
    assert!(bytes(&env) == before);
    assert!(!env.path("work/new.db").exists());
}

/// Runs a command whose reader goes away after so many lines; what it said on stderr, and its exit code.
fn read_lines(env: &TestEnv, line: &str, lines: usize) -> (String, i32) {
    let mut child = env.command(line).spawn().unwrap();
    drop(child.stdin.take());
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..lines {
        stdout.read_line(&mut String::new()).unwrap();
    }
    drop(stdout);
    let ended = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(ended.stderr).unwrap();
    (stderr, ended.status.code().unwrap_or(-1))
}

#[test]
fn a_reader_that_goes_away_is_no_error_and_costs_no_thread() {
    let (env, thread) = asked();
    for line in [
        "threads list --db x.db",
        "threads list --json --db x.db",
        &format!("threads show {thread} --db x.db"),
        &format!("threads history {thread} --db x.db"),
        &format!("trace show {thread} --db x.db"),
        "--help",
        "doctor",
        "completions bash",
        "graph archie",
        "config show",
    ] {
        for lines in [0, 1] {
            let (stderr, code) = read_lines(&env, line, lines);
            assert!(!stderr.contains("panicked"), "{line}: {stderr}");
            assert!(code == 0 || !stderr.is_empty(), "{line}: {code} {stderr}");
        }
    }
    let count = || env.run("threads list --db x.db").stdout.lines().count();
    let before = count();
    let (stderr, _) = read_lines(
        &env,
        "ask --model script:FIXTURES/archie.jsonl who? --db x.db",
        0,
    );
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert_eq!(count(), before + 1, "the thread is kept");
}

#[test]
fn a_damaged_log_is_refused_by_every_command_and_nothing_is_written() {
    let (env, thread) = asked();
    let log = env.path("work/x.db-wal");
    fs::write(&log, format!("not a log\n{}", "x".repeat(9000))).unwrap();
    let before = bytes(&env);
    for line in [
        "threads list --db x.db",
        &format!("threads show {thread} --db x.db"),
        "ask hi --model script:FIXTURES/archie.jsonl --db x.db",
        "db check --db x.db",
        "db backup copy.db --db x.db",
    ] {
        refused(&env.run(line), "SS2005");
        assert!(bytes(&env) == before, "{line}: something was written");
        assert!(!env.path("work/x.db-shm").exists(), "{line}");
    }
    fs::remove_file(&log).unwrap();
    assert_eq!(env.run("db check --db x.db").code, 0);
    assert!(!Path::new("copy.db").exists());
}

#[test]
fn every_error_has_a_code() {
    let (env, thread) = asked();
    env.write("work/text", "text\n");
    for line in [
        "nonsense",
        "--nonsense",
        "threads",
        "threads show",
        "threads show nobody --db x.db",
        "threads show nobody --db none.db",
        "threads list --db text",
        "threads list --agent nobody",
        "threads fork nobody --db x.db",
        &format!("threads fork {thread} --name other --db x.db"),
        &format!("threads show {thread} --at 99 --db x.db"),
        &format!("threads diff {thread} --db x.db 1 99"),
        &format!("threads export {thread} x.db --db x.db"),
        &format!("threads export {thread} none/t.jsonl --db x.db"),
        "threads import none.jsonl archie-a --db x.db",
        "threads import text archie-a --db x.db",
        "threads import text nobody --db x.db",
        "threads delete nobody --yes --db x.db",
        "threads prune nobody --keep 1 --yes --db x.db",
        "threads resume nobody --db x.db",
        "trace show nobody --db x.db",
        "trace export nobody --db x.db",
        "inbox show nothing --db x.db",
        "inbox accept ffff --db x.db",
        "mail ingest --db x.db",
        "mail login",
        "mail memory show nothing --db x.db",
        "db check --db none.db",
        "db backup x.db --db x.db",
        "db backup none/copy.db --db x.db",
        "db compact --db none.db",
        "graph nobody",
        "model show nonsense",
        "model list nonsense",
        "model pull nonsense --offline",
        "model chat hi --model nonsense",
        "model test --model nonsense",
        "ask hi --db x.db",
        "ask hi --model script:none.jsonl --db x.db",
        "ask hi --model script:text --db x.db",
        "ask hi --model cassette:text --db x.db",
        "analyze --query x --inputs none --model script:FIXTURES/archie.jsonl --db x.db",
        "analyze --query x --inputs docs --answers none --db x.db",
        "build-context --inputs none --name n --model script:FIXTURES/archie.jsonl --db x.db",
        "completions tcsh",
        "man text/below",
        "trust none",
        "config set nonsense 1",
    ] {
        let ran = env.run(line);
        if ran.code == 0 {
            continue;
        }
        // A command without its subcommand shows its help.
        if ran.stderr.contains("Usage:") && !ran.stderr.starts_with("error") {
            continue;
        }
        let first = ran.stderr.lines().find(|line| line.starts_with("error"));
        let first = first.unwrap_or_default();
        assert!(first.starts_with("error [SS"), "{line}: {}", ran.stderr);
    }
}
