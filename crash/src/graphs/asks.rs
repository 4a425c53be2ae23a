//! Two questions in one task, then one question in each of two tasks of a step.

use serde_json::json;
use superstep_core::{command::START, plan::BuildErrors, reducer::Reducer, value::Value};
use superstep_engine::{Backends, DynGraph, DynGraphBuilder};

use super::node;
use crate::work_dir::WorkDir;

pub(super) fn graph(work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
    let pair = node(work_dir, |ctx, _| async move {
        let first = ctx.ask("first")?;
        let second = ctx.ask("second")?;
        Ok(json!({ "log": [first.to_json(), second.to_json()] }).into())
    });
    let side = node(work_dir, |ctx, _| async move {
        let answer = ctx.ask(ctx.node().as_ref())?;
        Ok(json!({ "log": [answer.to_json()] }).into())
    });
    let other = node(work_dir, |ctx, _| async move {
        let answer = ctx.ask(ctx.node().as_ref())?;
        Ok(json!({ "log": [answer.to_json()] }).into())
    });
    let end = node(work_dir, |_, _| async move {
        Ok(json!({ "done": true }).into())
    });
    DynGraphBuilder::new()
        .reduce("log", Reducer::Add, Value::list([]))
        .last_value("done")
        .node("pair", pair)
        .node("left", side)
        .node("right", other)
        .node("end", end)
        .edge(START, "pair")
        .edge("pair", "left")
        .edge("pair", "right")
        .join(["left", "right"], "end")
        .backends(backends)
        .build()
}
