//! Threads in a graph that has lost what they were about to run.

use serde_json::json;
use superstep_core::{
    Value,
    command::{Command, END, Output, Send},
    edit::Update,
    plan::Persist,
    run::{Fidelity, Halt},
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, Fit, RunOptions, input,
    state::Depth,
};

use crate::fixture::{object, saved, writes};

fn builder(backends: &Backends) -> DynGraphBuilder {
    DynGraphBuilder::new()
        .last_value("x")
        .backends(backends.clone())
}

fn asks() -> impl superstep_engine::Node {
    |ctx: DynCtx| async move { Ok::<_, Halt>(Value::map([("x", ctx.ask("go?")?)])) }
}

async fn refused(graph: &DynGraph, names: &str) {
    let checked = graph.check_thread(&"t".into()).await.unwrap_err();
    assert_eq!(checked.code(), "SS1203", "{checked}");
    assert!(checked.to_string().contains(names), "{checked}");
    let ran = graph.invoke(input::go_on(), &RunOptions::on("t")).await;
    let ran = ran.unwrap_err();
    assert_eq!(ran.code(), "SS1203", "{ran}");
    assert!(ran.to_string().contains(names), "{ran}");
}

#[tokio::test]
async fn a_renamed_node_that_is_due_is_refused_until_its_tasks_are_cleared() {
    let backends = saved();
    let old = builder(&backends)
        .node("a", asks())
        .edge("__start__", "a")
        .build()
        .unwrap();
    let new = builder(&backends)
        .node("b", asks())
        .edge("__start__", "b")
        .build()
        .unwrap();
    let on = RunOptions::on("t");
    old.invoke(object(json!({"x": 1})), &on).await.unwrap();
    refused(&new, "`a`").await;
    let seen = new.state(&"t".into(), None, Depth::Here).await.unwrap();
    assert_eq!(seen.values, object(json!({"x": 1})));
    let clear = Update {
        output: Output::Nothing,
        as_node: Some(END.into()),
    };
    new.update_state(&"t".into(), None, clear).await.unwrap();
    assert_eq!(new.check_thread(&"t".into()).await.unwrap(), Fit::Same);
    let outcome = new.invoke(object(json!({"x": 2})), &on).await.unwrap();
    assert_eq!(outcome.asks.len(), 1);
}

#[tokio::test]
async fn langgraph_forgets_what_is_lost_when_asked_to_be_like_it() {
    let backends = saved();
    let node = |name| {
        builder(&backends)
            .node(name, asks())
            .edge("__start__", name)
            .build()
            .unwrap()
    };
    let on = RunOptions {
        fidelity: Fidelity::LangGraph,
        ..RunOptions::on("t")
    };
    let input = || object(json!({"x": 1}));
    node("a").invoke(input(), &on).await.unwrap();
    assert!(node("b").invoke(input(), &on).await.is_ok());
}

#[tokio::test]
async fn a_send_to_a_node_that_is_gone_is_refused() {
    let backends = saved();
    let to_worker =
        |_: DynCtx| async { Ok::<_, Halt>(Output::from(Command::goto(Send::new("worker", 1)))) };
    let old = builder(&backends)
        .node("a", to_worker)
        .node("worker", asks())
        .edge("__start__", "a")
        .build()
        .unwrap();
    let new = builder(&backends)
        .node("a", to_worker)
        .node("helper", asks())
        .edge("__start__", "a")
        .build()
        .unwrap();
    let input = object(json!({"x": 1}));
    old.invoke(input, &RunOptions::on("t")).await.unwrap();
    refused(&new, "`worker`").await;
}

#[tokio::test]
async fn what_a_finished_task_of_an_open_step_leads_to_counts_too() {
    let backends = saved();
    let graph = |next: &'static str| {
        builder(&backends)
            .node("quick", writes(object(json!({}))))
            .node("slow", asks())
            .node(next, asks())
            .edge("__start__", "quick")
            .edge("__start__", "slow")
            .edge("quick", next)
            .build()
            .unwrap()
    };
    let input = object(json!({"x": 1}));
    let (old, new) = (graph("next"), graph("other"));
    old.invoke(input, &RunOptions::on("t")).await.unwrap();
    refused(&new, "`next`").await;
}

#[tokio::test]
async fn a_subgraph_that_lost_its_node_is_found_by_the_check() {
    for persist in [Persist::PerCall, Persist::PerThread] {
        let backends = saved();
        let graph = |name: &'static str| {
            let inner = builder(&Backends::default())
                .node(name, asks())
                .edge("__start__", name)
                .persist(persist)
                .build()
                .unwrap();
            builder(&backends)
                .subgraph("inner", inner, DynNodeOptions::default())
                .edge("__start__", "inner")
                .build()
                .unwrap()
        };
        let input = object(json!({"x": 1}));
        let (old, new) = (graph("a"), graph("b"));
        old.invoke(input, &RunOptions::on("t")).await.unwrap();
        assert_eq!(old.check_thread(&"t".into()).await.unwrap(), Fit::Same);
        refused(&new, "`a`").await;
    }
}

#[tokio::test]
async fn added_channels_and_nodes_are_no_hindrance() {
    let backends = saved();
    let old = builder(&backends)
        .node("a", asks())
        .edge("__start__", "a")
        .build()
        .unwrap();
    let new = builder(&backends)
        .last_value("y")
        .node("more", writes(object(json!({"y": 2}))))
        .node("a", asks())
        .edge("__start__", "a")
        .edge("a", "more")
        .build()
        .unwrap();
    let on = RunOptions::on("t");
    old.invoke(object(json!({"x": 1})), &on).await.unwrap();
    assert_eq!(new.check_thread(&"t".into()).await.unwrap(), Fit::ByName);
    let done = new.invoke(input::resume(7), &on).await.unwrap();
    assert_eq!(done.output, Some(object(json!({"x": 7, "y": 2}))));
}

#[tokio::test]
async fn a_thread_that_waits_for_a_node_that_is_gone_says_so() {
    let backends = saved();
    let node = |name| {
        let asks = builder(&backends).node(name, asks());
        asks.edge("__start__", name).build().unwrap()
    };
    let on = RunOptions::on("t");
    node("a")
        .invoke(object(json!({"x": 1})), &on)
        .await
        .unwrap();
    let seen = |graph: DynGraph| async move {
        let now = graph.state(&"t".into(), None, Depth::Here).await.unwrap();
        (now.next, now.lost)
    };
    let (next, lost) = seen(node("a")).await;
    assert_eq!((next, lost), (vec!["a".into()], Vec::new()));
    let (next, lost) = seen(node("b")).await;
    assert_eq!((next, lost), (Vec::new(), vec!["a".into()]));
    refused(&node("b"), "`a`").await;
}

#[tokio::test]
async fn a_thread_of_another_graph_says_so_wherever_it_is_read() {
    let backends = saved();
    let named = |name: &'static str| {
        let named = builder(&backends).name(name).node("a", asks());
        named.edge("__start__", "a")
    };
    let on = RunOptions::on("one");
    let order = named("order").build().unwrap();
    order.invoke(object(json!({"x": 1})), &on).await.unwrap();
    let chat = named("chat").build().unwrap();
    let thread = "one".into();
    let clear = Update {
        output: Output::Nothing,
        as_node: Some(END.into()),
    };
    let errors = [
        chat.state(&thread, None, Depth::Here).await.unwrap_err(),
        chat.check_thread(&thread).await.unwrap_err(),
        chat.history(&thread, &"".into(), &Default::default())
            .await
            .unwrap_err(),
        chat.update_state(&thread, None, clear).await.unwrap_err(),
        chat.invoke(input::go_on(), &on).await.unwrap_err(),
        chat.invoke(object(json!({"x": 2})), &on).await.unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code(), "SS1204", "{error}");
        let text = error.to_string();
        assert!(
            text.contains("belongs to graph `order`, this is `chat`"),
            "{text}"
        );
        assert!(text.contains("`one`"), "{text}");
    }
    // It continues where it belongs, in a graph without a name, and in one that was renamed.
    let unnamed = builder(&backends).node("a", asks()).edge("__start__", "a");
    let renamed = named("chat").formerly("order").build().unwrap();
    for graph in [order, unnamed.build().unwrap(), renamed] {
        assert_eq!(graph.check_thread(&thread).await.unwrap(), Fit::Same);
    }
}
