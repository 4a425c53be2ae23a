//! What must not be seen is nowhere: not in a file, a log, a tree or what a collector gets.

use std::{path::Path, sync::Arc};

use serde_json::json;
use superstep::{
    Facts, RunOptions, Saver, SpanEnd, SpanError, SpanKind, SpanStart,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
    sqlite::Database,
    text::{Capture, Privacy, REDACTED, Redactor, Secret},
};
use superstep_core::error::Failure;
use superstep_trace::{
    RunTree, View,
    otlp::{Origin, request_json, requests},
    text::Detail,
};

use crate::graphs::{log_of, memory, on, traced};

const SHAPED: &str = "ghp_plantedplantedplanted0123456789";
const NAMED: &str = "planted-by-name";
const KNOWN: &str = "planted known value";
const CONTENT: &str = "planted content";

fn leaky(saver: &Arc<dyn Saver>) -> DynGraph {
    let node = |ctx: DynCtx| async move {
        let start = || SpanStart {
            inputs: json!({
                "messages": [{ "content": format!("{CONTENT} {SHAPED} and {KNOWN}") }],
                "headers": { "Authorization": NAMED, "X-Api-Key": [NAMED] },
                "arguments": format!("{{\"password\": \"{NAMED}\"}}"),
            })
            .into(),
            facts: Facts {
                labels: [
                    ("api_key".into(), NAMED.into()),
                    ("note".into(), KNOWN.into()),
                ]
                .into(),
                ..Facts::default()
            },
        };
        let span = ctx.span(SpanKind::Model, "small", start).await;
        let end = || SpanEnd {
            outputs: json!([CONTENT, KNOWN, { "token": NAMED }]).into(),
            error: Some(SpanError::new(
                "Denied",
                format!("{CONTENT}: key {SHAPED}, {KNOWN}"),
            )),
            facts: Facts::default(),
        };
        span.end(end).await;
        Ok::<_, Halt>(json!({ "x": 1 }))
    };
    DynGraphBuilder::new()
        .last_value("x")
        .backends(on(saver))
        .node("leaky", node)
        .edge(START, "leaky")
        .build()
        .unwrap()
}

fn privacy(capture: Capture) -> Privacy {
    let redactor = Redactor::default()
        .with_secret(&Secret::new(KNOWN))
        .unwrap();
    Privacy {
        capture,
        redactor: Some(Arc::new(redactor)),
    }
}

/// Everything that can be got out of a thread and its folder, as bytes.
async fn everything(saver: &Arc<dyn Saver>, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let log = log_of(saver).await;
    // Looked at by somebody who knows nothing: what was told is clean already.
    let tree = RunTree::new("t", &log, &View::default());
    let spans = tree.to_otlp(&Origin::default());
    let mut all = vec![
        ("the log".to_owned(), format!("{log:?}").into_bytes()),
        (
            "the text".to_owned(),
            tree.show(Detail::Content(10_000)).into_bytes(),
        ),
        (
            "the JSON".to_owned(),
            tree.to_json().to_string().into_bytes(),
        ),
        (
            "OTLP".to_owned(),
            requests(&spans, &Origin::default()).concat(),
        ),
        (
            "OTLP JSON".to_owned(),
            request_json(&spans, &Origin::default())
                .to_string()
                .into_bytes(),
        ),
    ];
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        all.push((path.display().to_string(), std::fs::read(path).unwrap()));
    }
    all
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

async fn after_a_run(capture: Capture) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path().join("t.db")).unwrap();
    let saver: Arc<dyn Saver> = Arc::new(database.saver());
    let options = RunOptions {
        privacy: privacy(capture),
        ..traced()
    };
    leaky(&saver)
        .invoke(json!({ "x": 0 }), &options)
        .await
        .unwrap();
    everything(&saver, folder.path()).await
}

#[tokio::test]
async fn planted_secrets_are_nowhere() {
    let all = after_a_run(Capture::Full).await;
    assert!(all.len() > 5, "there is a file besides");
    for (place, bytes) in &all {
        for secret in [SHAPED, NAMED, KNOWN] {
            assert!(!holds(bytes, secret), "{secret} is in {place}");
        }
    }
    // What was taken out leaves a mark, and what is no secret stays.
    for (place, bytes) in all.iter().take(5) {
        assert!(holds(bytes, REDACTED) && holds(bytes, CONTENT), "{place}");
    }
}

#[tokio::test]
async fn without_capture_planted_content_is_nowhere() {
    for (place, bytes) in after_a_run(Capture::None).await {
        for content in [CONTENT, SHAPED, NAMED, KNOWN] {
            assert!(!holds(&bytes, content), "{content} is in {place}");
        }
    }
}

#[tokio::test]
async fn a_view_without_capture_shows_nothing_of_what_was_stored() {
    let saver = memory();
    let node = |ctx: DynCtx| async move {
        let span = ctx.span(SpanKind::Tool, "t", || CONTENT).await;
        span.fail("Bad", CONTENT).await;
        let failure = Failure::new("Bad", format!("{CONTENT} {SHAPED}"));
        Err::<serde_json::Value, _>(Halt::from(failure.permanent()))
    };
    let graph = DynGraphBuilder::new()
        .last_value("x")
        .backends(on(&saver))
        .node("n", node)
        .edge(START, "n")
        .build()
        .unwrap();
    graph
        .invoke(json!({ "x": CONTENT }), &traced())
        .await
        .unwrap_err();
    let log = graph.whole_log("t").await.unwrap();
    let shown = |capture| {
        let view = View {
            privacy: privacy(capture),
            ..View::default()
        };
        let tree = RunTree::new("t", &log, &view);
        let spans = requests(&tree.to_otlp(&Origin::default()), &Origin::default()).concat();
        format!(
            "{}{}{}",
            tree.show(Detail::Content(1000)),
            tree.to_json(),
            String::from_utf8_lossy(&spans)
        )
    };
    let full = shown(Capture::Full);
    assert!(full.contains(CONTENT) && !full.contains(SHAPED));
    let none = shown(Capture::None);
    assert!(!none.contains(CONTENT) && none.contains("Bad"));
}
