//! Health, and answers that say no.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use serde_json::json;
use superstep::{Backends, Measured, Recorder, http::Method};

use crate::{
    client::Running,
    graphs::{memory, server},
};

#[tokio::test]
async fn a_server_says_that_it_is_well_and_what_it_is() {
    let server = Running::start(server(memory())).await;
    for path in ["/", "/ok", "/ok?check_db=1"] {
        let reply = server.get(path).await;
        assert_eq!(reply.header("content-type"), Some("application/json"));
        assert_eq!(reply.ok(), json!({"ok": true, "services": {}}));
    }
    let info = server.get("/info").await.ok();
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["flags"]["assistants"], true);
    assert_eq!(info["host"]["kind"], "self-hosted");
}

#[tokio::test]
async fn what_is_not_served_is_said_in_the_form_of_all_errors() {
    let server = Running::start(server(memory())).await;
    assert_eq!(server.get("/nope").await.detail(404), "Not Found");
    let wrong = server.call(Method::PUT, "/threads", json!({})).await;
    assert_eq!(wrong.detail(405), "Method Not Allowed");
    assert_eq!(wrong.header("allow"), Some("POST"));
    let patched = server
        .call(Method::PATCH, "/threads/x/state", json!({}))
        .await;
    assert_eq!(patched.detail(405), "Method Not Allowed");
}

#[tokio::test]
async fn a_body_that_cannot_be_read_is_refused() {
    let server = Running::start(server(memory()).body_limit(2000)).await;
    for (body, status, says) in [
        ("{".to_owned(), 422, "Invalid JSON"),
        ("[]".to_owned(), 422, "must be a JSON object"),
        (r#"{"limit": "x"}"#.to_owned(), 422, "`limit`"),
        (r#"{"limit": 0}"#.to_owned(), 422, "1 to 1000"),
        (r#"{"sort_by": "shoe"}"#.to_owned(), 422, "one of"),
        ("[".repeat(1500), 422, "Invalid JSON"),
        (
            format!("{{\"metadata\": \"{}\"}}", "x".repeat(2000)),
            413,
            "too large",
        ),
    ] {
        let request = server
            .request(Method::POST, "/threads/search")
            .body(body.clone());
        let reply = server.send(request).await;
        assert!(reply.detail(status).contains(says), "{body}: {reply:?}");
    }
    // A body may be left out, and a field that is null counts as left out.
    let all = server.request(Method::POST, "/threads/search");
    assert_eq!(server.send(all).await.ok(), json!([]));
    let none = server.post("/threads/search", json!({"limit": null})).await;
    assert_eq!(none.ok(), json!([]));
}

#[tokio::test]
async fn the_description_says_what_bodies_have() {
    let server = Running::start(server(memory())).await;
    let description = server.get("/openapi.json").await.ok();
    for route in superstep_server::routes() {
        let method = route.method.as_str().to_ascii_lowercase();
        let place = route.path.replace("{*", "{");
        let operation = &description["paths"][&place][&method];
        let body = &operation["requestBody"]["content"];
        let has_body = ["post", "put", "patch"].contains(&&*method);
        let is_described = body["application/json"]["schema"]["type"].is_string()
            || body["application/octet-stream"].is_object();
        assert!(is_described || !has_body, "{method} {place} has no row");
    }
    let page = server.get("/docs").await;
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let page = page.ok();
    assert!(
        page.as_str()
            .unwrap()
            .contains("POST /threads/{id}/runs/stream")
    );
}

#[derive(Default)]
struct Runs(AtomicU64);

impl Recorder for Runs {
    fn record(&self, measured: &Measured<'_>) {
        if let Measured::Run { .. } = measured {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[tokio::test]
async fn runs_and_steps_are_counted_for_the_page_and_for_the_recorder_of_the_program() {
    let runs = Arc::new(Runs::default());
    let backends = Backends {
        recorder: Some(runs.clone()),
        ..memory()
    };
    let server = Running::start(server(backends)).await;
    for x in [1, -1] {
        let run = json!({ "assistant_id": "one", "input": { "x": x } });
        server.post("/runs/wait", run).await;
    }
    let page = server.get("/metrics").await.ok();
    for line in [
        "superstep_runs_failed_total 1\n",
        "superstep_steps_total 2\n",
        "superstep_model_calls_total 0\n",
        "# TYPE superstep_run_seconds_total counter\n",
    ] {
        assert!(page.as_str().unwrap().contains(line), "{line}: {page}");
    }
    assert_eq!(runs.0.load(Ordering::Relaxed), 2);
}
