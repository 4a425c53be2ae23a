//! Logs that are not whole: pruned, mixed up, from elsewhere.

use std::collections::BTreeSet;

use serde_json::json;
use superstep::{SpanId, dynamic::input};
use superstep_core::event::{Entry, EventKind, Logged};
use superstep_trace::{RunTree, Status, View, text::Detail, tree::Beginning};

use crate::{
    graphs::{asking, fan_out, log_of, memory, retried, steady, traced},
    trees::all,
};

async fn some_logs() -> Vec<Vec<Logged>> {
    let mut logs = Vec::new();
    for make in [fan_out, retried, asking] {
        let saver = memory();
        let graph = make(&saver);
        graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
        let _nothing_left = graph.invoke(input::resume(json!("yes")), &traced()).await;
        logs.push(steady(log_of(&saver).await));
    }
    logs
}

fn tree(log: &[Logged]) -> RunTree {
    RunTree::new("t", log, &View::default())
}

#[tokio::test]
async fn a_log_may_begin_and_end_anywhere() {
    for log in some_logs().await {
        let whole = tree(&log);
        for from in 0..log.len() {
            for to in from + 1..=log.len() {
                let part = tree(&log[from..to]);
                part.show(Detail::Content(10));
                part.to_json();
                let known: BTreeSet<_> = whole.runs.iter().map(|run| run.number).collect();
                assert!(part.runs.iter().all(|run| known.contains(&run.number)));
                let cost = |tree: &RunTree| -> u64 {
                    tree.runs.iter().map(|run| run.root.totals.cost).sum()
                };
                assert!(cost(&part) <= cost(&whole));
            }
        }
    }
}

#[tokio::test]
async fn a_run_whose_beginning_was_pruned_says_so() {
    for log in some_logs().await {
        let run = tree(&log[1..]).runs.remove(0);
        assert_eq!(run.beginning, Beginning::Pruned);
        let run = tree(&log).runs.remove(0);
        assert_eq!(run.beginning, Beginning::Known);
    }
}

#[tokio::test]
async fn a_log_without_times_is_shown_without_them() {
    for mut log in some_logs().await {
        for logged in &mut log {
            logged.at = None;
        }
        let tree = tree(&log);
        assert!(tree.runs.iter().all(|run| run.root.took().is_none()));
        assert!(!tree.show(Detail::Brief).is_empty());
        let spans = tree.to_otlp(&superstep_trace::otlp::Origin::default());
        assert!(spans.iter().all(|span| span.started <= span.ended));
    }
}

#[tokio::test]
async fn ids_are_unique_in_a_run_and_the_same_whenever_it_is_read() {
    for log in some_logs().await {
        let (once, again) = (tree(&log), tree(&log));
        assert_eq!(once, again);
        for run in &once.runs {
            let ids: Vec<SpanId> = all(&run.root).iter().map(|branch| branch.id).collect();
            let distinct: BTreeSet<_> = ids.iter().collect();
            assert_eq!(ids.len(), distinct.len());
        }
        let traces: BTreeSet<_> = once.runs.iter().map(|run| run.trace).collect();
        assert_eq!(traces.len(), once.runs.len());
    }
}

#[tokio::test]
async fn a_log_in_any_order_gives_some_tree() {
    let mut state: u64 = 7;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for log in some_logs().await {
        for _ in 0..200 {
            let mixed: Vec<Logged> = (0..log.len())
                .map(|_| log[random(log.len())].clone())
                .collect();
            let tree = tree(&mixed);
            tree.show(Detail::Content(10));
            tree.to_json();
            tree.to_otlp(&superstep_trace::otlp::Origin::default());
        }
    }
}

#[tokio::test]
async fn spans_nested_without_bound_do_not_exhaust_the_stack() {
    let log = some_logs().await.remove(1);
    let span = log.iter().find(|logged| {
        matches!(&logged.entry, Entry::Event(logged_event)
        if matches!(logged_event.event.kind, EventKind::Span(_)))
    });
    let mut deep = Vec::new();
    for n in 0..100_000 {
        let mut logged = span.unwrap().clone();
        if let Entry::Event(logged_event) = &mut logged.entry
            && let EventKind::Span(span) = &mut logged_event.event.kind
        {
            span.id = SpanId(n + 1);
            span.parent = (n > 0).then_some(SpanId(n));
        }
        deep.push(logged);
    }
    let tree = tree(&deep);
    assert_eq!(all(&tree.runs[0].root).len(), 100_002);
    assert_eq!(tree.runs[0].root.status, Status::Cut);
    assert!(!tree.to_json().is_null());
}
