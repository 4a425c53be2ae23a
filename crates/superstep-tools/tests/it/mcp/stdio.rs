//! What servers say and how: lists, results, errors, and lines that are none of these.

use std::time::Duration;

use serde_json::{Value as Json, json};
use superstep::tools::mcp::{At, Limits, Server};

use super::bench::{End, Ledger, approved, call, call_of, said, tools, until};

#[tokio::test]
async fn tools_are_listed_and_called() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&[])).await;
    let end = call(&client, "fake_echo", json!({"text": "hello"})).await;
    assert_eq!(end, said("hello"));
    assert_eq!(call(&client, "fake_picture", json!({})).await, said(""));
    assert!(client.problems().is_empty(), "{:?}", client.problems());
}

#[tokio::test]
async fn every_version_is_spoken_and_an_unknown_one_is_refused() {
    let ledger = Ledger::new();
    for modes in [&["old"][..], &["modern"], &["greets"]] {
        let client = approved(ledger.reading(modes)).await;
        let end = call(&client, "fake_echo", json!({"text": "hi"})).await;
        assert_eq!(end, said("hi"), "{modes:?}");
    }
    let error = ledger.reading(&["future"]).connect().await.unwrap_err();
    assert_eq!(error.code(), "SS5107");
    assert!(error.to_string().contains("no version that we know"));
}

#[tokio::test]
async fn a_list_of_several_pages_is_read_whole_and_an_endless_one_is_not() {
    let ledger = Ledger::new();
    let whole = approved(ledger.reading(&[])).await.offered();
    let paged = approved(ledger.reading(&["pages"])).await.offered();
    assert!(whole.len() > 3);
    assert_eq!(whole, paged);
    let error = ledger.reading(&["loops"]).connect().await.unwrap_err();
    assert!(error.to_string().contains("goes in circles"), "{error}");
}

#[tokio::test]
async fn arguments_are_held_to_the_schema_before_anything_is_sent() {
    let ledger = Ledger::new();
    let client = approved(ledger.server(&[])).await;
    for bad in [
        json!({}),
        json!({"to": "a"}),
        json!({"to": 1, "text": "x"}),
        json!({"to": "a", "text": "x", "bcc": "eve"}),
    ] {
        let end = call(&client, "fake_send", bad).await;
        assert!(end.failed_with("do not fit `fake_send`"), "{end:?}");
    }
    assert!(ledger.lines().is_empty());
}

#[tokio::test]
async fn tools_with_hostile_schemas_or_equal_names_are_left_out_and_told() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&["hostile"])).await;
    let names: Vec<_> = client.tools().unwrap();
    let names: Vec<_> = names.iter().map(|it| it.spec().name.clone()).collect();
    for absent in ["fake_far", "fake_bool", "fake_a_b"] {
        assert!(!names.iter().any(|it| it == absent), "{absent}");
        let message = client.problems();
        assert!(message.iter().any(|it| it.contains(absent)), "{message:?}");
    }
    let error = ledger.reading(&["abyss"]).connect().await.unwrap_err();
    assert!(error.to_string().contains("nested too deep"), "{error}");
    // A schema that refers to itself is fine: values end.
    let deep = (0..100).fold(json!({}), |inner, _| json!({"a": inner}));
    let end = call(&client, "fake_cycle", deep).await;
    assert!(end.failed_with("no such tool"), "{end:?}");
    let end = call(&client, "fake_echo", json!({"text": "still"})).await;
    assert_eq!(end, said("still"));
}

#[tokio::test]
async fn a_failure_is_told_in_the_tools_words() {
    let ledger = Ledger::new();
    let client = approved(ledger.server(&[])).await;
    let end = call(&client, "fake_fail", json!({})).await;
    assert!(end.failed_with("the disk is full"), "{end:?}");
    let end = call(&client, "fake_refuse", json!({})).await;
    assert!(end.failed_with("-32602"), "{end:?}");
}

#[tokio::test]
async fn an_internal_error_says_nothing_about_what_happened() {
    let ledger = Ledger::new();
    let client = approved(ledger.server(&[])).await;
    let end = call(&client, "fake_explode", json!({})).await;
    assert!(end.unknown_with("internal error"), "{end:?}");
    let client = approved(ledger.reading(&[])).await;
    let end = call(&client, "fake_explode", json!({})).await;
    assert!(end.failed_with("internal error"), "{end:?}");
}

#[tokio::test]
async fn garbage_wrong_ids_and_second_replies_are_passed_over() {
    let ledger = Ledger::new();
    let client = approved(ledger.server(&[])).await;
    for (tool, expected) in [
        ("fake_garbage", "after garbage"),
        ("fake_wrong_id", "right"),
        ("fake_twice", "first"),
    ] {
        assert_eq!(call(&client, tool, json!({})).await, said(expected));
        let end = call(&client, "fake_echo", json!({"text": "in step"})).await;
        assert_eq!(end, said("in step"), "after {tool}");
    }
}

#[tokio::test]
async fn a_server_that_floods_or_sends_too_much_is_ended() {
    let ledger = Ledger::new();
    let client = approved(ledger.server(&[])).await;
    let end = call(&client, "fake_huge", json!({})).await;
    assert!(end.unknown_with("more than 8388608 bytes"), "{end:?}");
    let end = call(&client, "fake_deep", json!({})).await;
    assert!(end.unknown_with("nested too deep"), "{end:?}");
    let end = call(&client, "fake_flood", json!({})).await;
    assert!(end.unknown_with("no message"), "{end:?}");
    let end = call(&client, "fake_echo", json!({"text": "anew"})).await;
    assert_eq!(end, said("anew"));
}

#[tokio::test]
async fn what_a_server_asks_is_refused_except_whether_we_live() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&[])).await;
    let End::Said(answers) = call(&client, "fake_ask", json!({})).await else {
        panic!("it answers");
    };
    let answers: Vec<Json> = serde_json::from_str(&answers).unwrap();
    let (ping, rest) = answers.split_last().unwrap();
    assert_eq!(ping["result"], json!({}));
    assert!(rest.iter().all(|it| it["error"]["code"] == -32601));
    assert_eq!(rest.len(), 3);
}

#[tokio::test]
async fn a_call_that_hangs_meets_its_limit_and_is_cancelled() {
    let ledger = Ledger::new();
    let within = |limit: u64, server: Server| Server {
        limits: Limits {
            call: Duration::from_millis(limit),
            ..Limits::default()
        },
        ..server
    };
    let client = approved(within(1500, ledger.server(&[]))).await;
    let end = call(&client, "fake_hang", json!({})).await;
    assert!(end.unknown_with("no reply came within 1.5s"), "{end:?}");
    let End::Said(notices) = call(&client, "fake_notices", json!({})).await else {
        panic!("the server is still there");
    };
    assert!(notices.contains("notifications/cancelled"), "{notices}");
    let client = approved(within(100, ledger.reading(&[]))).await;
    let end = call(&client, "fake_hang", json!({})).await;
    assert!(end.failed_with("no reply came within 100ms"), "{end:?}");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_and_others_go_on() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&[])).await;
    let tools = tools(&client);
    let hanging = tools.clone();
    let run = tokio::spawn(async move { call_of(&hanging, "fake_hang", json!({})).await });
    until("it hangs", || ledger.lines() == ["hangs"]).await;
    let end = call_of(&tools, "fake_echo", json!({"text": "meanwhile"})).await;
    assert_eq!(end, said("meanwhile"));
    run.abort();
    assert!(run.await.is_err());
    let End::Said(notices) = call_of(&tools, "fake_notices", json!({})).await else {
        panic!("the server is still there");
    };
    assert!(notices.contains("notifications/cancelled"), "{notices}");
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let ledger = Ledger::new();
    let mut server = ledger.reading(&["silent"]);
    server.limits.connect = Duration::from_millis(200);
    let error = server.connect().await.unwrap_err();
    assert_eq!(error.code(), "SS5107");
}

#[tokio::test]
async fn tools_that_hide_characters_are_left_out_and_told() {
    let ledger = Ledger::new();
    let client = approved(ledger.reading(&["hides"])).await;
    let problems = client.problems();
    for (name, what) in [
        (
            "`fake_selectors`",
            "its description holds 4 hidden characters",
        ),
        ("`fake_selectors`", "that spell \"obey\""),
        ("`fake_filler`", "U+3164"),
        (
            "`fake_escape`",
            "its schema holds 2 hidden characters (U+001B ×2)",
        ),
        (
            "`fake_named_`",
            "its name holds 1 hidden character (U+00AD)",
        ),
    ] {
        let is_told = |it: &&String| it.contains(name) && it.contains(what);
        assert!(
            problems.iter().any(|it| is_told(&it)),
            "{what}: {problems:?}"
        );
    }
    assert_eq!(problems.len(), 4, "{problems:?}");
    let tools = client.tools().unwrap();
    assert!(tools.iter().any(|it| it.spec().name == "fake_emoji"));
}

#[tokio::test]
async fn keys_of_a_server_are_not_in_what_it_says() {
    let ledger = Ledger::new();
    let key = "plain-words-and-no-known-shape";
    let mut server = ledger.reading(&[]);
    if let At::Command(command) = &mut server.at {
        command.env.insert("SERVICE_TOKEN".into(), key.into());
    }
    let client = approved(server).await;
    let end = call(&client, "fake_leak", json!({})).await;
    assert_eq!(end, said("my key is [redacted]"));
    assert!(!client.stderr().await.contains(key));
}
