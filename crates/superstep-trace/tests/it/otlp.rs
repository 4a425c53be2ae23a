//! Spans as a collector reads them: parents, times, names and attributes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use superstep::dynamic::input;
use superstep_core::event::Logged;
use superstep_trace::{
    RunTree, View,
    otlp::{Attribute, Origin, Worth, request_json, requests},
};

use crate::{
    graphs::{asking, failing, fan_out, log_of, memory, sequence, steady, traced},
    proto::{Seen, spans},
};

fn origin() -> Origin {
    Origin {
        service: "demo".into(),
        project: Some("docs".into()),
    }
}

fn seen(log: &[Logged]) -> Vec<Seen> {
    let tree = RunTree::new("t", log, &View::default());
    let requests = requests(&tree.to_otlp(&origin()), &origin());
    requests
        .iter()
        .flat_map(|request| spans(request).0)
        .collect()
}

fn named<'a>(spans: &'a [Seen], name: &str) -> &'a Seen {
    spans.iter().find(|span| span.name == name).unwrap()
}

#[tokio::test]
async fn each_kind_of_span_has_its_name_parent_time_and_attributes() {
    let saver = memory();
    let graph = sequence(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let log = steady(log_of(&saver).await);
    let all = seen(&log);
    let root = named(&all, "invoke_agent weather");
    assert_eq!((root.parent.clone(), root.state), (None, 1));
    assert_eq!(root.started, log[0].at.unwrap() * 1000);
    assert_eq!(root.ended, log.last().unwrap().at.unwrap() * 1000);
    let parent = |name: &str| {
        let parent = named(&all, name).parent.clone();
        let above = all.iter().find(|span| Some(span.id.clone()) == parent);
        above.unwrap().name.clone()
    };
    assert_eq!(parent("plan"), "invoke_agent weather");
    assert_eq!(parent("chat small"), "plan");
    assert_eq!(parent("execute_tool search"), "search");
    assert_eq!(parent("page"), "execute_tool search");
    let model = named(&all, "chat small");
    assert_eq!((model.kind, model.ended - model.started), (3, 1_000_000));
    let run_id: String = root
        .trace
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    for (key, wanted) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "acme"),
        ("gen_ai.system", "acme"),
        ("gen_ai.request.model", "small"),
        ("gen_ai.response.model", "small-2026"),
        ("gen_ai.usage.input_tokens", "1200"),
        ("gen_ai.usage.output_tokens", "80"),
        ("gen_ai.response.finish_reasons", "[stop]"),
        ("gen_ai.conversation.id", "t"),
        (
            "gen_ai.input.messages",
            r#"[{"content":"rain","role":"user"}]"#,
        ),
        (
            "gen_ai.output.messages",
            r#"[{"content":"about rain","role":"assistant"}]"#,
        ),
        ("langsmith.span.kind", "llm"),
        ("langsmith.trace.name", "weather"),
        ("langsmith.trace.session_name", "docs"),
        ("langsmith.span.tags", "team:docs"),
        ("langsmith.metadata.thread_id", "t"),
        ("langsmith.metadata.run_id", run_id.as_str()),
        ("langsmith.metadata.node", "plan"),
        ("langsmith.metadata.step", "1"),
        ("superstep.cost_usd", "0.00123"),
        ("superstep.tokens.cached", "1000"),
        ("superstep.tokens.reasoning", "12"),
        ("superstep.requests", "2"),
        ("superstep.first_token_us", "120000"),
    ] {
        assert_eq!(
            model.attributes.get(key).map(String::as_str),
            Some(wanted),
            "{key}"
        );
    }
    assert!(
        model
            .attributes
            .contains_key("langsmith.metadata.checkpoint_id")
    );
    let tool = named(&all, "execute_tool search");
    assert_eq!(tool.attributes["gen_ai.operation.name"], "execute_tool");
    assert_eq!(tool.attributes["gen_ai.tool.name"], "search");
    assert_eq!(tool.attributes["langsmith.span.kind"], "tool");
    assert_eq!(tool.attributes["input.value"], r#"{"q":"rain"}"#);
    assert_eq!(
        named(&all, "index").attributes["langsmith.span.kind"],
        "retriever"
    );
    let page = named(&all, "page");
    assert_eq!(page.state, 2);
    let says: BTreeMap<String, String> = [
        ("exception.type".to_owned(), "NotFound".to_owned()),
        ("exception.message".to_owned(), "no such page".to_owned()),
    ]
    .into();
    assert_eq!(page.events, [("exception".to_owned(), says)]);
    let node = named(&all, "search");
    assert_eq!(node.attributes["langsmith.span.kind"], "chain");
    assert_eq!(node.attributes["output.value"], r#"{"log":["wet"]}"#);
}

#[tokio::test]
async fn a_request_says_who_sent_it() {
    let saver = memory();
    let graph = sequence(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let tree = RunTree::read(&*saver, "t", &View::default()).await.unwrap();
    let (_, resource) = spans(&requests(&tree.to_otlp(&origin()), &origin())[0]);
    assert_eq!(resource["service.name"], "demo");
    assert_eq!(resource["telemetry.sdk.language"], "rust");
}

#[tokio::test]
async fn many_or_large_spans_are_sent_in_parts() {
    let saver = memory();
    let graph = sequence(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let tree = RunTree::read(&*saver, "t", &View::default()).await.unwrap();
    let few = tree.to_otlp(&origin());
    let many: Vec<_> = few.iter().cycle().take(1100).cloned().collect();
    let sizes: Vec<usize> = requests(&many, &origin())
        .iter()
        .map(|request| spans(request).0.len())
        .collect();
    assert_eq!(sizes, [512, 512, 76]);
    let mut large = few.clone();
    large.truncate(3);
    large[1].attributes.push(Attribute {
        key: "input.value".into(),
        worth: Worth::Text("x".repeat(3_000_000)),
    });
    assert_eq!(requests(&large, &origin()).len(), 3);
}

#[tokio::test]
async fn all_spans_of_a_run_are_one_tree_with_ids_that_stay() {
    let saver = memory();
    let graph = fan_out(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let log = log_of(&saver).await;
    let (once, again) = (seen(&log), seen(&log));
    let ids = |all: &[Seen]| -> Vec<_> {
        let ids = all.iter().map(|span| (span.trace.clone(), span.id.clone()));
        ids.collect()
    };
    assert_eq!(ids(&once), ids(&again));
    let known: BTreeSet<_> = once.iter().map(|span| span.id.clone()).collect();
    assert_eq!(known.len(), once.len());
    let traces: BTreeSet<_> = once.iter().map(|span| span.trace.clone()).collect();
    assert_eq!(traces.len(), 1);
    let roots = once.iter().filter(|span| span.parent.is_none()).count();
    assert_eq!(roots, 1);
    for span in &once {
        assert!(
            span.parent
                .as_ref()
                .is_none_or(|parent| known.contains(parent))
        );
        assert!(span.started <= span.ended && span.started > 0);
        assert_eq!((span.trace.len(), span.id.len()), (16, 8));
    }
    let deep = named(&once, "deep");
    assert!(deep.attributes["superstep.namespace"].starts_with("right:"));
}

#[tokio::test]
async fn a_run_that_goes_on_is_linked_to_the_one_before() {
    let saver = memory();
    let graph = asking(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    graph
        .invoke(input::resume(json!("yes")), &traced())
        .await
        .unwrap();
    let all = seen(&log_of(&saver).await);
    let roots: Vec<&Seen> = all.iter().filter(|span| span.parent.is_none()).collect();
    assert_eq!(roots[0].state, 0);
    assert_eq!(roots[0].attributes["superstep.status"], "waiting");
    let before = (roots[0].trace.clone(), roots[0].id.clone());
    assert_eq!(roots[1].links, [before]);
    assert_ne!(roots[0].trace, roots[1].trace);
}

#[tokio::test]
async fn a_failed_run_is_an_error_with_an_exception() {
    let saver = memory();
    let graph = failing(&saver);
    graph
        .invoke(json!({ "log": [] }), &traced())
        .await
        .unwrap_err();
    let all = seen(&log_of(&saver).await);
    for name in ["invoke_agent unlucky", "drill", "execute_tool drill"] {
        let span = named(&all, name);
        assert_eq!((span.state, span.events.len()), (2, 1), "{name}");
    }
    assert_eq!(named(&all, "drill").attributes["error.type"], "SS1001");
}

#[tokio::test]
async fn the_json_encoding_says_the_same_as_the_binary_one() {
    let saver = memory();
    let graph = sequence(&saver);
    graph.invoke(json!({ "log": [] }), &traced()).await.unwrap();
    let log = log_of(&saver).await;
    let tree = RunTree::new("t", &log, &View::default());
    let json = request_json(&tree.to_otlp(&origin()), &origin());
    let said = json["resourceSpans"][0]["scopeSpans"][0]["spans"]
        .as_array()
        .unwrap();
    let seen = seen(&log);
    assert_eq!(said.len(), seen.len());
    for (said, seen) in said.iter().zip(&seen) {
        let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
        assert_eq!(said["traceId"], hex(&seen.trace));
        assert_eq!(said["spanId"], hex(&seen.id));
        assert_eq!(
            said["parentSpanId"].as_str().map(str::to_owned),
            seen.parent.as_deref().map(hex)
        );
        assert_eq!(said["name"], seen.name);
        assert_eq!(said["startTimeUnixNano"], seen.started.to_string());
        assert_eq!(
            said["attributes"].as_array().unwrap().len(),
            seen.attributes.len()
        );
    }
}
