//! An approval, then effects on an external service: two in one task, and one in each of two tasks
//! of a step.

use serde_json::json;
use superstep_core::{
    command::{Command, START, Send},
    plan::BuildErrors,
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{Backends, DynCtx, DynGraph, DynGraphBuilder};

use super::node;
use crate::work_dir::{Target, WorkDir};

/// What the service answers to an effect.
pub(crate) fn receipt(key: &str) -> String {
    format!("receipt of {key}")
}

pub(super) fn graph(
    work_dir: &WorkDir,
    backends: Backends,
    target: Target,
) -> Result<DynGraph, BuildErrors> {
    let pay = node(work_dir, move |ctx, work_dir| async move {
        let answer = ctx.ask("pay")?;
        let reserved = once(&ctx, &work_dir, "reserve", target).await?;
        let paid = once(&ctx, &work_dir, "pay", target).await?;
        let log = json!([answer.to_json(), reserved, paid]);
        let tell = |who| Send::new("tell", json!({ "who": who }));
        let next = Command::goto(tell("ann")).and_goto(tell("bob"));
        Ok(next.set("log", log).into())
    });
    let tell = node(work_dir, move |ctx, work_dir| async move {
        let who = ctx.get("who");
        let key = format!("tell {}", who.as_str().unwrap_or_default());
        let entry = once(&ctx, &work_dir, &key, target).await?;
        Ok(json!({ "log": [entry] }).into())
    });
    DynGraphBuilder::new()
        .reduce("log", Reducer::Add, Value::list([]))
        .last_value("who")
        .node("pay", pay)
        .node("tell", tell)
        .edge(START, "pay")
        .backends(backends)
        .build()
}

pub(super) async fn once(
    ctx: &DynCtx,
    work_dir: &WorkDir,
    key: &str,
    target: Target,
) -> Result<String, Halt> {
    let effect = || async {
        work_dir.enter(key, target)?;
        Ok(receipt(key))
    };
    ctx.once(key, effect).await
}
