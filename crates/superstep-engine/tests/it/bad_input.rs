//! Bad input gets a coded error that says where, and loses nothing.

use serde_json::json;
use superstep_core::{Failure, Value, id::ThreadId, plan::BuildError, reducer::Reducer, run::Halt};
use superstep_engine::{DynCtx, DynGraph, DynGraphBuilder, RunOptions, input, state::Depth};

use crate::fixture::{Count, object, one, saved, writes};

async fn fails(graph: &DynGraph, input: serde_json::Value) -> superstep_core::Error {
    graph
        .invoke(object(input), &RunOptions::on("t"))
        .await
        .expect_err("this run fails")
}

#[test]
fn every_mistake_of_a_graph_is_reported_at_once() {
    let errors = DynGraphBuilder::new()
        .last_value("x")
        .last_value("x")
        .node("a", writes(Value::Null))
        .node("a", writes(Value::Null))
        .node("b|c", writes(Value::Null))
        .edge("a", "nowhere")
        .edge("nobody", "a")
        .edge("__end__", "a")
        .join(Vec::<&str>::new(), "a")
        .output_schema(vec!["y".into()])
        .build()
        .err()
        .expect("the graph is wrong")
        .0;
    let expected = [
        BuildError::DuplicateChannel("x".into()),
        BuildError::BadName("b|c".into()),
        BuildError::DuplicateNode("a".into()),
        BuildError::UnknownTarget("nowhere".into()),
        BuildError::UnknownSource("nobody".into()),
        BuildError::BadTerminal,
        BuildError::EmptyJoin("a".into()),
        BuildError::NoEntry,
    ];
    for error in &expected {
        assert!(errors.contains(error), "{error} is missing from {errors:?}");
    }
    assert_eq!(
        errors.len(),
        expected.len() + 1,
        "and the unknown output key: {errors:?}"
    );
}

#[test]
fn an_empty_graph_does_not_build() {
    let errors = DynGraphBuilder::new()
        .build()
        .err()
        .expect("nothing to run");
    assert!(errors.0.contains(&BuildError::Empty));
    assert!(errors.to_string().contains("SS4001"));
}

#[tokio::test]
async fn two_writers_of_one_channel_are_an_error_that_names_it_and_lose_nothing() {
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .reduce("log", Reducer::Add, Vec::<Value>::new())
        .node("a", writes(object(json!({ "x": 1, "log": ["a"] }))))
        .node("b", writes(object(json!({ "x": 2, "log": ["b"] }))))
        .edge("__start__", "a")
        .edge("__start__", "b")
        .backends(saved())
        .build()
        .expect("the graph builds");
    let error = fails(&graph, json!({ "log": ["in"] })).await;
    assert_eq!(error.code(), "SS1005");
    assert_eq!(
        error.to_string(),
        "[SS1005] channel `x` was written twice by `a` and `b` (step 1, thread `t`)"
    );
    let live = graph.state(&"t".into(), None, Depth::Here).await;
    let live = live.expect("the thread can be looked at");
    assert_eq!(live.values.to_json(), json!({ "log": ["in"] }));
    let record = graph
        .history(&"t".into(), &Default::default(), &Default::default())
        .await;
    let record = record.expect("the history reads");
    let newest = record.first().expect("steps were kept");
    assert_eq!(newest.values.to_json(), json!({ "log": ["in"] }));
    let results: Vec<_> = newest
        .tasks
        .iter()
        .filter_map(|task| task.result.as_ref())
        .collect();
    assert_eq!(results.len(), 2, "what both tasks did is kept");
}

#[tokio::test]
async fn a_reducer_that_fails_names_its_channel() {
    let picky = Reducer::custom(|_, _| Err(Failure::new("Picky", "not that one").permanent()));
    let graph = DynGraphBuilder::new()
        .reduce("n", picky, 0)
        .node("a", writes(object(json!({ "n": 1 }))))
        .edge("__start__", "a")
        .backends(saved())
        .build()
        .expect("the graph builds");
    let error = fails(&graph, json!({})).await;
    assert_eq!(error.code(), "SS1007");
    assert!(
        error
            .to_string()
            .contains("channel `n` failed on writes of `a`: Picky: not that one"),
        "{error}"
    );
}

#[tokio::test]
async fn a_node_that_panics_fails_its_task_and_a_sibling_is_not_run_again() {
    let (sibling, runs) = (Count::default(), Count::default());
    let (in_sibling, in_node) = (sibling.clone(), runs.clone());
    let graph = DynGraphBuilder::new()
        .reduce("log", Reducer::Add, Vec::<Value>::new())
        .node("ok", move |_: DynCtx| {
            let count = in_sibling.clone();
            async move {
                count.up();
                Ok::<_, Halt>(object(json!({ "log": ["ok"] })))
            }
        })
        .node("wild", move |_: DynCtx| {
            let count = in_node.clone();
            async move {
                assert!(count.up() > 1, "out of cheese");
                Ok::<_, Halt>(object(json!({ "log": ["wild"] })))
            }
        })
        .edge("__start__", "ok")
        .edge("__start__", "wild")
        .backends(saved())
        .build()
        .expect("the graph builds");
    let error = fails(&graph, json!({})).await;
    assert_eq!(error.code(), "SS1002");
    assert!(
        error
            .to_string()
            .contains("out of cheese (node `wild`, step 1, thread `t`)"),
        "{error}"
    );
    let outcome = graph
        .invoke(input::go_on(), &RunOptions::on("t"))
        .await
        .expect("it goes on");
    assert_eq!(
        outcome.output.expect("output").to_json(),
        json!({ "log": ["ok", "wild"] })
    );
    assert_eq!((sibling.get(), runs.get()), (1, 2));
}

#[tokio::test]
async fn what_is_no_update_is_refused_with_the_node_and_the_thing() {
    let graph = one(writes(Value::from(7)))
        .backends(saved())
        .build()
        .expect("it builds");
    let error = fails(&graph, json!({})).await;
    assert_eq!(error.code(), "SS1004");
    assert!(
        error
            .to_string()
            .contains("returned a number instead of an update (node `a`")
    );
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn nothing_to_do_is_said_and_stores_nothing() {
    let graph = one(writes(Value::Null))
        .backends(saved())
        .build()
        .expect("it builds");
    let error = graph
        .invoke(input::go_on(), &RunOptions::on("t"))
        .await
        .expect_err("no input");
    assert_eq!(error.code(), "SS1101");
    let state = graph
        .state(&"t".into(), None, Depth::Here)
        .await
        .expect("it reads");
    assert!(state.checkpoint.is_none());
}

#[tokio::test]
async fn a_thread_a_checkpoint_or_a_node_that_does_not_exist_is_named() {
    let graph = one(writes(Value::Null))
        .backends(saved())
        .build()
        .expect("it builds");
    let error = graph
        .invoke(object(json!({})), &RunOptions::default())
        .await;
    assert_eq!(error.expect_err("a saver needs a thread").code(), "SS1111");
    let nowhere = superstep_engine::CheckpointRef::root(superstep_core::id::CheckpointId(7));
    let options = RunOptions {
        at: Some(nowhere),
        ..RunOptions::on("t")
    };
    let error = graph
        .invoke(object(json!({})), &options)
        .await
        .expect_err("no such checkpoint");
    assert_eq!(error.code(), "SS1112");
    let update = superstep_core::edit::Update {
        as_node: Some("nobody".into()),
        ..superstep_core::edit::Update::default()
    };
    let error = graph
        .update_state(&ThreadId::from("t"), None, update)
        .await
        .expect_err("no node");
    assert!(error.to_string().contains("`nobody`"), "{error}");
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_limit_with_its_work_kept_and_goes_on() {
    let graph = DynGraphBuilder::new()
        .reduce("n", Reducer::Add, 0)
        .node("a", writes(object(json!({ "n": 1 }))))
        .edge("__start__", "a")
        .edge("a", "a")
        .backends(saved())
        .build()
        .expect("it builds");
    let options = RunOptions {
        limit: 10,
        ..RunOptions::on("t")
    };
    let error = graph
        .invoke(object(json!({})), &options)
        .await
        .expect_err("endless");
    assert_eq!(error.code(), "SS1102");
    let state = graph
        .state(&"t".into(), None, Depth::Here)
        .await
        .expect("it reads");
    assert_eq!(state.values.to_json(), json!({ "n": 10 }));
    let error = graph
        .invoke(input::go_on(), &options)
        .await
        .expect_err("still endless");
    assert_eq!(error.code(), "SS1102");
    let state = graph
        .state(&"t".into(), None, Depth::Here)
        .await
        .expect("it reads");
    assert_eq!(
        state.values.to_json(),
        json!({ "n": 22 }),
        "a continued run may do two more"
    );
}

#[tokio::test]
async fn a_conflict_under_durability_exit_stores_the_state_before_the_step() {
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .reduce("log", Reducer::Add, Vec::<Value>::new())
        .node("first", writes(object(json!({ "log": ["first"] }))))
        .node("a", writes(object(json!({ "x": 1, "log": ["a"] }))))
        .node("b", writes(object(json!({ "x": 2, "log": ["b"] }))))
        .edge("__start__", "first")
        .edge("first", "a")
        .edge("first", "b")
        .backends(saved())
        .build()
        .expect("the graph builds");
    let options = RunOptions {
        durability: superstep_core::policy::Durability::Exit,
        ..RunOptions::on("t")
    };
    let error = graph
        .invoke(json!({}), &options)
        .await
        .expect_err("two writers");
    assert_eq!(error.code(), "SS1005");
    let state = graph.state(&"t".into(), None, Depth::Here).await;
    let state = state.expect("it reads");
    assert_eq!(state.values.to_json(), json!({ "log": ["first"] }));
    let tasks: Vec<&str> = state.tasks.iter().map(|task| &*task.name).collect();
    assert_eq!(
        tasks,
        ["a", "b"],
        "the step is still open, with what its tasks did"
    );
}

#[tokio::test]
async fn a_reducer_that_fails_under_durability_exit_stores_nothing_half_done() {
    let picky = Reducer::custom(|_, _| Err(Failure::new("Picky", "no").permanent()));
    let graph = DynGraphBuilder::new()
        .reduce("a", Reducer::Add, 0)
        .reduce("z", picky, 0)
        .node("n", writes(object(json!({ "a": 1, "z": 1 }))))
        .edge("__start__", "n")
        .backends(saved())
        .build()
        .expect("the graph builds");
    let options = RunOptions {
        durability: superstep_core::policy::Durability::Exit,
        ..RunOptions::on("t")
    };
    let error = graph
        .invoke(json!({}), &options)
        .await
        .expect_err("the reducer fails");
    assert_eq!(error.code(), "SS1007");
    let state = graph.state(&"t".into(), None, Depth::Here).await;
    assert_eq!(state.expect("it reads").checkpoint, None);
}

#[test]
fn messages_are_taken_in_all_forms_that_clients_send() {
    let human = json!([{ "type": "human", "content": "x" }]);
    for given in [
        json!([{ "role": "user", "content": "x" }]),
        json!({ "role": "user", "content": "x" }),
        json!({ "type": "human", "content": "x" }),
        json!([["user", "x"]]),
        json!(["user", "x"]),
        json!("x"),
    ] {
        let taken = input::from_client(json!({ "messages": given, "role": "stays" }));
        assert_eq!(
            taken,
            json!({ "messages": human, "role": "stays" }),
            "{given}"
        );
    }
    assert_eq!(input::from_client(json!({ "x": 1 })), json!({ "x": 1 }));
    assert_eq!(input::from_client(json!(7)), json!(7));
}
