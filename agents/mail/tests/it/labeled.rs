//! A labeled set of mails, replayed: how each is sorted, and which calls are made in which order.
//!
//! `labels.json` says what is right, `replay.jsonl` what a model said. A person accepts everything.

use std::{fs, path::PathBuf};

use serde::Deserialize;
use superstep::model::Script;
use superstep_mail::{Answer, Class, InboxItem, Ingested};

use crate::fixture::{Fixture, take_in};

#[derive(Deserialize)]
struct Label {
    file: String,
    class: Class,
    calls: Vec<String>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/mails")
}

fn labels() -> Vec<Label> {
    let text = fs::read_to_string(folder().join("labels.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn agreed(item: &InboxItem, label: &Label) -> Answer {
    match item.item.action_request.action.as_str() {
        "notify" if label.calls.is_empty() => Answer::ignore(),
        "notify" => Answer::response("Congratulate her."),
        "Question" => Answer::response("Yes."),
        _ => Answer::accept(),
    }
}

#[tokio::test]
async fn every_mail_is_sorted_and_handled_as_its_label_says() {
    let labels = labels();
    assert!(labels.len() >= 24);
    for label in &labels {
        let fixture = Fixture::new();
        fixture.put(&label.file, fs::read(folder().join(&label.file)).unwrap());
        let agent = fixture.agent(Script::from_file(folder().join("replay.jsonl")).unwrap());
        let taken = take_in(&agent).await;
        let (file, thread) = (&label.file, taken[0].thread.clone());
        assert!(
            !matches!(taken[0].result, Ingested::Failed { .. }),
            "{file}: {taken:?}"
        );
        loop {
            let items = agent.open(&thread).await.unwrap();
            if items.is_empty() {
                break;
            }
            let answers = items.iter().map(|item| (item.ask, agreed(item, label)));
            agent.answer(&thread, answers).await.unwrap();
        }
        let found = agent.graph().state(thread.as_str()).await.unwrap();
        assert!(found.next.is_empty(), "{file}");
        let state = found.state;
        assert_eq!(state.classification_decision, Some(label.class), "{file}");
        let replies = state.messages.iter().filter_map(|message| message.reply());
        let calls: Vec<&String> = replies
            .flat_map(|it| &it.tool_calls)
            .map(|it| &it.name)
            .collect();
        assert_eq!(calls, label.calls.iter().collect::<Vec<_>>(), "{file}");
        let count = |tool: &str| label.calls.iter().filter(|it| *it == tool).count();
        assert_eq!(fixture.sent().len(), count("send_email_tool"), "{file}");
        assert_eq!(fixture.meetings(), count("schedule_meeting_tool"), "{file}");
        assert!(fixture.is_read(file), "{file}");
    }
}

#[tokio::test]
async fn replies_go_where_their_mail_wants_them_and_stay_in_its_thread() {
    for (file, to, references) in [
        (
            "list-with-reply-to.eml",
            "helpers@lists.example.net",
            vec!["list-with-reply-to@mail.example.org"],
        ),
        (
            "reply-in-thread.eml",
            "jana@example.net",
            vec!["offer-4711@example.org", "reply-in-thread@mail.example.org"],
        ),
    ] {
        let fixture = Fixture::new();
        fixture.put(file, fs::read(folder().join(file)).unwrap());
        let agent = fixture.agent(Script::from_file(folder().join("replay.jsonl")).unwrap());
        let (thread, items) = crate::fixture::asked(&agent).await;
        agent
            .answer(&thread, [(items[0].ask, Answer::accept())])
            .await
            .unwrap();
        let sent = fixture.sent();
        assert_eq!(sent[0].to[0].email, to);
        assert_eq!(sent[0].references, references);
    }
}
