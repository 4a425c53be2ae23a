//! Events while a run goes.

use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::json;
use superstep_core::{
    Value,
    event::{Ending, EventKind, Modes},
    policy::Durability,
    run::Halt,
    saver::HistoryQuery,
};
use superstep_engine::{DynCtx, DynEventStream, DynFollow, LogItem, RunOptions, state::Depth};

use crate::fixture::{keys, object, one, saved, writes};

#[tokio::test]
async fn a_slow_reader_gets_every_chunk_in_order() {
    let graph = one(|ctx: DynCtx| async move {
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

#[tokio::test]
async fn events_and_logs_are_streams_for_every_adapter() {
    let graph = one(writes(object(json!({ "x": 1 }))))
        .backends(saved())
        .build()
        .unwrap();
    let options = RunOptions {
        modes: Modes::VALUES,
        log: Modes::VALUES,
        ..RunOptions::on("t")
    };
    let values = |kind: EventKind| match kind {
        EventKind::Values { values, .. } => values.get("x").and_then(Value::as_i64),
        other => panic!("only values were asked, not {other:?}"),
    };
    let events = graph.stream(object(json!({ "x": 0 })), &options);
    let live: Vec<_> = events.map(|event| values(event.kind)).collect().await;
    assert_eq!(live, [Some(0), Some(1)]);
    let log = graph.follow("t", None, Modes::VALUES);
    let stored: Vec<_> = log
        .filter_map(|item| async move {
            match item.unwrap().1 {
                LogItem::Event(event) => Some(values(event.kind)),
                LogItem::Ended(ending) => {
                    assert_eq!(ending, Ending::Done);
                    None
                }
                LogItem::Started { .. } => None,
            }
        })
        .collect()
        .await;
    assert_eq!(stored, live);
}

#[tokio::test]
async fn a_reader_that_stopped_waiting_goes_on_where_it_was() {
    let graph = one(writes(object(json!({ "x": 1 }))))
        .backends(saved())
        .build()
        .unwrap();
    let options = RunOptions {
        log: Modes::UPDATES,
        ..RunOptions::on("t")
    };
    let mut reader = graph.follow("t", None, Modes::UPDATES);
    assert!(reader.next().now_or_never().is_none(), "no run has begun");
    assert!(reader.next_stored().await.unwrap().is_none());
    assert!(reader.next_ever().now_or_never().is_none());
    graph.invoke(object(json!({})), &options).await.unwrap();
    let mut kinds = Vec::new();
    while let Some((cursor, item)) = reader.next().await.unwrap() {
        assert_eq!(reader.cursor(), Some(cursor));
        kinds.push(std::mem::discriminant(&item));
    }
    assert_eq!(kinds.len(), 3, "it starts, the node writes, it ends");
    assert!(reader.next_ever().now_or_never().is_none());
    assert!(reader.next().await.unwrap().is_none());
}

#[tokio::test]
async fn a_log_that_cannot_be_read_ends_its_stream_with_the_error() {
    let graph = one(writes(object(json!({ "x": 1 })))).build().unwrap();
    let items: Vec<_> = graph.follow("t", None, Modes::ALL).collect().await;
    let codes: Vec<_> = items
        .into_iter()
        .map(|item| item.unwrap_err().code())
        .collect();
    assert_eq!(codes, ["SS1107"]);
}

#[test]
fn streams_move_between_threads() {
    fn moves<T: Send + Unpin + 'static>() {}
    moves::<DynEventStream>();
    moves::<DynFollow>();
}
