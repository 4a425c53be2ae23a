//! What is shown, as JSON: one form for both layers.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superstep::{Modes, RunOptions, prelude::*};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    subject: String,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Draft,
    Send,
}

#[derive(Serialize, Deserialize, Ask)]
#[ask(answer = bool)]
struct MaySend {
    to: String,
}

fn graph() -> Graph<Mail, Node> {
    Graph::<Mail, Node>::builder()
        .saver(saver())
        .node(Node::Draft, || async {
            Mail::update().log(["drafted".to_owned()])
        })
        .node(Node::Send, |ctx: Ctx| async move {
            let to = "ann@example.com".to_owned();
            ctx.ask(MaySend { to })?;
            Ok::<_, NodeError>(())
        })
        .start(Node::Draft)
        .edge(Node::Draft, Node::Send)
        .finish(Node::Send)
        .build()
        .unwrap()
        .with_options(|options| {
            options.modes = Modes::ALL;
            options.log = Modes::UPDATES;
        })
}

fn json(shown: &impl Serialize) -> Value {
    serde_json::to_value(shown).unwrap()
}

#[tokio::test]
async fn an_outcome_has_the_same_form_in_both_layers_and_its_question_is_answered_by_the_id_in_it()
{
    let graph = graph();
    let outcome = graph.run("t", Mail::update().subject("hi")).await.unwrap();
    let shown = json(&outcome);
    let id = shown["asks"][0]["id"].as_str().unwrap().to_owned();
    let question = json!({
        "id": id, "kind": "may_send", "value": {"to": "ann@example.com"},
        "schema": {"title": "boolean", "type": "boolean"},
    });
    let state = json!({"subject": "hi", "log": ["drafted"]});
    assert_eq!(
        shown,
        json!({"output": state, "asks": [question], "status": "waiting"})
    );
    let options = RunOptions::on("other");
    let input = json!({"subject": "hi"});
    let other = graph.dynamic().invoke(input, &options).await.unwrap();
    let mut other = json(&other);
    assert_ne!(other["asks"][0]["id"], shown["asks"][0]["id"]);
    other["asks"][0]["id"] = shown["asks"][0]["id"].clone();
    assert_eq!(other, shown);
    let done = graph.answer("t", [(id.parse().unwrap(), true)]).await;
    assert_eq!(json(&done.unwrap())["status"], "done");
}

#[tokio::test]
async fn checkpoints_events_log_entries_and_errors_are_shown() {
    let graph = graph();
    let mut stream = graph.stream("t", Mail::update());
    let mut types = Vec::new();
    while let Some(event) = stream.next().await {
        let shown = json(&event);
        if shown["type"] == "update" {
            assert_eq!(shown["node"], "draft");
            assert_eq!(shown["update"], json!({"log": ["drafted"]}));
        }
        types.push(shown["type"].as_str().unwrap().to_owned());
    }
    for wanted in [
        "values", "update", "asked", "task_started", "task_ended", "checkpoint",
    ] {
        assert!(
            types.iter().any(|found| found == wanted),
            "{wanted}: {types:?}"
        );
    }
    let checkpoint = json(&graph.state("t").await.unwrap());
    assert_eq!(checkpoint["next"], json!(["send"]));
    assert_eq!(checkpoint["values"]["log"], json!(["drafted"]));
    let id = checkpoint["checkpoint"].as_str().unwrap();
    assert!(id.parse::<superstep::CheckpointId>().is_ok(), "{id}");
    let mut log = graph.follow("t", None, Modes::UPDATES);
    let (_, first) = log.next_stored().await.unwrap().unwrap();
    assert_eq!(json(&first)["started"]["modes"], json!(["updates"]));
    let (_, second) = log.next_stored().await.unwrap().unwrap();
    assert_eq!(json(&second)["event"]["type"], "update");
    let unknown = graph.answer("t", [("0".repeat(32).parse().unwrap(), true)]);
    let error = json(&unknown.await.unwrap_err());
    assert_eq!(
        (&error["code"], &error["thread"]),
        (&json!("SS1105"), &json!("t"))
    );
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
#[serde(rename_all = "camelCase", default)]
struct Trip {
    start_day: u32,
    #[serde(rename = "to")]
    destination: String,
    #[reduce(Append)]
    seen_on_the_way: Vec<String>,
}

#[tokio::test]
async fn a_field_is_read_by_the_name_by_which_it_is_shown() {
    let graph = Graph::<Trip, Node>::builder()
        .saver(saver())
        .node(Node::Draft, |trip: Snap<Trip>| async move {
            Trip::update().push_seen_on_the_way(format!("day {}", trip.start_day))
        })
        .node(Node::Send, || async {})
        .start(Node::Draft)
        .edge(Node::Draft, Node::Send)
        .finish(Node::Send)
        .build()
        .unwrap();
    let input = json!({ "startDay": 3, "to": "Rome", "seenOnTheWay": ["a cat"] });
    let options = RunOptions::on("t");
    let outcome = graph.dynamic().invoke(input, &options).await;
    let shown = outcome.unwrap().output.unwrap().to_json();
    let expected = json!({ "startDay": 3, "to": "Rome", "seenOnTheWay": ["a cat", "day 3"] });
    assert_eq!(shown, expected);
    let seen = graph.state("t").await.unwrap();
    assert_eq!(seen.state.destination, "Rome");
    assert_eq!(json(&seen)["values"], expected);
}
