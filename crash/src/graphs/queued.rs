//! Orders that wait for a worker: each is booked, and ends after two durable timers. One holds its worker
//! until it is cancelled.

use std::{future::pending, time::Duration};

use serde_json::json;
use superstep_core::{command::START, plan::BuildErrors, reducer::Reducer, value::Value};
use superstep_engine::{Backends, DynGraph, DynGraphBuilder};

use super::node;
use crate::work_dir::{Target, WorkDir};

/// The order that does not end by itself.
pub(crate) const HELD: &str = "held";
/// The entry in the books that says that it runs.
pub(crate) const HOLDING: &str = "holding";

pub(super) fn graph(work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
    let book = node(work_dir, |ctx, work_dir| async move {
        let order: String = ctx.read("order")?;
        if order == HELD {
            work_dir.enter(HOLDING, Target::Idempotent)?;
            pending::<()>().await;
        }
        // A service that knows keys, so that a second attempt of the task may ask it again.
        work_dir.enter(&format!("order {order}"), Target::Idempotent)?;
        Ok(json!({ "log": [order] }).into())
    });
    let nap = node(work_dir, |ctx, _| async move {
        ctx.sleep(Duration::from_millis(5)).await?;
        ctx.sleep(Duration::from_millis(5)).await?;
        Ok(json!({ "log": ["slept"] }).into())
    });
    DynGraphBuilder::new()
        .name("orders")
        .last_value("order")
        .reduce("log", Reducer::Add, Value::list([]))
        .node("book", book)
        .node("nap", nap)
        .edge(START, "book")
        .edge("book", "nap")
        .backends(backends)
        .build()
}
