//! Runs that were cut short between two things that belong together, and what the next one makes
//! of that.

use serde_json::json;
use superstep_core::{
    Failure, Value,
    plan::{Pauses, Persist},
    run::Halt,
};
use superstep_engine::{
    DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, RunOptions, Status, input,
};

use crate::fixture::{Count, object, one, saved};

#[tokio::test]
async fn a_question_that_was_answered_takes_no_second_answer_after_a_failure() {
    let runs = Count::default();
    let r = runs.clone();
    let graph = one(move |ctx: DynCtx| {
        let runs = r.clone();
        async move {
            let first = ctx.ask("first?")?;
            if runs.up() == 1 {
                return Err(Failure::new("Crash", "the answer is stored, and nobody heard").into());
            }
            let second = ctx.ask("second?")?;
            Ok::<_, Halt>(Value::map([("x", Value::list([first, second]))]))
        }
    })
    .backends(saved())
    .build()
    .unwrap();
    let options = RunOptions {
        strict_resume: true,
        ..RunOptions::on("t")
    };
    let asked = graph.invoke(object(json!({})), &options).await.unwrap();
    let first = || input::answers([(asked.asks[0].id, "one".into())]);
    graph.invoke(first(), &options).await.unwrap_err();
    for again in [first(), input::resume("no")] {
        let refused = graph.invoke(again, &options).await.unwrap_err();
        assert_eq!(refused.code(), "SS1105");
    }
    let asked = graph.invoke(input::go_on(), &options).await.unwrap();
    assert_eq!(asked.status, Status::Waiting);
    assert_eq!(asked.asks[0].value, "second?".into());
    let second = input::answers([(asked.asks[0].id, "two".into())]);
    let done = graph.invoke(second, &options).await.unwrap();
    assert_eq!(
        done.output.unwrap().to_json(),
        json!({ "x": ["one", "two"] })
    );
}

#[tokio::test]
async fn a_graph_with_a_memory_runs_in_a_call_that_was_cut_short_before_it_began() {
    let graph = rounds(memory());
    let options = RunOptions {
        pause_before: Pauses::Nodes(vec!["memory".into()]),
        ..RunOptions::on("t")
    };
    graph.invoke(object(json!({})), &options).await.unwrap();
    for seen in 1..=3 {
        let outcome = graph.invoke(input::go_on(), &options).await.unwrap();
        assert_eq!(outcome.output.unwrap().get("seen"), Some(&seen.into()));
    }
}

/// Calls a graph over and over.
fn rounds(memory: DynGraph) -> DynGraph {
    let next = |_: DynCtx| async { Ok::<_, Halt>(()) };
    DynGraphBuilder::new()
        .last_value("seen")
        .node("next", next)
        .subgraph("memory", memory, DynNodeOptions::default())
        .edge("__start__", "next")
        .edge("next", "memory")
        .edge("memory", "next")
        .backends(saved())
        .build()
        .unwrap()
}

/// Counts its calls, for as long as the thread lives.
fn memory() -> DynGraph {
    let count = |ctx: DynCtx| async move {
        let seen = ctx.get("calls").as_i64().unwrap_or(0) + 1;
        Ok::<_, Halt>(json!({ "calls": seen, "seen": seen }))
    };
    DynGraphBuilder::new()
        .last_value("calls")
        .last_value("seen")
        .node("count", count)
        .edge("__start__", "count")
        .persist(Persist::PerThread)
        .build()
        .unwrap()
}
