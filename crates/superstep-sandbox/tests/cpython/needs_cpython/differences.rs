//! The embedded interpreter against CPython: written programs, and random ones.

use std::process::Command;

use superstep_sandbox::{Embedded, Sandbox};

use super::sandbox;
use crate::kit::{self, language};

/// How many random programs are compared, of about 140 lines each; more when asked for.
const PROGRAMS: u32 = 12;

#[tokio::test]
async fn what_is_expected_of_the_embedded_interpreter_is_what_cpython_prints() {
    let mut wrong = Vec::new();
    for (name, program, expected) in language::all() {
        let ran = sandbox().run(&kit::job(&program)).await.unwrap();
        if std::env::var_os("SUPERSTEP_WRITE_LOOKS").is_some() {
            let path = kit::folder("language").join(&name).with_extension("out");
            std::fs::write(path, &ran.stdout).unwrap();
        }
        wrong.extend(language::differences(&expected, &ran.stdout));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn random_programs_print_the_same_in_both_interpreters() {
    let count = std::env::var("SUPERSTEP_RANDOM_PROGRAMS").ok();
    let count = count
        .and_then(|count| count.parse().ok())
        .unwrap_or(PROGRAMS);
    let embedded = Embedded::new(kit::worker());
    let mut wrong = Vec::new();
    for seed in 0..count {
        let written = Command::new("python3")
            .arg(kit::folder("language/generate.py"))
            .arg(seed.to_string())
            .output()
            .unwrap();
        let program = String::from_utf8(written.stdout).unwrap();
        let expected = sandbox().run(&kit::job(&program)).await.unwrap();
        let found = embedded.run(&kit::job(&program)).await.unwrap();
        assert!(
            expected.stdout.lines().count() > 60,
            "seed {seed}: {:?}",
            expected.ending
        );
        let lines = language::differences(&expected.stdout, &found.stdout);
        wrong.extend(lines.into_iter().map(|line| format!("seed {seed}{line}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
