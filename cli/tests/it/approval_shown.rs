//! What a person is shown is what is done, and what was done is reported, whatever fails around it.

use std::{
    fs::{self, File},
    io::Read,
    os::unix::fs::symlink,
};

use serde_json::{Value as Json, json};

use crate::{
    env::{Ran, TestEnv},
    post::{ACCOUNT, env_with, ingest, question, questions, sent},
};

const OWN: &str = "--folder mail --owner me@example.org --model script:own.jsonl";

/// A env with one mail and a model that proposes these arguments, then follows `rest`.
fn env_proposing(args: Json, rest: &str) -> TestEnv {
    let env = env_with(&["Lunch"]);
    let mut all = json!({"email_id": "lunch.eml", "email_address": "me@example.org"});
    let fields = all.as_object_mut().unwrap();
    fields.extend(args.as_object().unwrap().clone());
    let sorted = json!({"when": {"schema": "triage"}, "repeat": "always",
        "data": {"reasoning": "it asks", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}});
    let mut calls = vec![json!({"name": "send_email_tool", "args": all})];
    if rest == THEN_NO_KEY {
        // A turn with a refused call is not the last one.
        calls.insert(
            0,
            json!({"name": "send_email_tool", "args": {"response_text": " "}}),
        );
    }
    let call = json!({"when": {"tool": "Done"}, "calls": calls});
    env.write("work/own.jsonl", &format!("{sorted}\n{rest}\n{call}\n"));
    env
}

const THEN_DONE: &str = r#"{"when": {"tool": "Done", "result": "send_email_tool"}, "calls": [{"name": "Done", "args": {"done": true}}], "repeat": "always"}"#;
const THEN_NO_KEY: &str = r#"{"when": {"tool": "Done", "result": "send_email_tool"}, "error": {"kind": "auth", "message": "key expired"}, "repeat": "always"}"#;

fn asked(env: &TestEnv) -> String {
    let ran = env.run(&format!("mail ingest {OWN}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    question(env)
}

#[test]
fn a_reply_with_hidden_characters_is_shown_in_the_mode_it_is_accepted_in() {
    let env = env_proposing(json!({"response_text": "Fine.\u{200b}"}), THEN_DONE);
    let id = asked(&env);
    let shown = env.run(&format!("inbox show {id}")).stdout;
    assert!(shown.contains("Fine.<U+200B>"), "{shown}");
    assert!(!shown.contains("dry run"), "{shown}");
    let real = env.run(&format!("inbox accept {id} --send {OWN}"));
    assert_eq!(real.code, 0, "{}", real.stderr);
    assert!(real.stderr.contains("for real"), "{}", real.stderr);
    assert!(!real.stderr.contains("dry run"), "{}", real.stderr);
    assert_eq!(sent(&env).len(), 1);
}

#[test]
fn what_was_sent_is_reported_though_the_run_fails_afterwards() {
    for form in ["", "--json"] {
        let env = env_proposing(json!({"response_text": "Fine."}), THEN_NO_KEY);
        let id = asked(&env);
        let ran = env.run(&format!("inbox accept {id} --send {form} {OWN}"));
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        assert!(ran.stderr.contains("SS5001"), "{}", ran.stderr);
        assert_eq!(sent(&env).len(), 1);
        assert!(
            ran.stdout.contains("sent to ann@example.org"),
            "{}",
            ran.stdout
        );
        if !form.is_empty() {
            let events = ran.events();
            let names: Vec<&str> = events
                .iter()
                .filter_map(|it| it["event"].as_str())
                .collect();
            assert_eq!(names, ["about_to", "answered", "call", "ended"]);
        }
        let listed = env.run("threads list --json").events();
        let thread = listed[0]["thread"].as_str().unwrap().to_owned();
        let shown = env.run(&format!("threads show {thread} {form}")).stdout;
        assert!(shown.contains("sent to ann@example.org"), "{shown}");
    }
}

#[test]
fn an_approved_reply_that_was_not_sent_is_not_done() {
    let env = env_with(&["Lunch"]);
    ingest(&env);
    env.write("work/mail/sent", "in the way");
    let ran = env.run(&format!("inbox accept {} --send {ACCOUNT}", question(&env)));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("not sent"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("one question is open"),
        "{}",
        ran.stdout
    );
    // The person says to try again, and it is sent when that is approved.
    fs::remove_file(env.path("work/mail/sent")).unwrap();
    let again = question(&env);
    let shown = env.run(&format!("inbox show {again}")).stdout;
    assert!(shown.contains("a reply was not sent"), "{shown}");
}

#[test]
fn a_reply_that_makes_no_sense_followed_by_done_is_asked_about() {
    let args = json!({"email_id": "other.eml", "response_text": "Fine."});
    let env = env_proposing(args, THEN_DONE);
    let ran = env.run(&format!("mail ingest {OWN}"));
    assert!(ran.stdout.contains("1 question"), "{}", ran.stdout);
    let shown = env.run(&format!("inbox show {}", question(&env))).stdout;
    assert!(shown.contains("a reply was not sent"), "{shown}");
}

#[test]
fn the_text_of_a_reply_cannot_be_taken_for_a_part_of_the_question() {
    let text = "Fine.\n\n---\n\nFrom: Ann <ann@example.org>\n\nThe password is 1234.";
    let env = env_proposing(json!({"response_text": text}), THEN_DONE);
    let id = asked(&env);
    let shown = env.run(&format!("inbox show {id}")).stdout;
    let rules = shown.lines().filter(|line| line.starts_with('─')).count();
    assert_eq!(rules, 1, "{shown}");
    for line in [
        "│ ---",
        "│ From: Ann <ann@example.org>",
        "│ The password is 1234.",
    ] {
        assert!(shown.lines().any(|it| it == line), "{line}: {shown}");
    }
}

#[test]
fn recipients_are_named_without_doubt_and_added_ones_are_flagged() {
    let args = json!({"response_text": "Fine.", "additional_recipients": ["ann@example.org"]});
    let env = env_proposing(args, THEN_DONE);
    env.write(
        "work/mail/lunch.eml",
        "From: Ann <ann@example.org>\r\nReply-To: desk@example.org\r\nTo: me@example.org\r\n\
         Cc: \"ann@example.org, boss@example.org\" <mallory@evil.example>\r\nSubject: Lunch\r\n\
         Message-ID: <lunch@example.org>\r\n\r\nThursday?\r\n",
    );
    let shown = env.run(&format!("inbox show {}", asked(&env))).stdout;
    let quoted = "Cc: \"ann@example.org, boss@example.org\" <mallory@evil.example>";
    assert!(shown.contains(quoted), "{shown}");
    let flag = "! Added by the assistant: ann@example.org";
    assert!(shown.lines().any(|line| line.starts_with(flag)), "{shown}");
}

/// Runs a command line with a redirection of a shell.
fn redirected(env: &TestEnv, line: &str, redirection: &str) -> i32 {
    let script = format!("exec \"$0\" \"$@\" {redirection}");
    let ran = env.in_shell(&script, line).output().unwrap();
    ran.status.code().unwrap()
}

#[test]
fn an_answer_that_cannot_be_announced_is_not_given() {
    let env = env_with(&["Lunch"]);
    ingest(&env);
    let id = question(&env);
    for (answer, form, redirection) in [
        ("accept ID", "", "2>/dev/full"),
        ("accept ID", "", "2>&-"),
        ("accept ID", "--json", ">/dev/full"),
        ("accept ID", "--json", ">&-"),
        ("edit ID --set response_text=x", "", "2>/dev/full"),
        ("respond ID no", "", "2>/dev/full"),
        ("ignore ID", "", "2>/dev/full"),
        ("ignore ID", "--json", ">&-"),
    ] {
        let answer = answer.replace("ID", &id);
        let line = format!("inbox {answer} --send {form} {ACCOUNT}");
        assert_eq!(
            redirected(&env, &line, redirection),
            1,
            "{line} {redirection}"
        );
        assert_eq!(question(&env), id, "{line} {redirection}");
    }
    assert!(sent(&env).is_empty());
    // Whoever does not want to read it says so.
    let line = format!("inbox accept {id} --send {ACCOUNT}");
    assert_eq!(redirected(&env, &line, "2>/dev/null"), 0);
    assert_eq!(sent(&env).len(), 1);
}

#[test]
fn files_that_are_not_read_as_mail_are_named_and_count_as_failed() {
    let env = env_with(&["Lunch"]);
    let folder = env.path("work/mail");
    let large = File::create(folder.join("huge.eml")).unwrap();
    large.set_len((128 << 20) + 1).unwrap();
    symlink("lunch.eml", folder.join("link.eml")).unwrap();
    fs::create_dir(folder.join("folder.eml")).unwrap();
    let is_reported = |ran: &Ran, name: &str| {
        let lines = ran.stdout.lines();
        let mut failed = lines.filter(|line| line.contains("failed"));
        failed.any(|line| line.contains(name)) && ran.stderr.contains(&format!("`{name}`"))
    };
    for _ in 0..2 {
        let ran = ingest(&env);
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        for name in ["huge.eml", "link.eml", "folder.eml"] {
            assert!(
                is_reported(&ran, name),
                "{name}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
        assert!(ran.stderr.contains("SS7020"), "{}", ran.stderr);
        assert!(ran.stderr.contains("to leave it out"), "{}", ran.stderr);
    }
    assert_eq!(questions(&env).len(), 1);
    let again = env.run(&format!("mail ingest --retry huge.eml {ACCOUNT}"));
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("SS7020"), "{}", again.stderr);
    // A mark and a move leave them out.
    env.write("work/mail/read/huge.eml", "");
    fs::remove_file(folder.join("link.eml")).unwrap();
    fs::remove_dir(folder.join("folder.eml")).unwrap();
    assert_eq!(ingest(&env).code, 0);
}

#[test]
fn whoever_answers_too_late_is_told_so_and_reports_nothing_as_done() {
    // As JSON this is more than a pipe holds: the process waits in the middle of what it announces.
    let text = format!("Fine.{}", "\u{e0101}".repeat(7_900));
    let env = env_proposing(json!({"response_text": text}), THEN_DONE);
    let id = asked(&env);
    let line = format!("inbox accept {id} --send {OWN}");
    let mut late = env.command(&format!("{line} --json")).spawn().unwrap();
    let mut told = late.stdout.take().unwrap();
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("about_to") {
        let mut byte = [0];
        assert_eq!(told.read(&mut byte).unwrap(), 1, "it ended");
        seen.push(byte[0]);
    }
    let first = env.run(&line);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(first.stdout.contains("sent to"), "{}", first.stdout);
    told.read_to_end(&mut seen).unwrap();
    let late = late.wait_with_output().unwrap();
    let why = String::from_utf8_lossy(&late.stderr);
    assert_eq!(late.status.code(), Some(1), "{why}");
    assert!(why.contains("SS7015"), "{why}");
    let told = String::from_utf8_lossy(&seen);
    assert!(!told.contains("sent to"), "{told}");
    assert_eq!(sent(&env).len(), 1);
}
