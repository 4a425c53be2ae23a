//! Two processes that learn at the same time: neither overwrites what the other one learnt.
//!
//! Both ask a server on this machine to word what they learnt. It answers neither before both have
//! asked, so both have read the same old text by then.
#![cfg(feature = "remote")]

use std::{
    process::{Child, Output},
    sync::{Condvar, Mutex},
    time::Duration,
};

use serde_json::{Value as Json, json};
use superstep::model::Reply;
use superstep_fake_providers::openai;
use superstep_loopback::{Answer, Request, Server};
use tokio::runtime::Runtime;

use crate::{
    env::TestEnv,
    post::{ACCOUNT, env_with, ingest, questions},
};

/// Where the first two meet; whoever comes later passes.
#[derive(Default)]
struct Meeting {
    came: Mutex<usize>,
    both: Condvar,
}

impl Meeting {
    fn wait(&self) {
        // Others are served meanwhile.
        tokio::task::block_in_place(|| self.wait_here());
    }

    fn wait_here(&self) {
        let mut came = self.came.lock().unwrap();
        *came += 1;
        self.both.notify_all();
        let alone = |came: &mut usize| *came < 2;
        let (_came, waited) = self
            .both
            .wait_timeout_while(came, Duration::from_secs(60), alone)
            .unwrap();
        assert!(!waited.timed_out(), "the other one never came");
    }
}

fn texts(seen: &Request, role: &str) -> String {
    let messages = seen.body["messages"].as_array().unwrap();
    let of = messages.iter().filter(|it| it["role"] == role);
    of.map(|it| match &it["content"] {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    })
    .collect()
}

fn reply(text: &str) -> Answer {
    let reply = Reply {
        content: text.into(),
        ..Reply::default()
    };
    Answer::events(&openai::stream("m", &reply))
}

fn serve(
    runtime: &Runtime,
    answer: impl Fn(&Request) -> Answer + Send + Sync + 'static,
) -> (Server, String) {
    let server = runtime.block_on(Server::with(answer)).unwrap();
    let model = format!("--model openai@{}/v1:m", server.address());
    (server, model)
}

fn ended(child: Child) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    let message = [stdout, stderr].concat();
    (status.code(), String::from_utf8(message).unwrap())
}

/// A env with a question about a mail of each of these.
fn asked_about(senders: [&str; 2]) -> TestEnv {
    let env = env_with(&[]);
    for sender in senders {
        let mail = format!(
            "From: {sender}\r\nTo: me@example.org\r\nSubject: Backup {sender}\r\n\
             Date: Mon, 02 Nov 2026 10:00:00 +0100\r\nMessage-ID: <1-{sender}>\r\n\r\nDone.\r\n"
        );
        env.write(&format!("work/mail/{sender}.eml"), &mail);
    }
    let ran = ingest(&env);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    env
}

/// The notes with a line about the sender that the person ignored.
fn note_with_line(seen: &Request) -> String {
    let system = texts(seen, "system");
    let (_, rest) = system.split_once("<notes>\n").unwrap();
    let (notes, _) = rest.split_once("\n</notes>").unwrap();
    let user = texts(seen, "user");
    let (_, rest) = user.split_once("(the mail was from ").unwrap();
    let (sender, _) = rest.split_once(')').unwrap();
    format!("{notes}\n- Mail of {sender} can be ignored.")
}

#[test]
fn two_processes_that_learn_at_once_keep_both_lessons() {
    let senders = ["ann@example.org", "bob@example.org"];
    let env = asked_about(senders);
    let runtime = Runtime::new().unwrap();
    let meeting = Meeting::default();
    let (server, model) = serve(&runtime, move |seen| {
        let data = json!({"chain_of_thought": "so", "user_preferences": note_with_line(seen)});
        meeting.wait();
        reply(&data.to_string())
    });
    let account = ACCOUNT.split_once(" --model").unwrap().0;
    let children: Vec<Child> = questions(&env)
        .iter()
        .map(|question| {
            let id = question["id"].as_str().unwrap();
            let line = format!("inbox ignore {id} {account} {model}");
            env.command(&line).spawn().unwrap()
        })
        .collect();
    assert_eq!(children.len(), 2);
    for child in children {
        let (code, reported) = ended(child);
        assert_eq!(code, Some(0), "{reported}");
        assert!(
            reported.contains("learned: the note `triage` changed"),
            "{reported}"
        );
    }
    let note = env.run("mail memory show triage").stdout;
    for sender in senders {
        let line = format!("- Mail of {sender} can be ignored.");
        assert_eq!(note.matches(&line).count(), 1, "{note}");
    }
    let versions = env.run("mail memory versions triage --json").events();
    let numbers: Vec<u64> = versions
        .iter()
        .filter_map(|it| it["number"].as_u64())
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
    // Whoever came second asked again, about the newer note.
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn whoever_learns_nothing_does_not_say_learned_because_the_other_one_did() {
    let senders = ["ann@example.org", "bob@example.org"];
    let env = asked_about(senders);
    let runtime = Runtime::new().unwrap();
    let meeting = Meeting::default();
    let (_server, model) = serve(&runtime, move |seen| {
        let note = match texts(seen, "user").contains("bob@") {
            // This one loses all the lines, which is refused.
            true => "- Nothing matters.".to_owned(),
            false => note_with_line(seen),
        };
        meeting.wait();
        reply(&json!({"chain_of_thought": "so", "user_preferences": note}).to_string())
    });
    let account = ACCOUNT.split_once(" --model").unwrap().0;
    let mut reported = Vec::new();
    let asked = questions(&env);
    let children = asked.iter().map(|question| {
        let id = question["id"].as_str().unwrap();
        let line = format!("inbox ignore {id} {account} {model}");
        let is_bob = question.to_string().contains("bob@example.org");
        (is_bob, env.command(&line).spawn().unwrap())
    });
    let children: Vec<(bool, Child)> = children.collect();
    for (is_bob, child) in children {
        let (code, text) = ended(child);
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(text.contains("learned"), !is_bob, "{text}");
        reported.push(is_bob);
    }
    reported.sort_unstable();
    assert_eq!(reported, [false, true]);
}

#[test]
fn two_analyses_at_once_both_add_to_what_is_remembered() {
    let env = TestEnv::new();
    for name in ["alpha", "beta"] {
        env.write(&format!("work/{name}/plan.md"), &format!("{name} pays.\n"));
    }
    let runtime = Runtime::new().unwrap();
    let meeting = Meeting::default();
    let (_server, model) = serve(&runtime, move |seen| {
        let asked = seen.body.to_string();
        if !asked.contains("List what a later conversation") {
            return reply("What else?");
        }
        meeting.wait();
        let name = if asked.contains("alpha") {
            "alpha"
        } else {
            "beta"
        };
        let statement = json!({
            "kind": "fact", "statement": format!("There is {name}."), "quote": name,
        });
        reply(&json!({"statements": [statement]}).to_string())
    });
    let children = ["alpha", "beta"].map(|name| {
        let line = format!(
            "analyze --query {name} --inputs {name} --approve-after 1 --memory-file memory.json {model}"
        );
        env.command(&line).spawn().unwrap()
    });
    for child in children {
        let (code, reported) = ended(child);
        assert_eq!(code, Some(0), "{reported}");
    }
    let memory = env.read("work/memory.json");
    let memory: Json = serde_json::from_str(&memory).unwrap();
    let statements = memory["statements"].as_array().unwrap();
    let mut texts: Vec<&str> = statements
        .iter()
        .filter_map(|it| it["text"].as_str())
        .collect();
    texts.sort_unstable();
    assert_eq!(texts, ["There is alpha.", "There is beta."]);
}
