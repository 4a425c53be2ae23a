//! Model servers on this machine, as far as choosing goes: small ones that answer one thing.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

use crate::env::TestEnv;

/// A server that gives every request this body.
fn serve(body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut seen = Vec::new();
            let mut byte = [0];
            while !seen.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap_or(0) == 1 {
                seen.push(byte[0]);
            }
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let length = body.len();
            let answer = format!("{head}\r\ncontent-length: {length}\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn a_server_with_a_model_worth_it_is_found() {
    let address = serve(
        r#"{"models": [{"name": "tiny:1b", "details": {"parameter_size": "1.2B", "family": "llama"}},
            {"name": "qwen3:8b", "details": {"parameter_size": "8.2B", "family": "qwen3"}}]}"#,
    );
    let ran = TestEnv::new()
        .with("SUPERSTEP_OLLAMA", &address)
        .run("model show");
    assert!(
        ran.stdout
            .starts_with("ollama:qwen3:8b  Ollama on this machine\n"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
}

#[test]
fn a_server_without_one_is_passed_over_and_one_elsewhere_is_not_asked() {
    let address = serve(
        r#"{"models": [{"name": "tiny:1b", "details": {"parameter_size": "1.2B", "family": "x"}}]}"#,
    );
    let env = TestEnv::new().with("SUPERSTEP_OLLAMA", &address);
    let ran = env.run("model show --no-input");
    assert!(
        ran.stdout.contains("none of its 1 models chats"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 3);
    let env = TestEnv::new().with("SUPERSTEP_OLLAMA", "http://192.0.2.1:11434");
    let ran = env.run("model show --no-input");
    assert!(
        ran.stdout.contains("is not on this machine"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_server_that_was_named_lists_its_models_and_needs_no_key() {
    let address = serve(r#"{"data": [{"id": "one"}, {"id": "two"}]}"#);
    let env = TestEnv::new().with("OPENAI_BASE_URL", &format!("{address}/v1"));
    let ran = env.run("model show --offline");
    assert!(
        ran.stdout.contains("stays on this machine"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.code, 0);
}
