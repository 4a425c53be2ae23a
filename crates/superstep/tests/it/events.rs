//! Events and sends with types.

use futures_util::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Serialize};
use superstep::{Command, Ending, Event, Input, LogItem, Modes, Put, prelude::*};

use crate::plain::saver;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Doc {
    questions: Vec<Question>,
    #[reduce(Append)]
    answers: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Question {
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    AskEach,
    Answer,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Progress(usize);

async fn ask_each(doc: Snap<Doc>, ctx: Ctx) -> Command<Doc, Node> {
    ctx.emit(Progress(doc.questions.len())).await;
    doc.questions
        .iter()
        .fold(Command::default(), |command, question| {
            command.and_send(Node::Answer, question)
        })
}

async fn answer(Input(question): Input<Question>) -> DocUpdate {
    Doc::update().answers([format!("{}!", question.text)])
}

fn graph() -> Graph<Doc, Node> {
    Graph::<Doc, Node>::builder()
        .saver(saver())
        .node(Node::AskEach, ask_each)
        .node(Node::Answer, answer)
        .start(Node::AskEach)
        .may_send(Node::AskEach, &[Node::Answer])
        .finish(Node::Answer)
        .build()
        .unwrap()
}

fn doc() -> DocUpdate {
    let question = |text: &str| Question {
        text: text.to_owned(),
    };
    Doc::update().questions([question("a"), question("b"), question("c")])
}

#[tokio::test]
async fn every_send_runs_with_its_own_payload() {
    let done = graph().run("t", doc()).await.unwrap().done().unwrap();
    assert_eq!(done.answers, ["a!", "b!", "c!"]);
}

#[tokio::test]
async fn a_payload_survives_storage() {
    let graph = graph();
    let paused = graph.with_options(|options| {
        options.pause_before = superstep::dynamic::Pauses::All;
    });
    paused.run("t", doc()).await.unwrap();
    paused.resume("t").await.unwrap();
    assert_eq!(graph.state("t").await.unwrap().next, [Node::Answer; 3]);
    let done = graph.resume("t").await.unwrap().done().unwrap();
    assert_eq!(done.answers, ["a!", "b!", "c!"]);
}

#[tokio::test]
async fn events_are_matched_without_strings() {
    let mut stream = graph().stream("t", doc());
    let (mut states, mut started, mut ended) = (0, Vec::new(), Vec::new());
    let (mut added, mut progress, mut checkpoints) = (Vec::new(), Vec::new(), 0);
    while let Some(event) = stream.next().await {
        match event {
            Event::State(_) => states += 1,
            Event::Update {
                node: Node::Answer,
                update,
                cached,
            } => {
                let Some(Put::Write(answers)) = update.answers else {
                    panic!("it answers")
                };
                assert!(!cached && update.questions.is_none());
                added.extend(answers);
            }
            Event::Update {
                node: Node::AskEach,
                update,
                ..
            } => assert!(update.answers.is_none()),
            Event::TaskStarted { node, .. } => started.push(node),
            Event::TaskEnded { node, error, .. } => {
                assert!(error.is_none());
                ended.push(node);
            }
            Event::Checkpoint(_) => checkpoints += 1,
            Event::Custom(data) => progress.push(data.take::<Progress>().unwrap()),
            other => panic!("unexpected: {other:?}"),
        }
    }
    let all = [Node::AskEach, Node::Answer, Node::Answer, Node::Answer];
    assert_eq!((started, ended), (all.to_vec(), all.to_vec()));
    assert_eq!((added.len(), progress), (3, vec![Progress(3)]));
    assert_eq!((states, checkpoints), (2, 4));
    let Outcome::Done(doc) = stream.outcome().await.unwrap() else {
        panic!("it is done")
    };
    assert_eq!(doc.answers.len(), 3);
}

#[tokio::test]
async fn a_stream_shows_only_what_is_asked_for() {
    let graph = graph().with_options(|options| options.modes = Modes::CUSTOM);
    let mut stream = graph.stream("t", doc());
    let Some(Event::Custom(data)) = stream.next().await else {
        panic!("one custom event")
    };
    assert_eq!(data.to_json(), serde_json::json!(3));
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn typed_events_and_logs_are_streams() {
    let graph = graph().with_options(|options| options.log = Modes::UPDATES);
    let events = graph.stream("t", doc());
    let nodes: Vec<Node> = events
        .filter_map(|event| async move {
            match event {
                Event::Update { node, .. } => Some(node),
                _ => None,
            }
        })
        .collect()
        .await;
    assert_eq!(
        nodes,
        [Node::AskEach, Node::Answer, Node::Answer, Node::Answer]
    );
    let log: Vec<_> = graph
        .follow("t", None, Modes::UPDATES)
        .map_ok(|(_, item)| item)
        .try_collect()
        .await
        .unwrap();
    assert!(matches!(log.first(), Some(LogItem::Started { .. })));
    assert!(matches!(log.last(), Some(LogItem::Ended(Ending::Done))));
    assert_eq!(log.len(), nodes.len() + 2);
}
