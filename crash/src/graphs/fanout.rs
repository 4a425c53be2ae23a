//! Five tasks in one step; one fails until its cause is removed, and the results of the
//! others must be kept until then.

use serde_json::json;
use superstep_core::{
    command::{Command, START, Send},
    error::Failure,
    plan::BuildErrors,
    reducer::Reducer,
    value::Value,
};
use superstep_engine::{Backends, DynGraph, DynGraphBuilder};

use super::node;
use crate::work_dir::WorkDir;

/// The entry of the ledger that lets the failing task succeed.
pub(crate) const MENDED: &str = "mended";

pub(super) fn graph(work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
    let split = node(work_dir, |_, _| async move {
        let sends = (0..4).map(|n| Send::new("work", json!({ "n": n })));
        let all = sends.fold(Command::goto("flaky"), Command::and_goto);
        Ok(all.into())
    });
    let work = node(work_dir, |ctx, _| async move {
        Ok(json!({ "log": [ctx.get("n").to_json()] }).into())
    });
    let flaky = node(work_dir, |_, work_dir| async move {
        if !work_dir.has(MENDED)? {
            return Err(Failure::new("Down", "the service is down")
                .permanent()
                .into());
        }
        Ok(json!({ "log": ["flaky"] }).into())
    });
    let gather = node(work_dir, |ctx, _| async move {
        let len = ctx.get("log").as_list().map_or(0, <[Value]>::len);
        Ok(json!({ "sum": len }).into())
    });
    DynGraphBuilder::new()
        .reduce("log", Reducer::Add, Value::list([]))
        .last_value("n")
        .last_value("sum")
        .node("split", split)
        .node("work", work)
        .node("flaky", flaky)
        .node("gather", gather)
        .edge(START, "split")
        .edge("flaky", "gather")
        .backends(backends)
        .build()
}
