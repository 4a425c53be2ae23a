//! A graph with mistakes does not build, and says all of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use superstep::{Input, Store, prelude::*};

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Log {
    #[reduce(Append)]
    lines: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Double,
    Missing,
    Lonely,
    Dead,
    Wants,
    Paid,
    Remembers,
}

struct Service;

async fn nothing() {}

fn name(node: &str) -> Arc<str> {
    node.into()
}

#[test]
fn every_mistake_is_reported_at_once() {
    let built = Graph::<Log, Node>::builder()
        .node(Node::Double, nothing)
        .node(Node::Double, nothing)
        .node(Node::Lonely, nothing)
        .node(Node::Dead, nothing)
        .node(Node::Wants, |_: Res<Service>| async {})
        .node(Node::Paid, |_: Input<u32>| async {})
        .node(Node::Remembers, |_: Store| async {})
        .edge(Node::Double, Node::Dead)
        .edge(Node::Double, Node::Wants)
        .edge(Node::Wants, Node::Paid)
        .edge(Node::Paid, Node::Remembers)
        .finish(Node::Remembers)
        .finish(Node::Lonely)
        .finish(Node::Missing)
        .build();
    let Err(BuildErrors(errors)) = built else {
        panic!("it has mistakes")
    };
    let has = |error: BuildError| assert!(errors.contains(&error), "{error}: {errors:#?}");
    has(BuildError::NoEntry);
    has(BuildError::DuplicateNode(name("double")));
    has(BuildError::Missing(name("missing")));
    has(BuildError::Unreachable(name("lonely")));
    has(BuildError::DeadEnd(name("dead")));
    has(BuildError::NoResource {
        node: name("wants"),
        resource: std::any::type_name::<Service>(),
    });
    has(BuildError::NeedsInput {
        node: name("paid"),
        input: "u32",
    });
    has(BuildError::NoStore(name("remembers")));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Fan {
    A,
    B,
    C,
    D,
}

fn fan() -> superstep::GraphBuilder<Log, Fan> {
    Graph::<Log, Fan>::builder()
        .node(Fan::A, nothing)
        .node(Fan::B, nothing)
        .node(Fan::C, nothing)
        .node(Fan::D, nothing)
        .finish(Fan::D)
}

#[test]
fn a_join_on_a_node_that_may_be_skipped_does_not_build() {
    let built = fan()
        .start(Fan::A)
        .edge(Fan::A, Fan::B)
        .route(Fan::A, &[Fan::C], |_| None)
        .join(&[Fan::B, Fan::C], Fan::D)
        .build();
    let Err(BuildErrors(errors)) = built else {
        panic!("C may be skipped")
    };
    let skipped = |source: &str| BuildError::SkippableJoin {
        target: name("d"),
        source_node: name(source),
    };
    assert_eq!(errors, [skipped("c")], "b runs whatever the route says");
}

#[test]
fn a_fan_out_by_sends_can_be_joined_with_the_branch_beside_it() {
    let built = fan()
        .start(Fan::A)
        .may_send(Fan::A, &[Fan::B])
        .edge(Fan::A, Fan::C)
        .join(&[Fan::B, Fan::C], Fan::D)
        .build();
    assert!(built.is_ok());
}

#[test]
fn a_join_on_nodes_that_run_together_builds_even_behind_a_route() {
    let built = fan()
        .start(Fan::A)
        .route(Fan::A, &[Fan::B], |_| Some(Fan::B))
        .edge(Fan::B, Fan::C)
        .join(&[Fan::B, Fan::C], Fan::D)
        .build();
    assert!(built.is_ok());
}

#[test]
fn a_nested_graph_takes_the_store_of_the_graph_around_it() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    enum One {
        Only,
    }
    let child = Graph::<Log, One>::builder()
        .nested()
        .node(One::Only, |_: Store| async {})
        .start(One::Only)
        .finish(One::Only)
        .build()
        .unwrap();
    let around = || {
        Graph::<Log, One>::builder()
            .subgraph(One::Only, &child, |_| Log::update(), |_| ())
            .start(One::Only)
            .finish(One::Only)
    };
    let Err(errors) = around().build() else {
        panic!("it has no store")
    };
    assert_eq!(errors.0, [BuildError::NoStore(name("only"))]);
    assert!(around().store(MemoryStore::default()).build().is_ok());
}

#[test]
fn graphs_and_their_futures_move_between_threads() {
    fn moves<T: Send + Sync>(_: &T) {}
    fn runs<T: Send>(_: &T) {}
    let graph = fan()
        .start(Fan::A)
        .edge(Fan::A, Fan::B)
        .edge(Fan::B, Fan::C)
        .edge(Fan::C, Fan::D)
        .build()
        .unwrap();
    moves(&graph);
    runs(&graph.run("t", Log::update()));
    runs(&graph.stream("t", Log::update()));
}
