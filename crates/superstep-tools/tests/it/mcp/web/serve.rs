//! Just enough of an HTTP server: one request a connection, answered by a function.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// What a client asked.
pub(super) struct Asked {
    headers: BTreeMap<String, String>,
    message: Json,
}

/// What it gets.
#[derive(Clone)]
pub(super) enum Answer {
    Json(Json),
    /// With the session that begins.
    Greeting(Json, &'static str),
    /// With a status of failure.
    Refusal(Json),
    Events(Vec<Json>),
    Status(u16),
    Redirect(&'static str),
    /// The connection ends in the middle.
    Cut,
    /// Nothing, for ever.
    Silence,
    /// More than anybody wants to read.
    Large,
}

impl Asked {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub(super) fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    pub(super) fn reply(&self, result: Json) -> Json {
        json!({"jsonrpc": "2.0", "id": self.message["id"], "result": result})
    }
}

/// Serves until the test ends; gives the address.
pub(super) async fn serve(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let asked = read(&mut stream).await;
                let answer = answer(&asked);
                // A client that does not read on is what some tests are about.
                let _ = write(stream.get_mut(), answer).await;
            });
        }
    });
    format!("http://127.0.0.1:{port}/mcp")
}

async fn read(stream: &mut BufReader<TcpStream>) -> Asked {
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.unwrap();
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(": ") {
            headers.insert(name.to_lowercase(), value.to_owned());
        }
    }
    let length = headers.get("content-length").map_or("0", String::as_str);
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    let message = serde_json::from_slice(&body).unwrap_or_default();
    Asked { headers, message }
}

async fn write(stream: &mut TcpStream, answer: Answer) -> std::io::Result<()> {
    let whole = |status: &str, more: &str, body: &str| {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\nconnection: close\r\n{more}content-length: {length}\r\n\r\n{body}"
        )
    };
    let json = "content-type: application/json\r\n";
    let text = match answer {
        Answer::Json(body) => whole("200 OK", json, &body.to_string()),
        Answer::Greeting(body, session) => {
            let more = format!("{json}mcp-session-id: {session}\r\n");
            whole("200 OK", &more, &body.to_string())
        }
        Answer::Refusal(body) => whole("400 Bad Request", json, &body.to_string()),
        Answer::Events(events) => {
            let events = events
                .iter()
                .map(|it| format!("event: message\ndata: {it}\n\n"));
            let body: String = events.collect();
            whole("200 OK", "content-type: text/event-stream\r\n", &body)
        }
        Answer::Status(status) => whole(&format!("{status} Because"), "", ""),
        Answer::Redirect(to) => whole("307 Elsewhere", &format!("location: {to}\r\n"), ""),
        Answer::Cut => format!("HTTP/1.1 200 OK\r\n{json}content-length: 100\r\n\r\n{{\"json"),
        Answer::Silence => return std::future::pending().await,
        Answer::Large => whole("200 OK", json, &"x".repeat(9 << 20)),
    };
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}
