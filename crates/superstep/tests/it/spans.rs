//! What nodes say about their own work: who sees it, and what it costs when nobody does.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{
    Backends, Facts, Modes, Nodes, RetryPolicy, RunOptions, Saver, Span, SpanEnd, SpanKind,
    SpanPhase, State, Value,
    dynamic::{
        DynCtx, DynEvent, DynGraph, DynGraphBuilder, DynNodeOptions, EventKind, Halt, START,
    },
    text::{Capture, Privacy, REDACTED},
};
use superstep_core::{
    error::Failure,
    event::{Entry, Logged},
};

use crate::plain::{PlainSaver, saver};

const KEY: &str = "sk-abcdefghij0123456789";

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Poem {
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
enum Node {
    Write,
}

async fn write(ctx: superstep::Ctx) -> PoemUpdate {
    let span = ctx.span(SpanKind::Model, "small", || "rain").await;
    span.end(|| "Oh rain").await;
    Poem::update().text("Oh rain")
}

#[tokio::test]
async fn a_typed_stream_shows_spans() {
    let graph = superstep::Graph::<Poem, Node>::builder()
        .saver(saver())
        .node(Node::Write, write)
        .start(Node::Write)
        .finish(Node::Write)
        .build()
        .unwrap();
    let mut stream = graph.stream("t", Poem::update());
    let mut seen = Vec::new();
    while let Some(event) = stream.next().await {
        if let superstep::Event::Span(span) = event {
            seen.push((span.kind, matches!(span.phase, SpanPhase::Ended(_))));
        }
    }
    assert_eq!(seen, [(SpanKind::Model, false), (SpanKind::Model, true)]);
}

fn on(saver: &Arc<PlainSaver>) -> Backends {
    Backends {
        saver: Some(saver.clone()),
        ..Backends::default()
    }
}

/// A tool that calls a model; the node counts how often what it would say is made.
fn asks_a_model(saver: &Arc<PlainSaver>, made: &Arc<AtomicU32>) -> DynGraph {
    let made = made.clone();
    let node = move |ctx: DynCtx| {
        let made = made.clone();
        async move {
            let say = |what: Value| {
                made.fetch_add(1, Ordering::Relaxed);
                what
            };
            let tool = ctx
                .span(SpanKind::Tool, "search", || say(json!({ "q": KEY }).into()))
                .await;
            let model = tool
                .span(SpanKind::Model, "small", || say("hello".into()))
                .await;
            model
                .end(|| SpanEnd {
                    outputs: say("a poem".into()),
                    facts: Facts {
                        output_tokens: Some(2),
                        ..Facts::default()
                    },
                    ..SpanEnd::default()
                })
                .await;
            tool.fail("NotFound", "nothing there").await;
            Ok::<_, Halt>(json!({ "x": 1 }))
        }
    };
    DynGraphBuilder::new()
        .last_value("x")
        .backends(on(saver))
        .node("work", node)
        .edge(START, "work")
        .build()
        .unwrap()
}

async fn log_of(saver: &PlainSaver) -> Vec<Logged> {
    saver.events(&"t".into(), None, 1000).await.unwrap()
}

fn spans(log: &[Logged]) -> Vec<Span> {
    let spans = log.iter().filter_map(|logged| match &logged.entry {
        Entry::Event(logged_event) => match &logged_event.event.kind {
            EventKind::Span(span) => Some((**span).clone()),
            _ => None,
        },
        _ => None,
    });
    spans.collect()
}

fn logging(log: Modes) -> RunOptions {
    RunOptions {
        log,
        ..RunOptions::on("t")
    }
}

#[tokio::test]
async fn spans_are_logged_as_they_start_and_end() {
    let (saver, made) = (saver(), Arc::default());
    let graph = asks_a_model(&saver, &made);
    let options = logging(Modes::TRACE);
    graph.invoke(json!({ "x": 0 }), &options).await.unwrap();
    let spans = spans(&log_of(&saver).await);
    let logged_event: Vec<_> = spans.iter().map(|span| (span.kind, &*span.name)).collect();
    let (tool, model) = ((SpanKind::Tool, "search"), (SpanKind::Model, "small"));
    assert_eq!(logged_event, [tool, model, model, tool]);
    assert_eq!(spans[1].parent, Some(spans[0].id));
    assert_eq!((spans[0].id, spans[1].id), (spans[3].id, spans[2].id));
    assert_ne!(spans[0].id, spans[1].id);
    let SpanPhase::Ended(end) = &spans[2].phase else {
        panic!("the model has ended");
    };
    assert_eq!(end.facts.output_tokens, Some(2));
    assert_eq!(end.outputs, "a poem".into());
    let SpanPhase::Ended(end) = &spans[3].phase else {
        panic!("the tool has ended");
    };
    assert_eq!(
        end.error.as_ref().map(|error| &*error.code),
        Some("NotFound")
    );
}

#[tokio::test]
async fn nothing_is_made_for_spans_that_nobody_reads() {
    let (saver, made) = (saver(), Arc::<AtomicU32>::default());
    let graph = asks_a_model(&saver, &made);
    for options in [
        RunOptions::on("t"),
        logging(Modes::TASKS.with(Modes::MESSAGES)),
    ] {
        graph.invoke(json!({ "x": 0 }), &options).await.unwrap();
        let mut stream = graph.stream(json!({ "x": 0 }), &options);
        while stream.next().await.is_some() {}
    }
    assert_eq!(made.load(Ordering::Relaxed), 0);
    assert_eq!(spans(&log_of(&saver).await), []);
}

#[tokio::test]
async fn a_stream_shows_spans_if_asked_for_them() {
    let (saver, made) = (saver(), Arc::default());
    let graph = asks_a_model(&saver, &made);
    let options = RunOptions {
        modes: Modes::SPANS,
        ..RunOptions::on("t")
    };
    let mut stream = graph.stream(json!({ "x": 0 }), &options);
    let mut seen = 0;
    while let Some(DynEvent { kind, .. }) = stream.next().await {
        assert!(matches!(kind, EventKind::Span(_)));
        assert!(!format!("{kind:?}").contains(KEY));
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[tokio::test]
async fn a_secret_does_not_reach_the_log() {
    let (saver, made) = (saver(), Arc::default());
    let graph = asks_a_model(&saver, &made);
    let options = logging(Modes::TRACE);
    graph.invoke(json!({ "x": 0 }), &options).await.unwrap();
    let entries = saver.entries.lock().unwrap().join("\n");
    assert!(!entries.contains(KEY) && entries.contains(REDACTED));
}

#[tokio::test]
async fn without_capture_spans_say_only_how_much_there_was() {
    let (saver, made) = (saver(), Arc::default());
    let graph = asks_a_model(&saver, &made);
    let privacy = Privacy {
        capture: Capture::None,
        redactor: None,
    };
    let options = RunOptions {
        privacy,
        ..logging(Modes::TRACE)
    };
    graph.invoke(json!({ "x": 0 }), &options).await.unwrap();
    let entries = saver.entries.lock().unwrap().join("\n");
    for content in [KEY, "a poem", "hello", "nothing there"] {
        assert!(!entries.contains(content), "{content}");
    }
    assert!(entries.contains("omitted"));
}

#[tokio::test]
async fn attempts_that_failed_and_their_spans_are_kept() {
    let saver = saver();
    let node = |ctx: DynCtx| async move {
        let span = ctx.span(SpanKind::Tool, "call", || Value::Null).await;
        if ctx.attempt() < 3 {
            return Err(Halt::from(Failure::new("Flaky", format!("with {KEY}"))));
        }
        span.end(|| Value::Null).await;
        Ok(json!({ "x": 1 }))
    };
    let options = DynNodeOptions {
        retry: vec![RetryPolicy {
            max_attempts: 3,
            initial: std::time::Duration::ZERO,
            jitter: std::time::Duration::ZERO,
            ..RetryPolicy::default()
        }],
        ..DynNodeOptions::default()
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .backends(on(&saver))
        .node_with("work", node, options)
        .edge(START, "work")
        .build()
        .unwrap();
    graph
        .invoke(json!({ "x": 0 }), &logging(Modes::TRACE))
        .await
        .unwrap();
    let spans = spans(&log_of(&saver).await);
    let logged_event: Vec<_> = spans.iter().map(|span| (span.attempt, span.kind)).collect();
    use SpanKind::{Attempt, Tool};
    assert_eq!(
        logged_event,
        [
            (1, Tool),
            (1, Attempt),
            (2, Tool),
            (2, Attempt),
            (3, Tool),
            (3, Tool)
        ]
    );
    let SpanPhase::Ended(end) = &spans[1].phase else {
        panic!("the attempt has ended");
    };
    let error = end.error.clone().unwrap();
    assert_eq!(
        (&*error.code, &*error.message),
        ("SS1001", "Flaky: with [redacted]")
    );
}

#[tokio::test]
async fn every_entry_has_a_time_and_times_do_not_go_back() {
    let (saver, made) = (saver(), Arc::default());
    let graph = asks_a_model(&saver, &made);
    let options = logging(Modes::ALL);
    graph.invoke(json!({ "x": 0 }), &options).await.unwrap();
    let log = log_of(&saver).await;
    let times: Vec<u64> = log.iter().map(|logged| logged.at.unwrap()).collect();
    assert!(times.is_sorted() && times[0] > 1_700_000_000_000_000);
    let mut follow = graph.follow("t", None, Modes::ALL);
    follow.next_stored().await.unwrap();
    assert_eq!(follow.at(), Some(times[0]));
}

#[tokio::test]
async fn the_whole_log_has_the_states_it_refers_to() {
    let (saver, made) = (saver(), Arc::default());
    let graph = asks_a_model(&saver, &made);
    let options = logging(Modes::TRACE);
    graph.invoke(json!({ "x": 7 }), &options).await.unwrap();
    let log = graph.whole_log("t").await.unwrap();
    let inputs = log.iter().filter_map(|logged| match &logged.entry {
        Entry::Event(logged_event) => match &logged_event.event.kind {
            EventKind::TaskStart { input, .. } => Some(input.to_string()),
            _ => None,
        },
        _ => None,
    });
    assert_eq!(inputs.collect::<Vec<_>>(), [r#"{"x":7}"#]);
}
