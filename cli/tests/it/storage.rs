//! The database as commands find it: missing, older, or without its file.

use std::fs;

use crate::env::TestEnv;
#[cfg(unix)]
use crate::{env::thread_in, terminal::Terminal};

const ANALYZE: &str = "analyze --query what --inputs docs --model script:FIXTURES/archie.jsonl";

/// Commands that look.
const LOOKING: [&str; 14] = [
    "threads list",
    "threads show archie-abc123",
    "threads history archie-abc123",
    "threads diff archie-abc123",
    "trace list",
    "inbox list",
    "inbox show 1",
    "mail memory show",
    "mail memory versions response",
    "mail memory diff response",
    "db check",
    "db check --quick",
    "threads export archie-abc123 x.jsonl",
    "doctor --offline",
];

/// The files in the folder where databases are made here.
fn files(env: &TestEnv) -> Vec<String> {
    let entries = fs::read_dir(env.path("work")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("x.db")).collect();
    names.sort();
    names
}

#[test]
fn looking_makes_no_database() {
    let env = TestEnv::new();
    for line in LOOKING {
        let ran = env.run(&format!("{line} --db x.db"));
        assert_eq!(files(&env), [""; 0], "{line}");
        if !line.starts_with("doctor") {
            assert_eq!(ran.code, 1, "{line}: {}", ran.stderr);
            let said = ran.stderr.contains("there is no database at x.db");
            assert!(said, "{line}: {}", ran.stderr);
        }
    }
    // In a folder that does not exist either.
    let ran = env.run("threads list --db no/x.db");
    assert!(
        ran.stderr.contains("there is no database at"),
        "{}",
        ran.stderr
    );
    assert!(!env.path("work/no").exists());
}

#[test]
fn looking_at_an_older_database_refuses_it_and_leaves_it_as_it_is() {
    let env = TestEnv::new().with_documents();
    env.run_with(&format!("{ANALYZE} --db x.db"), "one\n");
    let path = env.path("work/x.db");
    let whole = fs::read(&path).unwrap();
    // The version of the format is a number in the header of the file.
    let mut older = whole.clone();
    older[63] -= 1;
    assert!(older[63] > 0, "{:?}", &whole[60..64]);
    fs::write(&path, &older).unwrap();
    for line in ["threads list", "trace list", "inbox list"] {
        let ran = env.run(&format!("{line} --db x.db"));
        assert_eq!(ran.code, 1, "{line}");
        assert!(ran.stderr.contains("SS2016"), "{line}: {}", ran.stderr);
        assert!(fs::read(&path).unwrap() == older, "{line}");
        assert_eq!(files(&env), ["x.db"], "{line}");
    }
}

#[test]
fn a_log_without_its_file_is_refused_by_every_command() {
    let env = TestEnv::new().with_documents();
    let log = vec![7; 8192];
    fs::write(env.path("work/x.db-wal"), &log).unwrap();
    for line in ["threads list", "trace list", "inbox list", ANALYZE] {
        let ran = env.run(&format!("{line} --db x.db"));
        assert_eq!(ran.code, 1, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("SS2005"), "{line}: {}", ran.stderr);
        assert_eq!(files(&env), ["x.db-wal"], "{line}");
        assert!(fs::read(env.path("work/x.db-wal")).unwrap() == log);
    }
    let doctor = env.run("doctor --offline --db x.db");
    assert!(
        doctor.stdout.contains("write-ahead log"),
        "{}",
        doctor.stdout
    );
}

#[test]
fn a_log_whose_file_was_renamed_is_named_by_every_command() {
    let env = TestEnv::new().with_documents();
    env.run_with(&format!("{ANALYZE} --db x.db"), "one\n");
    assert!(!env.run("threads list --db x.db").stderr.contains("log"));
    // As after a kill: the file was renamed, its log was left.
    fs::rename(env.path("work/x.db"), env.path("work/y.db")).unwrap();
    fs::write(env.path("work/x.db-wal"), vec![7; 8192]).unwrap();
    for line in [
        "threads list", "inbox list", "trace list", "db check", "doctor --offline",
    ] {
        let ran = env.run(&format!("{line} --db y.db"));
        for told in ["a log without its database", "x.db-wal", "y.db-wal"] {
            assert!(ran.stderr.contains(told), "{line}: {}", ran.stderr);
        }
    }
    assert_eq!(fs::read(env.path("work/x.db-wal")).unwrap().len(), 8192);
    fs::remove_file(env.path("work/x.db-wal")).unwrap();
    let ran = env.run("threads list --db y.db");
    assert!(!ran.stderr.contains("log without"), "{}", ran.stderr);
}

#[test]
fn a_log_whose_file_was_renamed_is_named_inside_of_a_shell_too() {
    let env = TestEnv::new().with_documents();
    env.run_with(&format!("{ANALYZE} --db y.db"), "one\n");
    fs::write(env.path("work/x.db-wal"), vec![7; 8192]).unwrap();
    let told = "a log without its database";
    for (shell, line) in [
        ("shell --db y.db", "threads list"),
        ("shell", "trace list --db y.db"),
    ] {
        let ran = env.run_with(shell, &format!("{line}\nexit\n"));
        assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
        assert_eq!(ran.stderr.matches(told).count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("x.db-wal"), "{}", ran.stderr);
    }
    // What has nothing to do with threads does not tell.
    let ran = env.run_with("shell --db y.db", "graph archie\nexit\n");
    assert!(!ran.stderr.contains(told), "{}", ran.stderr);
}

#[test]
fn every_agent_names_a_log_whose_file_was_renamed() {
    let env = TestEnv::new().with_documents();
    env.run_with(&format!("{ANALYZE} --db y.db"), "one\n");
    fs::write(env.path("work/x.db-wal"), vec![7; 8192]).unwrap();
    for line in [
        "ask --model script:none.jsonl what?",
        "docs docs --no-model --output pages",
        "sheet state none.xlsx",
        "serve --offline --host nonsense.invalid",
        "atris errors none",
        "mail check",
        "memory list",
    ] {
        let ran = env.run(&format!("{line} --db y.db"));
        let told = "a log without its database";
        assert!(ran.stderr.contains(told), "{line}: {}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn a_log_is_looked_for_beside_the_file_and_not_beside_a_link_to_it() {
    use std::os::unix::ffi::OsStringExt;
    let env = TestEnv::new().with_documents();
    fs::create_dir(env.path("work/data")).unwrap();
    env.run_with(&format!("{ANALYZE} --db data/y.db"), "one\n");
    std::os::unix::fs::symlink("data/y.db", env.path("work/link.db")).unwrap();
    // A database with its log, under a name that is no text, beside the link and beside the file.
    for folder in ["work", "work/data"] {
        for end in [&b".db"[..], b".db-wal"] {
            let name = [&[b'z', 0xff][..], end].concat();
            let name = std::ffi::OsString::from_vec(name);
            fs::write(env.path(folder).join(name), [7; 8192]).unwrap();
        }
    }
    fs::write(env.path("work/other.db-wal"), [7; 8192]).unwrap();
    let ran = env.run("threads list --db link.db");
    assert!(!ran.stderr.contains("log without"), "{}", ran.stderr);
    fs::write(env.path("work/data/x.db-wal"), [7; 8192]).unwrap();
    let ran = env.run("threads list --db link.db");
    assert_eq!(
        ran.stderr.matches("log without").count(),
        1,
        "{}",
        ran.stderr
    );
    for told in ["data/x.db-wal", "data/y.db-wal"] {
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}

#[test]
fn a_file_in_the_place_of_a_journal_is_not_deleted() {
    let env = TestEnv::new().with_documents();
    env.run_with(&format!("{ANALYZE} --db x.db"), "one\n");
    let place = env.path("work/x.db-journal");
    for content in [&fs::read(env.path("work/x.db")).unwrap(), &b"my notes"[..]] {
        fs::write(&place, content).unwrap();
        for line in ["threads list", "db check", "db compact", ANALYZE] {
            let ran = env.run(&format!("{line} --db x.db"));
            assert_eq!(ran.code, 1, "{line}: {}", ran.stderr);
            assert!(ran.stderr.contains("SS2006"), "{line}: {}", ran.stderr);
            assert!(ran.stderr.contains("not a journal"), "{}", ran.stderr);
            assert!(fs::read(&place).unwrap() == content, "{line}");
        }
    }
    fs::remove_file(&place).unwrap();
    assert_eq!(env.run("threads list --db x.db").code, 0);
}

#[test]
fn a_database_does_not_take_the_place_of_a_file_beside_another_one() {
    let env = TestEnv::new().with_documents();
    env.run_with(&format!("{ANALYZE} --db x.db"), "one\n");
    let before = files(&env);
    for suffix in ["-wal", "-shm", "-journal"] {
        let ran = env.run(&format!("{ANALYZE} --db x.db{suffix}"));
        assert_eq!(ran.code, 1, "{suffix}: {}", ran.stderr);
        assert!(ran.stderr.contains("SS2006"), "{suffix}: {}", ran.stderr);
        assert!(ran.stderr.contains("beside"), "{suffix}: {}", ran.stderr);
        assert_eq!(files(&env), before, "{suffix}");
    }
    // Alone, the name is one like any other.
    let ran = env.run_with(&format!("{ANALYZE} --db my-journal"), "one\n");
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(env.run("threads list --db my-journal").code, 0);
}

/// A process whose files cannot grow beyond some size, as on a full disk.
#[cfg(unix)]
#[test]
fn a_thread_that_was_not_stored_is_not_called_saved() {
    let env = TestEnv::new();
    let line = "ask who? --model script:FIXTURES/archie.jsonl";
    assert_eq!(env.run(line).code, 0);
    let mut lost = 0;
    for blocks in [40, 60, 80, 100, 120, 160, 200, 300] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let ran = env.in_shell(&script, line).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        // It may fail before it names one.
        let Some(thread) = thread_in(&told) else {
            continue;
        };
        let is_there = env.run(&format!("threads show {thread}")).code == 0;
        assert!(is_there || !told.contains("Saved"), "{blocks}: {told}");
        lost += usize::from(!is_there);
    }
    assert!(lost > 0, "no thread was lost, so nothing was tried");
}

#[cfg(unix)]
#[test]
fn a_thread_that_another_process_works_on_is_not_called_saved() {
    let env = TestEnv::new().with_documents();
    let terminal = Terminal::run(&env, ANALYZE);
    terminal.prompts(1).say("hang here").shows("so far");
    let model = "--model script:FIXTURES/archie.jsonl";
    let ran = env.run(&format!("threads resume last {model}"));
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("SS2001"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("Saved"), "{}", ran.stderr);
    terminal.press("\u{3}").prompts(2).press("\u{15}\u{4}");
    terminal.end();
}
