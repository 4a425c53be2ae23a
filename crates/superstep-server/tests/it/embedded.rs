//! The routes of a server below a path of an application, beside routes of its own.

use axum::{Router, routing::get};
use serde_json::json;
use superstep::{Secret, http::Method};
use superstep_server::{Access, ServerError, routes};

use crate::{
    client::Running,
    graphs::{memory, server},
    sse::Events,
};

const TOKEN: &str = "the whole server";

async fn nested() -> Running {
    let own = Router::new().route("/orders", get(|| async { "[7]" }));
    let server = server(memory()).token(Secret::new(TOKEN)).body_limit(4096);
    Running::nested(server, own).await
}

#[tokio::test]
async fn own_routes_and_the_agents_are_on_one_port() {
    let server = nested().await;
    let orders = format!("http://{}", server.address.replace("/agents", "/orders"));
    let client = superstep::http::Client::new(&superstep::http::Settings::default()).unwrap();
    let url = superstep::http::Url::parse(&orders).unwrap();
    let reply = client.send(client.get(url)).await.unwrap();
    assert_eq!(reply.read(64).await.unwrap(), b"[7]");
    let run = json!({"assistant_id": "one", "input": {"x": 1}});
    assert_eq!(
        server.post_as(TOKEN, "/runs/wait", run.clone()).await.ok(),
        json!({"x": 2})
    );
    let stream = server
        .request(Method::POST, "/runs/stream")
        .header("x-api-key", TOKEN);
    let events = Events::open(&server, stream.body(run.to_string())).await;
    assert!(!events.rest().await.is_empty());
    let card = "/.well-known/agent-card.json?assistant_id=one";
    let card = server.get_as(TOKEN, card).await.ok();
    let url = card["url"].as_str().unwrap();
    let start = format!("http://{}/a2a/", server.address);
    assert!(url.starts_with(&start), "{url}");
}

#[tokio::test]
async fn routes_below_a_path_are_guarded_like_those_of_a_listener() {
    let server = nested().await;
    let id = "99999999-9999-4999-8999-999999999999";
    for route in routes() {
        let path = route
            .path
            .replace("{*path}", "app.js")
            .replace(['{', '}'], "");
        let path = path.replace("/id", &format!("/{id}"));
        let path = path.strip_suffix('/').unwrap_or(&path);
        let reply = server.call(route.method.clone(), path, json!({})).await;
        match route.access {
            Access::Open => assert_eq!(reply.status, 200, "{path}"),
            Access::Token | Access::Whole => assert_eq!(reply.status, 401, "{path}"),
        }
        let request = server.request(route.method, path);
        let request = request.header("x-api-key", TOKEN);
        let page = request.header("origin", "https://evil.example.com");
        assert_eq!(server.send(page).await.status, 403, "{path}");
    }
    let request = server
        .request(Method::GET, "/info")
        .header("x-api-key", TOKEN);
    let named = request.header("host", "evil.example.com");
    assert_eq!(server.send(named).await.status, 403);
    let large = json!({"assistant_id": "one", "input": {"x": "x".repeat(5000)}});
    assert_eq!(server.post_as(TOKEN, "/runs/wait", large).await.status, 413);
}

#[tokio::test]
async fn routes_without_a_login_are_refused() {
    let refused = server(memory()).into_router().map(drop).unwrap_err();
    assert!(matches!(refused, ServerError::NoLogin), "{refused}");
    assert_eq!(refused.code(), "SS9012");
}
