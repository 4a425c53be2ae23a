//! A tree as JSON. The schema is in `docs/traces.md`; fields may be added, never changed.

use serde_json::{Map, Value as Json, json};
use superstep_core::{event::SpanError, value::Value};

use crate::{
    totals::Totals,
    tree::{Beginning, Branch, Run, RunTree},
    units,
};

/// Names the schema and its version.
pub const SCHEMA: &str = "superstep.trace/1";

impl RunTree {
    /// The tree as JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "schema": SCHEMA,
            "thread": self.thread.as_str(),
            "runs": self.runs.iter().map(run).collect::<Vec<_>>(),
        })
    }
}

fn run(run: &Run) -> Json {
    let mut object = Map::new();
    object.insert("run".into(), run.number.into());
    object.insert("ordinal".into(), run.ordinal.into());
    object.insert("trace_id".into(), format!("{:032x}", run.trace).into());
    let parent = run.parent.map(|parent| parent.to_string());
    put(&mut object, "parent_span_id", parent);
    put(&mut object, "continues", run.continues);
    let beginning = match run.beginning {
        Beginning::Known => "known",
        Beginning::Pruned => "pruned",
    };
    object.insert("beginning".into(), beginning.into());
    let asks: Vec<String> = run.asks.iter().map(ToString::to_string).collect();
    object.insert("waits_for".into(), asks.into());
    object.insert("root".into(), branch(&run.root));
    object.into()
}

/// The builder bounds the depth of the tree.
fn branch(branch: &Branch) -> Json {
    let mut object = Map::new();
    object.insert("id".into(), branch.id.to_string().into());
    object.insert("kind".into(), branch.kind.as_str().into());
    object.insert("name".into(), (*branch.name).into());
    object.insert("status".into(), branch.status.as_str().into());
    put(&mut object, "started_us", branch.started);
    put(&mut object, "ended_us", branch.ended);
    put(&mut object, "started_at", branch.started.map(units::iso));
    put(&mut object, "ended_at", branch.ended.map(units::iso));
    put(&mut object, "took_us", branch.took());
    let error =
        |SpanError { code, message }: &SpanError| json!({ "code": **code, "message": message });
    put(&mut object, "error", branch.error.as_ref().map(error));
    put(&mut object, "inputs", content(&branch.inputs));
    put(&mut object, "outputs", content(&branch.outputs));
    if !branch.facts.is_empty() {
        let facts = serde_json::to_value(&branch.facts);
        put(&mut object, "facts", facts.ok());
    }
    let place = &branch.place;
    if !place.namespace.is_root() {
        object.insert("namespace".into(), place.namespace.as_str().into());
    }
    put(&mut object, "step", place.step);
    put(
        &mut object,
        "task_id",
        place.task.map(|task| task.to_string()),
    );
    put(
        &mut object,
        "checkpoint_id",
        place.checkpoint.map(|id| id.to_string()),
    );
    put(&mut object, "attempt", place.attempt);
    object.insert("totals".into(), totals(&branch.totals));
    let children: Vec<Json> = branch.children.iter().map(self::branch).collect();
    object.insert("children".into(), children.into());
    object.into()
}

fn totals(totals: &Totals) -> Json {
    let Totals {
        models,
        tools,
        input_tokens,
        cached_tokens,
        output_tokens,
        reasoning_tokens,
        cost,
        unpriced,
        errors,
        model_time,
        tool_time,
    } = totals;
    json!({
        "models": models,
        "tools": tools,
        "input_tokens": input_tokens,
        "cached_tokens": cached_tokens,
        "output_tokens": output_tokens,
        "reasoning_tokens": reasoning_tokens,
        "cost_micro_usd": cost,
        "unpriced": unpriced,
        "errors": errors,
        "model_us": model_time,
        "tool_us": tool_time,
    })
}

fn content(value: &Value) -> Option<Json> {
    (!value.is_null()).then(|| value.to_json())
}

fn put(object: &mut Map<String, Json>, key: &str, value: Option<impl Into<Json>>) {
    if let Some(value) = value {
        object.insert(key.to_owned(), value.into());
    }
}
