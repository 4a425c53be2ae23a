//! What is approved at a terminal is what was on the screen when the key was pressed.

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

use crate::{
    env::TestEnv,
    post::{env_with, put, questions, sent},
    terminal::Terminal,
};

const ACCOUNT: &str = "--folder mail --owner me@example.org --model script:replies.jsonl";

/// A model that answers each of these mails with this text.
fn replies(subjects: &[&str], text: &str) -> String {
    let mut lines = vec![
        r#"{"when": {"schema": "triage"}, "data": {"reasoning": "it asks", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}, "repeat": "always"}"#.to_owned(),
        r#"{"when": {"tool": "Done", "result": "send_email_tool"}, "calls": [{"name": "Done", "args": {"done": true}}], "repeat": "always"}"#.to_owned(),
    ];
    let text = serde_json::to_string(text).unwrap();
    for subject in subjects {
        let name = subject.to_lowercase();
        lines.push(format!(
            r#"{{"when": {{"tool": "Done", "contains": "Email id: {name}.eml"}}, "calls": [{{"name": "send_email_tool", "args": {{"email_id": "{name}.eml", "response_text": {text}, "email_address": "me@example.org"}}}}], "repeat": "always"}}"#
        ));
    }
    lines.join("\n") + "\n"
}

/// A env with a question about each of these mails.
fn asked(subjects: &[&str], text: &str) -> TestEnv {
    let env = env_with(&[]);
    for subject in subjects {
        put(&env, subject, "Does Thursday suit you?");
    }
    env.write("work/replies.jsonl", &replies(subjects, text));
    let ran = env.run(&format!("mail ingest {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(questions(&env).len(), subjects.len());
    env
}

fn inbox(env: &TestEnv) -> Terminal {
    let terminal = Terminal::run(env, &format!("inbox --send {ACCOUNT}"));
    terminal.shows("q leave");
    terminal
}

/// All keys that were pressed before have been looked at.
fn settles(terminal: &Terminal) {
    terminal.press("?").shows("this list");
    terminal.press("q").hides("this list").shows("q leave");
}

/// Leaves, and says how many mails were sent.
fn sent_after(terminal: Terminal, env: &TestEnv) -> usize {
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
    sent(env).len()
}

const FOUR: [&str; 4] = ["One", "Two", "Three", "Four"];

#[test]
fn a_reply_is_sent_by_two_keys_and_keys_that_are_held_down_send_one() {
    let env = asked(&FOUR, "Yes.");
    let terminal = inbox(&env);
    terminal.press(&"a".repeat(40)).shows("y does it");
    assert!(sent(&env).is_empty());
    terminal.press(&"y".repeat(40)).shows("inbox: 3 questions");
    terminal.shows("no question is selected").shows("q leave");
    // What is typed while the reply is sent is dropped when that is told.
    terminal.shows("this mail is finished");
    terminal.press(&"ay".repeat(20));
    settles(&terminal);
    // Whoever moves to the next one means it.
    terminal.press("j").shows("To: Ann <ann@example.org>");
    terminal.shows("a accept  e edit").press("a");
    terminal.shows("y does it").press("y");
    terminal.shows("inbox: 2 questions").shows("q leave");
    assert_eq!(sent_after(terminal, &env), 2);
}

#[test]
fn a_repeated_key_or_one_with_a_modifier_accepts_nothing() {
    let env = asked(&["One"], "Yes.");
    let terminal = inbox(&env);
    // Terminals that tell repeats apart say so, and so they do for Ctrl and Alt.
    for keys in ["\u{1b}[97;1:2u", "\u{1b}[97;1:3u", "\u{1}", "\u{1b}a", "A"] {
        terminal.press(keys);
        settles(&terminal);
    }
    assert_eq!(sent_after(terminal, &env), 0);
    assert_eq!(questions(&env).len(), 1);
}

#[test]
fn what_was_typed_before_a_question_was_drawn_accepts_nothing() {
    let env = asked(&["One", "Two"], "Yes.");
    let terminal = inbox(&env);
    // Each begins with a key that shows another question, or none.
    for keys in ["ja", "kya", "jaaaa", "kaya", "?a"] {
        terminal.press(keys);
        settles(&terminal);
    }
    assert_eq!(sent_after(terminal, &env), 0);
    assert_eq!(questions(&env).len(), 2);
}

/// A pipe that an editor reads: it waits for the test.
fn pipe(env: &TestEnv, name: &str) {
    let path = env.path(name);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn what_was_typed_before_the_inbox_came_up_accepts_nothing() {
    for keys in ["aaay".to_owned(), "a".repeat(3_000)] {
        let env = asked(&["One"], "Yes.");
        let script = env.path("work/later.jsonl");
        fs::write(script, replies(&["One"], "Yes.")).unwrap();
        let line = "inbox --send --folder mail --owner me@example.org --model script:later.jsonl";
        let terminal = Terminal::typed_ahead(&env, line, &keys);
        terminal.shows("q leave").press("jk");
        settles(&terminal);
        assert_eq!(sent_after(terminal, &env), 0);
        assert_eq!(questions(&env).len(), 1);
    }
}

fn long() -> String {
    let lines: Vec<String> = (1..=120).map(|n| format!("line {n}")).collect();
    lines.join("\n")
}

#[test]
fn what_was_not_shown_in_full_is_accepted_by_a_second_key_only() {
    let env = asked(&["One"], &long());
    let terminal = inbox(&env);
    terminal.shows("more lines").press("a").shows("not shown");
    terminal.press(&"a".repeat(20));
    settles(&terminal);
    terminal.press("ay");
    settles(&terminal);
    // Another key in between takes it back.
    terminal.press("a").shows("y does it for real");
    settles(&terminal);
    terminal.press("y");
    settles(&terminal);
    assert!(sent(&env).is_empty());
    terminal.press("a").shows("y does it for real").press("y");
    terminal.shows("sent to ann@example.org").shows("q leave");
    assert_eq!(sent_after(terminal, &env), 1);
}

#[test]
fn what_was_scrolled_through_is_accepted_without_a_warning() {
    let env = asked(&["One"], &long());
    let terminal = inbox(&env);
    terminal.press("\r").shows("line 41").shows("q leave");
    terminal.press("a").shows("not shown");
    // The end alone is not all of it, and rows that were jumped over count as not shown.
    for page in ["line 75", "line 110", "Does Thursday suit you?"] {
        terminal.press(" ").shows(page).shows("q leave");
    }
    for _ in 0..8 {
        terminal.press(" ");
    }
    settles(&terminal);
    terminal.press("a").shows("y does it").press("y");
    terminal.shows("sent to ann@example.org").shows("q leave");
    assert_eq!(sent_after(terminal, &env), 1);
}

#[test]
fn a_terminal_that_cannot_show_a_question_accepts_none() {
    let env = asked(&["One"], "Yes.");
    let line = format!("inbox --send {ACCOUNT}");
    for (rows, columns) in [(5, 100), (50, 12), (1, 1)] {
        let terminal = Terminal::sized(&env, &line, rows, columns);
        terminal.has_shown("\u{1b}[?1049h", 1);
        terminal.press("ayayayay").press("q");
        assert_eq!(terminal.end(), 0);
        assert!(sent(&env).is_empty(), "{rows} x {columns}");
    }
    assert_eq!(questions(&env).len(), 1);
}

#[test]
fn a_question_that_another_process_answered_leaves_none_selected() {
    let env = asked(&["One", "Two"], "Yes.");
    let first = questions(&env)[0]["id"].as_str().unwrap().to_owned();
    let terminal = inbox(&env);
    assert_eq!(env.run(&format!("inbox ignore {first} {ACCOUNT}")).code, 0);
    terminal.press("u").shows("inbox: 1 question");
    terminal.shows("no question is selected").press("aaa");
    settles(&terminal);
    assert_eq!(sent_after(terminal, &env), 0);
    assert_eq!(questions(&env).len(), 1);
}

#[test]
fn what_was_typed_while_an_editor_was_open_does_not_accept_its_changes() {
    let env = asked(&["One"], "Yes.");
    let script = env.path("home/edit.sh");
    env.write(
        "home/edit.sh",
        "#!/bin/sh\necho editing\ncat wait >/dev/null\nsed 's/Yes/No/' \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"\n",
    );
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    pipe(&env, "work/wait");
    let env = env.with("EDITOR", script.to_str().unwrap());
    let terminal = inbox(&env);
    terminal.press("e").shows("editing");
    terminal.press("y\ry\ry").has_shown("y\r\ny\r\ny", 1);
    fs::write(env.path("work/wait"), "").unwrap();
    terminal.shows("for real? [y/N]").prompts(1).say("n");
    terminal.shows("not accepted").shows("q leave");
    assert_eq!(sent_after(terminal, &env), 0);
    assert_eq!(questions(&env).len(), 1);
}

#[test]
fn an_approval_typed_before_an_analysis_is_shown_is_a_draft() {
    let env = TestEnv::new().with_documents();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/archie.jsonl");
    fs::write(env.path("work/later.jsonl"), fs::read(fixture).unwrap()).unwrap();
    let line = "analyze --query what --inputs docs --model script:later.jsonl";
    let terminal = Terminal::typed_ahead(&env, line, "/approve\r");
    terminal.shows("First question?").prompts(1);
    terminal.shows("you> /approve");
    // Whoever does not want it any more clears it, and leaves.
    terminal.press("\u{15}\u{4}");
    assert_eq!(terminal.end(), 3);
    let listed = env.run("threads list --json").events();
    assert_eq!(listed[0]["status"], "waiting");
}
