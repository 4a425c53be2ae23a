//! Fields that take several writes a step.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use superstep::{ErrorKind, Failure, Reduced, Reducer, prelude::*};
use superstep_core::record::Change;

use crate::plain::{PlainSaver, saver};

/// Keeps the longest text.
struct Longest;

impl Reducer<String> for Longest {
    type Write = String;

    fn reduce(current: &mut String, write: String) -> Result<Reduced, Failure> {
        if write.is_empty() {
            return Err(Failure::new("Empty", "an empty text has no length").permanent());
        }
        if write.len() > current.len() {
            *current = write;
        }
        Ok(Reduced::Replaced)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
struct Score {
    #[reduce(Append)]
    log: Vec<u32>,
    #[reduce(Sum)]
    sum: i64,
    #[reduce(Max)]
    max: u32,
    #[reduce(Min)]
    min: i32,
    #[reduce(Merge)]
    seen: BTreeMap<String, u32>,
    #[reduce(Merge)]
    marks: HashMap<String, bool>,
    #[reduce(Longest)]
    longest: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Left,
    Right,
    Check,
}

async fn left() -> ScoreUpdate {
    Score::update()
        .log([1, 2])
        .sum(-5)
        .max(3)
        .min(-2)
        .seen(BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 1)]))
        .marks(HashMap::from([("x".to_owned(), true)]))
        .longest("left".to_owned())
}

async fn right() -> ScoreUpdate {
    Score::update()
        .log([3])
        .sum(7)
        .max(2)
        .min(4)
        .seen(BTreeMap::from([("b".to_owned(), 2)]))
        .longest("right".to_owned())
}

fn graph(saver: &std::sync::Arc<PlainSaver>) -> Graph<Score, Node> {
    Graph::<Score, Node>::builder()
        .saver(saver.clone())
        .node(Node::Left, left)
        .node(Node::Right, right)
        .node(Node::Check, || async {})
        .start(Node::Left)
        .start(Node::Right)
        .join(&[Node::Left, Node::Right], Node::Check)
        .finish(Node::Check)
        .pause_before(&[Node::Check])
        .build()
        .unwrap()
}

#[tokio::test]
async fn writes_of_one_step_are_reduced_in_order_of_node_names() {
    let saver = saver();
    let outcome = graph(&saver)
        .run("t", Score::update().max(1).log([0]))
        .await
        .unwrap();
    let expected = Score {
        log: vec![0, 1, 2, 3],
        sum: 2,
        max: 3,
        min: -2,
        seen: BTreeMap::from([("a".to_owned(), 1), ("b".to_owned(), 2)]),
        marks: HashMap::from([("x".to_owned(), true)]),
        longest: "right".to_owned(),
    };
    assert_eq!(**outcome.state(), expected);
    let stored = graph(&saver).state("t").await.unwrap();
    assert_eq!(*stored.state, expected, "what is stored is what was seen");
}

#[tokio::test]
async fn lists_and_maps_are_stored_as_what_was_added() {
    let saver = saver();
    graph(&saver).run("t", Score::update()).await.unwrap();
    let records = saver.records.lock().unwrap();
    let last = records.last().unwrap();
    let extended = last.record.changes.iter();
    let extended = extended
        .filter(|(_, change)| matches!(change, Change::Extend(_)))
        .count();
    assert_eq!((last.record.full, extended), (false, 3));
}

#[tokio::test]
async fn two_overwrites_of_a_step_are_an_error() {
    let over = |n: u32| move || async move { Score::update().overwrite_log(vec![n]) };
    let graph = Graph::<Score, Node>::builder()
        .node(Node::Left, over(1))
        .node(Node::Right, over(2))
        .node(Node::Check, || async {})
        .start(Node::Left)
        .start(Node::Right)
        .edge(Node::Left, Node::Check)
        .finish(Node::Right)
        .finish(Node::Check)
        .build()
        .unwrap();
    let error = graph.run("t", Score::update()).await.unwrap_err();
    assert_eq!(error.code(), "SS1006");
}

#[tokio::test]
async fn a_reducer_that_refuses_is_an_error_that_names_the_field() {
    let error = graph(&saver())
        .run("t", Score::update().longest(String::new()))
        .await
        .unwrap_err();
    assert!(matches!(&*error.kind, ErrorKind::Reduce { channel, .. } if &**channel == "longest"));
}
