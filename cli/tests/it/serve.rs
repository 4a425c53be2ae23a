//! `superstep serve`: the agents over HTTP.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::Child,
};

use serde_json::{Value as Json, json};

use crate::env::TestEnv;

/// A server that runs until this is dropped.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(env: &TestEnv, line: &str) -> Self {
        let mut child = env.command(line).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let address = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).unwrap() > 0, "it ended");
            if let Some((_, address)) = line.split_once("serving http://") {
                break address.trim().to_owned();
            }
        };
        Self { child, address }
    }

    fn call(&self, method: &str, path: &str, body: &Json) -> (u16, Json) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let body = body.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        // A body that comes in chunks has lengths around it.
        let start = body.find(['{', '[']).unwrap_or(0);
        let end = body.rfind(['}', ']']).map_or(body.len(), |end| end + 1);
        (
            status,
            serde_json::from_str(&body[start..end]).unwrap_or_default(),
        )
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[test]
fn the_agents_are_served_without_a_model_and_say_what_they_lack() {
    let env = TestEnv::new();
    let server = Served::start(&env, "serve --port 0 --no-input --fake-audius --offline");
    let (status, found) = server.call(
        "POST",
        "/assistants/search",
        &json!({"sort_by": "graph_id"}),
    );
    assert_eq!(status, 200);
    let mut ids: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|assistant| assistant["graph_id"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, ["archie", "atris", "email_assistant"]);
    let (_, drawn) = server.call("GET", "/assistants/mail/graph", &json!(null));
    assert!(drawn["nodes"].as_array().unwrap().len() > 2, "{drawn}");
    // By rules, without a model.
    let ask =
        json!({"assistant_id": "atris", "input": {"query": "What are the top trending tracks?"}});
    let (status, end) = server.call("POST", "/runs/wait", &ask);
    assert_eq!((status, end.get("__error__")), (200, None), "{end}");
}

#[test]
fn others_reach_it_only_with_a_token() {
    let env = TestEnv::new();
    let refused = env.run("serve --host 0.0.0.0 --port 0 --no-input");
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("SS9002"), "{}", refused.stderr);
    let env = env.with("SUPERSTEP_TOKEN", "a token");
    let server = Served::start(&env, "serve --port 0 --no-input");
    let (status, refused) = server.call("POST", "/threads/search", &json!({}));
    assert_eq!(status, 401, "{refused}");
}
