//! `superstep db`, and threads as files.

use std::{fs, path::Path};

use crate::env::{Ran, TestEnv};

/// A word of a thread that is looked for in files.
const WORD: &str = "zebraquestion";

fn env_with_thread() -> (TestEnv, String) {
    let env = TestEnv::new().with_documents();
    let line = format!(
        "analyze --query {WORD} --inputs docs --model script:FIXTURES/archie.jsonl --db x.db"
    );
    let ran = env.run_with(&line, "one\n");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let thread = ran.thread();
    (env, thread)
}

fn refused(ran: &Ran, exit: i32, code: &str) {
    assert_eq!(ran.code, exit, "{}", ran.stderr);
    assert!(ran.stderr.contains(code), "{}", ran.stderr);
}

#[cfg(unix)]
fn is_private(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "{}", path.display());
}

#[cfg(not(unix))]
fn is_private(_: &Path) {}

fn holds(path: &Path, word: &str) -> bool {
    let bytes = fs::read(path).unwrap();
    bytes
        .windows(word.len())
        .any(|part| part == word.as_bytes())
}

#[test]
fn a_sound_database_passes_the_check_and_a_damaged_one_does_not() {
    let (env, _) = env_with_thread();
    for line in ["db check --db x.db", "db check --quick --db x.db"] {
        let ran = env.run(line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.starts_with("ok  "), "{}", ran.stdout);
    }
    let ran = env.run("db check --json --db x.db");
    let report = &ran.events()[0];
    assert_eq!(report["clean"], true);
    assert_eq!(report["threads"], 1);
    // What is in the log of the database moves into it first.
    assert_eq!(env.run("db compact --db x.db").code, 0);
    let path = env.path("work/x.db");
    let mut bytes = fs::read(&path).unwrap();
    let places: Vec<usize> = bytes
        .windows(WORD.len())
        .enumerate()
        .filter(|(_, part)| *part == WORD.as_bytes())
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at] = b'Z';
    }
    fs::write(&path, bytes).unwrap();
    let ran = env.run("db check --db x.db");
    refused(&ran, 1, "SS2005");
    assert!(ran.stdout.starts_with("damaged  "), "{}", ran.stdout);
    let ran = env.run("db check --json --db x.db");
    assert_eq!(ran.code, 1);
    assert_eq!(ran.events()[0]["clean"], false);
}

#[test]
fn damage_of_the_long_term_memory_is_found_and_hides_no_thread() {
    let (env, thread) = env_with_thread();
    let ran = env.run(&format!("threads export {thread} t.jsonl --db x.db"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = env.run("threads import t.jsonl archie-import --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.run("db compact --db x.db").code, 0);
    let clean = env.run("db check --json --db x.db");
    assert!(clean.events()[0]["memories"].as_u64().unwrap() > 0);
    // That a thread was imported is an item of the memory.
    let path = env.path("work/x.db");
    let mut bytes = fs::read(&path).unwrap();
    let mark = br#""trusted":false"#;
    let at = bytes.windows(mark.len()).position(|part| part == mark);
    bytes[at.unwrap() + 1] = b'T';
    fs::write(&path, bytes).unwrap();
    let ran = env.run("threads list --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for name in [thread.as_str(), "archie-import"] {
        assert!(ran.stdout.contains(name), "{}", ran.stdout);
    }
    assert!(ran.stdout.contains("imported?"), "{}", ran.stdout);
    for told in [
        "SS3090", "x.db: the value of key", "threads.imported", "superstep db check",
    ] {
        assert!(ran.stderr.contains(told), "{told}: {}", ran.stderr);
    }
    let ran = env.run("db check --db x.db");
    refused(&ran, 1, "SS2005");
    assert!(ran.stdout.starts_with("damaged  memory"), "{}", ran.stdout);
    // What may have been imported is not run, and can be deleted.
    let ran = env.run("threads resume archie-import --yes --db x.db --model script:none.jsonl");
    refused(&ran, 1, "SS3090");
    let ran = env.run("threads delete archie-import --yes --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(env.run("db check --db x.db").code, 0);
}

#[test]
fn a_backup_is_a_private_database_of_its_own_and_replaces_nothing() {
    let (env, thread) = env_with_thread();
    let ran = env.run("db backup copy.db --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "copy.db\n");
    is_private(&env.path("work/copy.db"));
    let listed = env.run("threads list --db copy.db").stdout;
    assert!(listed.contains(&thread), "{listed}");
    let before = fs::read(env.path("work/copy.db")).unwrap();
    refused(&env.run("db backup copy.db --db x.db"), 1, "SS6040");
    assert_eq!(fs::read(env.path("work/copy.db")).unwrap(), before);
    let ran = env.run("db backup other.db --db x.db --json");
    assert_eq!(ran.events()[0]["backup"], "other.db");
    let ran = env.run("db backup third.db --db missing.db");
    assert_eq!(ran.code, 1);
    for name in ["work/third.db", "work/missing.db"] {
        assert!(!env.path(name).exists(), "{name}");
    }
}

#[test]
fn compacting_makes_the_file_smaller_after_a_deletion() {
    let (env, thread) = env_with_thread();
    let ran = env.run(&format!("threads delete {thread} --yes --db x.db"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = env.run("db compact --json --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let report = &ran.events()[0];
    let bytes = |name: &str| report[name].as_u64().unwrap();
    assert!(bytes("bytes_after") <= bytes("bytes_before"), "{report}");
    assert!(env.run("db compact --db missing.db").code == 1);
    assert!(!env.path("work/missing.db").exists());
}

#[test]
fn an_encrypted_copy_reads_the_same_with_its_key_and_not_without() {
    let (env, thread) = env_with_thread();
    let key = "a1".repeat(32);
    env.write("work/key", &format!("{key}\n"));
    let ran = env.run("db encrypt sealed.db --key-file key --db x.db");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("1 thread,"), "{}", ran.stderr);
    assert!(!ran.stderr.contains(" 0 events"), "{}", ran.stderr);
    let sealed = env.path("work/sealed.db");
    is_private(&sealed);
    assert!(!holds(&sealed, WORD));
    assert!(!env.path("work/sealed.db-wal").exists());
    refused(&env.run("threads list --db sealed.db"), 1, "SS2012");
    let state = |env: &TestEnv, db: &str| {
        let ran = env.run(&format!("threads show {thread} --json --db {db}"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.events().remove(0)
    };
    let plain = state(&env, "x.db");
    let env = env.with("SUPERSTEP_DB_KEY", &key);
    assert_eq!(state(&env, "sealed.db"), plain);
    let env = env
        .with("SUPERSTEP_DB_KEY", "")
        .with("SUPERSTEP_DB_KEY_FILE", "key");
    assert_eq!(state(&env, "sealed.db"), plain);
    let env = env.with("SUPERSTEP_DB_KEY_FILE", "");
    let wrong = env
        .command("threads list --db sealed.db")
        .env("SUPERSTEP_DB_KEY", "b2".repeat(32))
        .output()
        .unwrap();
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("SS2012"));
    // Nothing is overwritten, and a file that holds no key makes nothing.
    let before = fs::read(&sealed).unwrap();
    refused(
        &env.run("db encrypt sealed.db --key-file key --db x.db"),
        1,
        "SS6040",
    );
    assert_eq!(fs::read(&sealed).unwrap(), before);
    env.write("work/short", "a1\n");
    for file in ["short", "missing"] {
        let line = format!("db encrypt other.db --key-file {file} --db x.db");
        refused(&env.run(&line), 2, "SS6041");
    }
    assert!(!env.path("work/other.db").exists());
    let entries = fs::read_dir(env.path("work")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names
        .filter(|name| name.starts_with(".superstep"))
        .collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn a_thread_moves_to_another_database_by_a_file() {
    let (env, thread) = env_with_thread();
    let ran = env.run(&format!("threads export {thread} t.jsonl --db x.db"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "t.jsonl\n");
    is_private(&env.path("work/t.jsonl"));
    let again = env.run(&format!("threads export {thread} t.jsonl --db x.db"));
    refused(&again, 1, "SS6040");
    let ran = env.run("threads import t.jsonl archie-moved --db new.db --json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.events()[0]["thread"], "archie-moved");
    let state = |line: &str| env.run(line).events()[0]["state"].clone();
    assert_eq!(
        state("threads show archie-moved --json --db new.db"),
        state(&format!("threads show {thread} --json --db x.db")),
    );
}

#[test]
fn an_imported_thread_is_run_only_after_a_person_agreed() {
    let (env, thread) = env_with_thread();
    env.run(&format!("threads export {thread} t.jsonl --db x.db"));
    let import = || env.run("threads import t.jsonl archie-moved --db x.db");
    assert_eq!(import().code, 0);
    let resume = |name: &str, more: &str| {
        let model = "--model script:FIXTURES/archie.jsonl";
        env.run(&format!("threads resume {name} --db x.db {model} {more}"))
    };
    let forked = env.run("threads fork archie-moved --name archie-fork --db x.db");
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    for name in ["archie-moved", "archie-fork"] {
        let refused = resume(name, "");
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        for message in ["was imported", "use --yes", "HERE/work/docs"] {
            assert!(refused.stderr.contains(message), "{}", refused.stderr);
        }
        assert!(refused.stdout.is_empty(), "{}", refused.stdout);
    }
    let listed = env.run("threads list --json --db x.db").events();
    for row in listed {
        assert_eq!(row["imported"], row["thread"] != *thread, "{row}");
    }
    let shown = env.run("threads show archie-moved --db x.db").stdout;
    assert!(shown.contains("you have not agreed to run it"), "{shown}");
    // The consent is kept, for this thread and no other.
    for more in ["--yes", ""] {
        let resumed = resume("archie-moved", more);
        assert_eq!(resumed.code, 3, "{}", resumed.stderr);
        assert!(resumed.stdout.contains("question?"), "{}", resumed.stdout);
    }
    assert_eq!(resume("archie-fork", "").code, 2);
    assert_eq!(resume(&thread, "").code, 3, "it was made here");
    // A thread of the same name that is imported later is another one.
    assert_eq!(
        env.run("threads delete archie-moved --yes --db x.db").code,
        0
    );
    assert_eq!(import().code, 0);
    assert_eq!(resume("archie-moved", "").code, 2);
}

#[test]
fn an_import_that_is_refused_changes_nothing() {
    let (env, thread) = env_with_thread();
    env.run(&format!("threads export {thread} t.jsonl --db x.db"));
    let import =
        |file: &str, name: &str| env.run(&format!("threads import {file} {name} --db x.db"));
    let listed = || env.run("threads list --json --db x.db").stdout;
    let before = listed();
    refused(&import("t.jsonl", &thread), 1, "SS2004");
    refused(&import("missing.jsonl", "archie-a"), 2, "SS6042");
    let text = env.read("work/t.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    env.write("work/short.jsonl", &lines[..lines.len() - 1].join("\n"));
    refused(&import("short.jsonl", "archie-a"), 1, "SS210");
    env.write("work/other.jsonl", "{\"a\": 1}\n");
    refused(&import("other.jsonl", "archie-a"), 1, "SS2101");
    // The thread of another agent cannot be read under this name.
    assert_eq!(import("t.jsonl", "mail-a").code, 2);
    assert_eq!(listed(), before);
    // Nor does a bad file make a database.
    let ran = env.run("threads import other.jsonl archie-a --db none.db");
    assert_eq!(ran.code, 1);
    assert!(!env.path("work/none.db").exists());
}
