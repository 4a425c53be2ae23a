//! `upstream name`: the graphs that LangGraph measures itself with, run as it runs them: all
//! events of mode `updates` are read. The unit is a run.

use std::sync::Arc;

use superstep_core::{
    command::{END, START, Send},
    message::Unknown,
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions};

use super::on;
use crate::{
    args::Args,
    error::BenchError,
    meter::{Best, Lap},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let name = args.text("name", "sequential_1000");
    let (graph, input) = match name {
        "sequential_1000" => (
            sequential(1000)?,
            Value::map([("messages", Value::list([]))]),
        ),
        "fanout_to_subgraph_100x" => (fanout_to_subgraph()?, subjects(100)),
        other => return Err(BenchError::Args(format!("no graph `{other}`"))),
    };
    read_all(&graph, &input).await?;
    let mut best = Best::NONE;
    for _ in 0..5 {
        let lap = Lap::start()?;
        read_all(&graph, &input).await?;
        best.take(lap.stop()?);
    }
    Line {
        workload: "upstream",
        variant: name,
        units: 1,
        cost: best.0,
        extra: "",
    }
    .print();
    Ok(())
}

async fn read_all(graph: &DynGraph, input: &Value) -> Result<(), BenchError> {
    let mut events = graph.stream(input.clone(), &on("upstream"));
    while events.next().await.is_some() {}
    events.outcome().await?;
    Ok(())
}

fn sequential(n: usize) -> Result<DynGraph, BenchError> {
    let messages = Reducer::Messages(Unknown::Refuse);
    let mut builder = DynGraphBuilder::new().reduce("messages", messages, Value::list([]));
    let mut before = START.to_owned();
    for node in 0..n {
        let name = format!("node_{node}");
        builder = builder
            .node(name.as_str(), nothing)
            .edge(before, name.as_str());
        before = name;
    }
    Ok(builder.edge(before, END).build()?)
}

async fn nothing(ctx: DynCtx) -> Result<(), Halt> {
    std::hint::black_box(ctx.input());
    Ok(())
}

/// Each subject goes to a subgraph that edits it, makes a line of it and lengthens that ten times.
fn fanout_to_subgraph() -> Result<DynGraph, BenchError> {
    let lines = DynGraphBuilder::new()
        .last_value("subject")
        .last_value("jokes")
        .input_schema(vec!["subject".into()])
        .output_schema(vec!["jokes".into()])
        .node("edit", edit)
        .node("generate", generate)
        .node("bump", bump)
        .edge(START, "edit")
        .edge("edit", "generate")
        .edge("generate", "bump")
        .edge("generate", END)
        .route("bump", |state| {
            let jokes = state.get("jokes")?;
            let done = first(Some(&jokes)).ends_with(&" a".repeat(10));
            Ok(if done { END } else { "bump" })
        })
        .build()?;
    let builder = DynGraphBuilder::new()
        .last_value("subjects")
        .reduce("jokes", Reducer::Add, Value::list([]))
        .subgraph("generate_joke", lines, DynNodeOptions::default())
        .route(START, |state| {
            let subjects = state.get("subjects")?;
            let send = |subject: &Value| {
                Send::new("generate_joke", Value::map([("subject", subject.clone())]))
            };
            let all = subjects.as_list().unwrap_or_default();
            Ok(all.iter().map(send).collect::<Vec<Send>>())
        })
        .edge("generate_joke", END);
    Ok(builder.build()?)
}

/// LangGraph feeds lists of 1,000 letters, which its nodes turn into texts of 5,000 characters.
fn subjects(count: usize) -> Value {
    let subject = |n: usize| {
        let letters = (0..1000).map(|at| char::from(b'a' + ((n * 7 + at * 11) % 26) as u8));
        let quoted: Vec<String> = letters.map(|letter| format!("'{letter}'")).collect();
        Value::from(format!("[{}]", quoted.join(", ")))
    };
    Value::map([("subjects", Value::list((0..count).map(subject)))])
}

fn first(list: Option<&Value>) -> &str {
    list.and_then(Value::as_list)
        .and_then(|all| all.first()?.as_str())
        .unwrap_or_default()
}

fn text(ctx: &DynCtx, key: &str) -> Arc<str> {
    match ctx.get(key) {
        Value::Str(text) => text,
        _ => Arc::default(),
    }
}

async fn edit(ctx: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([(
        "subject",
        format!("{} - hohoho", text(&ctx, "subject")).into(),
    )]))
}

async fn generate(ctx: DynCtx) -> Result<Value, Halt> {
    let line = format!("Joke about {}", text(&ctx, "subject"));
    Ok(Value::map([("jokes", vec![line].into())]))
}

async fn bump(ctx: DynCtx) -> Result<Value, Halt> {
    let line = format!("{} a", first(Some(&ctx.get("jokes"))));
    Ok(Value::map([("jokes", vec![line].into())]))
}
