//! The trace of a thread.

use serde_json::json;
use superstep::http::Method;

use crate::{
    client::Running,
    graphs::{memory, server},
};

#[tokio::test]
async fn the_trace_of_a_thread_has_its_runs_with_what_they_took_and_why_one_failed() {
    let server = Running::start(server(memory())).await;
    let thread = server.post("/threads", json!({})).await.ok();
    let thread = thread["thread_id"].as_str().unwrap();
    let trace = format!("/threads/{thread}/trace");
    assert_eq!(server.get(&trace).await.ok()["runs"], json!([]));
    for x in [1, -1] {
        let run = json!({ "assistant_id": "one", "input": { "x": x } });
        let path = format!("/threads/{thread}/runs/wait");
        server.post(&path, run).await.ok();
    }
    let tree = server.get(&trace).await.ok();
    assert_eq!(tree["schema"], "superstep.trace/1");
    let runs = tree["runs"].as_array().unwrap();
    let status = |index: usize| runs[index]["root"]["status"].as_str().unwrap();
    assert_eq!((runs.len(), status(0), status(1)), (2, "done", "failed"));
    let node = &runs[0]["root"]["children"][0];
    assert_eq!(
        (&node["name"], &node["kind"]),
        (&json!("count"), &json!("node"))
    );
    assert!(node["took_us"].is_u64(), "{node}");
    let failed = &runs[1]["root"]["children"][0]["error"]["message"];
    assert!(failed.as_str().unwrap().contains("boom"), "{tree}");
    let missing = server
        .get("/threads/019817b5-6f40-7f8c-b349-4478aeedcecc/trace")
        .await;
    assert_eq!(missing.status, 404);
}

const HEADER: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[tokio::test]
async fn a_run_is_in_the_trace_that_its_request_names() {
    let server = Running::start(server(memory())).await;
    let thread = server.post("/threads", json!({})).await.ok();
    let path = format!(
        "/threads/{}/runs/wait",
        thread["thread_id"].as_str().unwrap()
    );
    for header in [HEADER, "nonsense"] {
        let run = json!({ "assistant_id": "one", "input": { "x": 1 } });
        let request = server.request(Method::POST, &path).body(run.to_string());
        server
            .send(request.header("traceparent", header))
            .await
            .ok();
    }
    let path = path.replace("/runs/wait", "/trace");
    let tree = server.get(&path).await.ok();
    let runs = tree["runs"].as_array().unwrap();
    assert_eq!(runs[0]["trace_id"], "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(runs[0]["parent_span_id"], "b7ad6b7169203331");
    assert_ne!(runs[1]["trace_id"], runs[0]["trace_id"]);
    assert_eq!(runs[1]["parent_span_id"], json!(null));
}
