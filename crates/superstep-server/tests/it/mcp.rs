//! Assistants as tools of the Model Context Protocol; and what the server says about itself.

use serde_json::{Value as Json, json};
use superstep::http::Method;

use crate::{
    client::Running,
    graphs::{memory, server},
};

async fn call(server: &Running, method: &str, params: Json) -> Json {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    let reply = server.post("/mcp", body).await.ok();
    assert_eq!(
        (&reply["jsonrpc"], &reply["id"]),
        (&json!("2.0"), &json!(7))
    );
    reply
}

#[tokio::test]
async fn an_assistant_is_a_tool() {
    let backends = memory();
    let saver = backends.saver.clone().unwrap();
    let server = Running::start(server(backends)).await;
    let hello = call(
        &server,
        "initialize",
        json!({"protocolVersion": "2025-06-18"}),
    )
    .await;
    assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(server.post("/mcp", told).await.status, 202);
    let tools = call(&server, "tools/list", json!({})).await;
    let mut names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["chain1", "hitl"]);
    let one = |x: i64| json!({"name": "chain1", "arguments": {"x": x}});
    let done = call(&server, "tools/call", one(1)).await;
    assert_eq!(done["result"]["structuredContent"], json!({"x": 2}));
    let failed = call(&server, "tools/call", one(-1)).await;
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["content"][0]["text"], "ValueError: boom");
    assert!(saver.threads().await.unwrap().is_empty());
    let unknown = call(&server, "tools/call", json!({"name": "nope"})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(
        call(&server, "zzz", json!({})).await["error"]["code"],
        -32601
    );
    server
        .call(Method::DELETE, "/mcp", json!({}))
        .await
        .detail(404);
}

#[tokio::test]
async fn every_route_is_described() {
    let server = Running::start(server(memory())).await;
    let described = server.get("/openapi.json").await.ok();
    assert_eq!(described["openapi"], "3.1.0");
    for route in superstep_server::routes() {
        let path = route.path.replace("{*", "{");
        let method = route.method.as_str().to_ascii_lowercase();
        let operation = &described["paths"][&*path][&*method];
        assert!(operation["operationId"].is_string(), "{method} {path}");
        let names = operation["parameters"].as_array().unwrap();
        assert_eq!(names.len(), path.matches('{').count(), "{path}");
    }
}

#[tokio::test]
async fn runs_are_counted() {
    let server = Running::start(server(memory())).await;
    let body = json!({"assistant_id": "one", "input": {"x": 1}});
    server.post("/runs/wait", body).await.ok();
    let counts = server.get("/metrics?format=json").await.ok();
    assert_eq!(counts["runs"]["accepted"], 1);
    assert_eq!(counts["runs"]["begun"], 1);
    let text = server.get("/metrics").await.ok();
    assert!(
        text.as_str()
            .unwrap()
            .contains("superstep_runs_accepted_total 1")
    );
}
