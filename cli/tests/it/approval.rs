//! What is approved by a command is what was named and shown, in the mode it was shown.

use std::fs;

use serde_json::Value as Json;

use crate::post::{ACCOUNT, asked, env_with, question, questions, sent};

#[test]
fn every_command_of_the_inbox_names_questions_in_the_same_way() {
    let env = asked(&["Lunch", "Backup", "Hang"]);
    let all = questions(&env);
    let ids: Vec<&str> = all.iter().map(|it| it["id"].as_str().unwrap()).collect();
    let short = &ids[0][..3];
    for (id, code, exit) in [
        ("1", "SS6030", 2),
        ("2", "SS6030", 2),
        (short, "SS6030", 2),
        ("nothing", "SS6032", 1),
    ] {
        for line in [
            format!("inbox show {id}"),
            format!("inbox accept {id} --send {ACCOUNT}"),
            format!("inbox edit {id} --set response_text=x --send {ACCOUNT}"),
            format!("inbox respond {id} hello --send {ACCOUNT}"),
            format!("inbox ignore {id} --send {ACCOUNT}"),
        ] {
            let ran = env.run(&line);
            assert_eq!(ran.code, exit, "{line}: {}", ran.stderr);
            assert!(ran.stderr.contains(code), "{line}: {}", ran.stderr);
            // The questions that may be meant are named, by ids that can be copied.
            for id in &ids {
                assert!(ran.stderr.contains(&id[..8]), "{line}: {}", ran.stderr);
            }
        }
    }
    assert_eq!(questions(&env).len(), 3);
    assert!(sent(&env).is_empty());
    // The list has no numbers that could be typed.
    let listed = env.run("inbox list").stdout;
    for (line, id) in listed.lines().zip(&ids) {
        assert!(line.starts_with(&id[..8]), "{listed}");
    }
}

#[test]
fn what_is_shown_by_an_id_is_what_is_accepted_by_it() {
    let env = asked(&["Lunch", "Hang"]);
    let hang = questions(&env)
        .into_iter()
        .find(|it| it["subject"] == "Hang")
        .unwrap();
    let id = &hang["id"].as_str().unwrap()[..4];
    let shown = env.run(&format!("inbox show {id}")).stdout;
    assert!(shown.contains("Subject: Re: Hang"), "{shown}");
    // Another question comes before it, or goes: the id means the same.
    let lunch = questions(&env)
        .into_iter()
        .find(|it| it["subject"] == "Lunch")
        .unwrap();
    let other = lunch["id"].as_str().unwrap();
    assert_eq!(env.run(&format!("inbox ignore {other} {ACCOUNT}")).code, 0);
    let again = env.run(&format!("inbox show {id}")).stdout;
    assert_eq!(again, shown);
}

#[test]
fn what_is_about_to_be_done_is_said_before() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let dry = env.run(&format!("inbox accept {id} {ACCOUNT}"));
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    for message in [
        "send reply  in a dry run", "To: Ann <ann@example.org>", "Subject: Re: Lunch",
        "Thursday suits me.",
    ] {
        assert!(dry.stderr.contains(message), "{message}: {}", dry.stderr);
    }
    // It is open still, as nothing was done.
    assert_eq!(question(&env), id);
    let real = env.run(&format!(
        "inbox edit {} --set response_text=Friday --send --json {ACCOUNT}",
        &id[..6]
    ));
    assert_eq!(real.code, 0, "{}", real.stderr);
    let events = real.events();
    let place = |name: &str| events.iter().position(|it| it["event"] == name).unwrap();
    assert!(place("about_to") < place("answered"));
    let message = &events[place("about_to")];
    assert_eq!(
        (&message["id"], &message["mode"]),
        (&id.into(), &"send".into())
    );
    assert_eq!(message["action_request"]["action"], "send_email_tool");
    let lines: Vec<&str> = message["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Json::as_str)
        .collect();
    assert!(lines.contains(&"To: Ann <ann@example.org>"), "{lines:?}");
    assert!(lines.contains(&"│ Friday"), "{lines:?}");
    assert!(!lines.contains(&"│ Thursday suits me."), "{lines:?}");
    assert_eq!(events[place("answered")]["answer"][0]["mode"], "send");
    assert!(sent(&env)[0].contains("Friday"));
}

#[test]
fn nothing_is_done_if_nobody_can_read_what_is_about_to_be_done() {
    let env = asked(&["Lunch"]);
    let line = format!("inbox accept {} --send --json {ACCOUNT}", question(&env));
    let mut child = env.command(&line).spawn().unwrap();
    drop(child.stdout.take());
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(1));
    assert!(sent(&env).is_empty());
    assert_eq!(questions(&env).len(), 1);
}

/// A model that proposes two replies in one turn.
const TWO: &str = r#"{"when": {"schema": "triage"}, "data": {"reasoning": "it asks", "classification": "respond", "suspicious": false, "security_notice": false, "urgency": "soon", "language": "English"}, "repeat": "always"}
{"when": {"tool": "Done", "result": "send_email_tool"}, "calls": [{"name": "Done", "args": {"done": true}}], "repeat": "always"}
{"when": {"tool": "Done"}, "calls": [{"name": "send_email_tool", "args": {"email_id": "lunch.eml", "response_text": "One.", "email_address": "me@example.org"}}, {"name": "send_email_tool", "args": {"email_id": "lunch.eml", "response_text": "Two.", "email_address": "me@example.org"}}], "repeat": "always"}
"#;

#[test]
fn of_two_replies_the_one_accepted_in_a_dry_run_is_asked_again_and_not_sent() {
    let env = env_with(&["Lunch"]);
    fs::write(env.path("work/two.jsonl"), TWO).unwrap();
    let account = "--folder mail --owner me@example.org --model script:two.jsonl";
    env.run(&format!("mail ingest {account}"));
    let of = |text: &str| {
        let fits =
            |it: &Json| it["interrupts"][0]["action_request"]["args"]["response_text"] == text;
        let found = questions(&env).into_iter().find(fits).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let first = env.run(&format!("inbox accept {} --rehearse {account}", of("One.")));
    assert_eq!(first.code, 0, "{}", first.stderr);
    let second = env.run(&format!("inbox accept {} --send {account}", of("Two.")));
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert!(
        second.stdout.contains("one question is open"),
        "{}",
        second.stdout
    );
    let mails = sent(&env);
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("Two."), "{}", mails[0]);
    let again = of("One.");
    let shown = env.run(&format!("inbox show {again}")).stdout;
    assert!(shown.contains("You accepted this in a dry run"), "{shown}");
    assert!(shown.contains("To: Ann <ann@example.org>"), "{shown}");
    let third = env.run(&format!("inbox accept {again} --send {account}"));
    assert_eq!(third.code, 0, "{}", third.stderr);
    assert_eq!(sent(&env).len(), 2);
    assert!(questions(&env).is_empty());
}

#[test]
fn a_fork_behind_a_mail_that_was_sent_says_so_and_needs_a_consent() {
    let env = asked(&["Lunch"]);
    let thread = questions(&env)[0]["thread"].as_str().unwrap().to_owned();
    let id = question(&env);
    let ran = env.run(&format!("inbox accept {id} --send {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(sent(&env).len(), 1);
    let line = format!("threads fork {thread} --at 1 --name mail-again");
    let forked = env.run(&line);
    assert_eq!(forked.code, 1, "{}", forked.stderr);
    for said in ["SS6058", "sent to ann@example.org", "step 2", "--repeat"] {
        assert!(forked.stderr.contains(said), "{said}: {}", forked.stderr);
    }
    let forked = env.run(&format!("{line} --repeat"));
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    assert_eq!(sent(&env).len(), 1);
}

#[test]
fn an_approved_reply_that_is_not_sent_ends_with_1_and_a_refused_one_with_0() {
    let env = asked(&["Lunch"]);
    let id = question(&env);
    // The addresses that a reply may name are those of the owner, who is another one now.
    let other = ACCOUNT.replace("me@example.org", "other@example.org");
    let ran = env.run(&format!("inbox accept {id} --send {other}"));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(sent(&env).is_empty());
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let ran = env.run(&format!("inbox ignore {id} --send {ACCOUNT}"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let env = asked(&["Lunch"]);
    let id = question(&env);
    let ran = env.run(&format!("inbox accept {id} --send {ACCOUNT}"));
    assert_eq!((ran.code, sent(&env).len()), (0, 1), "{}", ran.stderr);
}
