//! Looking at threads and editing them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superstep::prelude::*;

use crate::plain::{PlainSaver, saver};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Mail {
    decision: Option<String>,
    count: u32,
    #[state(untracked)]
    secret: Option<String>,
    #[reduce(Append)]
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Decide,
    Clear,
    #[node(name = "end_of_it")]
    Last,
}

fn graph() -> Graph<Mail, Node> {
    graph_on(saver())
}

fn graph_on(saver: Arc<PlainSaver>) -> Graph<Mail, Node> {
    async fn decide(mail: Snap<Mail>) -> MailUpdate {
        let secret = mail.secret.clone();
        Mail::update()
            .decision("yes".to_owned())
            .log([format!("secret {secret:?}")])
    }
    Graph::<Mail, Node>::builder()
        .saver(saver)
        .node(Node::Decide, decide)
        .node(Node::Clear, || async { Mail::update().decision(None) })
        .node(Node::Last, |mail: Snap<Mail>| async move {
            Mail::update().log([format!("{:?} {}", mail.decision, mail.count)])
        })
        .start(Node::Decide)
        .edge(Node::Decide, Node::Clear)
        .edge(Node::Clear, Node::Last)
        .finish(Node::Last)
        .pause_before(&[Node::Clear])
        .build()
        .unwrap()
}

#[tokio::test]
async fn an_explicit_nothing_clears_a_field_and_an_absent_one_keeps_it() {
    let graph = graph();
    let outcome = graph.run("t", Mail::update().count(3)).await.unwrap();
    let Outcome::Paused { state } = outcome else {
        panic!("it pauses before it clears")
    };
    assert_eq!(state.decision.as_deref(), Some("yes"));
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!((&done.decision, done.count), (&None, 3));
    assert_eq!(done.log, ["secret None", "None 3"]);
    assert_eq!(graph.state("t").await.unwrap().state.decision, None);
}

#[tokio::test]
async fn an_untracked_field_is_seen_and_never_stored() {
    let saver = saver();
    let graph = graph_on(saver.clone());
    let input = Mail::update().secret("s".to_owned()).count(1);
    let outcome = graph.run("t", input).await.unwrap();
    assert_eq!(outcome.state().log, [r#"secret Some("s")"#]);
    assert_eq!(graph.state("t").await.unwrap().state.secret, None);
    let stored = saver.records.lock().unwrap();
    let inputs: Vec<String> = stored
        .iter()
        .filter_map(|stored| stored.record.pending.start.as_ref())
        .map(|start| serde_json::to_string(start).unwrap())
        .collect();
    assert_eq!(inputs.len(), 1);
    assert!(inputs[0].contains("count"), "{inputs:?}");
    assert!(!inputs[0].contains("secret"), "{inputs:?}");
}

#[tokio::test]
async fn a_thread_that_never_ran_has_the_default_state() {
    let seen = graph().state("nobody").await.unwrap();
    assert_eq!((seen.id, seen.state.count, seen.next.len()), (None, 0, 0));
}

#[tokio::test]
async fn an_edit_acts_in_the_name_of_a_node() {
    let graph = graph();
    graph.run("t", Mail::update()).await.unwrap();
    let edited = Mail::update().decision("edited".to_owned()).count(9);
    graph
        .update_state("t", edited, Some(Node::Clear))
        .await
        .unwrap();
    let seen = graph.state("t").await.unwrap();
    assert_eq!(seen.next, [Node::Last]);
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.log, ["secret None", r#"Some("edited") 9"#]);
}

#[tokio::test]
async fn history_shows_every_checkpoint_newest_first() {
    let graph = graph();
    graph.run("t", Mail::update()).await.unwrap();
    graph.resume("t").await.unwrap();
    let history = graph.history("t").await.unwrap();
    let next: Vec<&[Node]> = history.iter().map(|checkpoint| &*checkpoint.next).collect();
    let expected: [&[Node]; 5] = [&[], &[Node::Last], &[Node::Clear], &[Node::Decide], &[]];
    assert_eq!(next, expected);
    assert!(history.windows(2).all(|pair| pair[0].parent == pair[1].id));
}

#[tokio::test]
async fn a_run_goes_on_from_an_older_checkpoint_as_a_branch() {
    let graph = graph();
    graph.run("t", Mail::update()).await.unwrap();
    graph.resume("t").await.unwrap();
    let history = graph.history("t").await.unwrap();
    let before_clear = history[2].id.unwrap();
    let done = graph
        .at(before_clear)
        .resume("t")
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(done.log.len(), 2);
    assert!(graph.history("t").await.unwrap().len() > history.len());

    let copy = graph.fork("t", before_clear).await.unwrap();
    let seen = graph.state("t").await.unwrap();
    assert_eq!((seen.id, &*seen.next), (Some(copy), &[Node::Clear][..]));
    assert_eq!(seen.state.decision.as_deref(), Some("yes"));
}

#[tokio::test]
async fn a_deleted_thread_starts_anew() {
    let graph = graph();
    graph.run("t", Mail::update().count(3)).await.unwrap();
    graph.delete_thread("t").await.unwrap();
    assert_eq!(graph.state("t").await.unwrap().id, None);
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Nothing {}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Keyword {
    r#type: String,
    #[reduce(Append)]
    r#match: Vec<u8>,
}

#[test]
fn a_state_may_be_empty_or_have_fields_named_like_keywords() {
    use superstep::{State, Update};
    assert!(Nothing::FIELDS.is_empty());
    let names: Vec<&str> = Keyword::FIELDS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["type", "match"]);
    let update = Keyword::update().r#type("a").overwrite_match(vec![1]);
    let expected = serde_json::json!({"type": "a", "match": {"__overwrite__": [1]}});
    assert_eq!(update.clone().into_value().to_json(), expected);
    let plain = superstep::Value::from(expected);
    assert_eq!(
        format!("{:?}", KeywordUpdate::from_value(&plain).unwrap()),
        format!("{update:?}")
    );
}

#[test]
fn nodes_have_names_that_last() {
    use superstep::Nodes;
    assert_eq!(Node::Decide.name(), "decide");
    assert_eq!(Node::parse("end_of_it"), Some(Node::Last));
    assert_eq!(Node::parse("last"), None);
    assert_eq!(
        Node::ALL
            .iter()
            .map(|node| node.index())
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
}
