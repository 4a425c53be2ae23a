//! `pause n store`: n threads at once run up to a question, then n answers let all of them finish.
//! The unit is a thread.

use superstep::{Graph, Outcome};
use superstep_core::{
    command::{END, START},
    message::Unknown,
    reducer::Reducer,
    run::Halt,
    value::Value,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, RunOptions, Status, input::resume,
};

use super::{
    message,
    typed::{self, Talk, Turn},
};
use crate::{
    args::{Args, Layer},
    backend::{Opened, Store},
    error::BenchError,
    meter::{Lap, rss_kb},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, store) = (args.number("n", 1000_usize)?, args.store()?);
    if store == Store::None {
        return Err(BenchError::Args("pause needs a store".to_owned()));
    }
    let (opened, layer) = (store.open()?, args.layer()?);
    let pause = match layer {
        Layer::Dynamic => Pause::Dynamic(graph(opened.backends.clone())?),
        Layer::Typed => Pause::Typed(Box::new(typed::pause(&opened)?)),
    };
    let variant = format!("n={n},store={}{}", store.name(), layer.suffix());
    let before = rss_kb()?;
    let lap = Lap::start()?;
    every_thread(&pause, &opened, n, Status::Waiting).await?;
    let paused = lap.stop()?;
    let grown = (rss_kb()? - before) / n as f64;
    let lap = Lap::start()?;
    every_thread(&pause, &opened, n, Status::Done).await?;
    let finished = lap.stop()?;
    let extra = format!("\"rss_kb_per_thread\":{grown:.2}");
    Line {
        workload: "pause",
        variant: &variant,
        units: n,
        cost: paused,
        extra: &extra,
    }
    .print();
    Line {
        workload: "unpause",
        variant: &variant,
        units: n,
        cost: finished,
        extra: "",
    }
    .print();
    Ok(())
}

#[derive(Clone)]
enum Pause {
    Dynamic(DynGraph),
    Typed(Box<Graph<Talk, Turn>>),
}

impl Pause {
    /// Runs a thread up to its question, or from its answer to the end.
    async fn run(
        &self,
        thread: &str,
        options: &RunOptions,
        to: Status,
    ) -> Result<Status, BenchError> {
        let outcome = match (self, to) {
            (Self::Dynamic(graph), Status::Waiting) => {
                let input = Value::map([("messages", Value::list([]))]);
                return Ok(graph.invoke(input, options).await?.status);
            }
            (Self::Dynamic(graph), _) => {
                return Ok(graph.invoke(resume("ok"), options).await?.status);
            }
            (Self::Typed(graph), Status::Waiting) => graph.run(thread, Talk::update()).await?,
            (Self::Typed(graph), _) => graph.answer_only(thread, "ok").await?,
        };
        Ok(match outcome {
            Outcome::Done(_) => Status::Done,
            Outcome::Waiting { .. } => Status::Waiting,
            _ => Status::Paused,
        })
    }
}

async fn every_thread(
    pause: &Pause,
    opened: &Opened,
    n: usize,
    expected: Status,
) -> Result<(), BenchError> {
    let mut runs = Vec::with_capacity(n);
    for thread in 0..n {
        let (pause, thread) = (pause.clone(), format!("pause-{thread}"));
        let options = opened.on(&*thread);
        runs.push(tokio::spawn(async move {
            pause.run(&thread, &options, expected).await
        }));
    }
    for run in runs {
        let status = run.await??;
        if status != expected {
            let (expected, got) = (format!("{expected:?}"), format!("{status:?}"));
            return Err(BenchError::Wrong {
                workload: "pause",
                expected,
                got,
            });
        }
    }
    Ok(())
}

fn graph(backends: Backends) -> Result<DynGraph, BenchError> {
    let builder = DynGraphBuilder::new()
        .reduce(
            "messages",
            Reducer::Messages(Unknown::Refuse),
            Value::list([]),
        )
        .last_value("answer")
        .node("plan", plan)
        .node("ask", ask)
        .node("done", done)
        .edge(START, "plan")
        .edge("plan", "ask")
        .edge("ask", "done")
        .edge("done", END)
        .backends(backends);
    Ok(builder.build()?)
}

async fn plan(_: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([(
        "messages",
        Value::list([message::message(message::text())]),
    )]))
}

async fn ask(ctx: DynCtx) -> Result<Value, Halt> {
    Ok(Value::map([("answer", ctx.ask("approve?")?)]))
}

async fn done(ctx: DynCtx) -> Result<Value, Halt> {
    let answer = ctx.get("answer");
    let text = answer.as_str().unwrap_or_default();
    Ok(Value::map([(
        "messages",
        Value::list([message::message(text)]),
    )]))
}
