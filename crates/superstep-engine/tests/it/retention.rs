//! When the memory saver takes a thread for idle, on a clock that the test moves.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use superstep_core::{
    clock::ManualClock,
    saver::{Keep, Retention, Saver},
};
use superstep_engine::{Backends, DynCtx, RunOptions, memory::MemorySaver, state::Depth};

use crate::fixture::{object, one};

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn a_thread_goes_once_it_was_idle_for_just_that_long() {
    let clock = Arc::new(ManualClock::at(1_000));
    let saver = MemorySaver::on_clock(clock.clone());
    let graph = one(|_: DynCtx| async { Ok(object(json!({ "x": 1 }))) })
        .backends(Backends::on(saver.clone()))
        .build()
        .unwrap();
    let thread = "t".into();
    graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .unwrap();
    clock.advance(HOUR);
    graph.state(&thread, None, Depth::Here).await.unwrap();
    let retention = Retention {
        idle: Some(HOUR),
        keep: Some(Keep::Latest),
    };
    let hour = 3_600_000;
    let early = saver.retain(&retention, 999 + hour).await.unwrap();
    assert_eq!((early.deleted.len(), early.pruned), (0, 2));
    let again = saver.retain(&retention, 999 + hour).await.unwrap();
    assert_eq!((again.deleted.len(), again.pruned), (0, 0));
    let late = saver.retain(&retention, 1_000 + hour).await.unwrap();
    assert_eq!((late.deleted, late.pruned), (vec![thread], 0));
    assert!(saver.threads().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_end_of_a_lease_counts_as_use() {
    let clock = Arc::new(ManualClock::at(0));
    let saver = MemorySaver::on_clock(clock.clone());
    let graph = one(|_: DynCtx| async { Ok(object(json!({ "x": 1 }))) })
        .backends(Backends::on(saver.clone()))
        .build()
        .unwrap();
    graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .unwrap();
    let lease = saver.lease(&"t".into()).await.unwrap();
    clock.advance(HOUR);
    drop(lease);
    let retention = Retention {
        idle: Some(HOUR),
        keep: None,
    };
    let kept = saver.retain(&retention, 3_600_000).await.unwrap();
    assert_eq!((kept.deleted.len(), kept.pruned), (0, 0));
}

#[tokio::test]
async fn the_longest_idle_time_never_ends() {
    let saver = MemorySaver::new();
    let graph = one(|_: DynCtx| async { Ok(object(json!({ "x": 1 }))) })
        .backends(Backends::on(saver.clone()))
        .build()
        .unwrap();
    graph
        .invoke(object(json!({})), &RunOptions::on("t"))
        .await
        .unwrap();
    let retention = Retention {
        idle: Some(Duration::MAX),
        keep: None,
    };
    let kept = saver.retain(&retention, i64::MAX - 1).await.unwrap();
    assert!(kept.deleted.is_empty());
}
