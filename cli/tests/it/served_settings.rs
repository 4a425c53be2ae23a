//! Settings that the operator changes over HTTP, as the page does.
#![cfg(feature = "remote")]

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value as Json, json};
use superstep_loopback::{Answer, Request, Server};

use crate::{env::TestEnv, served::Served};

const KEY: &str = "sk-hush-hush-0123";

/// What a restart may take. A test that passes waits for much less.
const PATIENCE: Duration = Duration::from_secs(60);

/// A provider that takes one key.
fn provider() -> Server {
    Server::on_thread(|request: &Request| match request.header("authorization") {
        Some("Bearer sk-hush-hush-0123") => Answer::json(200, &json!({"data": [{"id": "gpt-x"}]})),
        _ => Answer::json(401, &json!({"error": {"message": "wrong key"}})),
    })
    .unwrap()
}

/// What a server that may be away says of the sheets agent.
fn sheets(address: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    let body = r#"{"graph_id":"sheets"}"#;
    let length = body.len();
    let request = format!(
        "POST /assistants/search HTTP/1.1\r\nhost: {address}\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).ok()?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).ok()?;
    Some(reply)
}

fn settings(server: &Served) -> Json {
    let (status, settings) = server.call("GET", "/settings", &json!(null));
    assert_eq!(status, 200, "{settings}");
    assert!(!settings.to_string().contains("hush"), "{settings}");
    settings
}

/// Whether the sheets agent runs; before, it plays its example.
fn is_ready(server: &Served) -> bool {
    sheets(&server.address).is_some_and(|reply| reply.contains(r#""state":"ready""#))
}

#[test]
fn settings_are_changed_in_the_browsers_api_and_hold_after_a_restart() {
    let provider = provider();
    let env = TestEnv::new();
    env.write(
        "home/.config/superstep/config.toml",
        &format!(
            "[providers.openai]\nbase_url = \"{}\"\n",
            provider.address()
        ),
    );
    let server = Served::start(&env, "serve --db t.db --no-input --port 0");
    let shown = settings(&server);
    assert_eq!(shown["model"], json!(null));
    assert_eq!(shown["can_change"], true);
    assert_eq!(shown["roots"].as_array().unwrap().len(), 1);
    assert!(!is_ready(&server));

    let put = |path: &str, body: Json| server.call("PUT", path, &body);
    let (refused, why) = put("/settings/keys/openai", json!({"key": "sk-wrong-hush"}));
    assert_eq!(refused, 422, "{why}");
    assert!(!why.to_string().contains("hush"), "{why}");
    assert_eq!(put("/settings/keys/openai", json!({"key": KEY})).0, 204);
    assert_eq!(
        env.read("home/.config/superstep/keys/openai"),
        format!("{KEY}\n")
    );
    let (refused, why) = put("/settings/model", json!({"name": "script:/etc/passwd"}));
    assert_eq!(refused, 422, "{why}");
    assert_eq!(
        put("/settings/model", json!({"name": "openai:gpt-x"})).0,
        204
    );
    let shown = settings(&server);
    assert_eq!(shown["model"]["name"], "openai:gpt-x");
    let keys = shown["keys"].as_array().unwrap().iter();
    let key = { keys }.find(|key| key["provider"] == "openai").unwrap();
    assert_eq!(key["place"], "file");
    assert!(!is_ready(&server), "the agents are opened anew");

    let (made, thread) = server.call("POST", "/threads", &json!({}));
    assert_eq!(made, 200, "{thread}");
    assert_eq!(server.call("POST", "/settings/restart", &json!({})).0, 204);
    let end = Instant::now() + PATIENCE;
    while !is_ready(&server) {
        assert!(Instant::now() < end, "it does not start again");
    }
    let id = thread["thread_id"].as_str().unwrap();
    let (found, _) = server.call("GET", &format!("/threads/{id}"), &json!(null));
    assert_eq!(found, 200, "threads are there as before");
    let (removed, _) = server.call("DELETE", "/settings/keys/openai", &json!({}));
    assert_eq!(removed, 204);
    assert!(!env.path("home/.config/superstep/keys/openai").exists());
}
