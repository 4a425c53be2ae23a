//! A loop that writes one value per step.

use serde_json::json;
use superstep_core::{
    command::{END, START},
    error::Failure,
    message::Unknown,
    plan::BuildErrors,
    reducer::Reducer,
    value::Value,
};
use superstep_engine::{Backends, DynGraph, DynGraphBuilder};

use super::node;
use crate::work_dir::WorkDir;

pub(super) fn graph(work_dir: &WorkDir, backends: Backends) -> Result<DynGraph, BuildErrors> {
    let say = node(work_dir, |ctx, _| async move {
        let (turn, n) = (ctx.get("turn"), ctx.get("n").as_i64().unwrap_or_default());
        let turn = turn.as_i64().unwrap_or_default();
        let id = format!("{turn}.{n}");
        let message = json!({ "type": "ai", "id": id, "content": format!("said {n} of {turn}") });
        Ok(json!({ "n": n + 1, "messages": [message] }).into())
    });
    DynGraphBuilder::new()
        .last_value("turn")
        .last_value("n")
        .last_value("end")
        .last_value("edited")
        .last_value("forked")
        .reduce(
            "messages",
            Reducer::Messages(Unknown::Refuse),
            Value::list([]),
        )
        .node("say", say)
        .edge(START, "say")
        .route("say", |view| {
            let (n, end) = (view.get("n")?, view.get("end")?);
            let more = n.as_i64() < end.as_i64();
            Ok::<_, Failure>(if more { "say" } else { END })
        })
        .backends(backends)
        .build()
}
