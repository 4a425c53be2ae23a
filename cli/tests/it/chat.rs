//! Talking to a model.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::Command,
};

use crate::env::TestEnv;

const TALK: &str = "--model script:FIXTURES/talk.jsonl";

#[test]
fn every_line_is_a_turn_of_one_conversation() {
    let env = TestEnv::new();
    let ran = env.run_with(&format!("model chat {TALK}"), "one\n\ntwo\n");
    ran.is_like("chat-turns");
    assert_eq!(ran.stdout, "You said one.\nAnd then two.\n");
}

#[test]
fn words_on_the_command_line_are_one_turn() {
    let ran = TestEnv::new().run(&format!("model chat {TALK} a b"));
    assert_eq!((ran.code, &*ran.stdout), (0, "You said a b.\n"));
}

#[test]
fn programs_get_a_line_of_json_for_every_turn() {
    let env = TestEnv::new();
    let ran = env.run_with(&format!("model chat --json {TALK}"), "one\ncall\nlong\n");
    ran.is_like("chat-json");
    for line in ran.stdout.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn nothing_a_model_says_acts_on_the_terminal() {
    let env = TestEnv::new();
    for (more, words) in [
        ("", "escape"),
        ("--json", "escape"),
        ("--color always", "pieces"),
    ] {
        let ran = env.run(&format!("model chat {more} {TALK} {words}"));
        let hidden = ['\x1b', '\u{7}', '\u{9b}', '\u{202e}'];
        assert!(!ran.stdout.contains(hidden), "{:?}", ran.stdout);
    }
    let ran = env.run(&format!("model chat {TALK} escape"));
    assert_eq!(ran.stdout, "before red after\n");
    let ran = env.run(&format!("model chat {TALK} pieces"));
    assert_eq!(ran.stdout, "one two\n");
}

#[test]
fn what_the_model_thinks_is_shown_on_request_and_apart() {
    let env = TestEnv::new();
    let ran = env.run(&format!("model chat --reasoning {TALK} think"));
    assert_eq!(ran.stdout, "thought\n");
    assert!(ran.stderr.contains("hm, well"), "{}", ran.stderr);
    let ran = env.run(&format!("model chat {TALK} think"));
    assert!(!ran.stderr.contains("hm, well"), "{}", ran.stderr);
}

#[test]
fn failures_have_their_exit_codes() {
    let env = TestEnv::new();
    for (words, code, name) in [
        ("key", 4, "chat-refused-key"),
        ("spent", 5, "chat-budget"),
        ("third", 1, "chat-no-step"),
    ] {
        let input = if words == "third" { "a\nb\nc\n" } else { words };
        let ran = env.run_with(&format!("model chat {TALK}"), input);
        ran.is_like(name);
        assert_eq!(ran.code, code);
    }
    let ran = env.run("model chat --json --model script:nowhere.jsonl hi");
    ran.is_like("chat-no-script");
}

#[cfg(unix)]
#[test]
fn a_cancelled_reply_ends_the_command_at_once() {
    let env = TestEnv::new();
    let mut child = env.command(&format!("model chat {TALK}")).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"hang\n").unwrap();
    let mut first = [0; 6];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    assert_eq!(&first, b"so far");
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut rest = String::new();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "\n");
    let mut stderr = String::new();
    let mut read = BufReader::new(child.stderr.take().unwrap());
    while read.read_line(&mut stderr).unwrap() > 0 {}
    assert!(stderr.ends_with("cancelled\n"), "{stderr}");
}

#[test]
fn who_stops_reading_is_no_failure() {
    let env = TestEnv::new();
    let mut child = env.command(&format!("model chat {TALK}")).spawn().unwrap();
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(b"one\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_script_replies_the_same_in_every_process() {
    let env = TestEnv::new();
    let line = "model chat --model cassette:tape.jsonl?auto=script:FIXTURES/talk.jsonl";
    let first = env.run_with(line, "one\ntwo\n");
    let again = env.run_with(line, "one\ntwo\n");
    assert_eq!(first.stdout, again.stdout);
    let replay = env.run_with("model chat --model cassette:tape.jsonl", "one\ntwo\n");
    replay.is_like("chat-replay");
    assert_eq!(replay.stdout, first.stdout);
    let other = env.run_with("model chat --model cassette:tape.jsonl", "none\n");
    other.is_like("chat-unrecorded");
}
