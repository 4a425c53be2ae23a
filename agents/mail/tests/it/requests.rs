//! What models read about a mail, and recordings of it.

use std::sync::Arc;

use serde_json::json;
use superstep::model::{
    Cassette, Label, Request,
    script::{Script, Step, When},
};
use superstep_mail::{Answer, Settings};

use crate::fixture::{Fixture, answer, asked, class, mail, reply, responder, take_in, turns, wet};

fn text(request: &Request, label: Label) -> String {
    let messages = request.messages.iter().filter(|it| it.label() == label);
    messages.map(|it| it.text()).collect()
}

#[tokio::test]
async fn a_recorded_mail_replays_on_another_day() {
    let folder = tempfile::tempdir().unwrap();
    let tape = folder.path().join("mail.jsonl");
    let on = |day: &str| Settings {
        now: Some(format!("{day}T09:00:00+01:00").parse().unwrap()),
        ..wet()
    };
    for (is_live, day) in [(true, "2026-11-02"), (false, "2026-12-24")] {
        let fixture = Fixture::new();
        fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
        let model = match is_live {
            true => {
                let steps = [
                    turns(&[reply("a.eml", "Yes.")]),
                    turns(&[reply("a.eml", "At noon.")]),
                ];
                let script = responder(steps, fixture.learning().await);
                Cassette::record(&tape, Arc::new(script)).unwrap()
            }
            false => Cassette::replay(&tape).unwrap(),
        };
        let agent = fixture.agent_on(model, fixture.mailbox(), fixture.calendar(), on(day));
        let (thread, items) = asked(&agent).await;
        answer(&agent, &items[0], Answer::response("Say when.")).await;
        let items = agent.open(&thread).await.unwrap();
        answer(&agent, &items[0], Answer::accept()).await;
        assert_eq!(fixture.sent_texts(), ["At noon."], "{day}");
    }
}

#[tokio::test]
async fn the_time_is_the_last_that_a_model_reads() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("lunch", "Shall we have lunch?"));
    let script = Arc::new(responder([turns(&[reply("a.eml", "Yes.")])], Vec::new()));
    take_in(&fixture.agent(script.clone())).await;
    for request in script.seen() {
        let (last, before) = request.messages.split_last().unwrap();
        assert!(last.text().starts_with("It is "), "{}", last.text());
        assert!(before.iter().all(|it| !it.text().contains("It is ")));
    }
}

#[tokio::test]
async fn the_model_that_answers_reads_the_signs_of_fraud_and_why_the_mail_was_sorted_so() {
    let fixture = Fixture::new();
    let elsewhere = "Reply-To: it@evil.example\r\nSubject:";
    fixture.put(
        "a.eml",
        mail("Mailbox", "Which is it?").replacen("Subject:", elsewhere, 1),
    );
    let script = Arc::new(responder([turns(&[reply("a.eml", "Mine.")])], Vec::new()));
    let agent = fixture.agent(script.clone());
    let (_, items) = asked(&agent).await;
    let view = items[0].item.view.as_ref().unwrap();
    assert!(view.warnings.iter().any(|it| it.is_danger));
    let seen = script.seen();
    let data = text(&seen[1], Label::Untrusted);
    assert!(data.contains("Reason of the sorting: it is so"), "{data}");
    assert!(
        data.contains("Signs of fraud:\n- Answers go to another domain"),
        "{data}"
    );
    let told = text(&seen[1], Label::User);
    assert!(
        told.contains("Signs of fraud that the program found: 1."),
        "{told}"
    );
}

#[tokio::test]
async fn a_sorting_that_leaves_out_a_field_is_asked_again() {
    let fixture = Fixture::new();
    fixture.put("a.eml", mail("report", "All is well."));
    let short = json!({"reasoning": "so", "classification": "notify"});
    let first = Step::data(short).when(When::schema("triage"));
    let script = Arc::new(Script::new([first, class("notify")]));
    let agent = fixture.agent(script.clone());
    asked(&agent).await;
    let seen = script.seen();
    assert_eq!(seen.len(), 2);
    let told = seen[1].messages.last().unwrap().text();
    assert!(told.contains("suspicious"), "{told}");
    let schema = &seen[0].output.as_ref().unwrap().schema;
    let properties = schema["properties"].as_object().unwrap();
    assert_eq!(
        schema["required"].as_array().unwrap().len(),
        properties.len()
    );
}

#[tokio::test]
async fn whoever_sorts_mail_reads_whether_it_came_through_a_list() {
    let fixture = Fixture::new();
    let list =
        "List-Id: <all.example.org>\r\nList-Unsubscribe: <mailto:out@example.org>\r\nSubject:";
    fixture.put(
        "a.eml",
        mail("News", "All is well.").replacen("Subject:", list, 1),
    );
    let script = Arc::new(Script::new([class("ignore")]));
    take_in(&fixture.agent(script.clone())).await;
    let data = text(&script.seen()[0], Label::Untrusted);
    assert!(
        data.contains("Sent: through a mailing list, with a way to unsubscribe\n"),
        "{data}"
    );
}
