//! The tree of each kind of run, as it is shown.

use std::sync::Arc;

use serde_json::json;
use superstep::{
    Modes, RunOptions, Saver,
    dynamic::{DynGraph, RunInput, input},
};
use superstep_core::event::{Entry, EventKind, Logged, SpanKind};
use superstep_trace::{Branch, Kind, RunTree, Status, Unended, View, text::Detail};

use crate::graphs::{
    asking, failing, fan_out, frozen, hanging, log_of, retried, savers, sequence, shot, steady,
    traced,
};

fn tree(log: Vec<Logged>) -> RunTree {
    RunTree::new("t", &steady(log), &View::default())
}

/// Runs a graph on each saver with these inputs, and compares what is shown with a file.
async fn shows(
    name: &str,
    make: fn(&Arc<dyn Saver>) -> DynGraph,
    inputs: fn() -> Vec<RunInput>,
    timed: fn(Vec<Logged>) -> Vec<Logged>,
) {
    let (savers, _folder) = savers();
    for saver in savers {
        let graph = make(&saver);
        for input in inputs() {
            // A run that fails is a tree too.
            let _failed = graph.invoke(input, &traced()).await;
        }
        let log = timed(log_of(&saver).await);
        let tree = RunTree::new("t", &log, &View::default());
        let mut text = format!("{}\n{}", tree.list(), tree.show(Detail::Brief));
        for ask in tree.runs.iter().flat_map(|run| &run.asks) {
            text = text.replace(&ask.to_string(), "<ask>");
        }
        shot(name, &text);
    }
}

fn once() -> Vec<RunInput> {
    vec![json!({ "log": [] }).into()]
}

#[tokio::test]
async fn a_sequence_shows_models_and_tools_with_their_cost() {
    shows("sequence.txt", sequence, once, steady).await;
}

#[tokio::test]
async fn graphs_within_graphs_stand_where_their_node_stands() {
    shows("fan_out.txt", fan_out, once, frozen).await;
}

#[tokio::test]
async fn attempts_that_failed_are_shown_with_what_they_did() {
    shows("retried.txt", retried, once, steady).await;
}

#[tokio::test]
async fn a_run_goes_on_with_the_one_that_asked() {
    let inputs = || vec![json!({ "log": [] }).into(), input::resume(json!("yes"))];
    shows("asked.txt", asking, inputs, steady).await;
}

#[tokio::test]
async fn a_failed_run_says_what_went_wrong_in_plain_text() {
    shows("failed.txt", failing, once, steady).await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_shows_how_far_it_came() {
    let (savers, _folder) = savers();
    for saver in savers {
        cut_off(&saver).await;
        let log = steady(log_of(&saver).await);
        let tree = RunTree::new("t", &log, &View::default());
        shot("cut.txt", &tree.show(Detail::Content(40)));
        let running = View {
            unended: Unended::Running,
            ..View::default()
        };
        let run = &RunTree::new("t", &log, &running).runs[0];
        assert_eq!(run.root.status, Status::Running);
        assert_eq!(find(&run.root, "slow").status, Status::Running);
    }
}

/// Runs a graph until its model has started, and drops the run.
async fn cut_off(saver: &Arc<dyn Saver>) {
    let graph = hanging(saver);
    let mut run = std::pin::pin!(async {
        graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    });
    loop {
        let changed = saver.changed(&"t".into());
        let spans = |logged: &Logged| {
            matches!(&logged.entry, Entry::Event(logged_event)
            if matches!(logged_event.event.kind, EventKind::Span(_)))
        };
        if log_of(saver).await.iter().any(spans) {
            return;
        }
        tokio::select! {
            () = &mut run => panic!("the run never ends"),
            changed = changed => changed.unwrap(),
        }
    }
}

fn find<'a>(branch: &'a Branch, name: &str) -> &'a Branch {
    all(branch)
        .into_iter()
        .find(|branch| *branch.name == *name)
        .unwrap()
}

pub(crate) fn all(branch: &Branch) -> Vec<&Branch> {
    let below = branch.children.iter().flat_map(all);
    std::iter::once(branch).chain(below).collect()
}

#[tokio::test]
async fn totals_are_summed_upwards() {
    let saver = crate::graphs::memory();
    let graph = fan_out(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let run = tree(log_of(&saver).await).runs.remove(0);
    let totals = run.root.totals;
    assert_eq!(
        (totals.models, totals.input_tokens, totals.output_tokens),
        (2, 2400, 160)
    );
    assert_eq!(
        (totals.cost, totals.unpriced, totals.cached_tokens),
        (2460, 0, 2000)
    );
    assert_eq!(find(&run.root, "right").totals.cost, 1230);
    assert_eq!(find(&run.root, "join").totals.models, 0);
}

#[tokio::test]
async fn a_run_names_the_task_and_the_question_it_waits_for() {
    let saver = crate::graphs::memory();
    let graph = asking(&saver);
    let outcome = graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    graph
        .invoke(input::resume(json!("yes")), &traced())
        .await
        .unwrap();
    let tree = tree(log_of(&saver).await);
    assert_eq!(tree.runs[0].asks, [outcome.asks[0].id]);
    assert_eq!(find(&tree.runs[0].root, "asks").status, Status::Waiting);
    assert_eq!(tree.runs[1].continues, Some(tree.runs[0].number));
    assert_eq!(find(&tree.runs[1].root, "works").status, Status::Reused);
    assert_eq!(tree.runs[1].root.totals.models, 0);
    // Another run with its own input continues with nothing.
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let tree = RunTree::read(&*saver, "t", &View::default()).await.unwrap();
    assert_eq!(tree.runs[2].continues, None);
}

#[tokio::test]
async fn a_called_task_stands_below_its_caller() {
    let saver = crate::graphs::memory();
    let graph = retried(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let run = tree(log_of(&saver).await).runs.remove(0);
    let helper = find(find(&run.root, "flaky"), "helper");
    assert_eq!(helper.kind, Kind::Node);
    assert_eq!(find(helper, "hammer").kind, Kind::Span(SpanKind::Tool));
}

#[tokio::test]
async fn spans_without_tasks_stand_below_their_node() {
    let saver = crate::graphs::memory();
    let graph = sequence(&saver);
    let options = RunOptions {
        log: Modes::SPANS,
        ..traced()
    };
    graph.invoke(json!({ "log": [] }), &options).await.unwrap();
    let run = tree(log_of(&saver).await).runs.remove(0);
    assert_eq!(
        find(find(&run.root, "search"), "page").status,
        Status::Failed
    );
    assert_eq!(run.root.status, Status::Done);
}

#[tokio::test]
async fn the_whole_log_tells_what_nodes_got() {
    let saver = crate::graphs::memory();
    let graph = sequence(&saver);
    graph
        .invoke(json!({ "log": ["x"] }), &traced())
        .await
        .unwrap();
    let log = graph.whole_log("t").await.unwrap();
    let tree = RunTree::new("t", &log, &View::default());
    let search = find(&tree.runs[0].root, "search");
    assert_eq!(search.inputs.to_string(), r#"{"log":["x","about rain"]}"#);
    assert_eq!(search.outputs.to_string(), r#"{"log":["wet"]}"#);
}

#[tokio::test]
async fn the_json_of_a_tree_has_its_schema() {
    let saver = crate::graphs::memory();
    let graph = sequence(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let json = tree(log_of(&saver).await).to_json();
    assert_eq!(json["schema"], "superstep.trace/1");
    let run = &json["runs"][0];
    assert_eq!(
        (&run["run"], &run["beginning"]),
        (&json!(1), &json!("known"))
    );
    assert_eq!(run["trace_id"].as_str().map(str::len), Some(32));
    let plan = &run["root"]["children"][0];
    assert_eq!(
        (&plan["kind"], &plan["name"], &plan["step"]),
        (&json!("node"), &json!("plan"), &json!(1))
    );
    let model = &plan["children"][0];
    assert_eq!(model["facts"]["input_tokens"], 1200);
    assert_eq!(model["inputs"][0]["content"], "rain");
    assert_eq!(model["took_us"], 1000);
    assert_eq!(run["root"]["totals"]["cost_micro_usd"], 1230);
    let page = &run["root"]["children"][1]["children"][0]["children"][1];
    assert_eq!(
        page["error"],
        json!({ "code": "NotFound", "message": "no such page" })
    );
}
