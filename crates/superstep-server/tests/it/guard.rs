//! Names, pages and addresses.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use superstep::{Backends, MemorySaver, MemoryStore, Schemas, Secret, http::Method};
use superstep_server::{Server, ServerError};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use crate::{
    client::Running,
    graphs::{Gate, gate, memory, one, server},
    sse::Events,
};

#[tokio::test]
async fn a_request_for_a_name_that_is_not_the_servers_is_refused() {
    let server = Running::start(server(memory()).host("Agents.example.com")).await;
    for (host, status) in [
        ("127.0.0.1:2024", 200),
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("[::1]:8", 200),
        ("agents.example.com", 200),
        ("agents.example.com:443", 200),
        ("evil.example.com", 403),
        ("localhost.evil.example.com", 403),
        ("agents.example.com.evil.example.com", 403),
        ("10.0.0.1", 403),
        ("", 403),
    ] {
        let request = server.request(Method::GET, "/ok").header("host", host);
        let reply = server.send(request).await;
        assert_eq!(reply.status, status, "{host}: {reply:?}");
        if status == 403 {
            assert!(reply.detail(403).contains("hosts of the server"));
        }
    }
}

#[tokio::test]
async fn pages_of_other_sites_may_call_only_if_they_are_allowed() {
    let page = "https://chat.example.com";
    let server = Running::start(server(memory()).origin(page)).await;
    let own = format!("http://{}", server.address);
    for (origin, status) in [
        (page, 200),
        (&*own, 200),
        ("https://evil.example.com", 403),
        ("http://chat.example.com", 403),
        ("https://chat.example.com.evil.example.com", 403),
        ("null", 403),
    ] {
        let request = server.request(Method::POST, "/threads/search");
        let reply = server.send(request.header("origin", origin)).await;
        assert_eq!(reply.status, status, "{origin}: {reply:?}");
        let allowed = (status == 200).then_some(origin);
        assert_eq!(reply.header("access-control-allow-origin"), allowed);
    }
}

#[tokio::test]
async fn a_preflight_is_answered_for_allowed_pages_and_needs_no_token() {
    let page = "https://chat.example.com";
    let server = server(memory()).origin(page).token(Secret::new("t"));
    let server = Running::start(server).await;
    let preflight = |origin: &str| {
        let request = server.request(Method::OPTIONS, "/threads/search");
        request
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "content-type,x-api-key")
    };
    let reply = server.send(preflight(page)).await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), Some(page));
    let headers = reply.header("access-control-allow-headers");
    assert_eq!(headers, Some("content-type,x-api-key"));
    let exposed = reply.header("access-control-expose-headers").unwrap();
    for name in [
        "content-location", "location", "x-pagination-total", "x-pagination-next",
    ] {
        assert!(exposed.contains(name), "{exposed}");
    }
    let reply = server.send(preflight("https://evil.example.com")).await;
    assert_eq!(reply.status, 403);
    // A preflight opens nothing: the request itself needs the token.
    let request = server
        .request(Method::POST, "/threads/search")
        .header("origin", page);
    let reply = server.send(request).await;
    reply.detail(401);
    assert_eq!(reply.header("access-control-allow-origin"), Some(page));
}

#[tokio::test]
async fn others_than_this_machine_reach_a_server_only_if_it_has_a_token() {
    for token in [None, Some("")] {
        let mut server = server(memory());
        if let Some(token) = token {
            server = server.token(Secret::new(token));
        }
        let error = server.bind("0.0.0.0:0").await.err().unwrap();
        assert_eq!(error.code(), "SS9002");
        assert!(error.hint().unwrap().contains("token"));
    }
    // Tokens of owners are none of the whole server.
    let owned = server(memory()).owner("ann", Secret::new("a token of sixteen"));
    let error = owned.bind("0.0.0.0:0").await.err().unwrap();
    assert_eq!(error.code(), "SS9002");
    // One that can be guessed is none for others.
    let weak = server(memory()).token(Secret::new("fifteen of them"));
    let error = weak.bind("0.0.0.0:0").await.err().unwrap();
    assert_eq!(error.code(), "SS9011");
    assert!(!error.to_string().contains("fifteen"), "{error}");
    let server = server(memory()).token(Secret::new("a token of sixteen"));
    let bound = server.bind("0.0.0.0:0").await.unwrap();
    assert!(bound.address().ip().is_unspecified());
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why() {
    let twice = server(memory()).dynamic("one", &one(), Schemas::default());
    let odd = server(memory()).dynamic("a/b", &one(), Schemas::default());
    let empty = server(memory()).dynamic("", &one(), Schemas::default());
    for server in [twice, odd, empty] {
        let error = server.bind("127.0.0.1:0").await.err().unwrap();
        assert_eq!(error.code(), "SS9001", "{error}");
    }
    let storeless = Backends::on(MemorySaver::default());
    let saverless = Backends {
        store: Some(Arc::new(MemoryStore::default())),
        ..Backends::default()
    };
    for (backends, what) in [(storeless, "store"), (saverless, "saver")] {
        let error = Server::on(backends)
            .bind("127.0.0.1:0")
            .await
            .err()
            .unwrap();
        assert!(matches!(error, ServerError::Backends { what: missing } if missing == what));
    }
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap();
    let error = server(memory()).bind(address).await.err().unwrap();
    assert_eq!(error.code(), "SS9003", "{error}");
}

#[tokio::test]
async fn a_request_for_two_hosts_is_refused() {
    let server = Running::start(server(memory())).await;
    let place = server.address.trim_start_matches("http://").to_owned();
    for hosts in [
        format!("host: {place}\r\nhost: evil.example.com\r\n"),
        format!("host: evil.example.com\r\nhost: {place}\r\n"),
        format!("host: {place}\r\nHost: {place}\r\n"),
    ] {
        let mut stream = tokio::net::TcpStream::connect(&place).await.unwrap();
        let request = format!("GET /info HTTP/1.1\r\n{hosts}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.unwrap();
        assert!(reply.starts_with("HTTP/1.1 400"), "{hosts}: {reply}");
    }
}

#[tokio::test]
async fn who_does_not_finish_a_request_is_let_go_and_who_listens_is_not() {
    let gates = Gate::shut();
    let server = server(memory())
        .dynamic("gate", &gate(&gates), Schemas::default())
        .time_limit(Duration::from_millis(300));
    let server = Running::start(server).await;
    let body = json!({"assistant_id": "gate", "input": {"x": 0}});
    let request = server.request(Method::POST, "/runs/stream");
    let mut events = Events::open(&server, request.body(body.to_string())).await;
    events.next().await.unwrap();
    gates.entered.acquire().await.unwrap().forget();
    for begun in ["", "GET /ok HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "] {
        let mut client = TcpStream::connect(&server.address).await.unwrap();
        client.write_all(begun.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // It comes to an end, which only the server makes.
        client.read_to_end(&mut answer).await.unwrap();
        assert!(!answer.starts_with(b"HTTP/1.1 200"), "{answer:?}");
    }
    // The stream had nothing to say for longer than that.
    gates.open.add_permits(1);
    assert!(!events.rest().await.is_empty());
}
