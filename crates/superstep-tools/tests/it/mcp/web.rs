//! Servers at an address, on this machine.

mod serve;

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use serde_json::{Value as Json, json};
use superstep::tools::mcp::{Endpoint, Server};

use super::bench::{approved, call, said};
use serve::{Answer, Asked, serve, url};

/// A server that keeps a session and has one tool.
fn usual(asked: &Asked<'_>, result: impl FnOnce() -> Answer) -> Answer {
    if asked.header("mcp-session-id") != Some("s1") && asked.method() != "initialize" {
        return Answer::Status(400);
    }
    match asked.method() {
        "initialize" => {
            let result = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
            Answer::Greeting(asked.reply(result), "s1")
        }
        "tools/list" => {
            let tool =
                json!({"name": "send", "description": "", "inputSchema": {"type": "object"}});
            Answer::Json(asked.reply(json!({"tools": [tool]})))
        }
        "tools/call" => result(),
        _ => Answer::Status(202),
    }
}

fn hello(asked: &Asked<'_>) -> Json {
    asked.reply(json!({"content": [{"type": "text", "text": "hello"}]}))
}

fn at(url: &str) -> Server {
    Server::new("web", Endpoint::new(url))
}

#[tokio::test]
async fn replies_come_as_json_or_as_events() {
    let server = serve(|asked| usual(asked, || Answer::Json(hello(asked)))).await;
    let client = approved(at(&url(&server))).await;
    assert_eq!(call(&client, "web_send", json!({})).await, said("hello"));

    let server = serve(|asked| {
        usual(asked, || {
            assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"));
            let other = json!({"jsonrpc": "2.0", "id": 999, "result": {}});
            let ask = json!({"jsonrpc": "2.0", "id": "a", "method": "sampling/createMessage"});
            Answer::Events(vec![other, ask, hello(asked), hello(asked)])
        })
    })
    .await;
    let client = approved(at(&url(&server))).await;
    assert_eq!(call(&client, "web_send", json!({})).await, said("hello"));
}

#[tokio::test]
async fn headers_of_the_user_go_with_every_request() {
    let server = serve(|asked| match asked.header("authorization") {
        Some("Bearer k") => usual(asked, || Answer::Json(hello(asked))),
        _ => Answer::Status(401),
    })
    .await;
    let error = at(&url(&server)).connect().await.unwrap_err();
    assert!(error.to_string().contains("401"), "{error}");
    let mut endpoint = Endpoint::new(url(&server));
    endpoint
        .headers
        .insert("authorization".into(), "Bearer k".into());
    let client = approved(Server::new("web", endpoint)).await;
    assert_eq!(call(&client, "web_send", json!({})).await, said("hello"));
    assert!(!format!("{client:?}").contains("Bearer"));
}

#[tokio::test]
async fn a_connection_that_breaks_leaves_the_outcome_unknown() {
    for (answer, why) in [
        (Answer::Cut, "the connection broke"),
        (Answer::Events(Vec::new()), "before the reply"),
        (Answer::Status(503), "503"),
        (Answer::Json(json!({"ok": true})), "no reply"),
        (Answer::Large, "more than 8388608 bytes"),
    ] {
        let server = serve(move |asked| usual(asked, || answer.clone())).await;
        let client = approved(at(&url(&server))).await;
        let end = call(&client, "web_send", json!({})).await;
        assert!(end.unknown_with(why), "{why}: {end:?}");
    }
}

#[tokio::test]
async fn a_refusal_means_that_nothing_happened() {
    for (answer, why) in [
        (Answer::Status(403), "403"),
        (Answer::Redirect("http://127.0.0.1:1/"), "307"),
    ] {
        let server = serve(move |asked| usual(asked, || answer.clone())).await;
        let client = approved(at(&url(&server))).await;
        let end = call(&client, "web_send", json!({})).await;
        assert!(end.failed_with(why), "{why}: {end:?}");
    }
}

#[tokio::test]
async fn a_session_that_is_over_is_begun_again() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let server = serve(|asked| {
        usual(asked, || match CALLS.fetch_add(1, Ordering::SeqCst) {
            0 => Answer::Status(404),
            _ => Answer::Json(hello(asked)),
        })
    })
    .await;
    let client = approved(at(&url(&server))).await;
    assert_eq!(call(&client, "web_send", json!({})).await, said("hello"));
    assert_eq!(CALLS.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_change_told_among_events_stops_the_next_call() {
    static LISTS: AtomicUsize = AtomicUsize::new(0);
    let server = serve(|asked| {
        if asked.method() == "tools/list" && LISTS.fetch_add(1, Ordering::SeqCst) > 0 {
            return Answer::Json(asked.reply(json!({"tools": []})));
        }
        usual(asked, || {
            let message = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            Answer::Events(vec![message, hello(asked)])
        })
    })
    .await;
    let client = approved(at(&url(&server))).await;
    let tools = super::bench::tools(&client);
    let first = super::bench::call_of(&tools, "web_send", json!({})).await;
    assert_eq!(first, said("hello"));
    let second = super::bench::call_of(&tools, "web_send", json!({})).await;
    assert!(second.failed_with("[SS5106]"), "{second:?}");
    assert!(second.failed_with("`send` is gone"), "{second:?}");
}

#[tokio::test]
async fn a_server_without_handshake_is_spoken_to_its_way() {
    let server = serve(|asked| {
        if asked.method() == "initialize" {
            let error = json!({"code": -32022, "message": "Unsupported protocol version"});
            return Answer::Refusal(json!({"jsonrpc": "2.0", "id": null, "error": error}));
        }
        assert_eq!(asked.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(asked.header("mcp-method"), Some(asked.method()));
        assert_eq!(asked.header("mcp-session-id"), None);
        match asked.method() {
            "server/discover" => {
                Answer::Json(asked.reply(json!({"supportedVersions": ["2026-07-28"]})))
            }
            "tools/list" => {
                let schema = json!({"type": "object"});
                let tool = json!({"name": "send", "inputSchema": schema});
                let ask = json!({"name": "ask", "inputSchema": schema});
                Answer::Json(asked.reply(json!({"tools": [tool, ask]})))
            }
            _ if asked.header("mcp-name") == Some("ask") => {
                Answer::Json(asked.reply(json!({"resultType": "input_required"})))
            }
            _ => Answer::Json(hello(asked)),
        }
    })
    .await;
    let client = approved(at(&url(&server))).await;
    assert_eq!(call(&client, "web_send", json!({})).await, said("hello"));
    let end = call(&client, "web_ask", json!({})).await;
    assert!(end.failed_with("wants input"), "{end:?}");
}

#[tokio::test]
async fn a_call_that_hangs_over_http_meets_its_limit() {
    let server = serve(|asked| usual(asked, || Answer::Silence)).await;
    let mut slow = at(&url(&server));
    slow.limits.call = Duration::from_millis(200);
    let client = approved(slow).await;
    let end = call(&client, "web_send", json!({})).await;
    assert!(end.unknown_with("no reply came within 200ms"), "{end:?}");
}

#[tokio::test]
async fn addresses_that_others_could_read_are_refused() {
    for bad in ["http://mcp.example.com/", "ftp://127.0.0.1/", "nothing"] {
        let error = at(bad).connect().await.unwrap_err();
        assert_eq!(error.code(), "SS5107", "{bad}");
    }
    let closed = at("http://127.0.0.1:9/").connect().await.unwrap_err();
    assert!(closed.to_string().contains("cannot be reached"), "{closed}");
}
