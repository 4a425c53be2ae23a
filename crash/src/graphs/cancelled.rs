//! A run that is cancelled: an effect, a durable timer, and a task that continues only once its run was
//! cancelled. What the first two did by then is kept.

use std::{future::pending, time::Duration};

use serde_json::json;
use superstep_core::{command::START, plan::BuildErrors, reducer::Reducer, value::Value};
use superstep_engine::{Backends, DynGraph, DynGraphBuilder};

use super::{effect::once, node};
use crate::work_dir::{Target, WorkDir};

/// The entry in the books that says that the run was cancelled.
pub(crate) const CANCELLED: &str = "cancelled";

pub(super) fn graph(work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
    let pay = node(work_dir, |ctx, work_dir| async move {
        let paid = once(&ctx, &work_dir, "pay", Target::Idempotent).await?;
        Ok(json!({ "log": [paid] }).into())
    });
    let nap = node(work_dir, |ctx, _| async move {
        ctx.sleep(Duration::from_millis(5)).await?;
        ctx.sleep(Duration::from_millis(5)).await?;
        Ok(json!({ "log": ["slept"] }).into())
    });
    let hold = node(work_dir, |_, work_dir| async move {
        if !work_dir.has(CANCELLED)? {
            pending::<()>().await;
        }
        Ok(json!({ "log": ["let go"] }).into())
    });
    let last = node(work_dir, |_, _| async move {
        Ok(json!({ "log": ["over"] }).into())
    });
    DynGraphBuilder::new()
        .reduce("log", Reducer::Add, Value::list([]))
        .node("pay", pay)
        .node("nap", nap)
        .node("hold", hold)
        .node("last", last)
        .edge(START, "pay")
        .edge(START, "nap")
        .edge(START, "hold")
        .join(["pay", "nap", "hold"], "last")
        .backends(backends)
        .build()
}
