//! Who may use which route: every route has a row here, and each row is tried.

use superstep::{Secret, http::Method};
use superstep_server::{Access, routes};

use crate::{
    client::Running,
    graphs::{memory, server},
};

/// Every route, and what a caller must show.
const MATRIX: &[(&str, &str, Access)] = &[
    ("GET", "/", Access::Open),
    ("GET", "/ok", Access::Open),
    ("GET", "/ui", Access::Open),
    ("GET", "/ui/{*path}", Access::Open),
    ("GET", "/info", Access::Token),
    ("POST", "/files", Access::Token),
    ("POST", "/files/search", Access::Token),
    ("GET", "/files/{file}", Access::Token),
    ("DELETE", "/files/{file}", Access::Token),
    ("GET", "/me", Access::Token),
    ("GET", "/events", Access::Token),
    ("GET", "/metrics", Access::Whole),
    ("POST", "/runs/search", Access::Token),
    ("GET", "/settings", Access::Whole),
    ("PUT", "/settings/model", Access::Whole),
    ("PUT", "/settings/keys/{provider}", Access::Whole),
    ("DELETE", "/settings/keys/{provider}", Access::Whole),
    ("POST", "/settings/download", Access::Whole),
    ("POST", "/settings/restart", Access::Whole),
    ("GET", "/openapi.json", Access::Open),
    ("GET", "/docs", Access::Open),
    ("GET", "/.well-known/agent-card.json", Access::Token),
    ("POST", "/a2a/{assistant_id}", Access::Token),
    ("POST", "/mcp", Access::Token),
    ("POST", "/mcp/", Access::Token),
    ("DELETE", "/mcp", Access::Token),
    ("POST", "/runs/crons", Access::Token),
    ("POST", "/runs/crons/search", Access::Token),
    ("POST", "/runs/crons/count", Access::Token),
    ("GET", "/runs/crons/{cron}", Access::Token),
    ("PATCH", "/runs/crons/{cron}", Access::Token),
    ("DELETE", "/runs/crons/{cron}", Access::Token),
    ("POST", "/threads/{id}/runs/crons", Access::Token),
    ("POST", "/assistants/search", Access::Token),
    ("POST", "/assistants/count", Access::Token),
    ("GET", "/assistants/{id}", Access::Token),
    ("GET", "/assistants/{id}/schemas", Access::Token),
    ("POST", "/threads", Access::Token),
    ("POST", "/threads/search", Access::Token),
    ("POST", "/threads/count", Access::Token),
    ("GET", "/threads/{id}", Access::Token),
    ("PATCH", "/threads/{id}", Access::Token),
    ("DELETE", "/threads/{id}", Access::Token),
    ("GET", "/threads/{id}/view", Access::Token),
    ("GET", "/threads/{id}/text", Access::Token),
    ("GET", "/threads/{id}/branches", Access::Token),
    ("GET", "/threads/{id}/compare", Access::Token),
    ("POST", "/threads/{id}/answer", Access::Token),
    ("GET", "/threads/{id}/state", Access::Token),
    ("POST", "/threads/{id}/state", Access::Token),
    ("POST", "/threads/{id}/state/checkpoint", Access::Token),
    ("GET", "/threads/{id}/state/{checkpoint}", Access::Token),
    ("GET", "/threads/{id}/history", Access::Token),
    ("POST", "/threads/{id}/history", Access::Token),
    ("POST", "/threads/{id}/runs/stream", Access::Token),
    ("POST", "/threads/{id}/runs/wait", Access::Token),
    ("GET", "/threads/{id}/runs", Access::Token),
    ("GET", "/threads/{id}/runs/{run}", Access::Token),
    ("GET", "/threads/{id}/runs/{run}/join", Access::Token),
    ("POST", "/threads/{id}/runs/{run}/cancel", Access::Token),
    ("PUT", "/store/items", Access::Token),
    ("GET", "/store/items", Access::Token),
    ("DELETE", "/store/items", Access::Token),
    ("POST", "/store/items/search", Access::Token),
    ("POST", "/store/namespaces", Access::Token),
    ("POST", "/runs/stream", Access::Token),
    ("POST", "/runs/wait", Access::Token),
    ("GET", "/assistants/{id}/graph", Access::Token),
    ("POST", "/threads/{id}/copy", Access::Token),
    ("GET", "/threads/{id}/trace", Access::Token),
    ("GET", "/threads/{id}/stream", Access::Token),
    ("POST", "/threads/{id}/commands", Access::Token),
    ("POST", "/threads/{id}/stream/events", Access::Token),
    ("GET", "/threads/{id}/stream/events", Access::Token),
    ("POST", "/threads/{id}/runs", Access::Token),
    ("DELETE", "/threads/{id}/runs/{run}", Access::Token),
    ("GET", "/threads/{id}/runs/{run}/stream", Access::Token),
    ("POST", "/runs", Access::Token),
    ("POST", "/runs/batch", Access::Token),
    ("POST", "/runs/cancel", Access::Token),
    ("GET", "/runs/{run}/stream", Access::Token),
    ("POST", "/assistants", Access::Token),
    ("PATCH", "/assistants/{id}", Access::Token),
    ("DELETE", "/assistants/{id}", Access::Token),
    ("POST", "/assistants/{id}/versions", Access::Token),
    ("POST", "/assistants/{id}/latest", Access::Token),
    ("GET", "/assistants/{id}/subgraphs", Access::Token),
    (
        "GET",
        "/assistants/{id}/subgraphs/{namespace}",
        Access::Token,
    ),
    ("GET", "/inbox/info", Access::Token),
    ("POST", "/inbox/threads/search", Access::Token),
    ("GET", "/inbox/threads/{id}", Access::Token),
    ("GET", "/inbox/threads/{id}/state", Access::Token),
    ("POST", "/inbox/threads/{id}/state", Access::Token),
    ("POST", "/inbox/threads/{id}/history", Access::Token),
    ("POST", "/inbox/threads/{id}/runs", Access::Token),
    ("POST", "/inbox/threads/{id}/runs/stream", Access::Token),
];

#[test]
fn every_route_has_a_row_and_every_row_a_route() {
    let served = routes();
    let mut served: Vec<_> = served
        .iter()
        .map(|route| (route.method.as_str(), route.path, route.access))
        .collect();
    let mut rows = MATRIX.to_vec();
    served.sort_by_key(|(method, path, _)| (*path, *method));
    rows.sort_by_key(|(method, path, _)| (*path, *method));
    assert_eq!(served, rows);
}

#[tokio::test]
async fn a_route_that_needs_the_token_is_closed_without_it() {
    let server = server(memory()).token(Secret::new("right token"));
    let server = Running::start(server).await;
    let id = "99999999-9999-4999-8999-999999999999";
    for (method, path, access) in MATRIX {
        let path = path
            .replace("{id}", id)
            .replace("{checkpoint}", id)
            .replace("{run}", id)
            .replace("{namespace}", "child")
            .replace("{assistant_id}", "one")
            .replace("{cron}", id)
            .replace("{provider}", "openai")
            .replace("{file}", &"0".repeat(64))
            .replace("{*path}", "app.js");
        let request = || {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            server.request(method, &path)
        };
        let shut = [
            request(),
            request().header("x-api-key", "right toke"),
            request().header("x-api-key", "right token2"),
            request().header("x-api-key", ""),
            request().header("authorization", "Bearer wrong token"),
            request().header("authorization", "Basic right token"),
            request().header("authorization", "right token"),
        ];
        for request in shut {
            let reply = server.send(request).await;
            match access {
                Access::Open => assert_eq!(reply.status, 200, "{method} {path}"),
                Access::Token | Access::Whole => {
                    assert!(reply.detail(401).contains("token"), "{method} {path}");
                    assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
                }
            }
        }
        let open = [
            request().header("x-api-key", "right token"),
            request().header("authorization", "bearer right token"),
        ];
        for request in open {
            // A stream without an end is not read.
            let status = server.open(request).await.status().as_u16();
            assert!(
                ![401, 403, 405, 500].contains(&status),
                "{method} {path}: {status}"
            );
        }
    }
}
