//! What people are told: while something goes on, when it goes wrong, and before it is gone.
#![cfg(feature = "remote")]

use std::sync::atomic::{AtomicUsize, Ordering};

use superstep::model::Reply;
use superstep_fake_providers::openai;
use superstep_loopback::{Answer, Request, Server};

use crate::{
    env::{TestEnv, mode},
    post::{ACCOUNT, asked, env_with},
    terminal::Terminal,
};

const ARCHIE: &str = "--model script:FIXTURES/archie.jsonl";

#[test]
fn a_trace_shows_words_and_not_the_json_around_them() {
    let env = TestEnv::new();
    assert_eq!(env.run(&format!("ask who {ARCHIE}")).code, 0);
    let shown = env.run("trace show last --content 400").stdout;
    assert!(shown.contains("The ledger does."), "{shown}");
    assert!(shown.contains("< who"), "{shown}");
    for json in ["max_tokens", "\"messages\""] {
        assert!(!shown.contains(json), "{json}: {shown}");
    }
}

#[test]
fn what_is_deleted_is_named_by_its_title() {
    let env = TestEnv::new();
    env.write("work/own.jsonl", "{\"text\": \"The second.\"}\n");
    let ran = env.run_words(&["ask", "Which plan?", "--model", "script:own.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let thread = ran.thread();
    let asked = Terminal::run(&env, &format!("threads delete {thread}"));
    asked.shows("Which plan?").prompts(1).say("n");
    assert_ne!(asked.end(), 0);
    let deleted = env.run(&format!("threads delete {thread} --yes"));
    assert!(deleted.stderr.contains("Which plan?"), "{}", deleted.stderr);
    assert_eq!(env.run("threads list --json").stdout, "");
}

#[test]
fn which_mail_is_worked_on_is_shown_at_a_terminal() {
    let env = env_with(&["Lunch", "Later"]);
    env.write(
        "work/slow.jsonl",
        "{\"text\": \"\", \"break\": \"hang\", \"repeat\": \"always\"}\n",
    );
    let line = "mail ingest --folder mail --owner me@example.org --model script:slow.jsonl";
    let terminal = Terminal::run(&env, line);
    terminal.shows("mail 1 of 2").press("\u{3}");
    assert_eq!(terminal.end(), 130);
}

#[cfg(unix)]
#[test]
fn without_editor_in_the_environment_an_installed_one_is_used() {
    let env = TestEnv::new();
    env.write(
        "home/bin/vi",
        "#!/bin/sh\necho 'offline = true' >> \"$1\"\n",
    );
    mode(&env.path("home/bin/vi"), 0o755);
    assert_eq!(env.run("config init").code, 0);
    // No other one can be found.
    let bin = env.path("home/bin").display().to_string();
    let env = env.with("PATH", &bin);
    let terminal = Terminal::run(&env, "config edit");
    terminal.shows("saved");
    assert_eq!(terminal.end(), 0);
    let shown = env.run("config show").stdout;
    assert!(shown.contains("offline = true"), "{shown}");
}

#[test]
fn the_inbox_is_listed_by_date_with_sender_and_subject_first() {
    let env = env_with(&[]);
    for (name, subject, date) in [
        ("a", "Lunch later", "Tue, 03 Nov 2020 10:00:00 +0000"),
        ("b", "Lunch before", "Mon, 02 Nov 2020 10:00:00 +0000"),
    ] {
        let mail = format!(
            "From: Ann <ann@example.org>\r\nTo: Max <me@example.org>\r\nSubject: {subject}\r\n\
             Date: {date}\r\nMessage-ID: <{name}@example.org>\r\n\r\nWhen?\r\n"
        );
        env.write(&format!("work/mail/{name}.eml"), &mail);
    }
    env.write(
        "work/own.jsonl",
        r#"{"when": {"schema": "triage"}, "data": {"reasoning": "so", "classification": "notify", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}, "repeat": "always"}
"#,
    );
    let line = "mail ingest --folder mail --owner me@example.org --model script:own.jsonl";
    assert_eq!(env.run(line).code, 0);
    let list = env.run("inbox list").stdout;
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 2, "{list}");
    for (line, subject, date) in [
        (lines[0], "Lunch before", "2020-11-02"),
        (lines[1], "Lunch later", "2020-11-03"),
    ] {
        assert!(line.contains("Ann") && line.contains(subject), "{line}");
        assert!(line.contains(date), "{line}");
        assert!(!line.contains("mail-"), "no name of a thread: {line}");
    }
}

#[test]
fn what_is_no_mail_is_unreadable_and_costs_nothing() {
    let env = env_with(&["Sale"]);
    env.write("work/mail/empty.eml", "");
    env.write("work/mail/noise.eml", &"\u{7f}x\u{1}y ".repeat(999));
    let ran = env.run(&format!("mail ingest {ACCOUNT}"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for name in ["empty.eml", "noise.eml"] {
        let line = format!("unreadable  {name}");
        assert!(ran.stdout.contains(&line), "{name}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("ignore, done  Sale"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no sender"), "{}", ran.stderr);
}

#[test]
fn what_was_not_learned_is_told_in_words() {
    let env = asked(&["Lunch"]);
    env.write(
        "work/bad.jsonl",
        r#"{"when": {"schema": "user_preferences"}, "data": {"chain_of_thought": "", "user_preferences": "- nothing"}, "repeat": "always"}
{"when": {"tool": "Done"}, "calls": [{"name": "Done", "args": {"done": true}}], "repeat": "always"}
"#,
    );
    let id = crate::post::question(&env);
    let ran = env.run(&format!(
        "inbox ignore {id} --send --folder mail --owner me@example.org --model script:bad.jsonl"
    ));
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(all.contains("_preferences` stay as they are"), "{all}");
    assert!(
        all.contains("would have removed all of your preferences"),
        "{all}"
    );
}

#[test]
fn a_reply_that_breaks_off_ends_its_line_before_anything_else_is_said() {
    let env = TestEnv::new();
    env.write(
        "work/cut.jsonl",
        "{\"text\": \"ok\", \"break\": \"disconnect\", \"after\": 2, \"repeat\": \"always\"}\n",
    );
    let terminal = Terminal::run(&env, "ask who --model script:cut.jsonl");
    terminal.shows("SS5007").prompts(1);
    let screen = terminal.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim_end).collect();
    assert!(lines.contains(&"ok"), "{screen}");
    let told = lines.iter().any(|line| line.starts_with("error [SS5007]"));
    assert!(told, "{screen}");
    terminal.press("\u{3}");
    assert_ne!(terminal.end(), 0);
}

#[test]
fn attempts_that_are_made_again_are_told() {
    let calls = AtomicUsize::new(0);
    let reply = Reply {
        content: "At last.".into(),
        ..Reply::default()
    };
    let server = Server::on_thread(
        move |_: &Request| match calls.fetch_add(1, Ordering::SeqCst) {
            0 => Answer::status(
                429,
                &[("retry-after", "0")],
                openai::error("rate_limit_exceeded", "slow down").to_string(),
            ),
            _ => Answer::events(&openai::stream("gpt-x", &reply)),
        },
    )
    .unwrap();
    let env = TestEnv::new().with("OPENAI_API_KEY", "sk-hush");
    let model = format!("openai@{}/v1:gpt-x", server.address());
    let ran = env.run(&format!("model chat hi --model {model}"));
    assert_eq!(ran.stdout, "At last.\n", "{}", ran.stderr);
    assert!(ran.stderr.contains("attempt 2 in"), "{}", ran.stderr);
}
