//! The database as commands find it: missing, older, or without its file.

use std::fs;

use crate::env::TestEnv;

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
        "threads list",
        "inbox list",
        "trace list",
        "db check",
        "doctor --offline",
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
