//! Events while a run goes.

use serde_json::json;
use superstep_core::{
    Value,
    event::{EventKind, Modes},
    policy::Durability,
    run::Halt,
    saver::HistoryQuery,
};
use superstep_engine::{Ctx, RunOptions, state::Depth};

use crate::kit::{keys, object, one, saved, writes};

#[tokio::test]
async fn a_slow_reader_gets_every_chunk_in_order() {
    let graph = one(|ctx: Ctx| async move {
        for n in 0..5_000 {
            ctx.emit(n).await;
        }
        Ok::<_, Halt>(Value::Null)
    })
    .build()
    .expect("it builds");
    let options = RunOptions {
        modes: Modes::CUSTOM,
        ..RunOptions::default()
    };
    let mut stream = graph.stream(object(json!({})), &options);
    let mut expected = 0;
    while let Some(event) = stream.next().await {
        let EventKind::Custom(value) = event.kind else {
            panic!("only custom events were asked")
        };
        assert_eq!(value.as_i64(), Some(expected));
        expected += 1;
        tokio::task::yield_now().await;
    }
    assert_eq!(expected, 5_000);
    assert!(stream.result().expect("it ended").is_ok());
}

#[tokio::test]
async fn events_nobody_asked_for_are_not_shown() {
    let graph = one(writes(object(json!({ "x": 1 }))))
        .backends(saved())
        .build()
        .expect("builds");
    let options = RunOptions {
        modes: Modes::VALUES,
        ..RunOptions::on("t")
    };
    let mut stream = graph.stream(object(json!({ "x": 0 })), &options);
    let mut seen = Vec::new();
    while let Some(event) = stream.next().await {
        let EventKind::Values { values, .. } = event.kind else {
            panic!("only values were asked")
        };
        assert_eq!(keys(&values), ["x"]);
        seen.push(values.get("x").and_then(Value::as_i64));
    }
    assert_eq!(seen, [Some(0), Some(1)]);
}

#[tokio::test]
async fn every_durability_leaves_the_same_final_state() {
    for durability in [Durability::Sync, Durability::Async, Durability::Exit] {
        let graph = one(writes(object(json!({ "x": 5 }))))
            .backends(saved())
            .build()
            .expect("builds");
        let options = RunOptions {
            durability,
            ..RunOptions::on("t")
        };
        graph
            .invoke(object(json!({})), &options)
            .await
            .expect("it runs");
        let state = graph
            .state(&"t".into(), None, Depth::Here)
            .await
            .expect("it reads");
        assert_eq!(state.values.to_json(), json!({ "x": 5 }), "{durability:?}");
        let all = HistoryQuery::default();
        let steps = graph
            .history(&"t".into(), &Default::default(), &all)
            .await
            .expect("reads");
        let expected = if durability == Durability::Exit { 1 } else { 3 };
        assert_eq!(steps.len(), expected, "{durability:?}");
    }
}
