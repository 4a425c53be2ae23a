//! Traces: what a run did, how long it took and what it cost, read from the thread's log.
//!
//! With `OTEL_EXPORTER_OTLP_ENDPOINT` set, finished runs are sent there as well.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use superstep::{
    Backends, Facts, MemorySaver, Modes, RetryPolicy, RunOptions, Saver, SpanEnd, SpanKind,
    dynamic::{DynCtx, DynGraphBuilder, DynNodeOptions, Halt, START},
    trace::{
        RunTree, View,
        export::{ExportOptions, Exporter},
        text::Detail,
    },
};
use superstep_core::error::Failure;

/// Stands for a model: it says what it was asked and how many tokens that took.
async fn draft(ctx: DynCtx) -> Result<serde_json::Value, Halt> {
    let prompt = json!([{ "role": "user", "content": "a poem about rain" }]);
    let span = ctx.span(SpanKind::Model, "small-1", || prompt).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    span.end(|| SpanEnd {
        outputs: json!([{ "role": "assistant", "content": "Oh rain" }]).into(),
        facts: Facts {
            provider: Some("acme".into()),
            input_tokens: Some(1_204),
            cached_tokens: Some(1_000),
            output_tokens: Some(88),
            cost: Some(1_230),
            finish: Some("stop".into()),
            ..Facts::default()
        },
        ..SpanEnd::default()
    })
    .await;
    Ok(json!({ "poem": "Oh rain" }))
}

/// Works at the second attempt. The key it calls the tool with is in no trace.
async fn publish(ctx: DynCtx) -> Result<serde_json::Value, Halt> {
    let request = json!({ "to": "the paper", "api_key": "not for you" });
    let span = ctx.span(SpanKind::Tool, "print", || request).await;
    if ctx.attempt() == 1 {
        span.fail("Offline", "the press does not answer").await;
        return Err(Failure::new("Offline", "the press does not answer").into());
    }
    span.end(|| "printed").await;
    Ok(json!({ "printed": true }))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let exporter = match ExportOptions::from_env()? {
        Some(options) => Some(Exporter::start(options)?),
        None => None,
    };
    let mut saver: Arc<dyn Saver> = Arc::new(MemorySaver::default());
    if let Some(exporter) = &exporter {
        saver = exporter.watch(saver);
    }
    let retry = RetryPolicy {
        initial: Duration::from_millis(5),
        jitter: Duration::ZERO,
        ..RetryPolicy::default()
    };
    let graph = DynGraphBuilder::new()
        .name("poet")
        .last_value("poem")
        .last_value("printed")
        .backends(Backends {
            saver: Some(saver.clone()),
            ..Backends::default()
        })
        .node("draft", draft)
        .node_with(
            "publish",
            publish,
            DynNodeOptions {
                retry: vec![retry],
                ..DynNodeOptions::default()
            },
        )
        .edge(START, "draft")
        .edge("draft", "publish")
        .build()?;

    let options = RunOptions {
        log: Modes::TRACE,
        ..RunOptions::on("thread 1")
    };
    graph.invoke(json!({ "poem": "" }), &options).await?;

    let tree = RunTree::read(&*saver, "thread 1", &View::default()).await?;
    println!("{}", tree.list());
    println!("{}", tree.show(Detail::Content(60)));
    if let Some(exporter) = exporter {
        let report = exporter.shutdown(Duration::from_secs(5)).await;
        println!(
            "sent {} spans, dropped {} runs",
            report.spans, report.dropped
        );
    }
    Ok(())
}
