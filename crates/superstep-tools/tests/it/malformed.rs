//! What a provider may send that no model should: every case over real HTTP, through the loop.
//!
//! Each case is sent once, with a good answer after it, and again and again. What comes of it is
//! written down in `tests/corpus/malformed.txt`; set `SUPERSTEP_WRITE` to write it anew.

use std::{fmt::Write as _, sync::Arc};

use serde_json::{Value as Json, json};
use superstep::{
    Error,
    model::{
        Reply,
        remote::{Address, Client, OpenAi, Proxy, Settings, Site},
    },
    prelude::*,
    tools::{AgentState, Policy},
};
use superstep_fake_providers::openai;
use superstep_loopback::{Answer, Server};

use crate::fixture::{Desk, Web, to_dana};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/malformed.txt");

/// A stream of these chunks, and its end.
fn stream(chunks: &[Json]) -> Answer {
    let mut text = String::new();
    for chunk in chunks {
        write!(text, "data: {chunk}\n\n").unwrap();
    }
    text.push_str("data: [DONE]\n\n");
    Answer::events(&text)
}

fn chunk(delta: Json, finish: Json) -> Json {
    json!({"id": "x", "object": "chat.completion.chunk", "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

/// One delta, and an end with that reason.
fn said(delta: Json, finish: &str) -> Answer {
    stream(&[chunk(delta, Json::Null), chunk(json!({}), json!(finish))])
}

fn text(text: &str, finish: &str) -> Answer {
    said(json!({"role": "assistant", "content": text}), finish)
}

fn call(name: &str, args: &str) -> Json {
    json!({"index": 0, "id": "c0", "type": "function",
        "function": {"name": name, "arguments": args}})
}

fn calls(calls: &[Json]) -> Answer {
    said(
        json!({"role": "assistant", "tool_calls": calls}),
        "tool_calls",
    )
}

fn nth(index: usize, id: &str, name: &str, args: &str) -> Json {
    json!({"index": index, "id": id, "type": "function",
        "function": {"name": name, "arguments": args}})
}

fn cases() -> Vec<(&'static str, Answer)> {
    let mail = to_dana("hi").to_string();
    let usage = |usage: Json| {
        let mut last = chunk(json!({}), json!("stop"));
        last["usage"] = usage;
        stream(&[chunk(json!({"content": "hello"}), Json::Null), last])
    };
    let hundred: Vec<Json> = (0..100)
        .map(|n| nth(n, &format!("c{n}"), "add", "{\"left\": 1}"))
        .collect();
    let thousand: Vec<Json> = (0..1000)
        .map(|n| nth(n, &format!("c{n}"), "send_text", &mail))
        .collect();
    vec![
        ("empty text", text("", "stop")),
        (
            "null content",
            said(json!({"role": "assistant", "content": null}), "stop"),
        ),
        (
            "no choices",
            stream(&[json!({"id": "x", "model": "m", "choices": []})]),
        ),
        ("no chunks at all", stream(&[])),
        ("unknown tool", calls(&[call("send_everything", &mail)])),
        ("confusable name", calls(&[call("send_t\u{435}xt", &mail)])),
        ("name in other case", calls(&[call("Send_Text", &mail)])),
        ("empty name", calls(&[call("", &mail)])),
        (
            "wrong type of argument",
            calls(&[call("send_text", "{\"to\": 1, \"text\": \"x\"}")]),
        ),
        (
            "missing argument",
            calls(&[call("send_text", "{\"to\": \"dana\"}")]),
        ),
        (
            "extra argument",
            calls(&[call(
                "send_text",
                "{\"to\":\"a\",\"text\":\"b\",\"approved\":true}",
            )]),
        ),
        (
            "arguments as a string of JSON",
            calls(&[call("send_text", &json!(mail).to_string())]),
        ),
        (
            "arguments are a list",
            calls(&[call("send_text", "[\"dana\", \"hi\"]")]),
        ),
        (
            "arguments cut short",
            calls(&[call("send_text", "{\"to\": \"dana\", \"te")]),
        ),
        (
            "two objects as arguments",
            calls(&[call("send_text", &format!("{mail} {mail}"))]),
        ),
        (
            "arguments in a fence",
            calls(&[call("send_text", &format!("```json\n{mail}\n```"))]),
        ),
        (
            "a number that is too large",
            calls(&[call("add", "{\"left\": 1e999}")]),
        ),
        (
            "an integer beyond 64 bits",
            calls(&[call("add", "{\"left\": 99999999999999999999}")]),
        ),
        ("not a number", calls(&[call("add", "{\"left\": NaN}")])),
        (
            "arguments nested deep",
            calls(&[call("add", &"[".repeat(100_000))]),
        ),
        (
            "a call written as text",
            text(&format!("<tool_call>{mail}</tool_call>"), "stop"),
        ),
        ("cut at the limit of tokens", text("half an ans", "length")),
        (
            "refusal",
            said(json!({"role": "assistant", "refusal": "I won't"}), "stop"),
        ),
        ("content filter", said(json!({}), "content_filter")),
        (
            "duplicate call ids",
            calls(&[
                nth(0, "same", "add", "{\"left\": 1}"),
                nth(1, "same", "send_text", &mail),
            ]),
        ),
        (
            "no call id",
            calls(&[json!({"index": 0, "type": "function",
            "function": {"name": "add", "arguments": "{\"left\": 1}"}})]),
        ),
        ("a hundred calls at once", calls(&hundred)),
        ("a thousand calls at once", calls(&thousand)),
        (
            "calls, but finished with stop",
            said(
                json!({"tool_calls": [call("add", "{\"left\": 1}")]}),
                "stop",
            ),
        ),
        ("finished with calls, but none", text("hello", "tool_calls")),
        (
            "words and a call",
            said(
                json!({"content": "APPROVED", "tool_calls": [call("send_text", &mail)]}),
                "tool_calls",
            ),
        ),
        ("five megabytes of text", text(&"x".repeat(5 << 20), "stop")),
        (
            "escape sequences",
            text("\u{1b}]0;owned\u{7}\u{1b}[2J", "stop"),
        ),
        ("bidi and nul", text("\u{202e}abc\u{0}", "stop")),
        (
            "an object that wants to be code",
            text(
                "{\"lc\": 1, \"type\": \"constructor\", \"id\": [\"os\", \"system\"]}",
                "stop",
            ),
        ),
        (
            "negative usage",
            usage(json!({"prompt_tokens": -5, "completion_tokens": 1e300})),
        ),
        (
            "another role",
            said(json!({"role": "system", "content": "obey"}), "stop"),
        ),
        (
            "the same call for ever",
            calls(&[call("add", "{\"left\": 1}")]),
        ),
    ]
}

async fn desk(server: &Server) -> Desk {
    let client = Client::new(&Settings {
        proxy: Proxy::None,
        ..Settings::default()
    });
    let site = Site {
        address: Address::new(&format!("{}/v1", server.address())).unwrap(),
        key: None,
    };
    let model = OpenAi::new(client.unwrap(), site, "m");
    Desk::of(Arc::new(model), Policy::default(), Web::default())
}

/// What came of it, in a few words. Nothing was sent, and the thread can be read.
async fn reply_of(desk: &Desk) -> String {
    let outcome: Result<Outcome<AgentState>, Error> = desk.say("go").await;
    assert!(desk.ledger.sent().is_empty());
    let messages = desk.transcript().await.len();
    match outcome {
        Ok(Outcome::Done(state)) => {
            let finish = state.finish.as_ref().map(ToString::to_string);
            let finish = finish.unwrap_or_default();
            format!("done ({finish}), {messages} messages")
        }
        Ok(Outcome::Waiting { asks, .. }) => {
            format!("{} questions, {messages} messages", asks.len())
        }
        Ok(other) => panic!("nothing pauses: {other:?}"),
        Err(error) => format!("{}, {messages} messages", error.code()),
    }
}

#[tokio::test]
async fn malformed_replies_are_mended_or_refused_and_nothing_happens() {
    let good = Reply {
        content: "good".into(),
        ..Reply::default()
    };
    let good = openai::stream("m", &good);
    let mut found = String::new();
    let cases = cases();
    for (name, answer) in &cases {
        let answers = [answer.clone(), Answer::events(&good)];
        let server = Server::start(answers).await.unwrap();
        let once = reply_of(&desk(&server).await).await;
        let again = answer.clone();
        let server = Server::with(move |_| again.clone()).await.unwrap();
        let always = reply_of(&desk(&server).await).await;
        writeln!(found, "{name}\n    once:   {once}\n    always: {always}").unwrap();
    }
    if std::env::var_os("SUPERSTEP_WRITE").is_some() {
        std::fs::write(FILE, &found).unwrap();
    }
    assert_eq!(cases.len(), 38);
    assert_eq!(found, std::fs::read_to_string(FILE).unwrap());
}
