//! The command line: what it understands, what it refuses, and how it ends.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const WAYS: [&[&str]; 3] = [
    &["--saver", "memory"],
    &["--saver", "sqlite"],
    &["--restart"],
];

#[test]
fn a_case_that_is_answered_as_recorded_ends_with_0() {
    for way in WAYS {
        let output = run(way, &[case("interrupts-single")]);
        assert_eq!(output.status.code(), Some(0), "{way:?}");
        assert_eq!(last_line(&output), "1 passed, 0 failed", "{way:?}");
    }
}

#[test]
fn a_case_that_is_answered_otherwise_ends_with_1_and_is_named() {
    let folder = TempDir::new().unwrap();
    let text = fs::read_to_string(case("interrupts-single")).unwrap();
    let (before, after) = text.rsplit_once(r#""expect":{"#).unwrap();
    let text = format!(r#"{before}"expect":{{"never":1,{after}"#);
    fs::write(folder.path().join("altered.json"), text).unwrap();
    for way in WAYS {
        let output = run(way, &[folder.path()]);
        assert_eq!(output.status.code(), Some(1), "{way:?}");
        assert_eq!(last_line(&output), "0 passed, 1 failed", "{way:?}");
        assert!(text_of(&output.stdout).contains("altered.json"), "{way:?}");
    }
}

#[test]
fn cases_that_cannot_be_restarted_are_counted_apart() {
    let output = run(
        &["--restart"],
        &[case("cache-hit"), case("interrupts-single")],
    );
    assert_eq!(output.status.code(), Some(0));
    let shown = text_of(&output.stdout);
    assert!(shown.starts_with("1 skipped: the node cache"), "{shown}");
    assert_eq!(last_line(&output), "1 passed, 0 failed");
}

#[test]
fn arguments_that_make_no_sense_end_with_2_and_say_why() {
    let refused = |words: &[&str], why: &str| {
        let output = run::<&str>(words, &[]);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let shown = text_of(&output.stderr);
        assert!(shown.contains(why), "{words:?}: {shown}");
        assert!(shown.contains("--help"), "{words:?}: {shown}");
    };
    refused(&[], "<PATH>...");
    refused(&["--restart"], "<PATH>...");
    refused(&["cases", "--saver"], "a value is required for '--saver");
    refused(&["cases", "--saver", "paper"], "invalid value 'paper'");
    refused(&["cases", "--restarts"], "unexpected argument '--restarts'");
    let kept = "a saver that outlives its process";
    refused(&["cases", "--restart", "--saver", "memory"], kept);
    refused(&["--one-op"], "a value is required for '--one-op");
    let one = ["--one-op", "x", "--case", "a", "--db", "b", "--state", "c"];
    refused(&one, "invalid value 'x'");
    refused(&["--one-op", "0", "--case", "a"], "--db <DB>");
    let mixed = [
        "cases", "--one-op", "0", "--case", "a", "--db", "b", "--state", "c",
    ];
    refused(&mixed, "cannot be used with");
}

#[test]
fn a_place_without_cases_ends_with_2() {
    let folder = TempDir::new().unwrap();
    let output = run(&[], &[folder.path()]);
    assert_eq!(output.status.code(), Some(2));
    let output = run(&["--restart"], &[folder.path().join("absent")]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_single_operation_of_a_case_that_is_not_there_ends_with_2() {
    let words = [
        "--one-op", "0", "--case", "absent", "--db", "d", "--state", "w",
    ];
    let output = run::<&str>(&words, &[]);
    assert_eq!(output.status.code(), Some(2));
    let shown = text_of(&output.stderr);
    assert!(shown.contains("absent: cannot be read"), "{shown}");
}

fn run<P: AsRef<OsStr>>(words: &[&str], paths: &[P]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_superstep-conformance"))
        .args(words)
        .args(paths)
        .output()
        .unwrap()
}

fn case(name: &str) -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    cases.join(format!("{name}.json"))
}

fn last_line(output: &Output) -> String {
    let shown = text_of(&output.stdout);
    shown.lines().last().unwrap_or_default().to_owned()
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
