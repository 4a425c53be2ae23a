//! A graph within a graph that asks, called in each of two rounds; a second one keeps its state as
//! long as the thread.

use serde_json::json;
use superstep_core::{
    command::{END, START},
    error::Failure,
    plan::{BuildErrors, Persist},
    reducer::Reducer,
    value::Value,
};
use superstep_engine::{Backends, DynGraph, DynGraphBuilder, DynNodeOptions};

use super::node;
use crate::work_dir::WorkDir;

pub(super) fn graph(work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
    let count = node(work_dir, |ctx, _| async move {
        let round = ctx.get("round").as_i64().unwrap_or_default() + 1;
        Ok(json!({ "round": round }).into())
    });
    DynGraphBuilder::new()
        .reduce("log", Reducer::Add, Value::list([]))
        .last_value("round")
        .last_value("seen")
        .node("count", count)
        .subgraph("inner", inner(work_dir)?, DynNodeOptions::default())
        .subgraph("memory", memory(work_dir)?, DynNodeOptions::default())
        .edge(START, "count")
        .edge("count", "inner")
        .edge("inner", "memory")
        .route("memory", |view| {
            let round = view.get("round")?.as_i64();
            Ok::<_, Failure>(if round == Some(1) { "count" } else { END })
        })
        .backends(backends)
        .build()
}

fn inner(work_dir: &WorkDir) -> Result<DynGraph, BuildErrors> {
    let before = node(work_dir, |_, _| async move {
        Ok(json!({ "ready": true }).into())
    });
    let asks = node(work_dir, |ctx, _| async move {
        let round = ctx.get("round").as_i64().unwrap_or_default();
        let answer = ctx.ask(format!("round {round}"))?;
        Ok(json!({ "log": [answer.to_json()] }).into())
    });
    DynGraphBuilder::new()
        .last_value("log")
        .last_value("round")
        .last_value("ready")
        .output_schema(vec!["log".into()])
        .node("before", before)
        .node("asks", asks)
        .edge(START, "before")
        .edge("before", "asks")
        .build()
}

fn memory(work_dir: &WorkDir) -> Result<DynGraph, BuildErrors> {
    let recall = node(work_dir, |ctx, _| async move {
        let seen = ctx.get("visits").as_i64().unwrap_or_default() + 1;
        Ok(json!({ "visits": seen, "seen": seen }).into())
    });
    DynGraphBuilder::new()
        .last_value("visits")
        .last_value("seen")
        .last_value("round")
        .output_schema(vec!["seen".into()])
        .node("recall", recall)
        .edge(START, "recall")
        .persist(Persist::PerThread)
        .build()
}
