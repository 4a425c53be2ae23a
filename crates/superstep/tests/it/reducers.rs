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

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct N {
    #[reduce(Min)]
    price: Option<u32>,
    #[reduce(Max)]
    offer: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum P {
    First,
    Second,
    Third,
}

#[tokio::test]
async fn the_least_of_a_field_that_may_have_none_is_the_least_that_was_written() {
    let write = |value: Option<u32>| move || async move { N::update().price(value).offer(value) };
    let graph = Graph::<N, P>::builder()
        .node(P::First, write(Some(20)))
        .node(P::Second, write(Some(15)))
        .node(P::Third, write(None))
        .start(P::First)
        .edge(P::First, P::Second)
        .edge(P::Second, P::Third)
        .finish(P::Third)
        .build()
        .unwrap();
    let outcome = graph.run("t", N::default()).await.unwrap();
    assert_eq!(outcome.state().price, Some(15));
    assert_eq!(outcome.state().offer, Some(20));
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Marked {
    data: serde_json::Value,
    last: HashMap<String, i64>,
    #[reduce(Merge)]
    merged: BTreeMap<String, i64>,
    #[reduce(Append)]
    log: Vec<String>,
    sure: bool,
}

#[derive(Serialize, Ask)]
#[ask(answer = bool)]
struct Sure;

#[tokio::test]
async fn data_that_looks_like_an_overwrite_is_what_it_was_after_a_pause() {
    let entry = || ("__overwrite__".to_owned(), 5);
    let graph = Graph::<Marked, Node>::builder()
        .saver(saver())
        .node(Node::Left, move || async move {
            Marked::update()
                .data(serde_json::json!({"__overwrite__": 5}))
                .last([entry()].into())
                .merged([entry()].into())
                .overwrite_log(vec!["anew".to_owned()])
        })
        .node(Node::Right, |ctx: Ctx| async move {
            Ok::<_, NodeError>(Marked::update().sure(ctx.ask(Sure)?))
        })
        .node(Node::Check, || async {})
        .start(Node::Left)
        .start(Node::Right)
        .edge(Node::Left, Node::Check)
        .edge(Node::Right, Node::Check)
        .finish(Node::Check)
        .build()
        .unwrap();
    let input = Marked::update().log(["before".to_owned()]);
    let outcome = graph.run("t", input).await.unwrap();
    let answer = outcome.asks()[0].answer::<Sure>(&true).unwrap();
    let outcome = graph.answer("t", [answer]).await.unwrap();
    let state = outcome.state();
    assert_eq!(state.data, serde_json::json!({"__overwrite__": 5}));
    assert_eq!(state.last, [entry()].into());
    assert_eq!(state.merged, [entry()].into());
    assert_eq!(state.log, ["anew"]);
}
