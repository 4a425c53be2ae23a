//! Graphs that are traced, and what makes their logs comparable.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::json;
use superstep::{
    Backends, Facts, MemorySaver, Modes, RetryPolicy, RunOptions, Saver, SpanEnd, SpanKind,
    SpanStart, Value,
    dynamic::{
        CallTask, DynCtx, DynGraph, DynGraphBuilder, DynNodeOptions, DynReducer, Halt, START,
    },
    sqlite::Database,
};
use superstep_core::{error::Failure, event::Logged};

/// A saver of each kind, the folder of the second.
pub(crate) fn savers() -> (Vec<Arc<dyn Saver>>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = Database::open(folder.path().join("t.db")).unwrap().saver();
    (
        vec![Arc::new(MemorySaver::default()), Arc::new(sqlite)],
        folder,
    )
}

pub(crate) fn memory() -> Arc<dyn Saver> {
    Arc::new(MemorySaver::default())
}

pub(crate) fn on(saver: &Arc<dyn Saver>) -> Backends {
    Backends {
        saver: Some(saver.clone()),
        ..Backends::default()
    }
}

pub(crate) fn traced() -> RunOptions {
    RunOptions {
        log: Modes::TRACE,
        ..RunOptions::on("t")
    }
}

/// The log with times that are the same in every run: a millisecond from entry to entry.
pub(crate) fn steady(log: Vec<Logged>) -> Vec<Logged> {
    timed(log, 1000)
}

/// The log as if no time went by, for runs whose tasks end in any order.
pub(crate) fn frozen(log: Vec<Logged>) -> Vec<Logged> {
    timed(log, 0)
}

fn timed(log: Vec<Logged>, micros: u64) -> Vec<Logged> {
    let mut at = 1_800_000_000_000_000;
    let steady = log.into_iter().map(|mut logged| {
        at += micros;
        logged.at = Some(at);
        logged
    });
    steady.collect()
}

pub(crate) async fn log_of(saver: &Arc<dyn Saver>) -> Vec<Logged> {
    saver.events(&"t".into(), None, 10_000).await.unwrap()
}

/// Compares a text with a file, or writes the file if `BLESS` is set.
pub(crate) fn shot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/shots")
        .join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let wanted = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, wanted, "{name} differs; BLESS=1 writes it anew");
}

/// A call of a model that costs something.
pub(crate) async fn model(ctx: &DynCtx, prompt: &str) -> String {
    let start = || SpanStart {
        inputs: json!([{ "role": "user", "content": prompt }]).into(),
        facts: Facts {
            provider: Some("acme".into()),
            model_asked: Some("small".into()),
            ..Facts::default()
        },
    };
    let span = ctx.span(SpanKind::Model, "small", start).await;
    let answer = format!("about {prompt}");
    let end = || SpanEnd {
        outputs: json!([{ "role": "assistant", "content": answer }]).into(),
        facts: Facts {
            model_answered: Some("small-2026".into()),
            input_tokens: Some(1200),
            cached_tokens: Some(1000),
            output_tokens: Some(80),
            reasoning_tokens: Some(12),
            cost: Some(1_230),
            prices: Some("2026-10-01".into()),
            finish: Some("stop".into()),
            attempts: Some(2),
            first_token: Some(120_000),
            labels: [("team".into(), "docs".into())].into(),
            ..Facts::default()
        },
        ..SpanEnd::default()
    };
    span.end(end).await;
    answer
}

fn word(text: &str) -> serde_json::Value {
    json!({ "log": [text] })
}

fn says(
    text: &'static str,
) -> impl Fn(DynCtx) -> std::future::Ready<Result<serde_json::Value, Halt>> {
    move |_| std::future::ready(Ok(word(text)))
}

fn builder(name: &str, saver: &Arc<dyn Saver>) -> DynGraphBuilder {
    DynGraphBuilder::new()
        .name(name)
        .reduce("log", DynReducer::Add, json!([]))
        .backends(on(saver))
}

/// One after the other: a model, then a tool that looks something up and fails at the second.
pub(crate) fn sequence(saver: &Arc<dyn Saver>) -> DynGraph {
    let plan = |ctx: DynCtx| async move {
        let answer = model(&ctx, "rain").await;
        Ok::<_, Halt>(word(&answer))
    };
    let search = |ctx: DynCtx| async move {
        let tool = ctx
            .span(SpanKind::Tool, "search", || {
                Value::from(json!({ "q": "rain" }))
            })
            .await;
        let index = tool
            .span(SpanKind::Retriever, "index", || Value::from("rain"))
            .await;
        index.end(|| Value::from(json!(["wet", "dry"]))).await;
        let page = tool.span(SpanKind::Chain, "page", || Value::Null).await;
        page.fail("NotFound", "no such page").await;
        tool.end(|| Value::from("wet")).await;
        Ok::<_, Halt>(word("wet"))
    };
    builder("weather", saver)
        .node("plan", plan)
        .node("search", search)
        .edge(START, "plan")
        .edge("plan", "search")
        .build()
        .unwrap()
}

/// Two at once, one of them a graph with a graph in it.
pub(crate) fn fan_out(saver: &Arc<dyn Saver>) -> DynGraph {
    let below = |name: &str| {
        DynGraphBuilder::new()
            .name(name)
            .reduce("log", DynReducer::Add, json!([]))
    };
    let inner = below("inner")
        .node("deep", |ctx: DynCtx| async move {
            Ok::<_, Halt>(word(&model(&ctx, "deep").await))
        })
        .edge(START, "deep")
        .build()
        .unwrap();
    let outer = below("outer")
        .node("first", says("first"))
        .subgraph("inner", inner, DynNodeOptions::default())
        .edge(START, "first")
        .edge("first", "inner")
        .build()
        .unwrap();
    builder("fan", saver)
        .node("left", |ctx: DynCtx| async move {
            Ok::<_, Halt>(word(&model(&ctx, "left").await))
        })
        .subgraph("right", outer, DynNodeOptions::default())
        .node("join", says("join"))
        .edge(START, "left")
        .edge(START, "right")
        .edge("left", "join")
        .edge("right", "join")
        .build()
        .unwrap()
}

/// A node that works at the third attempt, having left spans open, and then calls a task.
pub(crate) fn retried(saver: &Arc<dyn Saver>) -> DynGraph {
    let task = CallTask::new("helper", |ctx: DynCtx, _| async move {
        let span = ctx.span(SpanKind::Tool, "hammer", || Value::Null).await;
        span.end(|| Value::Null).await;
        Ok(Value::from(1))
    });
    let flaky = move |ctx: DynCtx| {
        let task = task.clone();
        async move {
            let span = ctx.span(SpanKind::Tool, "fetch", || Value::Null).await;
            if ctx.attempt() < 3 {
                return Err(Halt::from(Failure::new("Flaky", "the line is dead")));
            }
            span.end(|| Value::from("fetched")).await;
            ctx.call(&task, Vec::new()).await?;
            Ok(word("fetched"))
        }
    };
    let options = DynNodeOptions {
        retry: vec![RetryPolicy {
            max_attempts: 3,
            initial: Duration::ZERO,
            jitter: Duration::ZERO,
            ..RetryPolicy::default()
        }],
        ..DynNodeOptions::default()
    };
    builder("stubborn", saver)
        .node_with("flaky", flaky, options)
        .edge(START, "flaky")
        .build()
        .unwrap()
}

/// Asks beside a sibling that is done.
pub(crate) fn asking(saver: &Arc<dyn Saver>) -> DynGraph {
    let asks = |ctx: DynCtx| async move {
        let answer = ctx.ask(json!("may I?"))?;
        Ok::<_, Halt>(word(answer.as_str().unwrap_or("?")))
    };
    builder("polite", saver)
        .node("asks", asks)
        .node("works", |ctx: DynCtx| async move {
            Ok::<_, Halt>(word(&model(&ctx, "work").await))
        })
        .node("last", says("last"))
        .edge(START, "asks")
        .edge(START, "works")
        .edge("asks", "last")
        .build()
        .unwrap()
}

/// Fails in a tool, and so does the run.
pub(crate) fn failing(saver: &Arc<dyn Saver>) -> DynGraph {
    let breaks = |ctx: DynCtx| async move {
        let span = ctx.span(SpanKind::Tool, "drill", || Value::Null).await;
        span.fail("Broken", "the bit\u{1b}[31m broke\u{202e}").await;
        Err::<serde_json::Value, _>(Halt::from(
            Failure::new("Broken", "the bit\nbroke").permanent(),
        ))
    };
    builder("unlucky", saver)
        .node("drill", breaks)
        .edge(START, "drill")
        .build()
        .unwrap()
}

/// Starts a model and never comes back from it.
pub(crate) fn hanging(saver: &Arc<dyn Saver>) -> DynGraph {
    let hangs = |ctx: DynCtx| async move {
        let _span = ctx
            .span(SpanKind::Model, "slow", || Value::from("hello"))
            .await;
        std::future::pending::<()>().await;
        Ok::<_, Halt>(word("never"))
    };
    builder("stuck", saver)
        .node("before", says("before"))
        .node("hangs", hangs)
        .edge(START, "before")
        .edge("before", "hangs")
        .build()
        .unwrap()
}
