//! Dropping a run cancels it, down to what its tasks hold.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde_json::json;
use superstep_core::{Value, run::Halt};
use superstep_engine::{DynCtx, DynGraphBuilder, DynNodeOptions, RunOptions, input, state::Depth};
use tokio::sync::Notify;

use crate::fixture::{object, saved, writes};

struct Held(Arc<AtomicUsize>, Arc<Notify>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
        self.1.notify_one();
    }
}

#[tokio::test]
async fn dropping_a_run_drops_its_tasks_in_subgraphs_too_and_frees_the_thread() {
    let (dropped, gone, started) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
    );
    let (d, g, s) = (dropped.clone(), gone.clone(), started.clone());
    let child = DynGraphBuilder::new()
        .last_value("x")
        .node("hang", move |_: DynCtx| {
            let held = Held(d.clone(), g.clone());
            let started = s.clone();
            async move {
                let _held = held;
                started.notify_one();
                pending::<()>().await;
                Ok::<_, Halt>(Value::Null)
            }
        })
        .edge("__start__", "hang")
        .build()
        .expect("the child builds");
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .node("first", writes(object(json!({ "x": 1 }))))
        .subgraph("sub", child, DynNodeOptions::default())
        .edge("__start__", "first")
        .edge("first", "sub")
        .backends(saved())
        .build()
        .expect("the graph builds");
    {
        let options = RunOptions::on("t");
        let run = graph.invoke(object(json!({ "x": 0 })), &options);
        tokio::select! {
            _ = run => panic!("the run hangs"),
            () = started.notified() => {}
        }
    }
    gone.notified().await;
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    let state = graph
        .state(&"t".into(), None, Depth::Here)
        .await
        .expect("it reads");
    assert_eq!(
        state.values.to_json(),
        json!({ "x": 1 }),
        "committed steps are kept"
    );
    let options = RunOptions::on("t");
    let busy = graph.invoke(input::go_on(), &options);
    tokio::select! {
        result = busy => panic!("the thread is free and hangs again, but: {result:?}"),
        () = started.notified() => {}
    }
}
