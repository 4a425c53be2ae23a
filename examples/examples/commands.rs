//! Commands: a node says in one go what it changes and where to go next.
//!
//! `triage` picks the next node itself, without a router. The desk `returns` is a graph of its own;
//! when a case is not for it, it hands the case over to a node of the graph above, which it knows
//! by name only. This prints
//!
//! ```text
//! a cup arrived broken (priority 1)
//!   triage: for returns
//!   check: small
//!   refund: paid
//! a whole kitchen arrived broken (priority 1)
//!   triage: for returns
//!   check: too large for this desk
//!   person: will call back
//! where are you located? (priority 2)
//!   triage: for person
//!   person: will call back
//! ```

use std::error::Error;

use serde_json::{Value as Json, json};
use superstep::{
    RunOptions, Value,
    dynamic::{DynCommand, DynCtx, DynGraphBuilder, DynNodeOptions, DynReducer, Halt, START},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let desk = DynGraphBuilder::new()
        .last_value("case")
        .reduce("notes", DynReducer::Add, Vec::<Value>::new())
        .input_schema(vec!["case".into()])
        .output_schema(vec!["notes".into()])
        .node("check", check)
        .node("refund", refund)
        .edge(START, "check")
        .build()?;
    let to = |names: &[&str]| DynNodeOptions {
        destinations: names.iter().map(|name| (*name).into()).collect(),
        ..DynNodeOptions::default()
    };
    let graph = DynGraphBuilder::new()
        .last_value("case")
        .last_value("priority")
        .reduce("notes", DynReducer::Add, Vec::<Value>::new())
        .node_with("triage", triage, to(&["returns", "person"]))
        .subgraph("returns", desk, to(&["person"]))
        .node("person", person)
        .edge(START, "triage")
        .build()?;

    let cases = [
        ("a cup arrived broken", "refund: paid"),
        ("a whole kitchen arrived broken", "person: will call back"),
        ("where are you located?", "person: will call back"),
    ];
    for (case, end) in cases {
        let input = json!({ "case": case });
        let outcome = graph.invoke(input, &RunOptions::default()).await?;
        let state = outcome.output.ok_or("the run has an output")?;
        println!(
            "{case} (priority {})",
            state.get("priority").cloned().unwrap_or_default()
        );
        let notes = state
            .get("notes")
            .and_then(Value::as_list)
            .unwrap_or_default();
        for note in notes.iter().filter_map(Value::as_str) {
            println!("  {note}");
        }
        if notes.last().and_then(Value::as_str) != Some(end) {
            return Err(format!("the case should end with `{end}`").into());
        }
    }
    Ok(())
}

async fn triage(ctx: DynCtx) -> Result<DynCommand, Halt> {
    let case: String = ctx.read("case")?;
    let (desk, priority) = if case.contains("broken") {
        ("returns", 1)
    } else {
        ("person", 2)
    };
    let note = format!("triage: for {desk}");
    Ok(DynCommand::goto(desk)
        .set("priority", priority)
        .set("notes", vec![note]))
}

async fn check(ctx: DynCtx) -> Result<DynCommand, Halt> {
    if ctx.read::<String>("case")?.contains("cup") {
        return Ok(DynCommand::goto("refund").set("notes", vec!["check: small"]));
    }
    let note = vec!["check: too large for this desk"];
    Ok(DynCommand::goto("person").set("notes", note).to_parent())
}

async fn refund(_: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "notes": ["refund: paid"] }))
}

async fn person(_: DynCtx) -> Result<Json, Halt> {
    Ok(json!({ "notes": ["person: will call back"] }))
}
