//! `loop n store [tail=1]`: one node appends a message of about 500 bytes until there are n. With
//! `tail=1` the thread then asks, and answering, reading the state and reading the last ten
//! checkpoints are measured on that history. The unit is a step, and a call in the tail.

use std::time::Instant;

use superstep_core::{
    command::{END, START},
    id::{GraphPath, ThreadId},
    message::Unknown,
    reducer::Reducer,
    run::Halt,
    saver::HistoryQuery,
    value::Value,
};
use superstep_engine::{
    Backends, DynCtx, DynGraph, DynGraphBuilder, RunOptions, Status, input::resume, state::Depth,
};

use super::message;
use crate::{
    args::Args,
    error::BenchError,
    meter::{Cost, Lap, cpu_nanos, least_and_middle, rss_kb},
    report::Line,
};

/// Measures it.
pub(super) async fn run(args: &Args) -> Result<(), BenchError> {
    let (n, store) = (args.number("n", 1000_usize)?, args.store()?);
    let tail = args.text("tail", "0") == "1";
    let opened = store.open()?;
    let graph = graph(opened.backends.clone(), if tail { "ask" } else { END })?;
    let variant = format!("n={n},store={}", store.name());
    let thread = ThreadId::from("loop");
    let limit = Value::map([("i", 0.into()), ("limit", Value::Int(n as i64))]);
    let before = rss_kb()?;
    let lap = Lap::start()?;
    let outcome = graph.invoke(limit, &opened.on(thread.as_str())).await?;
    let cost = lap.stop()?;
    let expected = if tail { Status::Waiting } else { Status::Done };
    wrong_unless(
        outcome.status == expected,
        "status",
        &format!("{:?}", outcome.status),
    )?;
    let grown = ((rss_kb()? - before) * 1024.0 / n as f64).max(0.0);
    let mut extra = format!("\"rss_bytes_per_step\":{grown:.0}");
    if let Some(bytes) = opened.bytes()? {
        let each = bytes as f64 / n as f64;
        extra.push_str(&format!(",\"bytes\":{bytes},\"bytes_per_step\":{each:.1}"));
    }
    Line {
        workload: "loop",
        variant: &variant,
        units: n,
        cost,
        extra: &extra,
    }
    .print();
    if tail {
        let history = History {
            graph,
            options: opened.on(thread.as_str()),
            thread,
            n,
            variant: format!("hist={n}msgs,{variant}"),
        };
        history.resume().await?;
        history.state().await?;
        history.last_ten().await?;
    }
    Ok(())
}

struct History {
    graph: DynGraph,
    options: RunOptions,
    thread: ThreadId,
    n: usize,
    variant: String,
}

const ANSWERS: usize = 30;
const READS: usize = 20;

impl History {
    async fn resume(&self) -> Result<(), BenchError> {
        let (answer, options) = ("yes ".repeat(20), &self.options);
        let (mut seconds, cpu) = (Vec::new(), cpu_nanos()?);
        for _ in 0..ANSWERS {
            let start = Instant::now();
            let outcome = self.graph.invoke(resume(answer.as_str()), options).await?;
            seconds.push(start.elapsed().as_secs_f64());
            let waits = outcome.status == Status::Waiting;
            wrong_unless(waits, "a question", &format!("{:?}", outcome.status))?;
        }
        self.print("resume", seconds, cpu)
    }

    async fn state(&self) -> Result<(), BenchError> {
        let (mut seconds, cpu) = (Vec::new(), cpu_nanos()?);
        for _ in 0..READS {
            let start = Instant::now();
            let snapshot = self.graph.state(&self.thread, None, Depth::Here).await?;
            seconds.push(start.elapsed().as_secs_f64());
            let messages = snapshot.values.get("messages").and_then(Value::as_list);
            let count = messages.map_or(0, <[Value]>::len);
            wrong_unless(
                count == self.n + ANSWERS,
                "all messages",
                &count.to_string(),
            )?;
        }
        self.print("get_state", seconds, cpu)
    }

    async fn last_ten(&self) -> Result<(), BenchError> {
        let query = HistoryQuery {
            limit: Some(10),
            ..HistoryQuery::default()
        };
        let (mut seconds, cpu) = (Vec::new(), cpu_nanos()?);
        for _ in 0..READS {
            let start = Instant::now();
            let found = self
                .graph
                .history(&self.thread, &GraphPath::default(), &query)
                .await?;
            seconds.push(start.elapsed().as_secs_f64());
            wrong_unless(
                found.len() == 10,
                "10 checkpoints",
                &found.len().to_string(),
            )?;
        }
        self.print("history10", seconds, cpu)
    }

    fn print(&self, workload: &str, seconds: Vec<f64>, since: u64) -> Result<(), BenchError> {
        let calls = seconds.len() as f64;
        let cpu = cpu_nanos()?.saturating_sub(since) as f64 / 1e9 / calls;
        let (wall, middle) = least_and_middle(seconds);
        let extra = format!("\"p50_us\":{:.1}", middle * 1e6);
        let cost = Cost { wall, cpu };
        Line {
            workload,
            variant: &self.variant,
            units: 1,
            cost,
            extra: &extra,
        }
        .print();
        Ok(())
    }
}

fn wrong_unless(right: bool, expected: &str, got: &str) -> Result<(), BenchError> {
    if right {
        return Ok(());
    }
    let (expected, got) = (expected.to_owned(), got.to_owned());
    Err(BenchError::Wrong {
        workload: "loop",
        expected,
        got,
    })
}

fn graph(backends: Backends, then: &'static str) -> Result<DynGraph, BenchError> {
    let builder = DynGraphBuilder::new()
        .reduce(
            "messages",
            Reducer::Messages(Unknown::Refuse),
            Value::list([]),
        )
        .last_value("i")
        .last_value("limit")
        .node("append", append)
        .node("ask", ask)
        .edge(START, "append")
        .router("append", None, None, move |state| {
            let more = state.get("i")?.as_i64() < state.get("limit")?.as_i64();
            Ok(if more { "append" } else { then })
        })
        .edge("ask", "ask")
        .backends(backends);
    Ok(builder.build()?)
}

async fn append(ctx: DynCtx) -> Result<Value, Halt> {
    let i = ctx.get("i").as_i64().unwrap_or(0);
    let messages = Value::list([message::message(message::text())]);
    Ok(Value::map([("messages", messages), ("i", (i + 1).into())]))
}

async fn ask(ctx: DynCtx) -> Result<Value, Halt> {
    let answer = ctx.ask("approve?")?;
    let text = answer.as_str().unwrap_or_default();
    Ok(Value::map([(
        "messages",
        Value::list([message::message(text)]),
    )]))
}
